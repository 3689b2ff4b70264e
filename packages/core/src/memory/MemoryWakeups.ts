import { Effect, Layer } from "effect"
import { Heap, type HeapEntry, TimeHeap } from "../engine/rules/TimeHeap.ts"
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

/** The place of a wake-up among those of its party, while it waits. */
interface Turn extends HeapEntry {
  readonly known: Known
}

/** How a wake-up is being handled, and whether it was set again meanwhile. */
interface Claim {
  readonly token: number
  readonly owner: string
  readonly again: boolean
}

/** Of what a wake-up is. */
type Subject = Pick<Wakeup, "kind" | "subject">

/** A wake-up with all that is known of it: it waits for its time or, while somebody handles it, for the end of the lease. */
class Known implements HeapEntry {
  wakeup: Wakeup
  readonly turn: Turn
  claim: Claim | undefined
  /** Who handled it last, where it is left to that one. */
  keeper: string | undefined
  at: number
  place = 0
  index = 0

  constructor(wakeup: Wakeup) {
    this.wakeup = wakeup
    this.at = wakeup.at
    this.turn = { known: this, at: wakeup.at, place: 0, index: 0 }
    this.claim = undefined
    this.keeper = undefined
  }
}

/** A wake-up whose lease has ended. Whoever had it may still end it, until somebody else has it. */
interface Lapsed {
  readonly known: Known
  readonly until: number
  readonly owner: string
}

const nothing: ReadonlyArray<Lapsed> = []

/** How much later than its keeper somebody may claim. */
const delayFor = (owner: string, keeper: string): number => (owner === keeper ? 0 : limits.wakeupKeptMs)

/** Wake-ups that wait for their time, and those that are being handled with the end of their lease. */
class Queue {
  readonly #turns: Turns<Turn>
  /** By kind and subject, whose text is not written out anew for each look. */
  readonly #known = new Map<WakeupKind, Map<string, Known>>()
  readonly #due = new Heap<Known>()
  readonly #claims = new Heap<Known>()
  /** What waits and is kept by whoever handled it last. */
  readonly #kept = new Map<string, Heap<Known>>()
  #sequence = 0

  constructor(turns: Turns<Turn>) {
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

  set(named: Wakeup): void {
    const known = this.known(named)
    if (known === undefined) return this.#add(new Known(named))
    const { organization_id } = known.wakeup
    const wakeup = organization_id === undefined ? named : { organization_id, ...named }
    if (known.claim !== undefined) {
      known.wakeup = wakeup
      known.claim = { ...known.claim, again: true }
      this.#move(this.#claims, known, known.at)
      return
    }
    this.#turns.remove(known.turn)
    known.wakeup = wakeup
    this.#takeTurn(known)
    this.#move(this.#waitingWith(known), known, wakeup.at)
  }

  /** A wake-up as it is set, whether or not somebody handles it. */
  known({ kind, subject }: Subject): Known | undefined {
    return this.#known.get(kind)?.get(subject)
  }

  clear(of: Subject): void {
    const known = this.known(of)
    if (known === undefined) return
    this.#forget(known)
    this.#leave(known)
  }

  /** What is due and was handled by those whose lease has ended. What was set for later meanwhile waits as if nobody had handled it. */
  lapsed(now: number): ReadonlyArray<Lapsed> {
    const { at = Infinity } = this.#claims.peek() ?? {}
    if (at > now) return nothing
    const found: Array<Lapsed> = []
    for (let known = this.#claims.popDue(now); known !== undefined; known = this.#claims.popDue(now)) {
      if (known.claim !== undefined && known.wakeup.at <= now) {
        found.push({ known, until: known.at, owner: known.claim.owner })
        continue
      }
      known.claim = undefined
      known.keeper = undefined
      this.#wait(known)
    }
    return found
  }

  /** A claim goes on as it was. */
  putBack({ known, until }: Lapsed): void {
    this.#enter(this.#claims, known, until)
  }

  /** The earliest wake-up that this owner may claim now. */
  earliest(now: number, owner: string): Known | undefined {
    let first = this.#due.peek()
    if (first !== undefined && first.at > now) first = undefined
    for (const [keeper, heap] of this.#kept) {
      const head = heap.peek()
      if (head === undefined || head.at + delayFor(owner, keeper) > now) continue
      if (first === undefined || head.at < first.at) first = head
    }
    return first
  }

  /** Looks at every wake-up that this owner may claim now, in no order. */
  eachDue(now: number, owner: string, look: (known: Known) => void): void {
    this.#due.eachDue(now, look)
    for (const [keeper, heap] of this.#kept) heap.eachDue(now - delayFor(owner, keeper), look)
  }

  /** Looks at every wake-up that is due and that nobody handles, in no order. */
  eachWaiting(now: number, look: (known: Known) => void): void {
    this.#due.eachDue(now, look)
    for (const heap of this.#kept.values()) heap.eachDue(now, look)
  }

  /** Claims what waits, or what has lapsed. */
  claim(known: Known, token: number, owner: string, until: number): void {
    if (known.claim === undefined) this.#leave(known)
    known.claim = { token, owner, again: false }
    this.#enter(this.#claims, known, until)
  }

  renew(of: WakeupClaim, until: number): boolean {
    const known = this.known(of)
    if (known?.claim?.token !== of.token) return false
    this.#move(this.#claims, known, until)
    return true
  }

  /** Ends a claim; without a time the wake-up goes, unless it was set again. */
  end(of: WakeupClaim, at: number | null): number | null {
    const known = this.known(of)
    if (known?.claim?.token !== of.token) return null
    const { again, owner } = known.claim
    const due = again ? known.wakeup.at : at
    this.#claims.remove(known)
    if (due === null) {
      this.#forget(known)
      return null
    }
    known.claim = undefined
    if (keptWakeups.has(known.wakeup.kind)) known.keeper = owner
    known.wakeup = { ...known.wakeup, at: due }
    this.#wait(known)
    return due
  }

  clearAll(): void {
    for (const some of this.#known.values()) for (const { wakeup } of some.values()) this.clear(wakeup)
  }

  #add(known: Known): void {
    const { kind, subject } = known.wakeup
    const some = this.#known.get(kind)
    if (some === undefined) this.#known.set(kind, new Map([[subject, known]]))
    else some.set(subject, known)
    this.#wait(known)
  }

  #forget({ wakeup }: Known): void {
    this.#known.get(wakeup.kind)?.delete(wakeup.subject)
  }

  #wait(known: Known): void {
    this.#takeTurn(known)
    this.#enter(this.#waitingWith(known), known, known.wakeup.at)
  }

  #takeTurn({ turn, wakeup }: Known): void {
    turn.at = wakeup.at
    this.#turns.add(turn)
  }

  /** Takes a wake-up out of where it is. */
  #leave(known: Known): void {
    if (known.claim !== undefined) return this.#claims.remove(known)
    this.#turns.remove(known.turn)
    const heap = this.#waitingWith(known)
    heap.remove(known)
    if (known.keeper !== undefined && heap.size === 0) this.#kept.delete(known.keeper)
  }

  /** Where a wake-up waits that nobody handles. */
  #waitingWith({ keeper }: Known): Heap<Known> {
    if (keeper === undefined) return this.#due
    let heap = this.#kept.get(keeper)
    if (heap === undefined) this.#kept.set(keeper, (heap = new Heap()))
    return heap
  }

  #enter(heap: Heap<Known>, known: Known, at: number): void {
    known.at = at
    known.place = this.#sequence++
    heap.add(known)
  }

  #move(heap: Heap<Known>, known: Known, at: number): void {
    known.at = at
    known.place = this.#sequence++
    heap.moved(known)
  }
}

/** The wake-ups of a world: what brings things about, and what only repairs. */
export class WakeupTable {
  readonly #turns = new Turns<Turn>(({ known }) => wakeupParty(known.wakeup))
  readonly #busy = new Queue(this.#turns)
  readonly #housekeeping = new Queue(this.#turns)
  #token = 0

  set(wakeup: Wakeup): void {
    this.#queue(wakeup.kind).set(wakeup)
  }

  setAnew(wakeup: Wakeup): void {
    const known = this.#queue(wakeup.kind).known(wakeup)?.wakeup
    this.clear(wakeup.kind, wakeup.subject)
    this.set({ ...known, ...wakeup, at: Math.min(wakeup.at, known?.at ?? Infinity) })
  }

  clear(kind: WakeupKind, subject: string): void {
    this.#queue(kind).clear({ kind, subject })
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
    // What is kept may be claimed a little later by others.
    const isOpen = ({ at, known: { keeper } }: Turn) =>
      keeper === undefined || at + delayFor(lease.owner, keeper) <= now
    return this.#turns.take(now, limit, isOpen).map(({ known }) => this.#claim(known, now, lease))
  }

  #claimEarliest(now: number, limit: number, lease: Lease, lapsed: Array<Lapsed>): ReadonlyArray<WakeupClaim> {
    lapsed.sort((a, b) => a.known.wakeup.at - b.known.wakeup.at)
    let nth = 0
    const claimed: Array<WakeupClaim> = []
    while (claimed.length < limit) {
      const busy = this.#busy.earliest(now, lease.owner)
      const kept = this.#housekeeping.earliest(now, lease.owner)
      const next = kept !== undefined && (busy === undefined || kept.at < busy.at) ? kept : busy
      const over = lapsed[nth]
      if (over !== undefined && (next === undefined || over.known.wakeup.at < next.at)) {
        claimed.push(this.#claim(over.known, now, lease, over))
        nth += 1
        continue
      }
      if (next === undefined) break
      claimed.push(this.#claim(next, now, lease))
    }
    for (; nth < lapsed.length; nth++) {
      const left = lapsed[nth]
      if (left !== undefined) this.#putBack(left)
    }
    return claimed
  }

  #claimLatest(now: number, limit: number, lease: Lease, lapsed: Array<Lapsed>): ReadonlyArray<WakeupClaim> {
    const latest = new TimeHeap<Known, Known>()
    const offer = (known: Known): void => {
      const { at } = known.wakeup
      if (latest.size >= limit && (latest.peek()?.at ?? Infinity) >= at) return
      latest.set(known, at, known)
      if (latest.size > limit) latest.popDue(Infinity)
    }
    for (const { known } of lapsed) offer(known)
    for (const queue of [this.#busy, this.#housekeeping]) queue.eachDue(now, lease.owner, offer)
    for (const left of lapsed) if (latest.get(left.known) === undefined) this.#putBack(left)
    const claimed: Array<WakeupClaim> = []
    const lapsedBy = new Map(lapsed.map((each) => [each.known, each]))
    for (let next = latest.popDue(now); next !== undefined; next = latest.popDue(now)) {
      claimed.push(this.#claim(next.value, now, lease, lapsedBy.get(next.key)))
    }
    return claimed
  }

  #claim(known: Known, now: number, { ms, owner }: Lease, lapsed?: Lapsed): WakeupClaim {
    const { at, kind, subject } = known.wakeup
    const before = lapsed === undefined ? {} : { lapsed: { owner: lapsed.owner, until: lapsed.until } }
    const claim = { at, kind, subject, token: ++this.#token, ...before }
    this.#queue(kind).claim(known, claim.token, owner, now + ms)
    return claim
  }

  #putBack(left: Lapsed): void {
    this.#queue(left.known.wakeup.kind).putBack(left)
  }

  renew(claims: ReadonlyArray<WakeupClaim>, until: number): ReadonlyArray<number> {
    return claims.flatMap((claim) => (this.#queue(claim.kind).renew(claim, until) ? [claim.token] : []))
  }

  complete(claim: WakeupClaim): number | null {
    return this.#queue(claim.kind).end(claim, null)
  }

  defer(claim: WakeupClaim, at: number): number | null {
    return this.#queue(claim.kind).end(claim, at)
  }

  /** When there is next something for this owner to claim; for null, as if it were whoever keeps it. */
  next(housekeeping: boolean, owner: string | null = null): number | null {
    const next = Math.min(this.#busy.next(owner), housekeeping ? this.#housekeeping.next(owner) : Infinity)
    return next === Infinity ? null : next
  }

  backlog(now: number, limit: number): ReadonlyArray<Backlog> {
    const waiting: Array<Wakeup> = []
    for (const queue of [this.#busy, this.#housekeeping]) queue.eachWaiting(now, ({ wakeup }) => waiting.push(wakeup))
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
