import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { claims } from "./migrations/Claims.ts"
import { rows } from "./migrations/Rows.ts"

/** Runs the statements of a text one after the other; a prepared statement takes one at a time. */
const statements = (text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of text.split(";\n")) {
      if (statement.trim() !== "") yield* sql.unsafe(statement)
    }
  })

/**
 * Changes of the schema by number, each applied once and never edited afterwards. A step keeps what the release before it reads and
 * writes, so that old and new processes may share a database while they are exchanged.
 */
const numbered = {
  "0001_rows": statements(rows),
  "0002_claims": statements(claims),
}

const schemaAttempts = 5

/** Two processes that start at once may both find the schema missing; the second attempt finds it. */
const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create schema if not exists carillon`
}).pipe(Effect.retry({ times: schemaAttempts }))

/**
 * Brings the schema `carillon` up to date. Any number of processes may do so at once; one that is older than the schema leaves it
 * as it is.
 */
export const migrate = Effect.andThen(
  schema,
  Migrator.make({})({ loader: Migrator.fromRecord(numbered), table: "carillon.migrations" }),
)

/** The same as a layer: what is built on it finds its tables. */
export const layer = Layer.effectDiscard(migrate)
