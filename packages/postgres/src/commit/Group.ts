import {
  type Change,
  type Commit,
  type Expectation,
  guardName,
  laneNumberName,
  putId,
  type RowKind,
  type SlotDemand,
} from "@carillon/core/ports"
import { inTurn } from "../InTurn.ts"

/** A commit that waits to be written, and the levels at which it must be admitted. */
export interface Waiting {
  readonly commit: Commit
  readonly levels: ReadonlyArray<SlotDemand>
}

/** Rows that may be written together with those of other commits: those of calls on their way and of campaigns, which no second key makes unique. */
const shared: ReadonlySet<Change["put"]> = new Set<Change["put"]>([
  "call",
  "call_media",
  "contact",
  "batch",
  "campaign",
  "campaign_entry",
  "event",
  "delivery",
  "debit",
  "endpoint_attempt",
  "tally",
  "guard",
  "usage",
  "erased_call",
  "discard",
])

/** A commit with more changes is a large one: a call's has some ten. */
const smallChanges = 100

/** Whether nothing else is written together with a commit: for its kinds of rows, or because the others would wait for its many. */
export const isApart = ({ changes }: Commit): boolean =>
  changes.length > smallChanges || !changes.every(({ put }) => shared.has(put))

const keyOf = (kind: RowKind, id: string): string => `${kind} ${id}`

const expectedKeys = (expected: Expectation): ReadonlyArray<string> => {
  // Nothing that is written together with a commit takes the key of its request over.
  if ("free" in expected || "held" in expected) return []
  return ["guard" in expected ? guardName(expected.guard) : keyOf(expected.kind, expected.id)]
}

/** The rows and guards that a commit replaces, rests on, and changes relatively. */
interface Footprint {
  readonly written: ReadonlyArray<string>
  readonly expected: ReadonlyArray<string>
  readonly relative: ReadonlyArray<string>
}

const footprintOf = ({ changes, expect, id }: Commit): Footprint => {
  // One that is sent again waits for what becomes of the first.
  const written = [`commit ${id}`]
  const relative: Array<string> = []
  for (const change of changes) {
    switch (change.put) {
      case "tally":
      case "usage":
        break
      case "debit":
      case "balance":
        relative.push(keyOf("organization", change.organization_id))
        break
      case "endpoint_attempt":
        relative.push(keyOf("subscription", change.subscription_id))
        break
      case "guard":
        relative.push(guardName(change.guard))
        break
      case "erased_call":
        written.push(keyOf("call", change.call.execution_id))
        break
      case "discard":
      case "removal":
        written.push(keyOf(change.kind, change.id))
        break
      default:
        written.push(keyOf(change.put, putId(change)))
    }
  }
  // Who expects a number to be free is about to call it.
  for (const each of expect) if ("free" in each) written.push(`lane_number ${laneNumberName(each.free)}`)
  return { written, relative, expected: expect.flatMap(expectedKeys) }
}

/**
 * Commits that are written in one transaction and are still commits of their own: none of them touches a row or a guard that another one replaces or rests
 * on, so any order of them gives the same rows, and each may conflict for itself.
 */
class Group<Entry extends Waiting> {
  readonly entries: Array<Entry> = []
  readonly #written = new Set<string>()
  readonly #expected = new Set<string>()
  readonly #relative = new Set<string>()
  #isClosed = false

  /** Nothing more is written together with what it has. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Takes the commit in unless it has to wait for a later group. */
  add(entry: Entry): void {
    const { commit } = entry
    const apart = isApart(commit)
    if (this.#isClosed || (apart && this.entries.length > 0)) return
    const { expected, relative, written } = footprintOf(commit)
    const meets =
      written.some((key) => this.#written.has(key) || this.#expected.has(key) || this.#relative.has(key)) ||
      expected.some((key) => this.#written.has(key) || this.#relative.has(key)) ||
      relative.some((key) => this.#written.has(key) || this.#expected.has(key))
    if (meets) return
    for (const key of written) this.#written.add(key)
    for (const key of expected) this.#expected.add(key)
    for (const key of relative) this.#relative.add(key)
    this.entries.push(entry)
    this.#isClosed = apart
  }
}

/** The first commits in their order that may be written together. Who minds one of them waits, and is the first of a later group. */
export const nextGroup = <Entry extends Waiting>(waiting: Iterable<Entry>, most: number): ReadonlyArray<Entry> => {
  const group = new Group<Entry>()
  for (const entry of waiting) {
    group.add(entry)
    if (group.isClosed || group.entries.length === most) break
  }
  return group.entries
}

/** The commits of one organization that wait, in the order in which they came. */
interface Row<Entry> {
  /** After which group it has come, or has begun one last. */
  since: number
  readonly entries: Set<Entry>
}

/**
 * Commits that wait, of which one of each organization is taken in turn, so that one waits for a few of the others and not for all: some are written
 * alone, and hundreds of them may have come before. Whose commit began a group last comes last.
 */
export class Waiters<Entry extends Waiting> {
  readonly #rows = new Map<string, Row<Entry>>()
  #groups = 0

  add(entry: Entry): void {
    const { organization_id } = entry.commit
    // Who comes goes before the one that has just had its turn, and behind all others.
    const row = this.#rows.get(organization_id) ?? { since: this.#groups - 0.5, entries: new Set() }
    row.entries.add(entry)
    this.#rows.set(organization_id, row)
  }

  remove(entry: Entry): void {
    const { organization_id } = entry.commit
    const row = this.#rows.get(organization_id)
    if (row?.entries.delete(entry) === true && row.entries.size === 0) this.#rows.delete(organization_id)
  }

  /** Takes the next group out. */
  take(most: number): ReadonlyArray<Entry> {
    const rows = [...this.#rows.values()].sort((a, b) => a.since - b.since)
    const group = nextGroup(inTurn(rows.map(({ entries }) => entries)), most)
    const [first] = rows
    if (first !== undefined) first.since = ++this.#groups
    for (const entry of group) this.remove(entry)
    return group
  }
}
