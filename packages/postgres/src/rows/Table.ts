import { type Dependency, InvalidField, limits } from "@carillon/core"
import { descriptions, type RowKind, type Rows } from "@carillon/core/ports"
import { Result } from "effect"
import { documentOf, textOf } from "../Documents.ts"
import { rowDocument } from "./WrittenOut.ts"

/** What a column holds beside the row's document. Bytes are written as hexadecimal digits. */
type Column<Row> =
  | { readonly type: "text"; readonly of: (row: Row) => string | null }
  | { readonly type: "bytea"; readonly of: (row: Row) => string }
  | { readonly type: "json"; readonly of: (row: Row) => object | null }
  | { readonly type: "bigint" | "double precision"; readonly of: (row: Row) => number | null }
  | { readonly type: "boolean"; readonly of: (row: Row) => boolean }
  | { readonly type: "text[]"; readonly of: (row: Row) => ReadonlyArray<string> }

/** How rows of one kind are stored. */
export interface TableShape<Row> {
  readonly name: string
  readonly id: string
  readonly columns: { readonly [name: string]: Column<Row> }
  /** Left as it is when a row is replaced. */
  readonly kept?: ReadonlyArray<string>
  /** Written when a row is replaced, in the words of the row before (`t`) and the new one (`r`). */
  readonly remembered?: string
  /** What is told of a row that was written. */
  readonly returning?: string
}

/** A table with the statements that write to it; `write` parameters are made by `records`. */
export interface Table<Row> {
  readonly name: string
  readonly id: string
  readonly idOf: (row: Row) => string
  /** Under whose name its reads fail. */
  readonly dependency: Dependency
  /** Adds rows that are not there yet and returns the ids of those that were added. */
  readonly insert: string
  /** Replaces rows that are at the revision before their own, and returns the ids of those that were replaced; `$2` is how many there are. */
  readonly update: string
  /** Fails with the largest field of a row that is larger than a store must carry. */
  readonly records: (rows: ReadonlyArray<Row>) => Result.Result<string, InvalidField>
}

const recordType = {
  text: "text",
  bytea: "text",
  json: "text",
  bigint: "bigint",
  "double precision": "double precision",
  boolean: "boolean",
  "text[]": "text[]",
}

const valueOf = <Row>(column: Column<Row>, row: Row): string | number | boolean | ReadonlyArray<string> | null => {
  switch (column.type) {
    case "text": {
      const text = column.of(row)
      return text === null ? null : textOf(text)
    }
    case "json": {
      const value = column.of(row)
      return value === null ? null : documentOf(value)
    }
    case "text[]":
      return column.of(row).map(textOf)
    case "bytea":
    case "bigint":
    case "double precision":
    case "boolean":
      return column.of(row)
  }
}

/**
 * Records of a JSON array (`$1`) that rows are looked up by. PostgreSQL takes what JSON unfolds into for a hundred rows, for which it would read a table
 * of some ten thousand whole; of a limit (`$2`) it knows how many there are.
 */
export const counted = (columns: string): string =>
  `(select * from jsonb_to_recordset($1::jsonb) as records(${columns}) limit $2::bigint) as r`

const bytesPerUnit = 3

/** Whether a row's document is larger than what a store must carry, and might not be read back. */
const isTooLarge = (document: string): boolean =>
  document.length * bytesPerUnit > limits.rowBytes && Buffer.byteLength(document) > limits.rowBytes

const tooLarge = (row: object): InvalidField => {
  const [largest = ["row"]] = Object.entries(row)
    .map(([field, value]) => [field, JSON.stringify(value)?.length ?? 0] as const)
    .sort(([, a], [, b]) => b - a)
  return new InvalidField({
    field: largest[0],
    reason: `makes a row of more than ${limits.rowBytes / 1024 ** 2} MiB of JSON`,
  })
}

/**
 * Makes the statements of a table. Rows travel as one JSON array that `jsonb_to_recordset` takes apart, so that one row and a thousand
 * are the same prepared statement; a row's own document is a text within it, so that it is stored as it was written.
 */
export const table = <K extends RowKind>(kind: K, shape: TableShape<Rows[K]>): Table<Rows[K]> => {
  const { dependency, id: idOf } = descriptions[kind]
  const columns = Object.entries(shape.columns)
  const names = [shape.id, "revision", ...columns.map(([name]) => name), "row"]
  const record = [
    `${shape.id} text`,
    "revision integer",
    ...columns.map(([name, { type }]) => `${name} ${recordType[type]}`),
    "row text",
  ]
  const value = (name: string): string => {
    const type = name === "row" ? "json" : shape.columns[name]?.type
    return type === "json" ? `r.${name}::json` : type === "bytea" ? `decode(r.${name}, 'hex')` : `r.${name}`
  }
  const source = `jsonb_to_recordset($1::jsonb) as r(${record.join(", ")})`
  const returning = `returning t.${shape.id} as id${shape.returning === undefined ? "" : `, ${shape.returning}`}`
  const replaced = names
    .filter((name) => name !== shape.id && shape.kept?.includes(name) !== true)
    .map((name) => `${name} = ${value(name)}`)
  if (shape.remembered !== undefined) replaced.push(shape.remembered)
  return {
    name: shape.name,
    id: shape.id,
    idOf,
    dependency,
    insert: `insert into carillon.${shape.name} as t (${names.join(", ")}) select ${names.map(value).join(", ")} from ${source} on conflict (${shape.id}) do nothing ${returning}`,
    update: `update carillon.${shape.name} as t set ${replaced.join(", ")} from ${counted(record.join(", "))} where t.${shape.id} = r.${shape.id} and t.revision = r.revision - 1 ${returning}`,
    records: (rows) => {
      const records: Array<object> = []
      for (const row of rows) {
        const document = rowDocument(row)
        if (isTooLarge(document)) return Result.fail(tooLarge(row))
        records.push({
          [shape.id]: idOf(row),
          revision: row.revision,
          row: document,
          ...Object.fromEntries(columns.map(([name, column]) => [name, valueOf(column, row)])),
        })
      }
      return Result.succeed(JSON.stringify(records))
    },
  }
}
