import { Effect, Layer } from "effect"
import type { SlotDemand } from "../engine/Commit.ts"
import { TimeHeap } from "../engine/TimeHeap.ts"
import type { SlotLevel } from "../limits/SlotLevels.ts"
import { type SlotAnswer, type SlotMember, type SlotRequest, SlotStore } from "../limits/SlotStore.ts"

interface Member {
  readonly organization_id: string
  readonly levels: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>
  readonly fence: number
  readonly reserved_until: number
  held: boolean
}

interface Waiter {
  readonly request: SlotRequest
  readonly since: number
  line: string
}

const lineKey = (demand: { readonly level: SlotLevel; readonly key: string }): string => `${demand.level} ${demand.key}`

/** How an organization's freed lines alternate between waiting dials and its dispatcher. */
interface Alternation {
  /** The last line that both sides wanted went to a dial, and the dispatcher has had none since. */
  owed: boolean
  /** A free line is kept for the dispatcher. */
  kept: boolean
}

const isDispatched = (request: SlotRequest): boolean => request.levels.some(({ level }) => level === "campaign")

/** Lines of a world as plain synchronous memberships: the rule of `SlotLevels.admit`, executed. */
export class SlotTable {
  readonly #members = new Map<string, Member>()
  readonly #levels: { readonly [level in SlotLevel]: Map<string, Set<string>> } = {
    platform: new Map(),
    organization: new Map(),
    agent: new Map(),
    campaign: new Map(),
  }
  readonly #reserved = new TimeHeap<string>()
  readonly #waiters = new Map<string, Waiter>()
  readonly #lines = new Map<string, TimeHeap<Waiter>>()
  /** By organization, where contacts wait for a line. */
  readonly #wanting = new Map<string, Alternation>()
  #fence = 0

  acquire(request: SlotRequest): SlotAnswer {
    const member = this.#members.get(request.execution_id)
    if (member !== undefined) return { _tag: "Acquired", fence: member.fence }
    let blocking = this.#blocking(request)
    if (blocking !== undefined && this.#voidLapsed(request.now)) blocking = this.#blocking(request)
    if (blocking === undefined) {
      this.leave(request.execution_id)
      this.#turn(request)
      return { _tag: "Acquired", fence: this.#enter(request) }
    }
    if (request.waitUntil !== null) this.#stand({ request, since: request.now, line: lineKey(blocking) })
    return {
      _tag: "Blocked",
      level: blocking.level,
      used: this.used(blocking.level, blocking.key),
      max: blocking.ceiling ?? 0,
    }
  }

  hold(executionId: string, fence: number): boolean {
    const member = this.#members.get(executionId)
    if (member === undefined || member.fence !== fence) return false
    member.held = true
    this.#reserved.delete(executionId)
    return true
  }

  release(executionId: string, fence: number, now: number): ReadonlyArray<string> {
    const member = this.#members.get(executionId)
    if (member === undefined || member.fence !== fence) return []
    this.#remove(executionId, member)
    return this.#handOn(member.levels, now)
  }

  leave(executionId: string): void {
    const waiter = this.#waiters.get(executionId)
    if (waiter === undefined) return
    this.#waiters.delete(executionId)
    const line = this.#lines.get(waiter.line)
    line?.delete(executionId)
    if (line?.size === 0) this.#lines.delete(waiter.line)
  }

  used(level: SlotLevel, key: string): number {
    return this.#levels[level].get(key)?.size ?? 0
  }

  *members(): Iterable<SlotMember> {
    for (const [execution_id, { held, ...member }] of this.#members) {
      yield { execution_id, ...member, state: held ? "held" : "reserved" }
    }
  }

  restore(member: Omit<SlotMember, "state" | "reserved_until">): void {
    if (this.#members.has(member.execution_id)) return
    this.#fence = Math.max(this.#fence, member.fence)
    this.#add(member.execution_id, { ...member, reserved_until: 0, held: true })
  }

  lapse(now: number): ReadonlyArray<string> {
    const granted: Array<string> = []
    for (let due = this.#reserved.popDue(now); due !== undefined; due = this.#reserved.popDue(now)) {
      const member = this.#members.get(due.value)
      if (member === undefined) continue
      this.#remove(due.value, member)
      granted.push(...this.#handOn(member.levels, now))
    }
    return granted
  }

  want(organizationId: string, wanting: boolean, now: number): ReadonlyArray<string> {
    const known = this.#wanting.get(organizationId)
    if (!wanting) this.#wanting.delete(organizationId)
    else if (known === undefined) this.#wanting.set(organizationId, { owed: false, kept: false })
    if (known?.kept !== true) return []
    known.kept = false
    return this.#handOn([{ level: "organization", key: organizationId }], now)
  }

  #blocking(request: SlotRequest): SlotDemand | undefined {
    const kept = this.#wanting.get(request.organization_id)?.kept === true && !isDispatched(request)
    for (const demand of request.levels) {
      const used = this.used(demand.level, demand.key) + (kept && demand.level === "organization" ? 1 : 0)
      if (demand.ceiling !== null && used >= demand.ceiling) return demand
    }
    return undefined
  }

  /** Remembers whose turn it is after a line was given. */
  #turn(request: SlotRequest): void {
    const alternation = this.#wanting.get(request.organization_id)
    if (alternation === undefined) return
    alternation.owed = !isDispatched(request)
    if (!alternation.owed) alternation.kept = false
  }

  /** Voids lapsed reservations without handing them on: the dial that looks takes its place like any other. */
  #voidLapsed(now: number): boolean {
    let any = false
    for (let due = this.#reserved.popDue(now); due !== undefined; due = this.#reserved.popDue(now)) {
      const member = this.#members.get(due.value)
      if (member === undefined) continue
      this.#remove(due.value, member)
      any = true
    }
    return any
  }

  #enter(request: SlotRequest): number {
    const fence = ++this.#fence
    this.#add(request.execution_id, {
      organization_id: request.organization_id,
      levels: request.levels,
      fence,
      reserved_until: request.reservedUntil,
      held: false,
    })
    this.#reserved.set(request.execution_id, request.reservedUntil, request.execution_id)
    return fence
  }

  #add(executionId: string, member: Member): void {
    this.#members.set(executionId, member)
    for (const { level, key } of member.levels) {
      const set = this.#levels[level].get(key)
      if (set === undefined) this.#levels[level].set(key, new Set([executionId]))
      else set.add(executionId)
    }
  }

  #remove(executionId: string, member: Member): void {
    this.#members.delete(executionId)
    this.#reserved.delete(executionId)
    for (const { level, key } of member.levels) {
      const set = this.#levels[level].get(key)
      set?.delete(executionId)
      if (set?.size === 0) this.#levels[level].delete(key)
    }
  }

  #stand(waiter: Waiter): void {
    this.leave(waiter.request.execution_id)
    this.#waiters.set(waiter.request.execution_id, waiter)
    const line = this.#lines.get(waiter.line)
    if (line !== undefined) return line.set(waiter.request.execution_id, waiter.since, waiter)
    const fresh = new TimeHeap<Waiter>()
    fresh.set(waiter.request.execution_id, waiter.since, waiter)
    this.#lines.set(waiter.line, fresh)
  }

  /**
   * Gives freed room to the dials that wait for it, oldest first. One that another level blocks by now moves to that level's
   * line, so every turn of the loop either grants, moves a waiter away or closes a line.
   */
  #handOn(freed: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>, now: number): Array<string> {
    const granted: Array<string> = []
    const open = new Set(freed.map(lineKey))
    for (;;) {
      const waiter = this.#oldest(open)
      if (waiter === undefined) return granted
      const { request, since } = waiter
      if (request.waitUntil !== null && request.waitUntil < now) {
        this.leave(request.execution_id)
        continue
      }
      const blocking = this.#blocking(request)
      const alternation = this.#wanting.get(request.organization_id)
      if (blocking === undefined && alternation?.owed === true && !alternation.kept) {
        alternation.owed = false
        alternation.kept = true
        continue
      }
      if (blocking === undefined) {
        this.leave(request.execution_id)
        this.#turn(request)
        this.#enter(request)
        granted.push(request.execution_id)
        continue
      }
      const line = lineKey(blocking)
      open.delete(line)
      if (line !== waiter.line) this.#stand({ request, since, line })
    }
  }

  #oldest(open: ReadonlySet<string>): Waiter | undefined {
    let oldest: Waiter | undefined
    for (const key of open) {
      const first = this.#lines.get(key)?.peek()?.value
      if (first !== undefined && (oldest === undefined || first.since < oldest.since)) oldest = first
    }
    return oldest
  }
}

const pageAfter = <A>(rows: Iterable<A>, id: (row: A) => string, after: string | null, limit: number): Array<A> =>
  [...rows]
    .filter((row) => after === null || id(row) > after)
    .sort((a, b) => (id(a) < id(b) ? -1 : 1))
    .slice(0, limit)

/** The slot store of a single process. */
export const layer = (table: SlotTable = new SlotTable()) =>
  Layer.succeed(SlotStore, {
    acquire: (request) => Effect.sync(() => table.acquire(request)),
    hold: (executionId, fence) => Effect.sync(() => table.hold(executionId, fence)),
    release: (executionId, fence, now) => Effect.sync(() => table.release(executionId, fence, now)),
    leave: (executionId) => Effect.sync(() => table.leave(executionId)),
    used: (levels) => Effect.sync(() => levels.map(({ level, key }) => table.used(level, key))),
    members: (after, limit) =>
      Effect.sync(() => pageAfter(table.members(), (member) => member.execution_id, after, limit)),
    restore: (member) => Effect.sync(() => table.restore(member)),
    want: (organizationId, wanting, now) => Effect.sync(() => table.want(organizationId, wanting, now)),
    lapse: (now) => Effect.sync(() => table.lapse(now)),
  })
