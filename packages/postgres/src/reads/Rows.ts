import { type InvalidField, limits, type Page, type PageRequest, pageTooLarge, type PortError } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { detached } from "../Detached.ts"
import type { Table } from "../rows/Table.ts"
import { gather } from "./Gather.ts"
import type { Where } from "./Where.ts"

interface Stored<Row> {
  readonly row: Row
}

/** The order of lists: newest first, then by commit order. */
export const newestFirst = "created_at desc, sequence desc"

export const oldestFirst = "created_at, sequence"

/** The rows that meet the conditions. */
export const rowsOf = <Row>(
  sql: SqlClient.SqlClient,
  table: string,
  where: Where,
  orderAndLimit: string,
  row = "row",
) =>
  Effect.map(
    sql.unsafe<Stored<Row>>(
      `select ${row} as row from carillon.${table} where ${where.text} order by ${orderAndLimit}`,
      where.parameters,
    ),
    (found) => found.map((stored): Row => rowOf(stored.row)),
  )

/** The one row that meets the conditions, or null. */
export const rowWhere = <Row>(sql: SqlClient.SqlClient, table: string, where: Where) =>
  Effect.map(
    sql.unsafe<Stored<Row>>(`select row from carillon.${table} where ${where.text} limit 1`, where.parameters),
    ([stored]): Row | null => (stored === undefined ? null : rowOf(stored.row)),
  )

interface Identified<Row> extends Stored<Row> {
  readonly id: string
}

/** Reads rows by their ids, those that are asked for at the same time together; null where there is none. */
export const rowById = <Row>(
  sql: SqlClient.SqlClient,
  { dependency, id, name }: Pick<Table<Row>, "dependency" | "id" | "name">,
): ((id: string) => Effect.Effect<Row | null, PortError>) =>
  gather<string, Row | null>(detached(sql), textOf, (ids) =>
    Effect.map(
      reading(
        dependency,
        sql.unsafe<Identified<Row>>(`select ${id} as id, row from carillon.${name} where ${id} = any($1::text[])`, [
          ids.map(textOf),
        ]),
      ),
      (found) => {
        const rows = new Map(found.map((stored): readonly [string, Row] => [stored.id, rowOf(stored.row)]))
        return (asked) => rows.get(textOf(asked)) ?? null
      },
    ),
  )

/** The row where it belongs to the organization, else null. */
export const ownedBy =
  <Row extends { readonly organization_id: string }>(organizationId: string) =>
  (row: Row | null): Row | null =>
    row?.organization_id === organizationId ? row : null

interface StoredPage<Row> {
  readonly total: number
  readonly items: ReadonlyArray<Row> | null
  readonly is_too_large: boolean
}

/**
 * A page and the count of all that match, as one statement: one snapshot, so that they fit each other. The documents come as one JSON
 * array, which PostgreSQL puts together without reading them, unless they are more than one answer may carry.
 */
export const pageOf = <Row>(
  sql: SqlClient.SqlClient,
  table: string,
  where: Where,
  order: string,
  { page, page_size }: PageRequest,
): Effect.Effect<Page<Row>, SqlError.SqlError | InvalidField> => {
  const { text } = where
  const limit = `$${where.parameters.length + 1}::bigint`
  const offset = `$${where.parameters.length + 2}::bigint`
  return Effect.flatMap(
    sql.unsafe<StoredPage<Row>>(
      `with listed as materialized
        (select row from carillon.${table} where ${text} order by ${order} limit ${limit} offset ${offset}),
      size as materialized
        (select coalesce(sum(octet_length(row::text)), 0) > ${limits.pageBytes} as is_too_large from listed)
      select (select count(*)::double precision from carillon.${table} where ${text}) as total, is_too_large,
        case when not is_too_large then (select json_agg(row) from listed) end as items from size`,
      [...where.parameters, page_size, (page - 1) * page_size],
    ),
    ([found]) =>
      found?.is_too_large === true
        ? Effect.fail(pageTooLarge())
        : Effect.succeed({
            items: (found?.items ?? []).map((row): Row => rowOf(row)),
            total: found?.total ?? 0,
          }),
  )
}

/** Up to `limit` rows in ascending order of their id after `after`. */
export const rowsAfter = <Row>(
  sql: SqlClient.SqlClient,
  table: { readonly name: string; readonly id: string },
  where: Where,
  after: string | null,
  limit: number,
) => {
  if (after !== null) where.also(`${table.id} > ?`, after)
  return rowsOf<Row>(sql, table.name, where, `${table.id} limit ${Math.trunc(limit)}`)
}
