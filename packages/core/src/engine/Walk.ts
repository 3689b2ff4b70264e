import { Effect } from "effect"
import type { ListPlace, OldestRequest, Placed } from "../Pagination.ts"
import { nextTurn } from "./ports/Pacing.ts"

/** A read of rows in ascending order of their ids: up to `limit` of those after the given one. */
export type ReadAfter<Row, E = never, R = never> = (
  after: string | null,
  limit: number,
) => Effect.Effect<ReadonlyArray<Row>, E, R>

/**
 * Visits rows in the order of their ids, `limit` in memory at a time. What goes or comes meanwhile moves no other row: each that is there from
 * the first read to the last is visited once.
 */
export const walkRows = Effect.fnUntraced(function* <Row, E, R, E2, R2>(
  read: ReadAfter<Row, E, R>,
  idOf: (row: Row) => string,
  limit: number,
  visit: (row: Row) => Effect.Effect<void, E2, R2>,
): Effect.fn.Return<void, E | E2, R | R2> {
  for (let after: string | null = null; ;) {
    const rows: ReadonlyArray<Row> = yield* read(after, limit)
    yield* Effect.forEach(rows, visit, { discard: true })
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = idOf(last)
  }
})

/**
 * Visits an organization's rows in the order of lists, oldest first, `limit` in memory at a time. What goes or comes meanwhile moves no other row.
 * Others get on between two pages.
 */
export const walkOldest = Effect.fnUntraced(function* <Row, E, R, E2, R2>(
  read: (request: OldestRequest) => Effect.Effect<ReadonlyArray<Placed<Row>>, E, R>,
  limit: number,
  visit: (row: Row) => Effect.Effect<void, E2, R2>,
): Effect.fn.Return<void, E | E2, R | R2> {
  for (let after: ListPlace | null = null; ;) {
    const rows: ReadonlyArray<Placed<Row>> = yield* read({ after, limit })
    yield* Effect.forEach(rows, ({ row }) => visit(row), { discard: true })
    after = rows.at(-1)?.place ?? null
    if (after === null) return
    yield* nextTurn
  }
})
