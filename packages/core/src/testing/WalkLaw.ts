import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { type ReadAfter, walkRows } from "../engine/Walk.ts"
import { law } from "./Law.ts"
import { fresh } from "./Samples.ts"

/** A kind of rows of which an organization has some, and how a walk reads them. */
interface Walked<Row, E, R> {
  readonly sample: (organizationId: string) => Row
  readonly idOf: (row: Row) => string
  readonly after: (organizationId: string) => ReadAfter<Row, E, R>
  readonly find: (row: Row) => Effect.Effect<Row | null, E, R>
  readonly put: (row: Row) => Effect.Effect<void, E, R>
  readonly remove: (row: Row) => Effect.Effect<void, E, R>
  /** The row as a walk writes it. */
  readonly renewed: (row: Row) => Row
}

const many = 10
const limit = 3
/** Few: each writes some twenty commits, one after the other. */
const numRuns = 5

/** Before a row is visited, one of the first rows goes, or another row comes. */
const happening = fc.record({ goes: fc.boolean(), nth: fc.nat(many - 1) })

/** A walk that writes each row visits each that is there all the while, once, whatever goes and comes between its reads and its writes. */
export const walkLaw = <Row, E, R>(kind: Walked<Row, E, R>) =>
  law(
    fc.array(happening, { minLength: 1, maxLength: many }),
    Effect.fnUntraced(function* (happenings) {
      const [own, other] = [fresh("org_"), fresh("org_")]
      const rows = Array.from({ length: many }, () => kind.sample(own))
      yield* Effect.forEach([...rows, kind.sample(other)], kind.put, { concurrency: "unbounded", discard: true })
      const gone = new Set<Row>()
      const come = new Set<string>()
      const visited: Array<string> = []
      const waiting = [...happenings]
      const happen = Effect.fnUntraced(function* () {
        const next = waiting.shift()
        const row = next === undefined ? undefined : rows[next.nth]
        if (next === undefined || row === undefined) return
        if (!next.goes) {
          const another = kind.sample(own)
          come.add(kind.idOf(another))
          return yield* kind.put(another)
        }
        if (gone.has(row)) return
        gone.add(row)
        const stored = yield* kind.find(row)
        if (stored !== null) yield* kind.remove(stored)
      })
      yield* walkRows(
        kind.after(own),
        kind.idOf,
        limit,
        Effect.fnUntraced(function* (row: Row) {
          yield* happen()
          const stored = yield* kind.find(row)
          visited.push(kind.idOf(row))
          if (stored !== null) yield* kind.put(kind.renewed(stored))
        }),
      )
      assert.strictEqual(new Set(visited).size, visited.length, "a row was visited twice")
      const known = new Set([...rows.map(kind.idOf), ...come])
      assert.isTrue(
        visited.every((id) => known.has(id)),
        "a row of another organization was visited",
      )
      const stayed = rows.filter((row) => !gone.has(row))
      for (const row of stayed) assert.deepStrictEqual(yield* kind.find(row), kind.renewed(row))
    }),
    { numRuns },
  )
