import { type InvalidField, limits, type Page, type PageRequest, type PortError } from "@carillon/core"
import { pageTooLarge } from "@carillon/core/domain"
import type { ListPlace, OldestRequest, Placed } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { detached } from "../Detached.ts"
import type { Table } from "../rows/Table.ts"
import { gather } from "./Gather.ts"
import { bytesOf, readWhenGiven, rowOfBytes, rowsOfBytes } from "./RowBytes.ts"
import { Where } from "./Where.ts"

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

interface Identified {
  readonly id: string
  readonly row: Uint8Array
}

/** No row has a longer id. What customers ask for may be a megabyte, and to write that for PostgreSQL holds everybody up. */
export const { idCharacters } = limits

/** An id as a parameter. One that is longer than any row has is written as the empty one, which no row has either. */
export const idText = (id: string): string => (id.length > idCharacters ? "" : textOf(id))

/** Reads rows by their ids, those that are asked for at the same time together; null where there is none. */
export const rowById = <Row>(
  sql: SqlClient.SqlClient,
  { dependency, id, name }: Pick<Table<Row>, "dependency" | "id" | "name">,
): ((id: string) => Effect.Effect<Row | null, PortError>) => {
  const gathered = gather<string, Row | null>(detached(sql), textOf, (ids) =>
    Effect.map(
      reading(
        dependency,
        sql.unsafe<Identified>(
          `select ${id} as id, ${bytesOf("row")} as row from carillon.${name} where ${id} = any($1::text[])`,
          [ids.map(textOf)],
        ),
      ),
      (found) => {
        const rowNamed = readWhenGiven<Uint8Array, Row>(
          new Map(found.map((stored) => [stored.id, stored.row])),
          rowOfBytes,
        )
        return (asked) => rowNamed(textOf(asked))
      },
    ),
  )
  return (asked) => (asked.length > idCharacters ? Effect.succeed(null) : gathered(asked))
}

/** The row where it belongs to the organization, else null. */
export const ownedBy =
  <Row extends { readonly organization_id: string }>(organizationId: string) =>
  (row: Row | null): Row | null =>
    row?.organization_id === organizationId ? row : null

interface StoredBytes {
  readonly document: Uint8Array | null
  readonly is_too_large: boolean
}

interface StoredPage extends StoredBytes {
  readonly total: number
}

/** The rows of `listed` as bytes, unless they are more than one answer may carry: then one line says so, as one without a document does where there are none. */
const sized = `size as materialized
        (select coalesce(sum(octet_length(row::text)), 0) > ${limits.pageBytes} as is_too_large from listed)`
const listedBytes = `${bytesOf("listed.row")} as document from size left join listed on not is_too_large`

/** The documents of such lines. */
const boundedOf = (found: ReadonlyArray<StoredBytes>): Effect.Effect<ReadonlyArray<Uint8Array>, InvalidField> =>
  found[0]?.is_too_large === true
    ? Effect.fail(pageTooLarge())
    : Effect.succeed(found.flatMap(({ document }) => document ?? []))

/**
 * A page and the count of all that match, as one statement: one snapshot, so that they fit each other. The documents come as bytes, unless
 * they are more than one answer may carry. `total` says in SQL how many match where that is known without counting them, and `document` what
 * a row is made of where that is not its document alone.
 */
export const pageOf = <Row>(
  sql: SqlClient.SqlClient,
  { dependency, name }: Pick<Table<Row>, "dependency" | "name">,
  where: Where,
  order: string,
  { page, page_size }: PageRequest,
  { document = "row", total = null }: { readonly document?: string; readonly total?: string | null } = {},
): Effect.Effect<Page<Row>, PortError> => {
  const { text } = where
  const limit = `$${where.parameters.length + 1}::bigint`
  const offset = `$${where.parameters.length + 2}::bigint`
  const read = Effect.flatMap(
    sql.unsafe<StoredPage>(
      `with listed as materialized
        (select ${document} as row from carillon.${name} where ${text} order by ${order} limit ${limit} offset ${offset}),
      ${sized},
      counted as materialized
        (select (${total ?? `select count(*) from carillon.${name} where ${text}`})::double precision as total)
      select (select total from counted) as total, is_too_large, ${listedBytes}`,
      [...where.parameters, page_size, (page - 1) * page_size],
    ),
    (found) => Effect.map(boundedOf(found), (documents) => ({ documents, total: found[0]?.total ?? 0 })),
  )
  return Effect.flatMap(reading(dependency, read), ({ documents, total: all }) =>
    Effect.map(rowsOfBytes<Row>(documents), (items) => ({ items, total: all })),
  )
}

interface Weighed {
  readonly id: string
  readonly bytes: number
}

/** Bytes of rows that are read at a time of which a page shows the smaller part. A page that is refused in the end has read one such piece too many. */
const pieceBytes = 1024 * 1024

/** Rows in pieces, in order; a row that is larger than one is a piece by itself. */
const piecesOf = (rows: ReadonlyArray<Weighed>): ReadonlyArray<ReadonlyArray<string>> => {
  const pieces: Array<Array<string>> = []
  let room = 0
  for (const { bytes, id } of rows) {
    const piece = pieces.at(-1)
    if (piece === undefined || bytes > room) {
      pieces.push([id])
      room = pieceBytes - bytes
    } else {
      piece.push(id)
      room -= bytes
    }
  }
  return pieces
}

/**
 * A page of rows of which it shows the smaller part, made by `shown` as the rows come: which rows, and the count of all that match, are one snapshot;
 * the rows themselves are read after it, in pieces of a megabyte, and none is kept whole.
 */
export const pageInPieces = <Row, Shown>(
  sql: SqlClient.SqlClient,
  { dependency, id, name }: Pick<Table<Row>, "dependency" | "id" | "name">,
  where: Where,
  order: string,
  { page, page_size }: PageRequest,
  shown: (row: Row) => Effect.Effect<Shown, InvalidField>,
): Effect.Effect<Page<Shown>, PortError> =>
  Effect.gen(function* () {
    const limit = `$${where.parameters.length + 1}::bigint`
    const offset = `$${where.parameters.length + 2}::bigint`
    const [found] = yield* reading(
      dependency,
      sql.unsafe<{ readonly total: number; readonly listed: ReadonlyArray<Weighed> }>(
        `with listed as materialized
          (select ${id} as id, octet_length(row::text) as bytes from carillon.${name} where ${where.text} order by ${order} limit ${limit} offset ${offset})
        select (select count(*) from carillon.${name} where ${where.text})::double precision as total,
          (select coalesce(json_agg(listed), '[]') from listed) as listed`,
        [...where.parameters, page_size, (page - 1) * page_size],
      ),
    )
    const items: Array<Shown> = []
    const isOfPiece = `${id} = any($${where.parameters.length + 1}::text[])`
    for (const piece of piecesOf(found?.listed ?? [])) {
      const stored = yield* reading(
        dependency,
        sql.unsafe<Identified>(
          `select ${id} as id, ${bytesOf("row")} as row from carillon.${name} where ${where.text} and ${isOfPiece}`,
          [...where.parameters, piece],
        ),
      )
      const byId = new Map(stored.map(({ id: of, row }) => [of, row]))
      const rows = yield* rowsOfBytes<Row>(piece.flatMap((of) => byId.get(of) ?? []))
      for (const row of rows) items.push(yield* shown(row))
    }
    return { items, total: found?.total ?? 0 }
  })

/** The rows that meet the conditions as bytes, unless they are more than one answer may carry. */
export const boundedBytes = (
  sql: SqlClient.SqlClient,
  table: string,
  where: Where,
  orderAndLimit: string,
): Effect.Effect<ReadonlyArray<Uint8Array>, SqlError.SqlError | InvalidField> =>
  Effect.flatMap(
    sql.unsafe<StoredBytes>(
      `with listed as materialized (select row from carillon.${table} where ${where.text} order by ${orderAndLimit}),
      ${sized}
      select is_too_large, ${listedBytes}`,
      where.parameters,
    ),
    boundedOf,
  )

interface StoredPlace<Row> extends ListPlace {
  readonly row: Row
}

/**
 * The oldest of the rows that meet the conditions, as far as they are not more than one answer may carry; the first of them is there however
 * large it is. The index of the lists has them in this order, so the limit ends the read.
 */
export const oldestRows = <Row>(
  sql: SqlClient.SqlClient,
  table: string,
  where: Where,
  { after, before, limit }: OldestRequest,
) => {
  if (after !== null) where.after(after)
  where.also("created_at < ?::bigint", before)
  return Effect.map(
    sql.unsafe<StoredPlace<Row>>(
      `with listed as materialized
        (select row, created_at, sequence from carillon.${table} where ${where.text} order by ${oldestFirst} limit ${Math.trunc(limit)}),
      sized as
        (select *, coalesce(sum(octet_length(row::text)) over
          (order by ${oldestFirst} rows between unbounded preceding and 1 preceding), 0) as before from listed)
      select row, created_at::double precision as created_at, sequence::double precision as sequence
      from sized where before < ${limits.pageBytes} order by ${oldestFirst}`,
      where.parameters,
    ),
    (found) =>
      found.map(({ created_at, row, sequence }): Placed<Row> => ({
        place: { created_at, sequence },
        row: rowOf(row),
      })),
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
