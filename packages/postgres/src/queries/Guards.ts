import type { Guard } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

interface Standing extends Guard {
  readonly version: number
}

const versions = `
  select kind as set, id, version::double precision as version from carillon.guards
  join unnest($1::text[], $2::text[]) as r(kind, id) using (kind, id)`

/**
 * A guard that is only expected is written, too, with nothing added: so that there is a row to lock where the set was never added to, and
 * one statement takes all locks in one order.
 */
const raise = `
  insert into carillon.guards as g (kind, id, version)
  select kind, id, added from unnest($1::text[], $2::text[], $3::bigint[]) as r(kind, id, added)
  order by kind collate "C", id collate "C"
  on conflict (kind, id) do update set version = g.version + excluded.version
  returning kind as set, id, version::double precision as version`

const columns = (guards: ReadonlyArray<Guard>) => [guards.map(({ set }) => set), guards.map(({ id }) => id)]

/** The versions of guards that were ever raised or expected. */
export const readGuards = (sql: SqlClient.SqlClient, guards: ReadonlyArray<Guard>) =>
  sql.unsafe<Standing>(versions, columns(guards))

/** Every guard that was ever raised. */
export const standingGuards = (sql: SqlClient.SqlClient) =>
  sql.unsafe<Standing>(
    "select kind as set, id, version::double precision as version from carillon.guards where version > 0",
  )

/** Adds to the versions of guards, each named once, and holds them until the transaction ends. Tells how they stood before. */
export const raiseGuards = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  guards: ReadonlyArray<Guard & { readonly added: number }>,
) {
  return yield* sql.unsafe<Standing>(raise, [...columns(guards), guards.map(({ added }) => added)])
})
