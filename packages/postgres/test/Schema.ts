import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const columns = `
  select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
    case when a.attnotnull then ' not null' else '' end ||
    case when a.attidentity <> '' then ' identity' else '' end ||
    coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
  from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = 'carillon'::regnamespace and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`

const indexes = "select indexdef as line from pg_indexes where schemaname = 'carillon' order by 1"

const sequences =
  "select 'sequence ' || sequencename as line from pg_sequences where schemaname = 'carillon' order by 1"

/** With the hash of its words: older code may call it, so it is never replaced. */
const functions = `
  select format('function %s(%s) returns %s %s', proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid), md5(prosrc))
    as line
  from pg_proc where pronamespace = 'carillon'::regnamespace order by 1`

/** The whole schema as text: every column with its type and default, every index, every sequence and every function. */
export const schemaText = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = (text: string) =>
    Effect.map(sql.unsafe<{ readonly line: string }>(text), (found) => found.map(({ line }) => line))
  const parts: Array<string> = []
  for (const part of [columns, indexes, sequences, functions]) parts.push(`${(yield* lines(part)).join("\n")}\n`)
  return parts.join("\n")
})
