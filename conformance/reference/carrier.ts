import type { Clock } from "./clock.ts"
import { mint } from "./ids.ts"
import { drawn, isUnfunded, magicScript, ordinary, type Rule, type Script, type Subject } from "./script.ts"
import { Table } from "./table.ts"

export interface Leg {
  readonly leg_id: string
  execution_id: string
  readonly to_number: string
  readonly from_number: string | null
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly placed_at: number
  answered_at: number | null
  ended_at: number | null
  result: string | null
  live: boolean
}

/** What the carrier says of a leg. */
export type Report = "initiated" | "ringing" | "answered" | "ended" | "settled"

export interface Dial extends Subject {
  readonly execution_id: string
  readonly from_number: string | null
  readonly timeout_seconds: number
  /** Told of every report; `script` says how the leg goes. */
  readonly report: (report: Report, dialled: Dialled) => void
}

/** A leg under way. */
export interface Dialled {
  readonly leg: Leg
  readonly script: Script
  /** How it ends, once it has ended or when nobody intervenes. */
  result: Script["result"] | "hung-up"
  over: boolean
  /** The provider has said its last word: recording, cost. */
  settled: boolean
}

/** How a dial was taken. */
export type Taken =
  | { readonly taken: "accepted" | "unconfirmed" | "lost"; readonly dialled: Dialled | null }
  | { readonly taken: "unreachable" | "rejected" | "throttled"; readonly retryAfter: number }

const maxLegs = 100_000

/** From the end of a leg to its recording and cost. */
const settleMs = 400

/** From the report of a leg to its first ring. */
const ringAfterMs = 200

/** The fake carrier: it goes by rules, by magic numbers, and else by a mix. */
export class Carrier {
  readonly #clock: Clock
  readonly #legs = new Table<Leg>(maxLegs)
  #rules: Array<{ readonly rule: Rule; left: number }> = []
  #fallback: Script | null = null
  #live = 0
  #peak = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  setRules(rules: ReadonlyArray<Rule>, fallback: Script | null): void {
    this.#rules = rules.map((rule) => ({ rule, left: rule.times }))
    this.#fallback = fallback
  }

  get legs(): Table<Leg> {
    return this.#legs
  }

  get peak(): number {
    return this.#peak
  }

  /** A rule for the number takes the magic away. */
  isUnfunded(to: string): boolean {
    return (
      isUnfunded(to) && !this.#rules.some(({ left, rule: { match } }) => left > 0 && (match.to_number ?? to) === to)
    )
  }

  dial(dial: Dial): Taken {
    const script = this.#scriptFor(dial)
    switch (script.result) {
      case "unreachable":
      case "rejected":
        this.#refuse(dial, script)
        return { taken: script.result, retryAfter: 1 }
      case "throttled":
        return { taken: "throttled", retryAfter: script.retry_after ?? 1 }
      case "never-dialled":
        return { taken: "lost", dialled: null }
      default: {
        const dialled = this.#place(dial, script)
        return { taken: script.result === "unconfirmed" ? "unconfirmed" : "accepted", dialled }
      }
    }
  }

  /** Ends a leg on request, unless the provider refuses. */
  hangup(dialled: Dialled, report: Dial["report"]): boolean {
    if (dialled.script.hangup_refused === true) return false
    this.#end(dialled, "hung-up", report)
    return true
  }

  #matches({ match }: Rule, dial: Subject): boolean {
    return (
      (match.to_number ?? dial.to_number) === dial.to_number &&
      dial.to_number.startsWith(match.to_prefix ?? "") &&
      (match.agent_id ?? dial.agent_id) === dial.agent_id &&
      (match.campaign_id ?? dial.campaign_id) === dial.campaign_id &&
      (match.contact_index ?? dial.contact_index) === dial.contact_index &&
      (match.attempt ?? dial.attempt) === dial.attempt
    )
  }

  #scriptFor(dial: Subject): Script {
    const found = this.#rules.find(({ left, rule }) => left > 0 && this.#matches(rule, dial))
    if (found !== undefined) {
      found.left -= 1
      return found.rule.script
    }
    const { attempt, to_number } = dial
    return magicScript(to_number, attempt) ?? this.#fallback ?? ordinary(to_number, attempt)
  }

  #newLeg(dial: Dial): Leg {
    const { agent_id, campaign_id, execution_id, from_number, to_number } = dial
    const about = { execution_id, to_number, from_number, agent_id, campaign_id, placed_at: this.#clock.now() }
    return { leg_id: mint("leg"), ...about, answered_at: null, ended_at: null, result: null, live: false }
  }

  #refuse(dial: Dial, script: Script): void {
    const leg = this.#newLeg(dial)
    leg.result = script.result
    this.#legs.put(leg.leg_id, leg)
  }

  #place(dial: Dial, script: Script): Dialled {
    const leg = this.#newLeg(dial)
    leg.live = true
    this.#live += 1
    this.#peak = Math.max(this.#peak, this.#live)
    this.#legs.put(leg.leg_id, leg)
    const dialled: Dialled = { leg, script, result: script.result, over: false, settled: false }
    const clock = this.#clock
    const seed = `${leg.to_number} ${dial.attempt}`
    const reportMs = script.leg_report_ms ?? drawn(`report ${seed}`, 200, 600)
    const ringMs = script.ring_ms ?? drawn(`ring ${seed}`, 2_000, 12_000)
    const talkMs = script.talk_ms ?? drawn(`talk ${seed}`, 8_000, 90_000)
    const patienceMs = dial.timeout_seconds * 1000
    const tell = this.#teller(dialled, dial.report)
    const firstAt = leg.placed_at + (script.ack_delay_ms ?? 0) + reportMs
    const rings = firstAt + ringAfterMs
    clock.at(firstAt, () => tell("initiated"))
    if (script.result === "silent") {
      clock.at(rings + ringMs + talkMs, () => this.#end(dialled, "completed", () => {}))
      return dialled
    }
    clock.at(rings, () => tell("ringing"))
    const answers = ["completed", "call-disconnected", "unconfirmed"].includes(script.result)
    const ranOut = ringMs > patienceMs || (script.result === "no-answer" && script.ring_ms === undefined)
    if (ranOut) clock.at(rings + patienceMs, () => this.#end(dialled, "no-answer", dial.report))
    else if (!answers) clock.at(rings + ringMs, () => this.#end(dialled, dialled.result, dial.report))
    else {
      clock.at(rings + ringMs, () => {
        if (dialled.over) return
        leg.answered_at = clock.now()
        tell("answered")
      })
      const end = script.result === "unconfirmed" ? "completed" : script.result
      clock.at(rings + ringMs + talkMs, () => this.#end(dialled, end, dial.report))
    }
    return dialled
  }

  #teller(dialled: Dialled, report: Dial["report"]): (what: Report) => void {
    return (what) => {
      if (dialled.over) return
      report(what, dialled)
      if (dialled.script.duplicate_reports === true) report(what, dialled)
    }
  }

  #end(dialled: Dialled, result: Dialled["result"], report: Dial["report"]): void {
    if (dialled.over) return
    const { leg, script } = dialled
    dialled.over = true
    dialled.result = result
    leg.live = false
    leg.ended_at = this.#clock.now()
    leg.result = result
    this.#live -= 1
    report("ended", dialled)
    // A late word of what was before changes nothing.
    if (script.duplicate_reports === true) report("ended", dialled)
    if (script.reorder_reports === true) report("ringing", dialled)
    this.#clock.after(settleMs, () => {
      dialled.settled = true
      report("settled", dialled)
      if (script.duplicate_reports === true) report("settled", dialled)
    })
  }
}
