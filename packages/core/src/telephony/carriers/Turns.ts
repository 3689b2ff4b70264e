import { limits } from "../../Limits.ts"
import type { DialCommand } from "../Telephony.ts"
import { type Pace, type TakenTurns, type Turn, turnIn } from "./Pace.ts"

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

const none: TakenTurns = []

/** The turns that are taken of each of many, such as caller IDs, in bounded number. */
class TurnsOfEach {
  readonly #perSecond: number
  readonly #max: number
  readonly #taken = new Map<string, TakenTurns>()

  constructor(perSecond: number, max: number) {
    this.#perSecond = perSecond
    this.#max = max
  }

  pace(key: string): Pace {
    return { perSecond: this.#perSecond, taken: this.#taken.get(key) ?? none }
  }

  /** When there is room for a turn of this one: 0 where there is, else when the first of the others is over. */
  roomAt(key: string, now: number): number {
    if (this.#taken.has(key) || this.#taken.size < this.#max) return 0
    this.#forgetPast(now)
    return this.#taken.size < this.#max ? 0 : Math.min(...[...this.#taken.values()].map((taken) => this.#overAt(taken)))
  }

  keep(key: string, taken: TakenTurns, now: number): void {
    this.#taken.delete(key)
    this.#taken.set(key, taken)
    // The first of the map are those that took no turn for longest.
    for (const [oldest, turns] of this.#taken) {
      if (this.#overAt(turns) > now) return
      this.#taken.delete(oldest)
    }
  }

  #overAt(taken: TakenTurns): number {
    return (taken.at(-1) ?? 0) + 1000 / this.#perSecond
  }

  #forgetPast(now: number): void {
    for (const [key, taken] of this.#taken) if (this.#overAt(taken) <= now) this.#taken.delete(key)
  }
}

/** What a turn is asked for: the caller ID of a call, and its pool. */
export interface Calling {
  readonly from_number: string | null
  readonly pool: string | null
}

/** The turns of one carrier, those of each of its caller IDs, and those of each of its pools. */
export class Turns {
  readonly #pace: CarrierPace
  readonly #ofNumber: TurnsOfEach | null
  readonly #ofPool: TurnsOfEach | null
  #taken: TakenTurns = none

  constructor(pace: CarrierPace, eachMax: number = limits.carrierNumbersPaced) {
    const { callsPerSecondOfNumber, pools } = pace
    this.#pace = pace
    this.#ofNumber = callsPerSecondOfNumber === undefined ? null : new TurnsOfEach(callsPerSecondOfNumber, eachMax)
    this.#ofPool = pools === undefined ? null : new TurnsOfEach(pools.callsPerSecond, eachMax)
  }

  /** Takes the next turn, if it comes soon enough. */
  take({ from_number, pool }: Calling, now: number, patienceMs: number): Turn {
    const { callsPerSecond, defaultNumber } = this.#pace
    const number = from_number ?? defaultNumber ?? unnamed
    const each = [
      ...(this.#ofNumber === null ? [] : [{ turns: this.#ofNumber, key: number }]),
      ...(this.#ofPool === null || pool === null ? [] : [{ turns: this.#ofPool, key: pool }]),
    ]
    const roomAt = Math.max(0, ...each.map(({ key, turns }) => turns.roomAt(key, now)))
    if (roomAt > now) return { _tag: "TooLong", waitMs: roomAt - now }
    const all = callsPerSecond === undefined ? [] : [{ perSecond: callsPerSecond, taken: this.#taken }]
    const turn = turnIn([...each.map(({ key, turns }) => turns.pace(key)), ...all], now, patienceMs)
    if (turn._tag === "TooLong") return turn
    for (const [nth, { key, turns }] of each.entries()) turns.keep(key, turn.taken[nth] ?? none, now)
    if (all.length > 0) this.#taken = turn.taken.at(-1) ?? none
    return turn
  }
}
