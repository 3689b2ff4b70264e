import { Effect, Layer } from "effect"
import type { SlotDemand } from "../Changes.ts"
import { TimeHeap } from "../engine/rules/TimeHeap.ts"
import type { SlotLevel } from "../limits/rules/SlotLevels.ts"
import { type SlotAnswer, type SlotMember, type SlotRequest, SlotStore } from "../limits/ports/SlotStore.ts"
import { Alternation } from "./Alternation.ts"
import { OrderedPages } from "./OrderedPages.ts"

/** A level's key: how many members it has, and who waits because it is full, in order of arrival. */
interface Line {
  readonly level: SlotLevel
  readonly key: string
  live: number
  waiters: TimeHeap<Waiter> | undefined
}

interface Member {
  readonly organization_id: string
  readonly lines: ReadonlyArray<Line>
  readonly fence: number
  readonly reserved_until: number
  held: boolean
}

interface Waiter {
  readonly request: SlotRequest
  readonly arrival: number
  readonly line: Line
}

const inNoLine: ReadonlyArray<string> = []

const asSeen = (execution_id: string, member: Member): SlotMember => ({
  execution_id,
  organization_id: member.organization_id,
  levels: member.lines.map(({ level, key }) => ({ level, key })),
  fence: member.fence,
  state: member.held ? "held" : "reserved",
  reserved_until: member.reserved_until,
})

/** Lines of a world as plain synchronous memberships: the rule of `SlotLevels.admit`, executed. */
export class SlotTable {
  readonly #members = new Map<string, Member>()
  readonly #pages = new OrderedPages(this.#members)
  readonly #reserved = new Map<string, Member>()
  readonly #waiters = new Map<string, Waiter>()
  readonly #lines: { readonly [level in SlotLevel]: Map<string, Line> } = {
    platform: new Map(),
    organization: new Map(),
    agent: new Map(),
    campaign: new Map(),
  }
  readonly #alternation = new Alternation()
  #fence = 0
  #arrivals = 0

  acquire(request: SlotRequest): SlotAnswer {
    const member = this.#members.get(request.execution_id)
    if (member !== undefined) return { _tag: "Acquired", fence: member.fence }
    const blocking = this.#blocking(request)
    if (blocking === undefined) {
      this.#stepAside(request.execution_id)
      this.#alternation.given(request)
      return { _tag: "Acquired", fence: this.#enter(request) }
    }
    if (request.waitUntil !== null) this.#stand(request, blocking)
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
    if (member === undefined || member.fence !== fence) return inNoLine
    this.#remove(executionId, member)
    return this.#waiters.size === 0 ? inNoLine : this.#handOn(new Set(member.lines), now)
  }

  leave(executionId: string, now: number): ReadonlyArray<string> {
    this.#stepAside(executionId)
    const member = this.#members.get(executionId)
    return member === undefined || member.held ? inNoLine : this.release(executionId, member.fence, now)
  }

  used(level: SlotLevel, key: string): number {
    return this.#lines[level].get(key)?.live ?? 0
  }

  *members(): Iterable<SlotMember> {
    for (const [executionId, member] of this.#members) yield asSeen(executionId, member)
  }

  /** Memberships in pages after the given execution id. */
  page(after: string | null, limit: number): ReadonlyArray<SlotMember> {
    return this.#pages.page(after, limit).map(([executionId, member]) => asSeen(executionId, member))
  }

  restore(member: Omit<SlotMember, "state" | "reserved_until">): void {
    const known = this.#members.get(member.execution_id)
    if (known?.held === true) return
    // A reservation of the same dial would lapse under a call that may be live: the membership that the rows prove takes its place.
    if (known !== undefined) this.#remove(member.execution_id, known)
    this.#stepAside(member.execution_id)
    this.#fence = Math.max(this.#fence, member.fence)
    this.#add(member, member.fence, 0, true)
  }

  /** Voids every lapsed reservation before any line is handed on, so that arrival alone decides who gets one. */
  lapse(now: number): ReadonlyArray<string> {
    const freed = new Set<Line>()
    for (const [executionId, member] of this.#reserved) {
      if (member.reserved_until > now) continue
      this.#remove(executionId, member)
      for (const line of member.lines) freed.add(line)
    }
    return this.#handOn(freed, now)
  }

  want(organizationId: string, wanting: boolean, now: number): ReadonlyArray<string> {
    if (!this.#alternation.want(organizationId, wanting)) return inNoLine
    const line = this.#lines.organization.get(organizationId)
    return line === undefined ? inNoLine : this.#handOn(new Set([line]), now)
  }

  #stepAside(executionId: string): void {
    const waiter = this.#waiters.get(executionId)
    if (waiter === undefined) return
    this.#waiters.delete(executionId)
    waiter.line.waiters?.delete(executionId)
    this.#forget(waiter.line)
  }

  #blocking(request: SlotRequest): SlotDemand | undefined {
    const kept = this.#alternation.isKeptFrom(request)
    for (const demand of request.levels) {
      const used = this.used(demand.level, demand.key) + (kept && demand.level === "organization" ? 1 : 0)
      if (demand.ceiling !== null && used >= demand.ceiling) return demand
    }
    return undefined
  }

  #enter(request: SlotRequest): number {
    const fence = ++this.#fence
    const member = this.#add(request, fence, request.reservedUntil, false)
    this.#reserved.set(request.execution_id, member)
    return fence
  }

  #add(
    one: Pick<SlotMember, "execution_id" | "organization_id" | "levels">,
    fence: number,
    reserved_until: number,
    held: boolean,
  ): Member {
    const lines = one.levels.map((level) => this.#line(level))
    for (const line of lines) line.live += 1
    const member = { organization_id: one.organization_id, lines, fence, reserved_until, held }
    this.#members.set(one.execution_id, member)
    return member
  }

  #remove(executionId: string, member: Member): void {
    this.#members.delete(executionId)
    this.#reserved.delete(executionId)
    for (const line of member.lines) {
      line.live -= 1
      this.#forget(line)
    }
  }

  #line({ level, key }: Pick<SlotDemand, "level" | "key">): Line {
    const known = this.#lines[level].get(key)
    if (known !== undefined) return known
    const line: Line = { level, key, live: 0, waiters: undefined }
    this.#lines[level].set(key, line)
    return line
  }

  /** Drops a line that nobody is in and nobody waits for. */
  #forget(line: Line): void {
    if (line.live === 0 && (line.waiters === undefined || line.waiters.size === 0))
      this.#lines[line.level].delete(line.key)
  }

  /** Stands in line behind whoever is there; one that stands already keeps its arrival. */
  #stand(request: SlotRequest, blocking: SlotDemand): void {
    const arrival = this.#waiters.get(request.execution_id)?.arrival ?? this.#arrivals++
    this.#stepAside(request.execution_id)
    const line = this.#line(blocking)
    const waiter: Waiter = { request, arrival, line }
    this.#waiters.set(request.execution_id, waiter)
    line.waiters ??= new TimeHeap()
    line.waiters.set(request.execution_id, arrival, waiter)
  }

  /**
   * Gives freed room to the dials that wait for it, in order of arrival. One that another level blocks by now moves to that
   * level's line, so every turn of the loop either grants, moves a waiter away or closes a line.
   */
  #handOn(open: Set<Line>, now: number): Array<string> {
    const granted: Array<string> = []
    for (;;) {
      const waiter = firstOf(open)
      if (waiter === undefined) return granted
      const { request } = waiter
      const blocking = this.#blocking(request)
      if (request.waitUntil !== null && request.waitUntil < now) {
        this.#stepAside(request.execution_id)
      } else if (blocking === undefined && this.#alternation.keepsFrom(request)) {
        continue
      } else if (blocking === undefined) {
        this.#stepAside(request.execution_id)
        this.#alternation.given(request)
        this.#enter(request)
        granted.push(request.execution_id)
      } else {
        const line = this.#line(blocking)
        open.delete(line)
        if (line !== waiter.line) this.#stand(request, blocking)
      }
    }
  }
}

const firstOf = (open: ReadonlySet<Line>): Waiter | undefined => {
  let first: Waiter | undefined
  for (const line of open) {
    const waiter = line.waiters?.peek()?.value
    if (waiter !== undefined && (first === undefined || waiter.arrival < first.arrival)) first = waiter
  }
  return first
}

/** The slot store of a single process. */
export const layer = (table: SlotTable = new SlotTable()) =>
  Layer.succeed(SlotStore, {
    acquire: (request) => Effect.sync(() => table.acquire(request)),
    hold: (executionId, fence) => Effect.sync(() => table.hold(executionId, fence)),
    release: (executionId, fence, now) => Effect.sync(() => table.release(executionId, fence, now)),
    leave: (executionId, now) => Effect.sync(() => table.leave(executionId, now)),
    used: (levels) => Effect.sync(() => levels.map(({ level, key }) => table.used(level, key))),
    members: (after, limit) => Effect.sync(() => table.page(after, limit)),
    restore: (member) => Effect.sync(() => table.restore(member)),
    want: (organizationId, wanting, now) => Effect.sync(() => table.want(organizationId, wanting, now)),
    lapse: (now) => Effect.sync(() => table.lapse(now)),
  })
