import { randomBytes } from "@noble/hashes/utils.js"
import { type Callee, calleeId, calleeOf } from "../callees/rules/Callee.ts"
import type { KnownCallees, PlacedCallee } from "../callees/ports/CalleeStore.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { isE164 } from "../phone/E164.ts"

/** What is said of a number beside the number itself. */
type Said = Pick<Callee, "attempts" | "suppressions">

/** When the only suppression of a number was added, and when it ends. */
interface Times {
  readonly created_at: number
  /** Infinity where it has no end. */
  readonly expires_at: number
}

const noTimes: Times = { created_at: 0, expires_at: Infinity }

/** What numbers share that say the same at other times, and the times, which lie with the number. Most numbers have one suppression. */
const divided = (said: Said): { readonly shared: Said; readonly times: Times } => {
  const [only, ...others] = said.suppressions
  if (only === undefined || others.length > 0) return { shared: said, times: noTimes }
  return {
    shared: { ...said, suppressions: [{ ...only, created_at: 0, expires_at: null }] },
    times: { created_at: only.created_at, expires_at: only.expires_at ?? Infinity },
  }
}

const atTimes = (said: Said, { created_at, expires_at }: Times): Said => {
  const [only, ...others] = said.suppressions
  if (only === undefined || others.length > 0) return said
  const end = Number.isFinite(expires_at) ? expires_at : null
  return { ...said, suppressions: [{ ...only, created_at, expires_at: end }] }
}

/** All that is said, as one text. */
const textOf = ({ attempts, suppressions }: Said): string => JSON.stringify([suppressions, attempts ?? null])

/** A callee as its organization has it: its number is known. */
type Own = Said & Pick<Callee, "revision">

/** What is said, and of how many numbers. */
interface Shared {
  readonly said: Said
  numbers: number
}

const firstSlots = 16
/** A table of slots is doubled when more of it are taken. */
const takenMost = 0.7
const growth = 1.5
const halfBits = 2 ** 32

/** The last step of MurmurHash3: each bit of 32 changes about half of them. */
const finished = (bits: number): number => {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}

/** The digits of a number as a number: exact, for E.164 has no more than fifteen. Null for what is no such number. */
const digitsOf = (toNumber: string): number | null => (isE164(toNumber) ? Number(toNumber.slice(1)) : null)

const enlarged = (before: Float64Array<ArrayBuffer>, after: Float64Array<ArrayBuffer>) => {
  after.set(before)
  return after
}

/** What is said in the place of a number that has gone. */
const gone = 2 ** 32 - 1

/** The callees of one organization, in the order in which they came. The place of one that has gone stays empty: lists go by places. */
class OwnCallees {
  #numbers = new Float64Array(firstSlots)
  #said = new Uint32Array(firstSlots)
  #created = new Float64Array(firstSlots)
  #expires = new Float64Array(firstSlots)
  #revisions = new Uint32Array(firstSlots)
  /** One more than the place of a number, by its hash; 0 is free. */
  #slots = new Uint32Array(firstSlots)
  #size = 0
  readonly #seed = new Uint32Array(randomBytes(4).buffer)[0] ?? 0
  /** How many have a suppression. */
  suppressed = 0
  readonly #shared: Array<Shared> = []
  readonly #free: Array<number> = []
  readonly #byText = new Map<string, number>()

  get(digits: number): Own | undefined {
    const place = this.#slots[this.#slotOf(digits)] ?? 0
    return place === 0 ? undefined : this.#ownAt(place - 1)
  }

  put(digits: number, { revision, ...said }: Own): void {
    const slot = this.#slotOf(digits)
    const known = this.#slots[slot] ?? 0
    const { shared: common, times } = divided(said)
    const shared = this.#share(common)
    if (said.suppressions.length > 0) this.suppressed += 1
    if (known > 0 && this.#said[known - 1] !== gone) {
      this.#forget(known - 1)
      this.#write(known - 1, shared, times, revision)
      return
    }
    if (this.#size === this.#numbers.length) this.#grow()
    this.#numbers[this.#size] = digits
    this.#write(this.#size, shared, times, revision)
    this.#size += 1
    this.#slots[slot] = this.#size
    if (this.#size > takenMost * this.#slots.length) this.#rehash()
  }

  remove(digits: number): void {
    const place = (this.#slots[this.#slotOf(digits)] ?? 0) - 1
    if (place < 0 || this.#said[place] === gone) return
    this.#forget(place)
    this.#said[place] = gone
  }

  /** Those with a suppression, newest first, after the first `skip`. */
  *newest(skip: number): Iterable<readonly [digits: number, said: Own]> {
    let left = skip
    for (let place = this.#size - 1; place >= 0; place--) {
      const said = this.#ownAt(place)
      if (said === undefined || said.suppressions.length === 0) continue
      if (left > 0) left -= 1
      else yield [this.#numbers[place] ?? 0, said]
    }
  }

  /** All in the order in which they came, after the first `passed`, each with how many came until then. */
  *oldest(passed: number): Iterable<readonly [place: number, digits: number, said: Own]> {
    for (let place = passed; place < this.#size; place++) {
      const said = this.#ownAt(place)
      if (said !== undefined) yield [place + 1, this.#numbers[place] ?? 0, said]
    }
  }

  #ownAt(place: number): Own | undefined {
    const said = this.#shared[this.#said[place] ?? 0]?.said
    if (said === undefined) return undefined
    const times = { created_at: this.#created[place] ?? 0, expires_at: this.#expires[place] ?? Infinity }
    return { ...atTimes(said, times), revision: this.#revisions[place] ?? 0 }
  }

  #write(place: number, shared: number, { created_at, expires_at }: Times, revision: number): void {
    this.#said[place] = shared
    this.#revisions[place] = revision
    this.#created[place] = created_at
    this.#expires[place] = expires_at
  }

  /** The slot of a number, or the one that it would have. */
  #slotOf(digits: number): number {
    const mask = this.#slots.length - 1
    for (let slot = this.#mixed(digits) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] ?? 0
      if (place === 0 || this.#numbers[place - 1] === digits) return slot
    }
  }

  /** Both halves go through the seed one after the other: nobody can choose numbers that meet without it. */
  #mixed(digits: number): number {
    const upper = finished(Math.floor(digits / halfBits) ^ this.#seed)
    return finished((digits % halfBits) ^ upper)
  }

  #share(said: Said): number {
    const text = textOf(said)
    const known = this.#byText.get(text)
    if (known !== undefined) {
      const shared = this.#shared[known]
      if (shared !== undefined) shared.numbers += 1
      return known
    }
    const index = this.#free.pop() ?? this.#shared.length
    this.#shared[index] = { said, numbers: 1 }
    this.#byText.set(text, index)
    return index
  }

  /** What is said of the number in a place is said of it no more. */
  #forget(place: number): void {
    const index = this.#said[place] ?? 0
    const shared = this.#shared[index]
    if (shared === undefined) return
    if (shared.said.suppressions.length > 0) this.suppressed -= 1
    shared.numbers -= 1
    if (shared.numbers > 0) return
    this.#byText.delete(textOf(shared.said))
    this.#free.push(index)
  }

  #grow(): void {
    const length = Math.ceil(this.#numbers.length * growth)
    this.#numbers = enlarged(this.#numbers, new Float64Array(length))
    this.#created = enlarged(this.#created, new Float64Array(length))
    this.#expires = enlarged(this.#expires, new Float64Array(length))
    const said = new Uint32Array(length)
    said.set(this.#said)
    this.#said = said
    const revisions = new Uint32Array(length)
    revisions.set(this.#revisions)
    this.#revisions = revisions
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let place = 0; place < this.#size; place++) {
      if (this.#said[place] === gone) continue
      this.#slots[this.#slotOf(this.#numbers[place] ?? 0)] = place + 1
    }
  }
}

/** The callees of the world: a number takes some fifty bytes, also one that was added by itself, unless its words are its own, it has several suppressions, or its dials are counted. */
export class CalleeTable {
  readonly #byOrganization = new Map<string, OwnCallees>()

  get(id: string): Callee | undefined {
    const { organization_id, to_number } = calleeOf(id)
    return this.find(organization_id, to_number) ?? undefined
  }

  find(organization_id: string, to_number: string): Callee | null {
    const digits = digitsOf(to_number)
    const said = digits === null ? undefined : this.#byOrganization.get(organization_id)?.get(digits)
    return said === undefined ? null : { organization_id, to_number, ...said }
  }

  put({ organization_id, to_number, ...said }: Callee): void {
    const digits = digitsOf(to_number)
    if (digits === null) throw new TypeError(`A callee must be a number: ${calleeId(organization_id, to_number)}`)
    const own = this.#byOrganization.get(organization_id) ?? new OwnCallees()
    this.#byOrganization.set(organization_id, own)
    own.put(digits, said)
  }

  remove(id: string): void {
    const { organization_id, to_number } = calleeOf(id)
    const digits = digitsOf(to_number)
    if (digits !== null) this.#byOrganization.get(organization_id)?.remove(digits)
  }

  /** Those of an organization with a suppression, newest first. */
  suppressed(organization_id: string, { page, page_size }: PageRequest): Page<Callee> {
    const own = this.#byOrganization.get(organization_id)
    const items: Array<Callee> = []
    for (const [digits, said] of own?.newest((page - 1) * page_size) ?? []) {
      if (items.length === page_size) break
      items.push({ organization_id, to_number: `+${digits}`, ...said })
    }
    return { items, total: own?.suppressed ?? 0 }
  }

  /** The same in the order in which they came, after a place. */
  oldest(organization_id: string, after: number, limit: number): ReadonlyArray<PlacedCallee> {
    const found: Array<PlacedCallee> = []
    for (const [place, digits, said] of this.#byOrganization.get(organization_id)?.oldest(after) ?? []) {
      if (found.length === limit) break
      if (said.suppressions.length === 0) continue
      found.push({ place, callee: { organization_id, to_number: `+${digits}`, ...said } })
    }
    return found
  }

  /** The next of all, in the order in which they came. */
  known(organization_id: string, after: string | null, limit: number): KnownCallees {
    const callees: Array<Callee> = []
    let last = after
    for (const [place, digits, said] of this.#byOrganization.get(organization_id)?.oldest(Number(after ?? 0)) ?? []) {
      if (callees.length === limit) break
      callees.push({ organization_id, to_number: `+${digits}`, ...said })
      last = String(place)
    }
    return { callees, last }
  }
}
