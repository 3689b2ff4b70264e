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

/** The whole schema as text: every column with its type and default, then every index. */
export const schemaText = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = (text: string) =>
    Effect.map(sql.unsafe<{ readonly line: string }>(text), (found) => found.map(({ line }) => line))
  return `${[...(yield* lines(columns)), "", ...(yield* lines(indexes))].join("\n")}\n`
})
