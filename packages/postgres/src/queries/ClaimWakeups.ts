import { housekeepingWakeups, type WakeupClaim } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Claims what is due. `skip locked` lets any number of processes claim at once without waiting for one another; a lease that has ended
 * makes the row claimable again, and the new token fences the late handler off. The two kinds of rows that can be claimed lie in two
 * partial indexes: what waits is read in its order up to the limit, and of ended leases there are no more than handlers that were lost. One
 * `or` over both would read everything that is due.
 */
const claim = `
  with free as (
    select kind, subject, at from carillon.wakeups
    where claimed_until is null and at <= $1::bigint order by at limit $2::bigint for update skip locked
  ), lapsed as (
    select kind, subject, at from carillon.wakeups
    where claimed_until <= $1::bigint order by at limit $2::bigint for update skip locked
  ), due as (
    select kind, subject from (select * from free union all select * from lapsed) as both_kinds order by at limit $2::bigint
  )
  update carillon.wakeups as w set claimed_until = $3::bigint, token = nextval('carillon.wakeup_tokens')
  from due where w.kind = due.kind and w.subject = due.subject
  returning w.kind, w.subject, w.at::double precision as at, w.token::double precision as token`

/** Claims up to `limit` due wake-ups, earliest first. */
export const claimWakeups = (sql: SqlClient.SqlClient, now: number, limit: number, leaseMs: number) =>
  Effect.map(sql.unsafe<WakeupClaim>(claim, [now, limit, now + leaseMs]), (claims) =>
    claims.toSorted((a, b) => a.at - b.at),
  )

/** The first entry of each partial index; housekeeping wake-ups are a handful, so stepping over them costs nothing. */
const next = `
  select least(
    (select at from carillon.wakeups where claimed_until is null and kind <> all($1::text[]) order by at limit 1),
    (select claimed_until from carillon.wakeups where claimed_until is not null and kind <> all($1::text[])
      order by claimed_until limit 1)
  )::double precision as next`

/** When a wake-up can next be claimed, or null. */
export const nextWakeup = (sql: SqlClient.SqlClient, housekeeping: boolean) =>
  Effect.map(
    sql.unsafe<{ readonly next: number | null }>(next, [housekeeping ? [] : [...housekeepingWakeups]]),
    ([found]) => found?.next ?? null,
  )
