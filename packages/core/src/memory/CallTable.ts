import type { Call, CallMedia } from "../calls/Call.ts"
import type { CallFilter } from "../calls/CallStore.ts"
import { isTerminal } from "../calls/CallStatus.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { OrderedIndex } from "./OrderedIndex.ts"

/** A stored call with its place in the order of lists. The entry is stable while the row is replaced. */
interface CallEntry {
  readonly created_at: number
  readonly sequence: number
  call: Call
}

/** Fields that lists filter by equality; each value of each has an index of its own. */
const indexed = [
  "status",
  "agent_id",
  "batch_id",
  "campaign_id",
  "contact_id",
  "parent_execution_id",
  "to_number",
  "from_number",
  "direction",
] as const

/** Whether a call holds a line: dialled, and the carrier's last word not yet heard. */
export const holdsLine = (call: Call): boolean =>
  call.direction === "outbound" && call.dial !== "none" && call.dial !== "refused" && call.final_report_at === null

/** Whether a call was dialled or has arrived, and is not over. */
const isLive = (call: Call): boolean =>
  call.dial !== "none" && call.dial !== "refused" && call.folded_into === null && !isTerminal(call.status)

/** The organization's side of a call. */
const ownNumber = (call: Call): string | null => (call.direction === "outbound" ? call.from_number : call.to_number)

/** The calls of the world with an index for every filter. */
export class CallTable {
  readonly #entries = new Map<string, CallEntry>()
  readonly #media = new Map<string, CallMedia>()
  /** By organization, and by organization, field and value. */
  readonly #indexes = new Map<string, OrderedIndex<CallEntry>>()
  readonly #holding = new Map<string, number>()
  readonly #live = new Map<string, number>()
  readonly #holders = new Map<string, Call>()
  readonly #due = new Map<string, Call>()

  get(executionId: string): Call | undefined {
    return this.#entries.get(executionId)?.call
  }

  media(executionId: string): CallMedia | undefined {
    return this.#media.get(executionId)
  }

  putMedia(media: CallMedia): void {
    this.#media.set(media.execution_id, media)
  }

  put(call: Call, sequence: number): void {
    const known = this.#entries.get(call.execution_id)
    const entry = known ?? { created_at: call.created_at, sequence, call }
    const before = known?.call
    if (before !== undefined) this.#unlist(entry, before, call)
    entry.call = call
    if (before === undefined) this.#entries.set(call.execution_id, entry)
    this.#list(entry, before, call)
    this.#track(before, call)
  }

  page(organizationId: string, filter: CallFilter, { page, page_size }: PageRequest): Page<Call> {
    const index = this.#narrowest(organizationId, filter)
    if (index === undefined) return { items: [], total: 0 }
    const [from, to] = index.range(filter.from_date, filter.to_date)
    const skip = (page - 1) * page_size
    if (this.#answers(filter)) return { items: this.#slice(index, to - 1 - skip, from, page_size), total: to - from }
    const items: Array<Call> = []
    let total = 0
    for (let position = to - 1; position >= from; position--) {
      const call = index.at(position)?.call
      if (call === undefined || !matches(call, filter)) continue
      if (total >= skip && items.length < page_size) items.push(call)
      total += 1
    }
    return { items, total }
  }

  /** How many calls hold a line at a level's key. */
  holding(level: string, key: string): number {
    return this.#holding.get(`${level}:${key}`) ?? 0
  }

  /** How many calls are live on one of an organization's numbers. */
  live(organizationId: string, phoneNumber: string): number {
    return this.#live.get(`${organizationId} ${phoneNumber}`) ?? 0
  }

  holders(): Iterable<Call> {
    return this.#holders.values()
  }

  due(): Iterable<Call> {
    return this.#due.values()
  }

  #slice(index: OrderedIndex<CallEntry>, newest: number, oldest: number, size: number): ReadonlyArray<Call> {
    const items: Array<Call> = []
    for (let position = newest; position >= oldest && items.length < size; position--) {
      const entry = index.at(position)
      if (entry !== undefined) items.push(entry.call)
    }
    return items
  }

  /** Whether the narrowest index answers the filter by itself: one equality at most, dates aside. */
  #answers(filter: CallFilter): boolean {
    if (filter.voicemail === true || (filter.statuses !== undefined && filter.statuses.size !== 1)) return false
    return criteria(filter).length <= 1
  }

  /** The shortest of the indexes that hold every match, or undefined when one of them is empty. */
  #narrowest(organizationId: string, filter: CallFilter): OrderedIndex<CallEntry> | undefined {
    let narrowest = this.#indexes.get(organizationId)
    for (const [field, value] of criteria(filter)) {
      const index = this.#indexes.get(indexKey(organizationId, field, value))
      if (index === undefined) return undefined
      if (narrowest === undefined || index.size < narrowest.size) narrowest = index
    }
    return narrowest
  }

  #list(entry: CallEntry, before: Call | undefined, call: Call): void {
    if (call.folded_into !== null) return
    if (before === undefined) this.#index(call.organization_id).add(entry)
    for (const field of indexed) {
      const value = call[field]
      if (value === null || (before !== undefined && before[field] === value)) continue
      this.#index(indexKey(call.organization_id, field, value)).add(entry)
    }
  }

  #unlist(entry: CallEntry, before: Call, call: Call): void {
    const folded = call.folded_into !== null
    if (folded) this.#indexes.get(before.organization_id)?.remove(entry)
    for (const field of indexed) {
      const value = before[field]
      if (value === null || (!folded && call[field] === value)) continue
      const key = indexKey(before.organization_id, field, value)
      const index = this.#indexes.get(key)
      index?.remove(entry)
      if (index?.size === 0) this.#indexes.delete(key)
    }
  }

  #index(key: string): OrderedIndex<CallEntry> {
    let index = this.#indexes.get(key)
    if (index === undefined) {
      index = new OrderedIndex()
      this.#indexes.set(key, index)
    }
    return index
  }

  #track(before: Call | undefined, call: Call): void {
    const number = ownNumber(call)
    const change = (isLive(call) ? 1 : 0) - (before !== undefined && isLive(before) ? 1 : 0)
    if (number !== null && change !== 0) increment(this.#live, `${call.organization_id} ${number}`, change)
    const held = before !== undefined && holdsLine(before)
    const holds = holdsLine(call)
    if (held !== holds) this.#count(call, holds ? 1 : -1)
    if (holds) this.#holders.set(call.execution_id, call)
    else this.#holders.delete(call.execution_id)
    if (call.due_at === null) this.#due.delete(call.execution_id)
    else this.#due.set(call.execution_id, call)
  }

  #count(call: Call, by: 1 | -1): void {
    const keys = [
      "platform:platform",
      `organization:${call.organization_id}`,
      `agent:${call.agent_id}`,
      ...(call.campaign_id === null ? [] : [`campaign:${call.campaign_id}`]),
    ]
    for (const key of keys) increment(this.#holding, key, by)
  }
}

const increment = (counts: Map<string, number>, key: string, by: number): void => {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

const indexKey = (organizationId: string, field: string, value: string): string => `${organizationId} ${field} ${value}`

/** The equalities of a filter that an index stands for. */
const criteria = (filter: CallFilter): ReadonlyArray<readonly [string, string]> => {
  const found: Array<readonly [string, string]> = []
  for (const field of indexed) {
    if (field === "status") {
      const [only, ...others] = filter.statuses ?? []
      if (only !== undefined && others.length === 0 && filter.voicemail !== true) found.push(["status", only])
      continue
    }
    const value = filter[field]
    if (value !== undefined) found.push([field, value])
  }
  return found
}

const matches = (call: Call, filter: CallFilter): boolean => {
  const asked = filter.statuses !== undefined || filter.voicemail === true
  const byStatus = filter.statuses?.has(call.status) ?? false
  const byVoicemail = filter.voicemail === true && call.answered_by_voicemail === true && isTerminal(call.status)
  if (asked && !byStatus && !byVoicemail) return false
  return indexed.every((field) => field === "status" || filter[field] === undefined || filter[field] === call[field])
}
