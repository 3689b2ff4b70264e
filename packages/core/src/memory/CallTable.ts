import { type Call, type CallMedia, holdsLine } from "../calls/rules/Call.ts"
import type { CallFilter, LiveCallKey } from "../calls/ports/CallStore.ts"
import { isTerminal } from "../calls/rules/CallStatus.ts"
import type { SlotLevel } from "../limits/rules/SlotLevels.ts"
import type { OldestRequest, Page, PageRequest, Placed } from "../Pagination.ts"
import { FieldIndex } from "./FieldIndex.ts"
import { compareOrdinals, OrderedIndex } from "./OrderedIndex.ts"
import { OrderedPages } from "./OrderedPages.ts"
import { StatusIndex } from "./StatusIndex.ts"
import { WatchedCalls } from "./WatchedCalls.ts"

/** A stored call with its place in the order of lists. The entry is stable while the row is replaced. */
interface CallEntry {
  readonly created_at: number
  readonly sequence: number
  call: Call
}

/** Fields that lists filter by equality; each value of each has an index of its own. */
const indexed = [
  "agent_id",
  "batch_id",
  "campaign_id",
  "contact_id",
  "parent_execution_id",
  "to_number",
  "from_number",
  "direction",
] as const

type IndexedField = (typeof indexed)[number]

/** Fields whose values have many calls each, which are listed by status and direction too. */
const owners = ["organization_id", "agent_id", "batch_id", "campaign_id"] as const

type OwnerField = (typeof owners)[number]

/** The listed calls of one organization: all of them, those that a voicemail box answered, and by each value of each indexed field. */
interface Listing {
  readonly all: OrderedIndex<CallEntry>
  readonly voicemail: OrderedIndex<CallEntry>
  readonly by: { readonly [field in IndexedField]: FieldIndex<CallEntry> }
  readonly byStatus: { readonly [owner in OwnerField]: StatusIndex<CallEntry> }
}

const emptyListing = (): Listing => ({
  all: new OrderedIndex(),
  voicemail: new OrderedIndex(),
  byStatus: {
    organization_id: new StatusIndex(),
    agent_id: new StatusIndex(),
    batch_id: new StatusIndex(),
    campaign_id: new StatusIndex(),
  },
  by: {
    agent_id: new FieldIndex(),
    batch_id: new FieldIndex(),
    campaign_id: new FieldIndex(),
    contact_id: new FieldIndex(),
    parent_execution_id: new FieldIndex(),
    to_number: new FieldIndex(),
    from_number: new FieldIndex(),
    direction: new FieldIndex(),
  },
})

/** A stretch [from, to) of an index. */
interface Stretch {
  readonly index: OrderedIndex<CallEntry>
  readonly from: number
  readonly to: number
}

/** Whether a call was dialled or has arrived, and is not over. */
const isLive = (call: Call): boolean =>
  call.dial !== "none" && call.dial !== "refused" && call.folded_into === null && !isTerminal(call.status)

/** The organization's side of a call. */
const ownNumber = (call: Call): string | null => (call.direction === "outbound" ? call.from_number : call.to_number)

/** The calls of the world with an index for every filter. */
export class CallTable {
  readonly #entries = new Map<string, CallEntry>()
  readonly #media = new Map<string, CallMedia>()
  readonly #listings = new Map<string, Listing>()
  readonly #holding: { readonly [level in SlotLevel]: Map<string, number> } = {
    platform: new Map(),
    organization: new Map(),
    agent: new Map(),
    campaign: new Map(),
  }
  /** Live calls of an organization from a number, and the ids of those of a lane to a number. */
  readonly #live = new Map<string, number>()
  readonly #onNumber = new Map<string, Set<string>>()
  readonly #inProgress = new Map<string, number>()
  readonly #holders = new Map<string, Call>()
  readonly #holderPages = new OrderedPages(this.#holders)
  readonly #due = new Map<string, Call>()
  readonly #processing = new Map<string, Call>()
  readonly watched = new WatchedCalls()

  get(executionId: string): Call | undefined {
    return this.#entries.get(executionId)?.call
  }

  media(executionId: string): CallMedia | undefined {
    return this.#media.get(executionId)
  }

  putMedia(media: CallMedia): void {
    this.#media.set(media.execution_id, media)
  }

  removeMedia(executionId: string): void {
    this.#media.delete(executionId)
  }

  /** Adds or replaces a call. `sequence` is its place among calls that are created at the same moment. */
  put(call: Call, sequence: number): void {
    const known = this.#entries.get(call.execution_id)
    const entry = known ?? { created_at: call.created_at, sequence, call }
    const before = known?.call
    if (known === undefined) this.#entries.set(call.execution_id, entry)
    else known.call = call
    this.#list(entry, before, call)
    this.#track(before, call)
  }

  /** Removes a call as if it had never been written. */
  erase(executionId: string): void {
    const entry = this.#entries.get(executionId)
    if (entry === undefined) return
    this.#media.delete(executionId)
    const { call } = entry
    this.#list(entry, call, { ...call, folded_into: executionId })
    this.#track(call, { ...call, dial: "none", due_at: null, processing: { ...call.processing, due_at: null } })
    this.#entries.delete(executionId)
  }

  page(organizationId: string, filter: CallFilter, { page, page_size }: PageRequest): Page<Call> {
    const listing = this.#listings.get(organizationId)
    if (listing === undefined) return { items: [], total: 0 }
    const exact = matching(listing, organizationId, filter)
    const stretches = (exact ?? narrowest(listing, organizationId, filter)).map((index): Stretch => {
      const [from, to] = index.range(filter.from_date, filter.to_date)
      return { index, from, to }
    })
    const skip = (page - 1) * page_size
    const items: Array<Call> = []
    if (exact !== undefined) {
      const total = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
      for (const entry of newestFirst(stretches, skip)) {
        if (items.length === page_size) break
        items.push(entry.call)
      }
      return { items, total }
    }
    let total = 0
    for (const { call } of newestFirst(stretches, 0)) {
      if (!matches(call, filter)) continue
      if (total >= skip && items.length < page_size) items.push(call)
      total += 1
    }
    return { items, total }
  }

  /** The oldest listed calls of an organization. */
  oldest(organizationId: string, request: OldestRequest): ReadonlyArray<Placed<Call>> {
    const entries = this.#listings.get(organizationId)?.all.oldest(request) ?? []
    return entries.map(({ call, created_at, sequence }) => ({ place: { created_at, sequence }, row: call }))
  }

  /** How many calls hold a line at a level's key. */
  holding(level: SlotLevel, key: string): number {
    return this.#holding[level].get(key) ?? 0
  }

  live({ from_number, organization_id }: LiveCallKey): number {
    return this.#live.get(fromKey(organization_id, from_number)) ?? 0
  }

  /** The call of a lane that goes to the number and holds a line: the one with the lowest id. */
  onNumber(laneId: string, toNumber: string): Call | undefined {
    const [first] = [...(this.#onNumber.get(toKey(laneId, toNumber)) ?? [])].toSorted()
    return first === undefined ? undefined : this.get(first)
  }

  /** How many calls are live on one of an organization's numbers. */
  inProgress(organizationId: string, phoneNumber: string): number {
    return this.#inProgress.get(`${organizationId} ${phoneNumber}`) ?? 0
  }

  holders(after: string | null, limit: number): ReadonlyArray<Call> {
    return this.#holderPages.page(after, limit).map(([, call]) => call)
  }

  processing(): Iterable<Call> {
    return this.#processing.values()
  }

  due(): Iterable<Call> {
    return this.#due.values()
  }

  #list(entry: CallEntry, before: Call | undefined, call: Call): void {
    const was = before !== undefined && before.folded_into === null
    const is = call.folded_into === null
    this.watched.put(call, entry.sequence)
    const listing = this.#listingOf(call.organization_id)
    move(listing.all, entry, was, is)
    move(
      listing.voicemail,
      entry,
      was && before.answered_by_voicemail === true,
      is && call.answered_by_voicemail === true,
    )
    for (const field of indexed) {
      const from = was ? before[field] : null
      const to = is ? call[field] : null
      if (from === to) continue
      if (from !== null) listing.by[field].remove(from, entry)
      if (to !== null) listing.by[field].add(to, entry)
    }
    for (const owner of owners) {
      const from = was ? before[owner] : null
      const to = is ? call[owner] : null
      if (from === to && before?.status === call.status && before.direction === call.direction) continue
      if (from !== null && before !== undefined) listing.byStatus[owner].remove(from, before, entry)
      if (to !== null) listing.byStatus[owner].add(to, call, entry)
    }
  }

  #listingOf(organizationId: string): Listing {
    const known = this.#listings.get(organizationId)
    if (known !== undefined) return known
    const listing = emptyListing()
    this.#listings.set(organizationId, listing)
    return listing
  }

  #track(before: Call | undefined, call: Call): void {
    const was = before !== undefined && isLive(before) ? ownNumber(before) : null
    const is = isLive(call) ? ownNumber(call) : null
    if (was !== is) {
      if (was !== null) countIn(this.#inProgress, `${call.organization_id} ${was}`, -1)
      if (is !== null) countIn(this.#inProgress, `${call.organization_id} ${is}`, 1)
    }
    const held = before !== undefined && holdsLine(before)
    const holds = holdsLine(call)
    if (held !== holds || (held && before.from_number !== call.from_number)) {
      if (held) this.#count(before, -1)
      if (holds) this.#count(call, 1)
    }
    if (holds) this.#holders.set(call.execution_id, call)
    else if (held) this.#holders.delete(call.execution_id)
    if (call.due_at !== null) this.#due.set(call.execution_id, call)
    else if (before !== undefined && before.due_at !== null) this.#due.delete(call.execution_id)
    const { due_at } = call.processing
    if (due_at !== null) this.#processing.set(call.execution_id, call)
    else if (before !== undefined && before.processing.due_at !== null) this.#processing.delete(call.execution_id)
  }

  #count(call: Call, by: 1 | -1): void {
    const count = (level: SlotLevel, key: string) => countIn(this.#holding[level], key, by)
    count("platform", "platform")
    count("organization", call.organization_id)
    count("agent", call.agent_id)
    const lane = call.campaign_id ?? call.batch_id
    if (lane !== null) {
      count("campaign", lane)
      this.#enter(toKey(lane, call.to_number), call.execution_id, by)
    }
    if (call.from_number !== null) countIn(this.#live, fromKey(call.organization_id, call.from_number), by)
  }

  #enter(key: string, executionId: string, by: 1 | -1): void {
    const ids = this.#onNumber.get(key) ?? new Set()
    if (by === 1) this.#onNumber.set(key, ids.add(executionId))
    else if (ids.delete(executionId) && ids.size === 0) this.#onNumber.delete(key)
  }
}

const countIn = (counts: Map<string, number>, key: string, by: number): void => {
  const next = (counts.get(key) ?? 0) + by
  if (next === 0) counts.delete(key)
  else counts.set(key, next)
}

const toKey = (laneId: string, toNumber: string): string => `to ${laneId} ${toNumber}`

const fromKey = (organizationId: string, fromNumber: string): string => `from ${organizationId} ${fromNumber}`

const move = (index: OrderedIndex<CallEntry>, entry: CallEntry, was: boolean, is: boolean): void => {
  if (was === is) return
  if (is) index.add(entry)
  else index.remove(entry)
}

const isFilteredByStatus = (filter: CallFilter): boolean => filter.statuses !== undefined || filter.voicemail === true

/** The calls of the organization with the statuses of a filter, those of a voicemail box with them where they are asked for. */
const withStatus = (
  listing: Listing,
  organizationId: string,
  { direction, statuses, voicemail }: CallFilter,
): ReadonlyArray<OrderedIndex<CallEntry>> => {
  const found = statuses === undefined ? [] : listing.byStatus.organization_id.get(organizationId, statuses, direction)
  return voicemail === true ? [listing.voicemail, ...found] : found
}

const sizeOf = (indexes: ReadonlyArray<OrderedIndex<CallEntry>>): number =>
  indexes.reduce((sum, index) => sum + index.size, 0)

/** Of the indexes that hold every match, those with the fewest calls to look at. */
const narrowest = (
  listing: Listing,
  organizationId: string,
  filter: CallFilter,
): ReadonlyArray<OrderedIndex<CallEntry>> => {
  let best: ReadonlyArray<OrderedIndex<CallEntry>> = [listing.all]
  const consider = (found: ReadonlyArray<OrderedIndex<CallEntry>>) => {
    if (sizeOf(found) < sizeOf(best)) best = found
  }
  if (isFilteredByStatus(filter)) consider(withStatus(listing, organizationId, filter))
  for (const field of indexed) {
    const value = filter[field]
    if (value !== undefined) consider([listing.by[field].get(value)])
  }
  return best
}

/** The indexes that hold nothing but matches, dates aside; undefined where there are none and calls have to be looked at. */
const matching = (
  listing: Listing,
  organizationId: string,
  filter: CallFilter,
): ReadonlyArray<OrderedIndex<CallEntry>> | undefined => {
  const { direction, statuses } = filter
  const asked = indexed.filter((field) => field !== "direction" && filter[field] !== undefined)
  const [field] = asked
  if (asked.length > 1) return undefined
  if (filter.voicemail === true) {
    // A voicemail stands under its status too, so the two together would hold some calls twice.
    return statuses === undefined && direction === undefined && field === undefined ? [listing.voicemail] : undefined
  }
  if (statuses === undefined && (direction === undefined || field === undefined)) {
    const only = field ?? "direction"
    const value = filter[only]
    return [value === undefined ? listing.all : listing.by[only].get(value)]
  }
  const owner = owners.find((each) => each === (field ?? "organization_id"))
  const value = field === undefined ? organizationId : filter[field]
  return owner === undefined || value === undefined
    ? undefined
    : listing.byStatus[owner].get(value, statuses, direction)
}

/** Passes over the newest `skip` entries of stretches that have none in common, a good part of what is left at a time. */
const passOver = (open: ReadonlyArray<{ -readonly [key in keyof Stretch]: Stretch[key] }>, skip: number): void => {
  for (let left = skip; left > 0;) {
    // Whose entry so many steps back is the newest: fewer than that many entries of any other stretch come before it.
    const steps = Math.max(1, Math.floor(left / open.length))
    let foremost: (typeof open)[number] | undefined
    let newest: CallEntry | undefined
    for (const stretch of open) {
      const back = Math.min(steps, stretch.to - stretch.from)
      const entry = back > 0 ? stretch.index.at(stretch.to - back) : undefined
      if (entry === undefined || (newest !== undefined && compareOrdinals(newest, entry) > 0)) continue
      foremost = stretch
      newest = entry
    }
    if (foremost === undefined) return
    const passed = Math.min(steps, foremost.to - foremost.from)
    foremost.to -= passed
    left -= passed
  }
}

/** The entries of all stretches, each once, newest first, after the first `skip`; only what has nothing in common can be skipped. */
function* newestFirst(stretches: ReadonlyArray<Stretch>, skip: number): Iterable<CallEntry> {
  const open = stretches.map((stretch) => ({ ...stretch }))
  passOver(open, skip)
  const last = ({ index, from, to }: Stretch): CallEntry | undefined => (to > from ? index.at(to - 1) : undefined)
  const [only] = open
  if (only !== undefined && open.length === 1) {
    for (let entry = last(only); entry !== undefined; entry = last(only)) {
      yield entry
      only.to -= 1
    }
    return
  }
  for (;;) {
    let newest: CallEntry | undefined
    for (const stretch of open) {
      const entry = last(stretch)
      if (entry !== undefined && (newest === undefined || compareOrdinals(newest, entry) < 0)) newest = entry
    }
    if (newest === undefined) return
    for (const stretch of open) if (last(stretch) === newest) stretch.to -= 1
    yield newest
  }
}

const matches = (call: Call, filter: CallFilter): boolean => {
  if (isFilteredByStatus(filter)) {
    const byStatus = filter.statuses?.has(call.status) ?? false
    const byVoicemail = filter.voicemail === true && call.answered_by_voicemail === true
    if (!byStatus && !byVoicemail) return false
  }
  return indexed.every((field) => filter[field] === undefined || filter[field] === call[field])
}
