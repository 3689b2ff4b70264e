import { Postgres } from "@carillon/postgres"
import { Effect, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** How a statement was executed: its plan in one line, the pages of 8 kB that it looked at, and the rows that it found. */
export interface Planned {
  readonly query: string
  readonly shape: string
  readonly pages: number
  readonly rows: number
}

interface Node {
  readonly "Node Type": string
  readonly "Index Name"?: string | undefined
  readonly "Relation Name"?: string | undefined
  readonly "Actual Rows"?: number | undefined
  readonly "Actual Loops"?: number | undefined
  readonly "Shared Hit Blocks"?: number | undefined
  readonly "Shared Read Blocks"?: number | undefined
  readonly Plans?: ReadonlyArray<Node> | undefined
}

const Node = Schema.Struct({
  "Node Type": Schema.String,
  "Index Name": Schema.optional(Schema.String),
  "Relation Name": Schema.optional(Schema.String),
  "Actual Rows": Schema.optional(Schema.Number),
  "Actual Loops": Schema.optional(Schema.Number),
  "Shared Hit Blocks": Schema.optional(Schema.Number),
  "Shared Read Blocks": Schema.optional(Schema.Number),
  Plans: Schema.optional(Schema.Array(Schema.suspend((): Schema.Codec<Node> => Node))),
})

const readEntry = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ "Query Text": Schema.String, Plan: Node })),
)

/** Rows are found by these. */
const finders = /Scan|Lookup/

const findersOf = (node: Node): ReadonlyArray<string> => {
  const place = node["Index Name"] ?? node["Relation Name"]
  const own = finders.test(node["Node Type"]) && place !== undefined ? [`${node["Node Type"]} ${place}`] : []
  return [...own, ...(node.Plans ?? []).flatMap(findersOf)]
}

/** What `auto_explain` has written in a piece of a log, as JSON behind tabs. */
export const plansIn = (log: string): ReadonlyArray<Planned> =>
  log.split(/duration: [\d.]+ ms {2}plan:\n/).flatMap((piece, nth) => {
    if (nth === 0) return []
    const lines = piece.split("\n")
    const end = lines.findIndex((line) => !line.startsWith("\t"))
    const entry = readEntry(lines.slice(0, end < 0 ? lines.length : end).join("\n"))
    return Option.match(entry, {
      onNone: () => [],
      onSome: ({ Plan: plan, "Query Text": query }) => [
        {
          query: query.replaceAll(/\s+/g, " ").trim(),
          shape: [...new Set(findersOf(plan))].join(", ") || plan["Node Type"],
          pages: (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
          rows: (plan["Actual Rows"] ?? 0) * (plan["Actual Loops"] ?? 1),
        },
      ],
    })
  })

const database = "current_database()"

const settings = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_format": "json",
} as const

/** From now on connections to a database write to the server's log how each of their statements was executed. */
export const explainFromNowOn = (url: string): Promise<void> => {
  const set = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      Object.entries(settings),
      ([name, value]) =>
        sql.unsafe(`do $$ begin execute format('alter database %I set ${name} = ''${value}''', ${database}); end $$`),
      { discard: true },
    ),
  )
  const client = Postgres.layerClient({ url: Redacted.make(url), maxConnections: 1 })
  return Effect.runPromise(Effect.provide(set, client))
}
