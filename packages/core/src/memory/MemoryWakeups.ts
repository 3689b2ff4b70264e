import { Effect, Layer } from "effect"
import { TimeHeap } from "../engine/TimeHeap.ts"
import { housekeepingWakeups, type Wakeup, type WakeupClaim, type WakeupKind, Wakeups } from "../engine/Wakeups.ts"

const keyOf = (kind: WakeupKind, subject: string): string => `${kind} ${subject}`

/** A wake-up that waits for its time; one whose lease has lapsed may still be completed by whoever had it, until somebody else has it. */
interface Due extends Wakeup {
  readonly token?: number
}

/** Wake-ups that wait for their time, and those that are being handled with the end of their lease. */
class Queue {
  readonly due = new TimeHeap<Due>()
  readonly claims = new TimeHeap<WakeupClaim>()

  /** When there is next something to claim. */
  get next(): number {
    return Math.min(this.due.peek()?.at ?? Infinity, this.claims.peek()?.at ?? Infinity)
  }

  set(key: string, { kind, subject, at }: Wakeup): void {
    this.claims.delete(key)
    this.due.set(key, at, { kind, subject, at })
  }

  clear(key: string): void {
    this.claims.delete(key)
    this.due.delete(key)
  }

  takeBack(now: number): void {
    for (let lapsed = this.claims.popDue(now); lapsed !== undefined; lapsed = this.claims.popDue(now)) {
      this.due.set(lapsed.key, lapsed.value.at, lapsed.value)
    }
  }

  /** Ends a claim; false where it is in force no more. */
  end(key: string, token: number): boolean {
    if (this.claims.get(key)?.value.token === token) return this.claims.delete(key)
    return this.due.get(key)?.value.token === token && this.due.delete(key)
  }
}

/** The wake-ups of a world: what brings things about, and what only repairs. */
export class WakeupTable {
  readonly #busy = new Queue()
  readonly #housekeeping = new Queue()
  #token = 0

  set(wakeup: Wakeup): void {
    this.#queue(wakeup.kind).set(keyOf(wakeup.kind, wakeup.subject), wakeup)
  }

  clear(kind: WakeupKind, subject: string): void {
    this.#queue(kind).clear(keyOf(kind, subject))
  }

  claimDue(now: number, limit: number, leaseMs: number): ReadonlyArray<WakeupClaim> {
    this.#busy.takeBack(now)
    this.#housekeeping.takeBack(now)
    const claimed: Array<WakeupClaim> = []
    while (claimed.length < limit) {
      const queue = this.#earliest()
      const due = queue.due.popDue(now)
      if (due === undefined) break
      const claim = { ...due.value, token: ++this.#token }
      queue.claims.set(due.key, now + leaseMs, claim)
      claimed.push(claim)
    }
    return claimed
  }

  complete(claim: WakeupClaim): void {
    this.#queue(claim.kind).end(keyOf(claim.kind, claim.subject), claim.token)
  }

  defer(claim: WakeupClaim, at: number): void {
    const queue = this.#queue(claim.kind)
    const key = keyOf(claim.kind, claim.subject)
    if (queue.end(key, claim.token)) queue.set(key, { ...claim, at })
  }

  next(housekeeping: boolean): number | null {
    const next = Math.min(this.#busy.next, housekeeping ? this.#housekeeping.next : Infinity)
    return next === Infinity ? null : next
  }

  clearAll(): void {
    for (const { due, claims } of [this.#busy, this.#housekeeping]) {
      for (const heap of [due, claims]) {
        for (let first = heap.peek(); first !== undefined; first = heap.peek()) heap.delete(first.key)
      }
    }
  }

  #queue(kind: WakeupKind): Queue {
    return housekeepingWakeups.has(kind) ? this.#housekeeping : this.#busy
  }

  #earliest(): Queue {
    const due = this.#busy.due.peek()
    const kept = this.#housekeeping.due.peek()
    return kept !== undefined && (due === undefined || kept.at < due.at) ? this.#housekeeping : this.#busy
  }
}

/** The port over the table. */
export const wakeupsLayer = (table: WakeupTable) =>
  Layer.succeed(Wakeups, {
    set: (wakeup) => Effect.sync(() => table.set(wakeup)),
    clear: (kind, subject) => Effect.sync(() => table.clear(kind, subject)),
    claimDue: (now, limit, leaseMs) => Effect.sync(() => table.claimDue(now, limit, leaseMs)),
    complete: (claim) => Effect.sync(() => table.complete(claim)),
    defer: (claim, at) => Effect.sync(() => table.defer(claim, at)),
    next: ({ housekeeping }) => Effect.sync(() => table.next(housekeeping)),
    clearAll: Effect.sync(() => table.clearAll()),
  })
