import { placeOf } from "../contacts/rules/Contact.ts"
import type { Change, Commit } from "../engine/rules/Commit.ts"
import type { Guard } from "../engine/rules/Guards.ts"
import type { Revised } from "../engine/rules/RowDescription.ts"
import { Conflict, keyLost, numberTaken } from "../engine/ports/Store.ts"
import { descriptions, type Put, putId, replacedRevision, type RowKind, type Rows } from "../Rows.ts"
import type { RowPlaces } from "./RowPlaces.ts"
import type { Tables } from "./Tables.ts"

/** Judges whether what a commit rests on still stands. */
export class Conflicts {
  readonly #tables: Pick<Tables, "calls" | "contacts" | "idempotency">
  readonly #places: RowPlaces
  readonly #version: (guard: Guard) => number

  constructor(
    tables: Pick<Tables, "calls" | "contacts" | "idempotency">,
    places: RowPlaces,
    version: (guard: Guard) => number,
  ) {
    this.#tables = tables
    this.#places = places
    this.#version = version
  }

  /** The first thing that stands otherwise than the commit expects. */
  of(commit: Commit): Conflict | undefined {
    for (const expected of commit.expect) {
      if ("guard" in expected) {
        const { guard, version } = expected
        if (this.#version(guard) !== version) return new Conflict({ kind: guard.set, id: guard.id })
        continue
      }
      if ("held" in expected) {
        if (!this.#tables.idempotency.isHeld(expected.held)) return keyLost(expected.held)
        continue
      }
      if ("free" in expected) {
        const { lane_id, to_number } = expected.free
        if (this.#tables.calls.onNumber(lane_id, to_number) !== undefined) return numberTaken(expected.free)
        continue
      }
      const { kind, id, revision } = expected
      if (this.#revision(kind, id) !== revision) return new Conflict({ kind, id })
    }
    for (const change of commit.changes) {
      const conflict = this.#changed(change)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }

  /** Whether a row stands otherwise than a change of it expects. */
  #changed(change: Change): Conflict | undefined {
    if ("row" in change) return this.#replaced(change)
    if (change.put === "erased_call") {
      const { execution_id: id, revision } = change.call
      return this.#revision("call", id) === revision ? undefined : new Conflict({ kind: "call", id })
    }
    if (change.put === "removal") {
      const { id, kind, revision } = change
      return this.#revision(kind, id) === revision ? undefined : new Conflict({ kind, id })
    }
    return undefined
  }

  #replaced<K extends RowKind>(change: Put<K>): Conflict | undefined {
    const { put: kind, row } = change
    const id = putId(change)
    const isNext = this.#revision(kind, id) === replacedRevision(change)
    return isNext && !this.#isTaken(kind, id, row) && !this.#isGone(kind, id) ? undefined : new Conflict({ kind, id })
  }

  /** Whether a contact went with what was handed in of it: one that was never touched has no revision that would say so. */
  #isGone(kind: RowKind, id: string): boolean {
    const place = kind === "contact" ? placeOf(id) : null
    return place !== null && this.#tables.contacts.isGone(place.batch_id, place.row)
  }

  /** Whether the row's second key belongs to another row. */
  #isTaken<K extends RowKind>(kind: K, id: string, row: Rows[K]): boolean {
    const key = descriptions[kind].unique?.(row) ?? null
    const { organization_id: owner = null }: Revised = row
    if (key === null || owner === null) return false
    const holder = this.#places[kind].holder?.(owner, key) ?? null
    return holder !== null && holder !== id
  }

  /** The revision of a row, 0 where there is none. */
  #revision(kind: RowKind, id: string): number {
    return this.#places[kind].get(id)?.revision ?? 0
  }
}
