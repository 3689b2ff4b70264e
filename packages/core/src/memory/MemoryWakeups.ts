import { Effect, Layer } from "effect"
import { TimeHeap } from "../engine/TimeHeap.ts"
import { housekeepingWakeups, type Wakeup, type WakeupClaim, type WakeupKind, Wakeups } from "../engine/Wakeups.ts"

const keyOf = (kind: WakeupKind, subject: string): string => `${kind} ${subject}`

/** The wake-ups of a world: what brings things about, what only repairs, and what is being handled. */
export class WakeupTable {
  readonly #due = new TimeHeap<Wakeup>()
  readonly #housekeeping = new TimeHeap<Wakeup>()
  readonly #claims = new TimeHeap<WakeupClaim>()
  #token = 0

  set(wakeup: Wakeup): void {
    const key = keyOf(wakeup.kind, wakeup.subject)
    this.#claims.delete(key)
    this.#heap(wakeup.kind).set(key, wakeup.at, wakeup)
  }

  clear(kind: WakeupKind, subject: string): void {
    const key = keyOf(kind, subject)
    this.#claims.delete(key)
    this.#heap(kind).delete(key)
  }

  claimDue(now: number, limit: number, leaseMs: number): ReadonlyArray<WakeupClaim> {
    for (let lapsed = this.#claims.popDue(now); lapsed !== undefined; lapsed = this.#claims.popDue(now)) {
      this.set(lapsed.value)
    }
    const claimed: Array<WakeupClaim> = []
    while (claimed.length < limit) {
      const due = this.#popEarliest(now)
      if (due === undefined) break
      const claim = { ...due, token: ++this.#token }
      this.#claims.set(keyOf(due.kind, due.subject), now + leaseMs, claim)
      claimed.push(claim)
    }
    return claimed
  }

  complete(claim: WakeupClaim): void {
    const key = keyOf(claim.kind, claim.subject)
    if (this.#claims.get(key)?.value.token === claim.token) this.#claims.delete(key)
  }

  defer(claim: WakeupClaim, at: number): void {
    if (this.#claims.get(keyOf(claim.kind, claim.subject))?.value.token !== claim.token) return
    this.set({ kind: claim.kind, subject: claim.subject, at })
  }

  next(housekeeping: boolean): number | null {
    const due = this.#due.peek()?.at ?? Infinity
    const kept = housekeeping ? (this.#housekeeping.peek()?.at ?? Infinity) : Infinity
    const next = Math.min(due, kept)
    return next === Infinity ? null : next
  }

  clearAll(): void {
    for (const heap of [this.#due, this.#housekeeping, this.#claims]) {
      for (let first = heap.peek(); first !== undefined; first = heap.peek()) heap.delete(first.key)
    }
  }

  #heap(kind: WakeupKind): TimeHeap<Wakeup> {
    return housekeepingWakeups.has(kind) ? this.#housekeeping : this.#due
  }

  #popEarliest(now: number): Wakeup | undefined {
    const due = this.#due.peek()
    const kept = this.#housekeeping.peek()
    const heap = kept !== undefined && (due === undefined || kept.at < due.at) ? this.#housekeeping : this.#due
    return heap.popDue(now)?.value
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
