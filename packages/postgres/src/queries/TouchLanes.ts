import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A lane that changed carries the id of the transaction that changed it. Numbers of a sequence would not do: they are drawn before the
 * commit, so a reader could have seen a later one and never look for an earlier one that commits after it. Of transaction ids the
 * reader knows below which all have ended (`pg_snapshot_xmin`) and looks again from there: it may hear of a change twice, never of
 * none. Nothing is locked that another commit of the organization needs, but for the stripe of the same lane.
 */
const touch = `
  insert into carillon.lanes as l (organization_id, lane_id, stripe, changed)
  select organization_id, lane_id, $3::smallint, pg_current_xact_id()::text::bigint
  from unnest($1::text[], $2::text[]) as r(organization_id, lane_id)
  order by organization_id collate "C", lane_id collate "C"
  on conflict (organization_id, lane_id, stripe) do update set changed = excluded.changed`

/** In the order in which other commits touch them. */
const touchAll = `
  with held as (
    select lane_id, stripe from carillon.lanes where organization_id = $1 order by lane_id, stripe for update
  )
  update carillon.lanes as l set changed = pg_current_xact_id()::text::bigint from held
  where l.organization_id = $1 and l.lane_id = held.lane_id and l.stripe = held.stripe`

/** Both of one snapshot: what it does not see has an id that is not below its horizon. Without lanes there is one row, of the horizon. */
const changed = `
  select pg_snapshot_xmin(pg_current_snapshot())::text::double precision as horizon,
    extract(epoch from pg_postmaster_start_time())::double precision as server, l.lane_id
  from (select) as now left join (
    select lane_id, max(changed) as changed
    from carillon.lanes where organization_id = $1 and changed >= $2::bigint
    group by lane_id
  ) as l on true order by l.changed`

/** A database that was restored elsewhere has transaction ids of another history; those that are still to come here begin anew. */
const forgetForeign = `
  update carillon.lanes set changed = 0
  where changed >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`

/** A queue of contacts of an organization. */
export interface Lane {
  readonly organization_id: string
  readonly lane_id: string
}

/** Marks lanes as changed. */
export const touchLanes = (sql: SqlClient.SqlClient, lanes: ReadonlyArray<Lane>, stripe: number) =>
  sql.unsafe(touch, [lanes.map(({ organization_id }) => organization_id), lanes.map(({ lane_id }) => lane_id), stripe])

/** Marks every lane of an organization as changed. */
export const touchAllLanes = (sql: SqlClient.SqlClient, organizationId: string) =>
  sql.unsafe(touchAll, [organizationId])

interface News {
  readonly horizon: number
  /** When the server was started. */
  readonly server: number
  readonly lane_id: string | null
}

/** Ids of transactions are below this, and a sequence number has room for so many servers above them. */
const idsPerServer = 2 ** 42
const serversApart = 2 ** 11

/**
 * The lanes that changed, and from where to look next time. A server that takes over from another one may lack its last transactions, and gives their
 * ids once more: whoever has seen those would take what changes here for seen. So a sequence number says of which server it is, counted by this
 * process, and whoever last asked another one is told of every lane.
 */
export const changedLanes = (sql: SqlClient.SqlClient) => {
  let known: { readonly server: number; readonly nth: number } | null = null
  const ask = (organizationId: string, id: number) => sql.unsafe<News>(changed, [organizationId, id])
  return Effect.fnUntraced(function* (organizationId: string, since: number) {
    let found = yield* ask(organizationId, since % idsPerServer)
    const server = found[0]?.server ?? 0
    if (known?.server !== server) known = { server, nth: known === null ? 0 : (known.nth + 1) % serversApart }
    const { nth } = known
    if (Math.floor(since / idsPerServer) !== nth) found = yield* ask(organizationId, 0)
    // While servers change places, another one may have answered the second time: from there on all is asked for once more.
    const horizon = found[0]?.server === server ? found[0].horizon : 0
    return {
      sequence: nth * idsPerServer + horizon,
      lanes: found.flatMap(({ lane_id }) => (lane_id === null ? [] : [lane_id])),
    }
  })
}

export const forgetForeignLanes = (sql: SqlClient.SqlClient) => sql.unsafe(forgetForeign)
