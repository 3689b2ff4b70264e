import { limits } from "../../../Limits.ts"
import type { DialCommand } from "../../rules/Dial.ts"
import { Pace } from "./Pace.ts"

/** A pace for each pool of numbers, such as a trunk or a connection of the carrier's. */
export interface PoolPace {
  /** Calls that begin in a second in one pool. */
  readonly callsPerSecond: number
  /** The pool of a call, by its caller ID or whatever else; null: in none. */
  readonly of: (command: DialCommand) => string | null
}

/** How fast a carrier takes calls. Absent: as fast as they come. */
export interface CarrierPace {
  /** Calls that it begins in a second, from this process. */
  readonly callsPerSecond?: number
  /** Calls that it begins in a second with one caller ID. */
  readonly callsPerSecondOfNumber?: number
  /** The caller ID of calls that name none. Left out, it is what the adapter says of itself; where that says nothing, those calls count as one more number. */
  readonly defaultNumber?: string
  /** Calls that it begins in a second in one pool of numbers. */
  readonly pools?: PoolPace
}

/** Stands for the caller ID of calls that name none, where nobody says which that is. */
const unnamed = ""

/** The paces of each of many, such as caller IDs, in bounded number. */
class PaceOfEach {
  readonly #perSecond: number
  readonly #max: number
  readonly #paces = new Map<string, Pace>()

  constructor(perSecond: number, max: number) {
    this.#perSecond = perSecond
    this.#max = max
  }

  /** The pace of this one; or when there is room for one more, where as many as may be are still remembered. */
  of(key: string, now: number): Pace | number {
    const known = this.#paces.get(key)
    if (known !== undefined) return known
    if (this.#paces.size >= this.#max) this.#forgetPast(now)
    if (this.#paces.size >= this.#max) return Math.min(...Array.from(this.#paces.values(), (pace) => pace.overAt(now)))
    const pace = new Pace(this.#perSecond)
    this.#paces.set(key, pace)
    return pace
  }

  #forgetPast(now: number): void {
    for (const [key, pace] of this.#paces) if (pace.overAt(now) <= now) this.#paces.delete(key)
  }
}

/** What a turn is asked for: the caller ID of a call, its pool, and whose it is. */
export interface Calling {
  readonly organization_id: string
  readonly from_number: string | null
  readonly pool: string | null
}

/** One who waits for a turn, or has had it. */
export interface Waiting {
  readonly organization_id: string
  /** All of these it has to keep. */
  readonly paces: ReadonlyArray<Pace>
  readonly since: number
  hasTurn: boolean
  /** Ends the wait; null until somebody waits for it. */
  begin: (() => void) | null
}

/** A place among those who wait; or none, and how long the wait would have been. */
export type Place =
  | { readonly _tag: "Waits"; readonly waiting: Waiting }
  | { readonly _tag: "TooLong"; readonly waitMs: number }

const freeAt = ({ paces, since }: Waiting): number =>
  paces.reduce((latest, pace) => Math.max(latest, pace.freeAt), since)

/** When those whom nobody may delay will begin, at each pace. */
type Claims = Map<Pace, number>

const delaysNobody = ({ paces }: Waiting, at: number, claims: Claims): boolean =>
  // Less than a millisecond is no delay, so that fractions of one cost no turn.
  paces.every((pace) => at + pace.intervalMs < (claims.get(pace) ?? Infinity) + 1)

const claim = (waiting: Waiting, claims: Claims): void => {
  const from = freeAt(waiting)
  for (const pace of waiting.paces) claims.set(pace, Math.min(from, claims.get(pace) ?? Infinity))
}

/**
 * The turns of one carrier, those of each of its caller IDs, and those of each of its pools. The organizations that wait go round: before a call comes
 * one of each other organization at most for each that its own has before it. Whoever has to wait for its number or its pool leaves the time until then to
 * others, who do not delay it by that.
 */
export class Turns {
  readonly #defaultNumber: string
  readonly #all: Pace | null
  readonly #ofNumber: PaceOfEach | null
  readonly #ofPool: PaceOfEach | null
  /** Who waits, the organization whose turn it is first. */
  readonly #waiting = new Map<string, Set<Waiting>>()

  constructor(pace: CarrierPace, eachMax: number = limits.carrierNumbersPaced) {
    const { callsPerSecond, callsPerSecondOfNumber, defaultNumber, pools } = pace
    this.#defaultNumber = defaultNumber ?? unnamed
    this.#all = callsPerSecond === undefined ? null : new Pace(callsPerSecond)
    this.#ofNumber = callsPerSecondOfNumber === undefined ? null : new PaceOfEach(callsPerSecondOfNumber, eachMax)
    this.#ofPool = pools === undefined ? null : new PaceOfEach(pools.callsPerSecond, eachMax)
  }

  /** Asks for a turn, unless that would be too long a wait. */
  ask({ from_number, organization_id, pool }: Calling, now: number, patienceMs: number): Place {
    const each = [
      this.#all,
      this.#ofNumber?.of(from_number ?? this.#defaultNumber, now) ?? null,
      pool === null ? null : (this.#ofPool?.of(pool, now) ?? null),
    ].filter((pace) => pace !== null)
    const paces = each.filter((pace) => typeof pace !== "number")
    const waitMs = Math.max(
      ...each.map((pace) => (typeof pace === "number" ? pace - now : pace.waitMs(organization_id, now))),
      0,
    )
    if (waitMs > patienceMs || paces.length < each.length) return { _tag: "TooLong", waitMs }
    const waiting: Waiting = { organization_id, paces, since: now, hasTurn: false, begin: null }
    const own = this.#waiting.get(organization_id) ?? new Set()
    this.#waiting.set(organization_id, own.add(waiting))
    for (const pace of paces) pace.enter(organization_id)
    return { _tag: "Waits", waiting }
  }

  /** Does without a turn, unless it has come. */
  leave(waiting: Waiting): void {
    const own = this.#waiting.get(waiting.organization_id)
    if (own?.delete(waiting) !== true) return
    if (own.size === 0) this.#waiting.delete(waiting.organization_id)
    for (const pace of waiting.paces) pace.leave(waiting.organization_id)
  }

  /** Does without a turn that has not come. Returns how long a wait for the next one would be. */
  giveUp(waiting: Waiting, now: number): number {
    this.leave(waiting)
    return Math.max(...waiting.paces.map((pace) => pace.waitMs(waiting.organization_id, now)), 1)
  }

  /** Gives all turns that have come. Returns when the next one may be; null where nobody waits. */
  begin(now: number): number | null {
    for (let at = this.#firstAfter(-Infinity); at !== null;) {
      if (at > now) return at
      const next = this.#nextAt(at)
      if (next !== null) this.#give(next, at)
      at = this.#firstAfter(next === null ? at : -Infinity)
    }
    return null
  }

  #give(waiting: Waiting, at: number): void {
    for (const pace of waiting.paces) pace.take(at)
    this.leave(waiting)
    const own = this.#waiting.get(waiting.organization_id)
    if (own !== undefined) {
      this.#waiting.delete(waiting.organization_id)
      this.#waiting.set(waiting.organization_id, own)
    }
    waiting.hasTurn = true
    waiting.begin?.()
  }

  /** The first time after that at which somebody who waits finds all paces free. */
  #firstAfter(time: number): number | null {
    let first: number | null = null
    for (const own of this.#waiting.values()) {
      for (const waiting of own) {
        const at = freeAt(waiting)
        if (at > time && (first === null || at < first)) first = at
      }
    }
    return first
  }

  /** Whose turn it is then. */
  #nextAt(at: number): Waiting | null {
    const claims: Claims = new Map()
    for (const own of this.#waiting.values()) {
      let isFirst = true
      for (const waiting of own) {
        const isFree = freeAt(waiting) <= at
        if (isFree && delaysNobody(waiting, at, claims)) return waiting
        if (isFirst && !isFree) claim(waiting, claims)
        isFirst = false
      }
    }
    return null
  }
}
