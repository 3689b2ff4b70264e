import { TimeHeap } from "../../engine/rules/TimeHeap.ts"
import { carriedTurnsLimit } from "./Turns.ts"

interface Seat {
  readonly id: string
  used: number
  carried: number
  /** When it last got a line or, if it has had none, when it came, in the order in which such things happened. */
  since: number
  /** At its own ceiling, or refused at its agent's. */
  blocked: boolean
  before: Seat | null
  after: Seat | null
}

/** Who gets the next line; nothing is remembered before `take` is called. */
export interface Turn {
  readonly id: string
  readonly by: "floor" | "turn"
  readonly take: () => void
}

/** Keeps (lines used, since when) in one number, in that order. */
const sinceSpan = 2 ** 38

const rank = (seat: Seat): number => seat.used * sinceSpan + (seat.since % sinceSpan)

/**
 * The rule of `Turns.next` for campaigns alone, kept by deltas: those below their floor first, fewest lines first, then turns of one
 * with carry-over. A choice costs O(log campaigns), so a thousand campaigns share lines as cheaply as one.
 */
export class TurnRing {
  readonly #seats = new Map<string, Seat>()
  /** The seats in the order of their turns, linked: whoever has had a turn goes from the front to the end all the time. */
  #first: Seat | null = null
  #last: Seat | null = null
  /** The campaigns that nothing blocks, fewest lines first, among equals the one that has waited longest. */
  readonly #ready = new TimeHeap<Seat>()
  #moment = 0

  get size(): number {
    return this.#seats.size
  }

  /** How many campaigns could take a line if there were one for them. */
  get ready(): number {
    return this.#ready.size
  }

  /** Whether any could. */
  get waiting(): boolean {
    return this.ready > 0
  }

  /** Enters a campaign that has a contact to dial, or tells how it stands. */
  set(id: string, used: number, blocked: boolean): void {
    let seat = this.#seats.get(id)
    if (seat === undefined) {
      seat = { id, used, carried: 0, since: ++this.#moment, blocked, before: null, after: null }
      this.#seats.set(id, seat)
      this.#append(seat)
    }
    seat.used = used
    seat.blocked = blocked
    this.#place(seat)
  }

  /** A campaign without a contact to dial leaves with its saved turns: coming and going gains nothing. */
  remove(id: string): void {
    const seat = this.#seats.get(id)
    if (seat === undefined) return
    this.#seats.delete(id)
    this.#unlink(seat)
    this.#ready.delete(id)
  }

  /**
   * Chooses among the campaigns under the share F. `mayBorrow` says whether a line is left beside those reserved for campaigns that
   * are short, for a campaign that is at its floor.
   */
  next(share: number, mayBorrow: boolean): Turn | null {
    const fewest = this.#ready.peek()?.value
    if (fewest === undefined) return null
    if (fewest.used < share) return { id: fewest.id, by: "floor", take: () => this.#serve(fewest) }
    if (!mayBorrow) return null
    for (let seat = this.#first; seat !== null; seat = seat.after) {
      const chosen = seat
      if (!chosen.blocked) {
        return { id: chosen.id, by: "turn", take: () => this.#takeTurn(chosen, carriedTurnsLimit(share)) }
      }
    }
    return null
  }

  #place(seat: Seat): void {
    if (seat.blocked) this.#ready.delete(seat.id)
    else this.#ready.set(seat.id, rank(seat), seat)
  }

  #serve(seat: Seat): void {
    seat.since = ++this.#moment
    // The line may have gone to its last contact.
    if (this.#seats.get(seat.id) === seat) this.#place(seat)
  }

  /** Those passed over save the turn; saved turns are spent first, in a row, and the round's own turn is the last. */
  #takeTurn(chosen: Seat, limit: number): void {
    const saved = Math.min(chosen.carried, limit)
    for (const seat of this.#passed(chosen)) {
      seat.carried = Math.min(seat.carried, limit) + 1
      this.#toEnd(seat)
    }
    if (saved > 0) chosen.carried = saved - 1
    else {
      chosen.carried = 0
      this.#toEnd(chosen)
    }
    this.#serve(chosen)
  }

  /** Those before the chosen one in the order of turns; none where it has left meanwhile. */
  #passed(chosen: Seat): ReadonlyArray<Seat> {
    const passed: Array<Seat> = []
    if (this.#seats.get(chosen.id) !== chosen) return passed
    for (let seat = this.#first; seat !== null && seat !== chosen; seat = seat.after) passed.push(seat)
    return passed
  }

  #toEnd(seat: Seat): void {
    if (this.#seats.get(seat.id) !== seat) return
    this.#unlink(seat)
    this.#append(seat)
  }

  #append(seat: Seat): void {
    seat.before = this.#last
    seat.after = null
    if (this.#last === null) this.#first = seat
    else this.#last.after = seat
    this.#last = seat
  }

  #unlink(seat: Seat): void {
    if (seat.before === null) this.#first = seat.after
    else seat.before.after = seat.after
    if (seat.after === null) this.#last = seat.before
    else seat.after.before = seat.before
  }
}
