import { type Contact, type ContactEntry, isWaiting } from "../contacts/rules/Contact.ts"
import type { ContactChoice, ContactLoad, ContactMoment } from "../contacts/ports/ContactStore.ts"
import type { ContactTimes, ContactWait } from "../contacts/rules/ContactTimes.ts"
import { priorityOf } from "../contacts/rules/Priority.ts"
import type { ContactPlace, ContactRow } from "../contacts/rules/PlacedContact.ts"
import { TimeHeap } from "../engine/rules/TimeHeap.ts"
import { OrderedPages } from "./OrderedPages.ts"

/** A contact in a queue. */
interface Queued {
  readonly row: number
  readonly isHeld: boolean
}

const rowOf = ({ row }: Pick<Contact, "row">): number => row

/**
 * The contacts of a batch that wait for a time: those to come by time, held back or not, and those whose time has come in that order; of
 * those of one time in the order of the batch. Who looks changes nothing for others, who may go by an earlier moment.
 */
class Queue {
  readonly held = new TimeHeap<Queued, number>(rowOf)
  readonly planned = new TimeHeap<Queued, number>(rowOf)
  readonly #due = new TimeHeap<Queued, number>(rowOf)
  /** The latest moment that it was looked at for: what is due then has come. */
  #lookedAt = -Infinity

  set({ holds, row }: Contact, at: number): void {
    this.delete(row)
    const queued = { row, isHeld: holds > 0 }
    this.#comingOf(queued).set(row, at, queued)
  }

  delete(row: number): void {
    if (!this.#due.delete(row) && !this.planned.delete(row)) this.held.delete(row)
  }

  /** How many are due. */
  due(now: number): number {
    if (now < this.#lookedAt) this.#goBackTo(now)
    this.#lookedAt = now
    for (const coming of [this.planned, this.held]) {
      for (let next = coming.popDue(now); next !== undefined; next = coming.popDue(now)) {
        this.#due.set(next.key, next.at, next.value)
      }
    }
    return this.#due.size
  }

  /** Those that had not come yet at an earlier moment are to come again. */
  #goBackTo(now: number): void {
    const early = [...this.#due.values()].filter(({ at }) => at > now)
    for (const { at, key, value } of early) {
      this.#due.delete(key)
      this.#comingOf(value).set(key, at, value)
    }
  }

  #comingOf({ isHeld }: Queued): TimeHeap<Queued, number> {
    return isHeld ? this.held : this.planned
  }

  /** The one that has been due the longest of those that are wanted. */
  first(now: number, isWanted: (row: number) => boolean): number | undefined {
    return this.due(now) === 0 ? undefined : this.#due.first(({ row }) => isWanted(row))?.value.row
  }

  /** The rows of all that are in it, in no certain order. */
  *rows(): Iterable<number> {
    for (const heap of [this.planned, this.held, this.#due]) for (const { value } of heap.values()) yield value.row
  }

  next(): number | null {
    return earlier(this.planned.peek()?.at ?? null, this.held.peek()?.at ?? null)
  }

  get coming(): number {
    return this.planned.size + this.held.size
  }

  get size(): number {
    return this.coming + this.#due.size
  }

  /** The last time of all, those that have come included. */
  last(): number | null {
    return later(later(this.planned.last(), this.held.last()), this.#due.last())
  }
}

/** One batch: its entries in order, and a row for each contact that was touched. Contacts are dialled in order. */
class Contacts {
  readonly entries: Array<ContactEntry | undefined> = []
  readonly touched = new Map<number, Contact>()
  /** Who waits for a time, by whether it is for the campaign's hours, and by the mark of the callee's. */
  readonly anytime = new Map<string, Queue>()
  readonly inHours = new Map<string, Queue>()
  /** The first row that was never touched, and is not gone. */
  fresh = 0
  /** How many behind it were, or are. */
  ahead = 0
  /** Rows that are gone: all before the first one that is not, and some behind it. */
  first = 0
  readonly gone = new Set<number>()

  queueOf({ hours_of = "", in_hours_only }: Contact): Queue {
    const queues = in_hours_only ? this.inHours : this.anytime
    const queue = queues.get(hours_of) ?? new Queue()
    queues.set(hours_of, queue)
    return queue
  }

  get queues(): ReadonlyArray<Queue> {
    return [...this.anytime.values(), ...this.inHours.values()]
  }

  isGone(row: number): boolean {
    return row < this.first || this.gone.has(row)
  }

  /** Passes over rows that were touched or are gone. */
  goOn(): void {
    for (; this.touched.has(this.fresh) || this.isGone(this.fresh); this.fresh += 1) this.ahead -= 1
  }

  fill(row: number, entry: ContactEntry): void {
    this.entries[row] = entry
    if (!this.isGone(row)) return
    // It is there again, as one that was never touched.
    for (let each = row; each < this.first; each++) this.gone.add(each)
    this.first = Math.min(this.first, row)
    this.gone.delete(row)
    if (row >= this.fresh) this.ahead -= 1
    else {
      this.ahead += this.fresh - row - 1
      this.fresh = row
    }
  }

  /** Takes a row away. */
  remove(row: number): void {
    const wasTouched = this.touched.delete(row)
    this.entries[row] = undefined
    this.gone.add(row)
    if (!wasTouched) this.ahead += 1
    this.goOn()
    for (; this.gone.delete(this.first);) this.first += 1
  }

  place(batchId: string, row: number): ContactRow | undefined {
    const entry = this.entries[row]
    return entry === undefined ? undefined : { batch_id: batchId, row, entry, contact: this.touched.get(row) ?? null }
  }

  due(moment: ContactMoment, besides: ReadonlySet<number>, choice: ContactChoice): Array<number> {
    const isWanted = (row: number) => !besides.has(row) && (choice === "all" || this.touched.get(row)?.holds === 0)
    return [...openOf(this.anytime, moment), ...(moment.in_hours ? openOf(this.inHours, moment) : [])]
      .map((queue) => queue.first(moment.now, isWanted))
      .filter((row) => row !== undefined)
  }
}

/** The queues of those whose callees may be called. */
const openOf = (queues: ReadonlyMap<string, Queue>, { marks }: ContactMoment): ReadonlyArray<Queue> =>
  marks === undefined ? [...queues.values()] : marks.flatMap((mark) => queues.get(mark) ?? [])

const dueIn = (queues: Iterable<Queue>, now: number): number => {
  let sum = 0
  for (const queue of queues) sum += queue.due(now)
  return sum
}

const nobody: ReadonlySet<number> = new Set()

const later = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b))

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b)

const noWait: ContactWait = { contacts: 0, next_due: null }

const withAll = ({ contacts, next_due }: ContactWait, coming: TimeHeap<Queued, number>): ContactWait => ({
  contacts: contacts + coming.size,
  next_due: earlier(next_due, coming.peek()?.at ?? null),
})

/** Contacts that wait for one number, by since when they wait: the lines by their names. */
type Lines = Map<string, TimeHeap<Contact>>

const inOrder = <A>(named: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value)

/** The contacts of the world. */
export class ContactTable {
  readonly #batches = new Map<string, Contacts>()
  /** Contacts that wait for a number to be free, by lane, by number, and by the line in which they stand; and by their ids. */
  readonly #waiting = new Map<string, Map<string, Lines>>()
  readonly #waitingById = new Map<string, Contact>()
  readonly #waitingPages = new OrderedPages(this.#waitingById)

  fill(batchId: string, fromRow: number, entries: ReadonlyArray<ContactEntry>): void {
    const batch = this.#batches.get(batchId) ?? new Contacts()
    this.#batches.set(batchId, batch)
    // The same chunk sent again takes the same place.
    entries.forEach((entry, index) => {
      batch.fill(fromRow + index, entry)
    })
  }

  replace(batchId: string, row: number, entry: ContactEntry): void {
    const entries = this.#batches.get(batchId)?.entries
    if (entries?.[row] !== undefined) entries[row] = entry
  }

  discard(batchId: string): void {
    this.#batches.delete(batchId)
  }

  find(batchId: string, row: number): ContactRow | undefined {
    return this.#batches.get(batchId)?.place(batchId, row)
  }

  get(batchId: string, row: number): Contact | undefined {
    return this.#batches.get(batchId)?.touched.get(row)
  }

  put(contact: Contact): void {
    const batch = this.#batches.get(contact.batch_id)
    if (batch === undefined) return
    const before = batch.touched.get(contact.row)
    this.#leave(batch, before)
    batch.touched.set(contact.row, contact)
    if (before === undefined) batch.ahead += 1
    batch.goOn()
    if (!isWaiting(contact.status)) return
    if (contact.waits_for_number) this.#startWaiting(contact)
    else if (contact.eligible_at !== null) batch.queueOf(contact).set(contact, contact.eligible_at)
  }

  isGone(batchId: string, row: number): boolean {
    return this.#batches.get(batchId)?.isGone(row) === true
  }

  /** Takes a contact away with its entry. */
  remove(batchId: string, row: number): void {
    const batch = this.#batches.get(batchId)
    if (batch === undefined || batch.entries[row] === undefined) return
    this.#leave(batch, batch.touched.get(row))
    batch.remove(row)
  }

  rows(batchId: string, fromRow: number, limit: number): ReadonlyArray<ContactRow> {
    const batch = this.#batches.get(batchId)
    const rows: Array<ContactRow> = []
    if (batch === undefined) return rows
    for (let row = Math.max(fromRow, batch.first); row < batch.entries.length && rows.length < limit; row++) {
      const found = batch.place(batchId, row)
      if (found !== undefined) rows.push(found)
    }
    return rows
  }

  next(
    batchIds: ReadonlyArray<string>,
    moment: ContactMoment,
    besides: ReadonlyArray<ContactPlace>,
    choice: ContactChoice,
  ): ContactRow | null {
    let best: { readonly row: ContactRow; readonly since: number } | null = null
    for (const id of batchIds) {
      const batch = this.#batches.get(id)
      const passed =
        besides.length === 0 ? nobody : new Set(besides.flatMap(({ batch_id, row }) => (batch_id === id ? [row] : [])))
      // Of one time, batches come as they are given, and rows of all queues of one in their order.
      for (const row of (batch?.due(moment, passed, choice) ?? []).sort((one, other) => one - other)) {
        const place = batch?.place(id, row)
        const since = place?.contact?.eligible_at ?? Infinity
        if (place !== undefined && (best === null || since < best.since)) best = { row: place, since }
      }
    }
    return best?.row ?? this.#nextFresh(batchIds, moment.by_priority === true)
  }

  /** The first one that was never touched. */
  #nextFresh(batchIds: ReadonlyArray<string>, byPriority: boolean): ContactRow | null {
    let best: ContactRow | null = null
    for (const id of batchIds) {
      const batch = this.#batches.get(id)
      const place = batch?.place(id, batch.fresh)
      if (place === undefined) continue
      if (!byPriority) return place
      if (best === null || priorityOf(place.entry) > priorityOf(best.entry)) best = place
    }
    return best
  }

  /** The marks of those that wait for a time. */
  marks(batchIds: ReadonlyArray<string>): ReadonlyArray<string> {
    const marks = new Set<string>()
    for (const id of batchIds) {
      const batch = this.#batches.get(id)
      for (const queues of [batch?.anytime, batch?.inHours]) {
        for (const [mark, queue] of queues ?? []) if (queue.size > 0) marks.add(mark)
      }
    }
    return [...marks].sort()
  }

  marked(batchIds: ReadonlyArray<string>, mark: string, limit: number): ReadonlyArray<Contact> {
    const found: Array<Contact> = []
    for (const id of batchIds) {
      const batch = this.#batches.get(id)
      for (const row of batch?.inHours.get(mark)?.rows() ?? []) {
        if (found.length >= limit) return found
        const contact = batch?.touched.get(row)
        if (contact !== undefined) found.push(contact)
      }
    }
    return found
  }

  load(batchIds: ReadonlyArray<string>, moment: ContactMoment): ContactLoad {
    const { in_hours, now } = moment
    let dialable = 0
    let waits = false
    let next_due: number | null = null
    for (const id of batchIds) {
      const batch = this.#batches.get(id)
      if (batch === undefined) continue
      let all = 0
      for (const queue of batch.queues) {
        all += queue.due(now)
        waits ||= queue.coming > 0
        next_due = earlier(next_due, queue.next())
      }
      const due = dueIn(openOf(batch.anytime, moment), now) + (in_hours ? dueIn(openOf(batch.inHours, moment), now) : 0)
      dialable += batch.entries.length - batch.fresh - batch.ahead + due
      waits ||= all > due
    }
    return { dialable, next_due, waits }
  }

  times(batchIds: ReadonlyArray<string>, now: number): ContactTimes {
    let [held, planned] = [noWait, noWait]
    const last: { anytime: number | null; in_hours: number | null } = { anytime: null, in_hours: null }
    for (const id of batchIds) {
      const batch = this.#batches.get(id)
      if (batch === undefined) continue
      for (const queue of batch.anytime.values()) last.anytime = later(last.anytime, queue.last())
      for (const queue of batch.inHours.values()) last.in_hours = later(last.in_hours, queue.last())
      for (const queue of batch.queues) {
        queue.due(now)
        held = withAll(held, queue.held)
        planned = withAll(planned, queue.planned)
      }
    }
    return { held, planned, last }
  }

  /** Of the lane's contacts that wait for the number, who has waited the longest of each batch, by whether it waits for the campaign's hours, too. */
  heirs(laneId: string, toNumber: string): ReadonlyArray<Contact> {
    const lines = this.#waiting.get(laneId)?.get(toNumber)
    return lines === undefined ? [] : inOrder(lines).flatMap((line) => line.peek()?.value ?? [])
  }

  /** Up to `limit` of the lane's contacts that wait for a number, in the order of the numbers; those of some batches, where they are named. */
  waitingIn(laneId: string, limit: number, batchIds?: ReadonlyArray<string>): ReadonlyArray<ContactRow> {
    const rows: Array<ContactRow> = []
    const among = batchIds === undefined ? null : new Set(batchIds)
    for (const lines of inOrder(this.#waiting.get(laneId) ?? new Map<string, Lines>())) {
      for (const line of inOrder(lines)) {
        if (rows.length >= limit) return rows
        if (among?.has(line.peek()?.value.batch_id ?? "") === false) continue
        const found = line.firsts(limit - rows.length).map(({ batch_id, row }) => this.find(batch_id, row))
        rows.push(...found.filter((place) => place !== undefined))
      }
    }
    return rows
  }

  /** Contacts that wait for a number, in the order of their ids. */
  waitingForNumbers(after: string | null, limit: number): ReadonlyArray<Contact> {
    return this.#waitingPages.page(after, limit).map(([, contact]) => contact)
  }

  /** Takes a contact out of what it waits in. */
  #leave(batch: Contacts, contact: Contact | undefined): void {
    if (contact === undefined) return
    if (contact.eligible_at !== null) batch.queueOf(contact).delete(contact.row)
    if (contact.waits_for_number) this.#stopWaiting(contact)
  }

  #startWaiting(contact: Contact): void {
    const laneId = laneIdOf(contact)
    const number = this.#numberOf(contact)
    const numbers = this.#waiting.get(laneId) ?? new Map<string, Lines>()
    const lines = numbers.get(number) ?? new Map<string, TimeHeap<Contact>>()
    const line = lines.get(lineOf(contact)) ?? new TimeHeap<Contact>(rowOf)
    // Whoever is set aside again has its place by since when it waits.
    line.set(contact.contact_id, contact.waits_since ?? 0, contact)
    this.#waiting.set(laneId, numbers.set(number, lines.set(lineOf(contact), line)))
    this.#waitingById.set(contact.contact_id, contact)
  }

  #stopWaiting(contact: Contact): void {
    const laneId = laneIdOf(contact)
    const number = this.#numberOf(contact)
    const numbers = this.#waiting.get(laneId)
    const lines = numbers?.get(number)
    const line = lines?.get(lineOf(contact))
    line?.delete(contact.contact_id)
    if (line?.size === 0) lines?.delete(lineOf(contact))
    if (lines?.size === 0) numbers?.delete(number)
    if (numbers?.size === 0) this.#waiting.delete(laneId)
    this.#waitingById.delete(contact.contact_id)
  }

  #numberOf(contact: Contact): string {
    return this.find(contact.batch_id, contact.row)?.entry.to_number ?? ""
  }
}

const laneIdOf = ({ batch_id, campaign_id }: Contact): string => campaign_id ?? batch_id

/** Those of one batch, and of one kind of hours, come one after the other: whether one may be dialled, the next may. */
const lineOf = ({ batch_id, in_hours_only }: Contact): string => `${batch_id} ${in_hours_only}`
