import type { Asked, CarrierReport, DialCommand, DialOutcome, PortError, Telephony } from "@carillon/core"
import { Hash, TimeHeap } from "@carillon/core/domain"
import { type Chance, type DomainClock, type Ids, type Parking, placeOf } from "@carillon/core/ports"
import { Effect } from "effect"
import {
  connectedAt,
  type DialAnalytics,
  type Leg,
  legEnd,
  legFacts,
  reportOf,
  reportsAfterStop,
  reportsOf,
  resultOf,
} from "./Leg.ts"
import type { Rules } from "./Rules.ts"
import type { Script } from "./Outcome.ts"
import { drawMs, drawnMs, layOut, type LegResult, type Timeline } from "./Timeline.ts"
import { courseOf, refusalOf, type Wire, type WireLeg, type WireRefusal } from "./Wire.ts"

/** What the invariants are told of the carrier's world, at the moment at which it happens. */
export interface CarrierObserver {
  /** A dial arrived for a call that already had `legs` legs. */
  readonly dialled: (command: DialCommand, legs: number) => void
  readonly wentLive: (leg: Leg) => void
  readonly wentDown: (leg: Leg) => void
  readonly hungUp: (leg: Leg) => void
}

/** A dial as it came over a vendor's wire. */
export interface WiredDial {
  /** Null where the wire does not tell. */
  readonly execution_id: string | null
  readonly to_number: string
  /** What the engine asked for under this id, if it did. */
  readonly command: DialCommand | null
  /** The legs that its call has had. */
  readonly legs: number
}

export interface CarrierOptions {
  readonly seed: string
  readonly clock: DomainClock["Service"]
  readonly chance: Chance["Service"]
  readonly ids: Ids["Service"]
  readonly rules: Rules
  readonly observer: CarrierObserver
  /** Told of each dial that came over a vendor's wire. */
  readonly wired?: ((dial: WiredDial) => void) | undefined
  readonly analytics: DialAnalytics
  /** The numbers that a dial of an organization may be shown under. */
  readonly callerIds: (organizationId: string) => ReadonlyArray<string>
  /** How many legs that are over are remembered. */
  readonly retention: number
}

/** Which legs are asked for. */
export interface LegQuery {
  readonly to_number?: string
  readonly execution_id?: string
  readonly agent_id?: string
  readonly campaign_id?: string
  readonly live?: boolean
}

/** A leg in the words of the control contract. Times are epoch milliseconds. */
export interface LegView {
  readonly leg_id: string
  readonly execution_id: string
  readonly to_number: string
  readonly from_number: string | null
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly placed_at: number
  readonly answered_at: number | null
  readonly ended_at: number | null
  readonly result: string | null
  readonly live: boolean
}

/** Something that the carrier does now. */
export interface Doing {
  readonly run: Effect.Effect<void>
  /** Whoever was to run it is gone, and may not have. */
  readonly unheard: () => void
}

type Due = { readonly of: "end" | "report"; readonly leg: Leg }

const retryFirstMs = 1_000
const retryMaxMs = 60_000

/** How legs go that an adapter may end by itself once they are answered. */
const leftAlone: ReadonlySet<LegResult> = new Set(["voicemail", "call-disconnected"])

/** Who dialled a call with a lost acknowledgement waits for ever, as far as the carrier is concerned. */
const never = Number.POSITIVE_INFINITY

/**
 * The fake carrier: the truth about every leg, and the reports that it owes. How a leg goes is a function of (seed, number,
 * attempt) alone, never of the order in which legs are placed.
 */
export class Carrier {
  readonly #options: CarrierOptions
  readonly #legs = new Map<string, Leg>()
  /** Every id under which a leg can be asked about; the last dial wins. */
  readonly #byExecution = new Map<string, Array<Leg>>()
  readonly #due = new TimeHeap<Due>()
  /** Legs that are over and reported, oldest first. */
  readonly #over: Array<Leg> = []
  /** What the engine has asked a vendor's adapter for. */
  readonly #asked = new Map<string, DialCommand>()
  #overFrom = 0
  #live = 0
  #peak = 0
  #waiting = 0
  #arrivals = 0

  constructor(options: CarrierOptions) {
    this.#options = options
  }

  get live(): number {
    return this.#live
  }

  get peak(): number {
    return this.#peak
  }

  /** The port, for an engine whose requests park in `parking`. */
  telephony(parking: Parking["Service"]): Telephony["Service"] {
    return {
      dial: (command) => Effect.suspend(() => this.#dial(command, parking)),
      hangup: (executionId) => Effect.sync(() => this.#hangup(executionId)),
      find: (executionId) => Effect.sync(() => this.#find(executionId)),
    }
  }

  /** The port as a vendor's adapter serves it. What the engine asks for is noted, what comes of it comes over the wire. */
  through(port: Telephony["Service"]): Telephony["Service"] {
    const dial: Telephony["Service"]["dial"] = (command) =>
      Effect.suspend(() => {
        this.#arrived(command)
        this.#note(command)
        return port.dial(command)
      })
    return { ...port, dial }
  }

  /** What a vendor's stand-in asks, and what it tells. */
  readonly wire: Wire = { dial: (executionId, toNumber) => this.#overTheWire(executionId, toNumber) }

  /** The carrier takes the dial, and its acknowledgement gets lost on the way. */
  dialUnheard(asked: DialCommand, parking: Parking["Service"]): Effect.Effect<DialOutcome> {
    return Effect.suspend(() => {
      const command = this.#withCallerId(asked)
      this.#arrived(command)
      const script = this.#scriptFor(command)
      if (makesLeg(script)) this.#place(command, script, false)
      return this.unheard(command, parking)
    })
  }

  /** The acknowledgement of a dial got lost: whoever dialled waits for it. */
  unheard(command: DialCommand, parking: Parking["Service"]): Effect.Effect<DialOutcome> {
    return Effect.as(this.#wait(command, never, parking), { _tag: "Unknown" })
  }

  /** The id of the leg on which the next call arrives. */
  arrivingId(): string {
    return this.#legId("inbound", this.#arrivals)
  }

  /** A call that the engine has taken in goes its way. */
  arrive(call: DialCommand, script: Script): void {
    const { chance, clock } = this.#options
    const nth = this.#arrivals
    const draw: Leg["draw"] = (purpose) => chance.draw(`carrier.${purpose}`, "inbound", nth)
    const timeline = layOut(script, clock.now(), call.timeout_seconds, true, draw)
    this.#begin(this.#leg(this.arrivingId(), true, call, script, timeline, draw), timeline)
    this.#arrivals += 1
  }

  /** The next moment at which something happens at the carrier. */
  next(): number | null {
    return this.#due.peek()?.at ?? null
  }

  /** The first thing that is due at `now`, to be run; null when nothing is. */
  takeDue(now: number, report: (report: CarrierReport) => Effect.Effect<unknown, PortError>): Doing | null {
    const due = this.#due.popDue(now)?.value
    if (due === undefined) return null
    const { leg } = due
    if (due.of === "end") return { run: Effect.sync(() => this.#end(leg)), unheard: () => {} }
    return { run: this.#report(leg, now, report), unheard: () => this.#reportLater(leg, now) }
  }

  /** The legs that match, oldest first, with the most of them that were live at once. */
  query(query: LegQuery, now: number): { readonly data: ReadonlyArray<LegView>; readonly peak_live: number } {
    const { live, ...subject } = query
    const legs = [...(query.execution_id === undefined ? this.#legs.values() : this.#of(query.execution_id))].filter(
      ({ command }) =>
        (subject.to_number === undefined || command.to_number === subject.to_number) &&
        (subject.agent_id === undefined || command.agent_id === subject.agent_id) &&
        (subject.campaign_id === undefined || command.campaign_id === subject.campaign_id),
    )
    return {
      data: legs.filter((leg) => live === undefined || leg.live === live).map((leg) => viewOf(leg, now)),
      peak_live: Object.keys(subject).length === 0 ? this.#peak : peakOf(legs),
    }
  }

  #of(executionId: string): ReadonlyArray<Leg> {
    return this.#byExecution.get(executionId) ?? []
  }

  /** How many legs a call has had. */
  #legsOf(executionId: string): number {
    return this.#of(executionId).filter((leg) => leg.timeline !== null).length
  }

  /** A dial has come. */
  #arrived(command: DialCommand): void {
    this.#options.observer.dialled(command, this.#legsOf(command.execution_id))
  }

  #scriptFor(command: DialCommand): Script {
    const { chance, rules } = this.#options
    const point = chance.draw("carrier.result", command.to_number, command.retry_count)
    const place = command.contact_id === null ? null : placeOf(command.contact_id)
    return rules.scriptFor({ ...command, contact_index: place?.row ?? null }, point)
  }

  /** A dial without a caller ID gets one of the organization's numbers, if it has any. */
  #withCallerId(command: DialCommand): DialCommand {
    if (command.from_number !== null) return command
    const numbers = this.#options.callerIds(command.organization_id)
    const draw = this.#options.chance.draw("carrier.caller-id", command.to_number, command.retry_count)
    return { ...command, from_number: numbers[Math.floor(draw * numbers.length)] ?? null }
  }

  #dial(asked: DialCommand, parking: Parking["Service"]): Effect.Effect<DialOutcome> {
    const command = this.#withCallerId(asked)
    this.#arrived(command)
    const script = this.#scriptFor(command)
    switch (script.result) {
      case "unreachable":
      case "rejected":
        this.#refuse(command, script)
        return this.#acknowledge({ _tag: "Refused", kind: script.result }, script, command, parking)
      case "invalid":
        this.#refuse(command, script)
        return this.#acknowledge({ _tag: "Refused", kind: "invalid_destination" }, script, command, parking)
      case "throttled": {
        this.#refuse(command, script)
        const retryAfterSeconds = script.retry_after_seconds ?? null
        return this.#acknowledge({ _tag: "Refused", kind: "throttled", retryAfterSeconds }, script, command, parking)
      }
      case "never-dialled":
        return this.unheard(command, parking)
      case "unconfirmed":
        this.#place(command, script, false)
        return this.unheard(command, parking)
      default: {
        const leg = this.#place(command, script, true)
        const { from_number } = command
        const chosen = from_number === null ? {} : { from_number }
        return this.#acknowledge({ _tag: "Accepted", call_sid: leg.leg_id, ...chosen }, script, command, parking)
      }
    }
  }

  #acknowledge(
    outcome: DialOutcome,
    script: Script,
    command: DialCommand,
    parking: Parking["Service"],
  ): Effect.Effect<DialOutcome> {
    const delay = script.ack_delay_ms ?? 0
    return delay === 0
      ? Effect.succeed(outcome)
      : Effect.as(this.#wait(command, this.#options.clock.now() + delay, parking), outcome)
  }

  #wait(command: DialCommand, until: number, parking: Parking["Service"]): Effect.Effect<boolean> {
    return Effect.suspend(() => parking.park(`carrier:${command.execution_id}:${this.#waiting++}`, until).wait)
  }

  #leg(
    leg_id: string,
    inbound: boolean,
    command: DialCommand,
    script: Script,
    timeline: Timeline | null,
    draw: Leg["draw"],
  ): Leg {
    const leg: Leg = {
      leg_id,
      inbound,
      execution_id: command.execution_id,
      command,
      script,
      placed_at: this.#options.clock.now(),
      timeline,
      draw,
      live: false,
      ended_at: null,
      stopped_at: null,
      owed: [],
      failures: 0,
    }
    if (!inbound) this.#legs.set(leg_id, leg)
    this.#byExecution.set(command.execution_id, [...this.#of(command.execution_id), leg])
    return leg
  }

  #legId(...derivation: ReadonlyArray<string | number>): string {
    return `leg_${Hash.hashText(22, this.#options.seed, "leg", ...derivation)}`
  }

  #outboundId({ execution_id }: DialCommand): string {
    return this.#legId(execution_id, this.#of(execution_id).length)
  }

  #drawFor(command: DialCommand): Leg["draw"] {
    const { chance } = this.#options
    return (purpose) => chance.draw(`carrier.${purpose}`, command.to_number, command.retry_count)
  }

  #refuse(command: DialCommand, script: Script): void {
    const leg = this.#leg(this.#outboundId(command), false, command, script, null, this.#drawFor(command))
    leg.ended_at = leg.placed_at
    this.#forgetLater(leg)
  }

  #place(command: DialCommand, script: Script, heard: boolean): Leg {
    const draw = this.#drawFor(command)
    const timeline = layOut(script, this.#options.clock.now(), command.timeout_seconds, heard, draw)
    const leg = this.#leg(this.#outboundId(command), false, command, script, timeline, draw)
    this.#begin(leg, timeline)
    this.#wentLive(leg)
    return leg
  }

  #wentLive(leg: Leg): void {
    leg.live = true
    this.#live += 1
    this.#peak = Math.max(this.#peak, this.#live)
    this.#options.observer.wentLive(leg)
  }

  /** Remembers what was asked for, until as much was asked for since as is remembered. */
  #note(command: DialCommand): void {
    this.#asked.set(command.execution_id, command)
    const [oldest] = this.#asked.keys()
    if (this.#asked.size > this.#options.retention && oldest !== undefined) this.#asked.delete(oldest)
  }

  /** A dial as it came over a vendor's wire. What the vendor says of it to the engine is the vendor's to send: the carrier owes no reports. */
  #overTheWire(execution_id: string | null, to_number: string): WireLeg | WireRefusal {
    const command = execution_id === null ? undefined : this.#asked.get(execution_id)
    const { clock, wired } = this.#options
    const legs = execution_id === null ? 0 : this.#legsOf(execution_id)
    wired?.({ execution_id, to_number, command: command ?? null, legs })
    if (command === undefined) return { refused: "rejected", retryAfterSeconds: null }
    const script = this.#scriptFor(command)
    const refusal = refusalOf(script)
    if (refusal !== null) {
      this.#refuse(command, script)
      return refusal
    }
    const draw = this.#drawFor(command)
    const timeline = layOut(script, clock.now(), command.timeout_seconds, true, draw)
    const leg = this.#leg(this.#outboundId(command), false, command, script, timeline, draw)
    this.#wentLive(leg)
    return this.#moved(leg, timeline)
  }

  /** A leg that a vendor moves: its times are those at which the vendor does. */
  #moved(leg: Leg, laidOut: Timeline): WireLeg {
    const { clock, observer } = this.#options
    const course = courseOf(laidOut, leg.placed_at)
    let connected_at: number | null = null
    let isHungUp = false
    leg.timeline = { ...laidOut, connected_at, ended_at: Infinity }
    return {
      course,
      answered: () => {
        connected_at = clock.now()
        leg.timeline = { ...laidOut, connected_at, ended_at: Infinity }
      },
      hungUp: () => {
        isHungUp = true
        // The adapter may leave a machine, and a callee to whom nobody can speak, without being asked to.
        if (connected_at === null || !leftAlone.has(course.result)) observer.hungUp(leg)
      },
      ended: () => {
        const ended_at = clock.now()
        leg.timeline = { ...laidOut, connected_at, ended_at }
        if (isHungUp) leg.stopped_at = ended_at
        this.#end(leg)
      },
    }
  }

  #begin(leg: Leg, timeline: Timeline): void {
    leg.live = true
    leg.owed = reportsOf(timeline, leg.script)
    this.#due.set(`end ${leg.leg_id}`, timeline.ended_at, { of: "end", leg })
    this.#scheduleReport(leg)
  }

  #hangup(executionId: string): "Sent" | "Refused" {
    const { clock, observer } = this.#options
    const leg = this.#of(executionId).findLast(({ live }) => live)
    if (leg === undefined || leg.timeline === null) return "Sent"
    observer.hungUp(leg)
    if (leg.script.hangup_refused === true) return "Refused"
    const at = clock.now() + drawMs(drawnMs.hangup, leg.draw("hangup"))
    if (leg.stopped_at !== null || at >= leg.timeline.ended_at) return "Sent"
    leg.stopped_at = at
    leg.owed = reportsAfterStop(leg, leg.timeline, at)
    this.#due.set(`end ${leg.leg_id}`, at, { of: "end", leg })
    this.#scheduleReport(leg)
    return "Sent"
  }

  #find(executionId: string): Asked {
    const now = this.#options.clock.now()
    const leg = this.#of(executionId).findLast(({ timeline }) => timeline !== null)
    if (leg === undefined || leg.timeline === null) return { _tag: "Unknown" }
    const { timeline, leg_id: call_sid } = leg
    if (!leg.live) return { _tag: "Ended", call_sid, end: legEnd(leg, timeline), facts: legFacts(leg, timeline) }
    // A leg that is not reported yet is not in the carrier's books either.
    if (now < timeline.initiated_at) return { _tag: "NoAnswer" }
    if (connectedAt(leg, now) !== null) return { _tag: "Live", call_sid, phase: "answered" }
    const ringing = timeline.ringing_at !== null && timeline.ringing_at <= now
    return { _tag: "Live", call_sid, phase: ringing ? "ringing" : "initiated" }
  }

  #end(leg: Leg): void {
    leg.live = false
    leg.ended_at = leg.stopped_at ?? leg.timeline?.ended_at ?? null
    if (!leg.inbound) {
      this.#live -= 1
      this.#options.observer.wentDown(leg)
    }
    if (leg.owed.length === 0) this.#forgetLater(leg)
  }

  #report(
    leg: Leg,
    now: number,
    report: (report: CarrierReport) => Effect.Effect<unknown, PortError>,
  ): Effect.Effect<void> {
    const owed = leg.owed[0]
    const { timeline } = leg
    if (owed === undefined || timeline === null) return Effect.void
    const { ids, analytics } = this.#options
    const survivor = () => ids.mint("execution", "recovered", leg.command.execution_id)
    return Effect.suspend(() => report(reportOf(leg, timeline, owed, survivor, analytics))).pipe(
      Effect.map(() => {
        leg.failures = 0
        if (leg.owed[0] === owed) leg.owed.shift()
        if (owed.type === "recovered" && leg.execution_id !== survivor()) this.#recover(leg, survivor())
        this.#scheduleReport(leg)
        if (leg.owed.length === 0 && !leg.live) this.#forgetLater(leg)
      }),
      // The receiver is away: a carrier tries again until it is heard, and in order.
      Effect.catch(() => Effect.sync(() => this.#reportLater(leg, now))),
    )
  }

  #reportLater(leg: Leg, now: number): void {
    const delay = Math.min(retryFirstMs * 2 ** leg.failures, retryMaxMs)
    leg.failures += 1
    this.#due.set(`report ${leg.leg_id}`, now + delay, { of: "report", leg })
  }

  #recover(leg: Leg, survivor: string): void {
    leg.execution_id = survivor
    this.#byExecution.set(survivor, [leg])
  }

  #scheduleReport(leg: Leg): void {
    const next = leg.owed[0]
    if (next === undefined) return
    this.#due.set(`report ${leg.leg_id}`, Math.max(next.at, this.#options.clock.now()), { of: "report", leg })
  }

  #forgetLater(leg: Leg): void {
    this.#over.push(leg)
    while (this.#over.length - this.#overFrom > this.#options.retention) this.#forget(this.#over[this.#overFrom++]!)
    if (this.#overFrom < this.#options.retention) return
    this.#over.splice(0, this.#overFrom)
    this.#overFrom = 0
  }

  #forget(leg: Leg): void {
    this.#legs.delete(leg.leg_id)
    for (const id of new Set([leg.execution_id, leg.command.execution_id])) {
      const others = this.#of(id).filter((other) => other !== leg)
      if (others.length === 0) this.#byExecution.delete(id)
      else this.#byExecution.set(id, others)
    }
  }
}

/** Whether a leg comes of it at all. */
export const makesLeg = ({ result }: Script): boolean =>
  result !== "unreachable" &&
  result !== "rejected" &&
  result !== "invalid" &&
  result !== "throttled" &&
  result !== "never-dialled"

const viewOf = (leg: Leg, now: number): LegView => ({
  leg_id: leg.leg_id,
  execution_id: leg.execution_id,
  to_number: leg.command.to_number,
  from_number: leg.command.from_number,
  agent_id: leg.command.agent_id,
  campaign_id: leg.command.campaign_id,
  placed_at: leg.placed_at,
  answered_at: connectedAt(leg, now),
  ended_at: leg.ended_at,
  result: resultOf(leg),
  live: leg.live,
})

/** The most of these legs that were live at once. One that ends as another begins does not overlap it. */
const peakOf = (legs: ReadonlyArray<Leg>): number => {
  const changes: Array<readonly [at: number, by: number]> = []
  for (const leg of legs) {
    if (leg.timeline === null) continue
    changes.push([leg.placed_at, 1])
    if (leg.ended_at !== null) changes.push([leg.ended_at, -1])
  }
  changes.sort(([a, up], [b, down]) => a - b || up - down)
  let live = 0
  let peak = 0
  for (const [, by] of changes) {
    live += by
    peak = Math.max(peak, live)
  }
  return peak
}
