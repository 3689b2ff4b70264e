import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** PostgreSQL takes no writes, and there is something that has to be written before anybody may work on the rows. */
export class ReadOnlyDatabase extends Data.TaggedError("ReadOnlyDatabase")<{ readonly reason: string }> {
  override get message(): string {
    return `PostgreSQL is read-only, and ${this.reason}`
  }
}

/** Whether nothing can be written: it is a standby, or was told so. */
export const isReadOnly = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly on: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as "on"`,
  )
  return found?.on === true
})
