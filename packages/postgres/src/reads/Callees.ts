import type { PageRequest } from "@carillon/core"
import { type Callee, calleeId, type CalleeStore, type HoursSetting } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { calleeHours, callees } from "../rows/Tables.ts"
import { bytesOf, rowsOfBytes } from "./RowBytes.ts"
import { boundedBytes, rowById } from "./Rows.ts"
import { Where } from "./Where.ts"

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(callees.dependency, effect)

interface StoredCallee {
  readonly place: number
  readonly row: Callee
}

const oldest = `
  select sequence::double precision as place, row from carillon.callees
  where organization_id = $1 and suppressed and sequence > $2::bigint order by sequence limit $3::bigint`

/** They stand together in the primary key, which begins with the organization; what follows its blank is a number. */
const known = `
  select callee_id as id, row from carillon.callees
  where callee_id > $1 and callee_id < $2 order by callee_id limit $3::bigint`

const total = "select suppressed::double precision as total from carillon.callee_counts where organization_id = $1"

/**
 * A page read from the end of the list that is nearer, so that the last one is read as quickly as the first. The kept count was read before: where
 * the list has grown meanwhile the page is that of the list as it was counted.
 */
const pageFrom = (organizationId: string, { page, page_size }: PageRequest, size: number) => {
  const where = new Where().is("organization_id", organizationId).and("suppressed")
  const before = (page - 1) * page_size
  const behind = Math.max(0, size - before - page_size)
  const length = Math.max(0, Math.min(page_size, size - before))
  return before <= behind
    ? { where, order: `sequence desc limit ${length} offset ${before}`, isReversed: false }
    : { where, order: `sequence limit ${length} offset ${behind}`, isReversed: true }
}

export const makeCalleeStore = (sql: SqlClient.SqlClient): CalleeStore["Service"] => {
  const find = rowById<Callee>(sql, callees)
  return {
    find: (organizationId, toNumber) => find(calleeId(organizationId, toNumber)),
    several: (organizationId, toNumbers) =>
      // Hundreds of them may have megabytes.
      Effect.flatMap(
        read(
          sql.unsafe<{ readonly document: Uint8Array }>(
            `select ${bytesOf("row")} as document from carillon.callees where callee_id = any($1::text[])`,
            [toNumbers.map((toNumber) => textOf(calleeId(organizationId, toNumber)))],
          ),
        ),
        (found) => rowsOfBytes<Callee>(found.map(({ document }) => document)),
      ),
    suppressed: (organizationId, page) =>
      Effect.gen(function* () {
        const { documents, isReversed, size } = yield* read(
          Effect.gen(function* () {
            const [count] = yield* sql.unsafe<{ readonly total: number }>(total, [textOf(organizationId)])
            const size = count?.total ?? 0
            const { isReversed, order, where } = pageFrom(organizationId, page, size)
            return { isReversed, documents: yield* boundedBytes(sql, callees.name, where, order), size }
          }),
        )
        const items = yield* rowsOfBytes<Callee>(documents)
        return { items: isReversed ? items.toReversed() : items, total: size }
      }),
    oldest: (organizationId, after, limit) =>
      read(
        Effect.map(sql.unsafe<StoredCallee>(oldest, [textOf(organizationId), after, limit]), (found) =>
          found.map(({ place, row }) => ({ place, callee: rowOf(row) })),
        ),
      ),
    known: (organizationId, after, limit) => {
      const [begin, end] = [calleeId(organizationId, ""), calleeId(organizationId, "~")].map(textOf)
      const asked = sql.unsafe<{ readonly id: string; readonly row: Callee }>(known, [after ?? begin, end, limit])
      return read(
        Effect.map(asked, (found) => ({
          callees: found.map(({ row }) => rowOf(row)),
          last: found.at(-1)?.id ?? after,
        })),
      )
    },
    hours: rowById<HoursSetting>(sql, calleeHours),
  }
}
