import { SlotLevels } from "@carillon/core/domain"
import { type Platform, raised } from "@carillon/core/ports"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { rowOf } from "./Documents.ts"
import { isReadOnly, ReadOnlyDatabase } from "./ReadOnly.ts"
import { platforms } from "./rows/Tables.ts"

const mayAsk = "select has_function_privilege('pg_control_system()', 'execute') as granted"

const askServer = "select system_identifier::text as server from pg_control_system()"

const thisDatabase = "(select oid::bigint from pg_database where datname = current_database())"

const thisTransaction = "pg_current_xact_id()::text::bigint"

const enter = `
  insert into carillon.installation (installation_id, server, database, written_by)
  values ('installation', $1, ${thisDatabase}, ${thisTransaction})
  on conflict (installation_id) do nothing returning 1`

/** A row keeps the lower half of the id of the transaction that wrote it, through vacuums and freezing. */
const recognise = `
  select database = ${thisDatabase} and xmin::text::bigint = written_by % (2::bigint ^ 32)::bigint
    and (server = $1 or server is null or $1::text is null) as own
  from carillon.installation`

const adopt = `
  update carillon.installation set server = $1, database = ${thisDatabase}, written_by = ${thisTransaction}`

const restored = "These rows were written in another database: they were restored or copied."

/** Who may not ask which server it is knows its database all the same. */
const serverOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [asked] = yield* sql.unsafe<{ readonly granted: boolean }>(mayAsk)
  if (asked?.granted !== true) return null
  const [found] = yield* sql.unsafe<{ readonly server: string }>(askServer)
  return found?.server ?? null
})

/** That dialling need not be held; nothing is written. */
const needsNoHold = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql.unsafe<{ readonly own: boolean }>(recognise, [yield* serverOf(sql)])
  if (found?.own !== true) return yield* new ReadOnlyDatabase({ reason: `dialling cannot be held. ${restored}` })
})

const hold = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* sql.unsafe<{ readonly row: Platform }>("select row from carillon.platform for update")
  const platform = found === undefined ? null : rowOf(found.row)
  if (platform?.hold !== undefined) return
  const before = platform ?? { platform_id: "platform", revision: 0, concurrency: SlotLevels.platformCeilingDefault }
  const hold = { since: yield* Clock.currentTimeMillis, reason: restored }
  const row: Platform = raised(before, { ...before, hold })
  const records = yield* Effect.fromResult(platforms.records([row]))
  yield* platform === null ? sql.unsafe(platforms.insert, [records]) : sql.unsafe(platforms.update, [records, 1])
})

/**
 * Holds dialling where the rows are not in the database in which they were written, and takes them for this database's own from then
 * on: what was committed after they were copied is not in them, so people would be rung again.
 */
export const holdIfRestored = Effect.gen(function* () {
  if (yield* isReadOnly) return yield* needsNoHold
  const sql = yield* SqlClient.SqlClient
  const server = yield* serverOf(sql)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const entered = yield* sql.unsafe(enter, [server])
      if (entered.length > 0) return
      const [found] = yield* sql.unsafe<{ readonly own: boolean }>(`${recognise} for update`, [server])
      if (found?.own !== false) return
      yield* hold(sql)
      yield* sql.unsafe(adopt, [server])
    }),
  )
})
