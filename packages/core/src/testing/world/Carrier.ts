import type { Parking } from "../../engine/Parking.ts"
import { TimeHeap } from "../../engine/rules/TimeHeap.ts"
import type { Telephony } from "../../telephony/ports/Telephony.ts"
import type { Asked, CarrierReport, LegEnd, LegFacts } from "../../telephony/rules/Leg.ts"
import type { DialCommand, DialOutcome } from "../../telephony/rules/Dial.ts"
import { Effect } from "effect"

type ReportType = CarrierReport["type"]

type Stages = ReadonlyArray<readonly [afterMs: number, report: ReportType]>

/** What the carrier does with a number: its answer to the dial, and the life of the leg, each stage after so many milliseconds. */
export interface Script {
  readonly outcome?: DialOutcome
  /** How long the answer to the dial takes; `Infinity` never comes. */
  readonly acknowledgementMs?: number
  readonly reports?: Stages
  /** Stages that the leg goes through without a word. */
  readonly unreported?: ReadonlyArray<ReportType>
  readonly end?: Partial<LegEnd>
  readonly facts?: Partial<LegFacts>
  readonly hangup?: "Sent" | "Refused"
  /** The answer to questions, where it is not the truth about the leg; looked up at each question. */
  readonly asked?: Asked
}

interface Leg {
  executionId: string
  readonly command: DialCommand
  readonly script: Script
  phase: "initiated" | "ringing" | "answered" | "ended"
}

const completed: LegEnd = {
  status: "completed",
  duration_seconds: 10,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  error: null,
}

const noFacts: LegFacts = { recording_url: null, cost: null, media: null }

const endOf = (script: Script): LegEnd => ({ ...completed, ...script.end })

const factsOf = (script: Script): LegFacts => ({ ...noFacts, ...script.facts })

const phaseAfter = (type: ReportType): Leg["phase"] | undefined => {
  switch (type) {
    case "initiated":
    case "ringing":
    case "answered":
    case "ended":
      return type
    case "final":
      return "ended"
    case "analysis":
    case "corrected":
    case "recovered":
      return undefined
  }
}

const sidOf = (executionId: string): string => `leg-${executionId}`

/** A call that rings, is answered, ends, and is reported to the last within 20 seconds. */
export const ordinary: Script & Required<Pick<Script, "reports">> = {
  reports: [
    [300, "initiated"],
    [1_000, "ringing"],
    [5_000, "answered"],
    [15_000, "ended"],
    [17_000, "final"],
    [18_000, "analysis"],
  ],
}

/** After a hang-up the leg is over at once and says its last word a second later. */
const hungUp: Stages = [
  [200, "ended"],
  [1_200, "final"],
]

/** A carrier in virtual time whose every leg follows its script, whether or not anyone listens. */
export class Carrier {
  readonly dials: Array<DialCommand> = []
  readonly legs = new Map<string, Leg>()
  readonly questions: Array<{ readonly execution_id: string; readonly at: number }> = []
  readonly #now: () => number
  readonly #script: (command: DialCommand) => Script
  readonly #due = new TimeHeap<{ readonly leg: Leg; readonly type: ReportType } | { readonly again: CarrierReport }>()
  #nth = 0

  constructor(now: () => number, script: (command: DialCommand) => Script) {
    this.#now = now
    this.#script = script
  }

  next(): number | null {
    return this.#due.peek()?.at ?? null
  }

  /** Goes on to the next stage that is due by a moment; returns what is reported of it, null where nothing is. */
  step(by: number = this.#now()): CarrierReport | null {
    const due = this.#due.popDue(by)?.value
    if (due === undefined) return null
    if ("again" in due) return due.again
    const { leg, type } = due
    // A late report does not bring a leg back.
    if (leg.phase !== "ended") leg.phase = phaseAfter(type) ?? leg.phase
    if (leg.script.unreported?.includes(type) === true) return null
    const report = this.#reportOf(leg, type)
    if (report.type === "recovered") {
      this.legs.delete(leg.executionId)
      leg.executionId = report.surviving_execution_id
      this.legs.set(leg.executionId, leg)
    }
    return report
  }

  /** Sends a report again unless it is taken before. Returns its receipt. */
  again(report: CarrierReport, at: number): string {
    const receipt = `again-${this.#nth++}`
    this.#due.set(receipt, at, { again: report })
    return receipt
  }

  taken(receipt: string): void {
    this.#due.delete(receipt)
  }

  /** The dials whose legs are live at this moment. */
  live(): ReadonlyArray<DialCommand> {
    return [...this.legs.values()].filter((leg) => leg.phase !== "ended").map((leg) => leg.command)
  }

  /** The port. Without a place to park in, every dial is answered at once. */
  telephony(parking: Parking["Service"] | null): Telephony["Service"] {
    const now = this.#now
    const script = this.#script
    return {
      dial: Effect.fnUntraced({ self: this }, function* (command) {
        this.dials.push(command)
        const { outcome, acknowledgementMs, reports, ...rest } = script(command)
        if (outcome?._tag !== "Refused" && reports !== undefined) {
          this.#begin({ executionId: command.execution_id, command, script: rest, phase: "initiated" }, reports)
        }
        if (acknowledgementMs !== undefined && parking !== null) {
          yield* parking.park(`acknowledgement:${command.execution_id}`, now() + acknowledgementMs).wait
        }
        return outcome ?? { _tag: "Accepted", call_sid: sidOf(command.execution_id) }
      }),
      hangup: (executionId) =>
        Effect.sync(() => {
          const leg = this.legs.get(executionId)
          if (leg?.script.hangup === "Refused") return "Refused"
          if (leg !== undefined && leg.phase !== "ended") this.#begin(leg, hungUp)
          return "Sent"
        }),
      find: (executionId) =>
        Effect.sync((): Asked => {
          this.questions.push({ execution_id: executionId, at: now() })
          const leg = this.legs.get(executionId)
          const command = leg?.command ?? this.dials.find((dial) => dial.execution_id === executionId)
          const asked = command === undefined ? undefined : script(command).asked
          if (asked !== undefined || leg === undefined) return asked ?? { _tag: "Unknown" }
          const { script: told, phase } = leg
          const call_sid = sidOf(executionId)
          return phase === "ended"
            ? { _tag: "Ended", call_sid, end: endOf(told), facts: factsOf(told) }
            : { _tag: "Live", call_sid, phase }
        }),
    }
  }

  #begin(leg: Leg, reports: Stages): void {
    for (const { key, value } of [...this.#due.values()]) if ("leg" in value && value.leg === leg) this.#due.delete(key)
    this.legs.set(leg.executionId, leg)
    for (const [afterMs, type] of reports) this.#due.set(`stage-${this.#nth++}`, this.#now() + afterMs, { leg, type })
  }

  #reportOf({ executionId, script }: Leg, type: ReportType): CarrierReport {
    const base = { execution_id: executionId, at: this.#now(), call_sid: sidOf(executionId) }
    switch (type) {
      case "initiated":
      case "ringing":
      case "answered":
        return { ...base, type }
      case "ended":
        return { ...base, type, end: endOf(script) }
      case "final":
        return { ...base, type, end: endOf(script), facts: factsOf(script) }
      case "analysis":
        return { ...base, type, analysis: { summary: "Agreed.", sentiment: "positive", extracted_data: null } }
      case "corrected":
        return { ...base, type, end: { duration_seconds: 12 }, facts: {} }
      case "recovered":
        return { ...base, type, surviving_execution_id: `${executionId}-survivor` }
    }
  }
}
