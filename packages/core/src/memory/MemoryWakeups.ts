import { Effect, Layer } from "effect"
import { TimeHeap } from "../engine/rules/TimeHeap.ts"
import { type Backlog, type ClaimOrder, type Lease, Wakeups } from "../engine/ports/Wakeups.ts"
import {
  housekeepingWakeups,
  keptWakeups,
  type Wakeup,
  type WakeupClaim,
  type WakeupKind,
  wakeupParty,
} from "../engine/rules/Wakeup.ts"
import { limits } from "../Limits.ts"
import { Turns } from "../engine/rules/Turns.ts"

const keyOf = (kind: WakeupKind, subject: string): string => `${kind} ${subject}`

/** A wake-up that is being handled, and whether it was set again meanwhile. */
interface Handled {
  readonly wakeup: Wakeup
  readonly token: number
  readonly owner: string
  readonly again: boolean
}

/** A claim whose lease has ended. Whoever had it may still end it, until somebody else has it. */
interface Lapsed {
  readonly queue: Queue
  readonly key: string
  readonly until: number
  readonly handled: Handled
}

const nothing: ReadonlyArray<Lapsed> = []

/** How much later than its keeper somebody may claim. */
const delayFor = (owner: string, keeper: string): number => (owner === keeper ? 0 : limits.wakeupKeptMs)

/** Wake-ups that wait for their time, and those that are being handled with the end of their lease. */
class Queue {
  readonly #turns: Turns<Wakeup>
  readonly #due = new TimeHeap<Wakeup>()
  readonly #claims = new TimeHeap<Handled>()
  /** What waits and is kept by whoever handled it last. */
  readonly #kept = new Map<string, TimeHeap<Wakeup>>()
  readonly #keeperOf = new Map<string, string>()

  constructor(turns: Turns<Wakeup>) {
    this.#turns = turns
  }

  /** When there is next something for this owner; null counts as whoever keeps it. */
  next(owner: string | null): number {
    let next = Math.min(this.#claims.peek()?.at ?? Infinity, this.#due.peek()?.at ?? Infinity)
    for (const [keeper, heap] of this.#kept) {
      const at = (heap.peek()?.at ?? Infinity) + (owner === null ? 0 : delayFor(owner, keeper))
      if (at < next) next = at
    }
    return next
  }

  set(key: string, named: Wakeup): void {
    const claim = this.#claims.get(key)
    const { organization_id } = (claim === undefined ? this.#waiting(key) : claim.value.wakeup) ?? {}
    const wakeup = organization_id === undefined ? named : { organization_id, ...named }
    if (claim === undefined) this.#wait(key, wakeup)
    else this.#claims.set(key, claim.at, { ...claim.value, wakeup, again: true })
  }

  /** A wake-up as it is set, whether or not somebody handles it. */
  known(key: string): Wakeup | undefined {
    return this.#claims.get(key)?.value.wakeup ?? this.#waiting(key)
  }

  clear(key: string): void {
    this.#claims.delete(key)
    this.#remove(key)
    this.#keeperOf.delete(key)
  }

  /** What is due and was handled by those whose lease has ended. What was set for later meanwhile waits as if nobody had handled it. */
  lapsed(now: number): ReadonlyArray<Lapsed> {
    const { at = Infinity } = this.#claims.peek() ?? {}
    if (at > now) return nothing
    const found: Array<Lapsed> = []
    for (let claim = this.#claims.popDue(now); claim !== undefined; claim = this.#claims.popDue(now)) {
      const { at: until, key, value } = claim
      if (value.wakeup.at > now) {
        this.#keeperOf.delete(key)
        this.#wait(key, value.wakeup)
      } else found.push({ queue: this, key, until, handled: value })
    }
    return found
  }

  /** A claim goes on as it was. */
  putBack({ handled, key, until }: Lapsed): void {
    this.#claims.set(key, until, handled)
  }

  /** The earliest wake-up that this owner may claim now. */
  earliest(now: number, owner: string): Wakeup | undefined {
    let first = this.#due.peek()?.value
    if (first !== undefined && first.at > now) first = undefined
    for (const [keeper, heap] of this.#kept) {
      const head = heap.peek()?.value
      if (head === undefined || head.at + delayFor(owner, keeper) > now) continue
      if (first === undefined || head.at < first.at) first = head
    }
    return first
  }

  /** Whether this owner may claim what waits under a key and is due. */
  isOpen(key: string, { at }: Wakeup, now: number, owner: string): boolean {
    const keeper = this.#keeperOf.get(key)
    return keeper === undefined || at + delayFor(owner, keeper) <= now
  }

  /** Looks at every wake-up that this owner may claim now, in no order. */
  eachDue(now: number, owner: string, look: (wakeup: Wakeup) => void): void {
    this.#due.eachDue(now, ({ value }) => look(value))
    for (const [keeper, heap] of this.#kept) heap.eachDue(now - delayFor(owner, keeper), ({ value }) => look(value))
  }

  /** Looks at every wake-up that is due and that nobody handles, in no order. */
  eachWaiting(now: number, look: (wakeup: Wakeup) => void): void {
    this.#due.eachDue(now, ({ value }) => look(value))
    for (const heap of this.#kept.values()) heap.eachDue(now, ({ value }) => look(value))
  }

  claim(key: string, wakeup: Wakeup, token: number, owner: string, until: number): void {
    this.#remove(key)
    this.#claims.set(key, until, { wakeup, token, owner, again: false })
  }

  renew(key: string, token: number, until: number): boolean {
    const claim = this.#claims.get(key)
    if (claim?.value.token !== token) return false
    this.#claims.set(key, until, claim.value)
    return true
  }

  /** Ends a claim; without a time the wake-up goes, unless it was set again. */
  end(key: string, token: number, at: number | null): number | null {
    const claim = this.#claims.get(key)?.value
    if (claim?.token !== token) return null
    this.#claims.delete(key)
    const due = claim.again ? claim.wakeup.at : at
    if (due === null) {
      this.#keeperOf.delete(key)
      return null
    }
    if (keptWakeups.has(claim.wakeup.kind)) this.#keeperOf.set(key, claim.owner)
    this.#wait(key, { ...claim.wakeup, at: due })
    return due
  }

  clearAll(): void {
    for (const heap of [this.#due, this.#claims, ...this.#kept.values()]) {
      for (let first = heap.peek(); first !== undefined; first = heap.peek()) this.clear(first.key)
    }
  }

  #waiting(key: string): Wakeup | undefined {
    const keeper = this.#keeperOf.get(key)
    return (keeper === undefined ? this.#due : this.#kept.get(keeper))?.get(key)?.value
  }

  #wait(key: string, wakeup: Wakeup): void {
    const before = this.#waiting(key)
    if (before !== undefined) this.#turns.delete(key, before)
    this.#turns.set(key, wakeup)
    const keeper = this.#keeperOf.get(key)
    if (keeper === undefined) return this.#due.set(key, wakeup.at, wakeup)
    let heap = this.#kept.get(keeper)
    if (heap === undefined) {
      heap = new TimeHeap()
      this.#kept.set(keeper, heap)
    }
    heap.set(key, wakeup.at, wakeup)
  }

  #remove(key: string): void {
    const waiting = this.#waiting(key)
    if (waiting !== undefined) this.#turns.delete(key, waiting)
    this.#due.delete(key)
    const keeper = this.#keeperOf.get(key)
    if (keeper === undefined) return
    const heap = this.#kept.get(keeper)
    heap?.delete(key)
    if (heap?.size === 0) this.#kept.delete(keeper)
  }
}

/** The wake-ups of a world: what brings things about, and what only repairs. */
export class WakeupTable {
  readonly #turns = new Turns(wakeupParty)
  readonly #busy = new Queue(this.#turns)
  readonly #housekeeping = new Queue(this.#turns)
  #token = 0

  set(wakeup: Wakeup): void {
    this.#queue(wakeup.kind).set(keyOf(wakeup.kind, wakeup.subject), wakeup)
  }

  setAnew(wakeup: Wakeup): void {
    const { kind, subject } = wakeup
    const known = this.#queue(kind).known(keyOf(kind, subject))
    this.clear(kind, subject)
    this.set({ ...known, ...wakeup, at: Math.min(wakeup.at, known?.at ?? Infinity) })
  }

  clear(kind: WakeupKind, subject: string): void {
    this.#queue(kind).clear(keyOf(kind, subject))
  }

  claimDue(now: number, limit: number, lease: Lease, order: ClaimOrder = "earliest"): ReadonlyArray<WakeupClaim> {
    const lapsed = [...this.#busy.lapsed(now), ...this.#housekeeping.lapsed(now)]
    if (order === "latest") return this.#claimLatest(now, limit, lease, lapsed)
    if (order === "earliest") return this.#claimEarliest(now, limit, lease, lapsed)
    const inTurn = this.#claimInTurn(now, Math.min(limit, limits.wakeupsInTurn), lease)
    const others = this.#claimEarliest(now, limit - inTurn.length, lease, lapsed)
    return [...inTurn, ...others].toSorted((a, b) => a.at - b.at)
  }

  #claimInTurn(now: number, limit: number, lease: Lease): ReadonlyArray<WakeupClaim> {
    const isOpen = (wakeup: Wakeup) =>
      this.#queue(wakeup.kind).isOpen(keyOf(wakeup.kind, wakeup.subject), wakeup, now, lease.owner)
    return this.#turns.take(now, limit, isOpen).map((wakeup) => this.#claim(wakeup, now, lease))
  }

  #claimEarliest(now: number, limit: number, lease: Lease, lapsed: Array<Lapsed>): ReadonlyArray<WakeupClaim> {
    lapsed.sort((a, b) => a.handled.wakeup.at - b.handled.wakeup.at)
    let nth = 0
    const claimed: Array<WakeupClaim> = []
    while (claimed.length < limit) {
      const busy = this.#busy.earliest(now, lease.owner)
      const kept = this.#housekeeping.earliest(now, lease.owner)
      const wakeup = kept !== undefined && (busy === undefined || kept.at < busy.at) ? kept : busy
      const over = lapsed[nth]
      if (over !== undefined && (wakeup === undefined || over.handled.wakeup.at < wakeup.at)) {
        claimed.push(this.#claim(over.handled.wakeup, now, lease, over))
        nth += 1
        continue
      }
      if (wakeup === undefined) break
      claimed.push(this.#claim(wakeup, now, lease))
    }
    for (; nth < lapsed.length; nth++) {
      const left = lapsed[nth]
      left?.queue.putBack(left)
    }
    return claimed
  }

  #claimLatest(now: number, limit: number, lease: Lease, lapsed: Array<Lapsed>): ReadonlyArray<WakeupClaim> {
    const latest = new TimeHeap<Wakeup>()
    const offer = (wakeup: Wakeup): void => {
      if (latest.size >= limit && (latest.peek()?.at ?? Infinity) >= wakeup.at) return
      latest.set(keyOf(wakeup.kind, wakeup.subject), wakeup.at, wakeup)
      if (latest.size > limit) latest.popDue(Infinity)
    }
    for (const { handled } of lapsed) offer(handled.wakeup)
    for (const queue of [this.#busy, this.#housekeeping]) queue.eachDue(now, lease.owner, offer)
    for (const left of lapsed) if (latest.get(left.key) === undefined) left.queue.putBack(left)
    const claimed: Array<WakeupClaim> = []
    const lapsedBy = new Map(lapsed.map((each) => [each.key, each]))
    for (let next = latest.popDue(now); next !== undefined; next = latest.popDue(now)) {
      claimed.push(this.#claim(next.value, now, lease, lapsedBy.get(next.key)))
    }
    return claimed
  }

  #claim(wakeup: Wakeup, now: number, { ms, owner }: Lease, lapsed?: Lapsed): WakeupClaim {
    const { at, kind, subject } = wakeup
    const before = lapsed === undefined ? {} : { lapsed: { owner: lapsed.handled.owner, until: lapsed.until } }
    const claim = { at, kind, subject, token: ++this.#token, ...before }
    this.#queue(wakeup.kind).claim(keyOf(wakeup.kind, wakeup.subject), wakeup, claim.token, owner, now + ms)
    return claim
  }

  renew(claims: ReadonlyArray<WakeupClaim>, until: number): ReadonlyArray<number> {
    return claims.flatMap(({ kind, subject, token }) =>
      this.#queue(kind).renew(keyOf(kind, subject), token, until) ? [token] : [],
    )
  }

  complete({ kind, subject, token }: WakeupClaim): number | null {
    return this.#queue(kind).end(keyOf(kind, subject), token, null)
  }

  defer({ kind, subject, token }: WakeupClaim, at: number): number | null {
    return this.#queue(kind).end(keyOf(kind, subject), token, at)
  }

  /** When there is next something for this owner to claim; for null, as if it were whoever keeps it. */
  next(housekeeping: boolean, owner: string | null = null): number | null {
    const next = Math.min(this.#busy.next(owner), housekeeping ? this.#housekeeping.next(owner) : Infinity)
    return next === Infinity ? null : next
  }

  backlog(now: number, limit: number): ReadonlyArray<Backlog> {
    const waiting: Array<Wakeup> = []
    for (const queue of [this.#busy, this.#housekeeping]) queue.eachWaiting(now, (wakeup) => waiting.push(wakeup))
    waiting.sort((a, b) => a.at - b.at)
    const found = new Map<WakeupKind, Backlog>()
    for (const { at, kind } of waiting.slice(0, limit)) {
      const before = found.get(kind)
      found.set(kind, { kind, due: (before?.due ?? 0) + 1, oldest: before?.oldest ?? at })
    }
    return [...found.values()]
  }

  clearAll(): void {
    this.#busy.clearAll()
    this.#housekeeping.clearAll()
  }

  #queue(kind: WakeupKind): Queue {
    return housekeepingWakeups.has(kind) ? this.#housekeeping : this.#busy
  }
}

/** The port over the table. */
export const wakeupsLayer = (table: WakeupTable) =>
  Layer.succeed(Wakeups, {
    set: (wakeup) => Effect.sync(() => table.set(wakeup)),
    setAnew: (wakeup) => Effect.sync(() => table.setAnew(wakeup)),
    claimDue: (now, limit, lease, order) => Effect.sync(() => table.claimDue(now, limit, lease, order)),
    renew: (claims, until) => Effect.sync(() => table.renew(claims, until)),
    complete: (claim) => Effect.sync(() => table.complete(claim)),
    defer: (claim, at) => Effect.sync(() => table.defer(claim, at)),
    next: ({ housekeeping, owner }) => Effect.sync(() => table.next(housekeeping, owner)),
    backlog: (now, limit) => Effect.sync(() => table.backlog(now, limit)),
    clearAll: Effect.sync(() => table.clearAll()),
  })
