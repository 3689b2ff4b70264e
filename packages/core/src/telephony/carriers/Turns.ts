import { limits } from "../../Limits.ts"
import { type NextTurn, type Turn, turnIn } from "./Pace.ts"

/** How fast a carrier takes calls. Absent: as fast as they come. */
export interface CarrierPace {
  /** Calls that it begins in a second, from this process. */
  readonly callsPerSecond?: number
  /** Calls that it begins in a second with one caller ID. */
  readonly callsPerSecondOfNumber?: number
  /** The caller ID of calls that name none: the adapter's own `from`. Left out, those calls count as one more number. */
  readonly defaultNumber?: string
}

/** Stands for the caller ID of calls that name none, where nobody says which that is. */
const unnamed = ""

/** The turns of one carrier, and those of each of its caller IDs. */
export class Turns {
  readonly #pace: CarrierPace
  #next: NextTurn = 0
  readonly #nextOf = new Map<string, NextTurn>()

  constructor(pace: CarrierPace) {
    this.#pace = pace
  }

  /** Takes the next turn, if it comes soon enough. */
  take(fromNumber: string | null, now: number, patienceMs: number): Turn {
    const { callsPerSecond, callsPerSecondOfNumber } = this.#pace
    const all = callsPerSecond === undefined ? [] : [{ perSecond: callsPerSecond, next: this.#next }]
    const number = fromNumber ?? this.#pace.defaultNumber ?? unnamed
    const isPacedByNumber = callsPerSecondOfNumber !== undefined
    const own = isPacedByNumber ? [{ perSecond: callsPerSecondOfNumber, next: this.#nextOf.get(number) ?? 0 }] : []
    const turn = turnIn([...all, ...own], now, patienceMs)
    if (turn._tag === "TooLong") return turn
    if (all.length > 0) this.#next = turn.next[0] ?? 0
    if (isPacedByNumber) this.#remember(number, turn.next.at(-1) ?? 0, now)
    return turn
  }

  /** A number whose next turn is already past need not be remembered. */
  #remember(number: string, next: NextTurn, now: number): void {
    this.#nextOf.delete(number)
    this.#nextOf.set(number, next)
    for (const [oldest, at] of this.#nextOf) {
      if (at > now && this.#nextOf.size <= limits.carrierNumbersPaced) return
      this.#nextOf.delete(oldest)
    }
  }
}
