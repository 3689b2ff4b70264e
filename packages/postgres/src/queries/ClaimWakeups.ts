import {
  type Backlog,
  type ClaimOrder,
  housekeepingWakeups,
  keptWakeups,
  type Lease,
  limits,
  type WakeupClaim,
} from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Claims what is due. `skip locked` lets any number of processes claim at once without waiting for one another; a lease that has ended
 * makes the row claimable again, and the new token fences the late handler off. The two kinds of rows that can be claimed lie in two
 * partial indexes: what waits is read in its order up to the limit, and of ended leases there are no more than handlers that were lost. One
 * `or` over both would read everything that is due. What was set for later while a lost handler had it is freed, so that it can still be set
 * for sooner. The latest are read from the other end of the same index. Whoever claims stands in the row, so that it is
 * known whose work was lost; once that is over it says who keeps the subject, and nobody keeps most of them.
 */
const claim = (order: "at" | "at desc"): string => `
  with free as (
    select kind, subject, at, null::text as owner, null::bigint as until from carillon.wakeups
    where claimed_until is null and at <= $1::bigint and (owner is null or owner = $4::text or at <= $1::bigint - $5::bigint)
    order by ${order} limit $2::bigint for update skip locked
  ), lapsed as (
    select kind, subject, at, owner, claimed_until as until from carillon.wakeups
    where claimed_until <= $1::bigint and at <= $1::bigint order by ${order} limit $2::bigint for update skip locked
  ), due as (
    select kind, subject, owner, until from (select * from free union all select * from lapsed) as both_kinds order by ${order} limit $2::bigint
  ), set_for_later as (
    select kind, subject from carillon.wakeups
    where claimed_until <= $1::bigint and at > $1::bigint for update skip locked
  ), later as (
    update carillon.wakeups as w set token = null, claimed_until = null, owner = null
    from set_for_later as l where w.kind = l.kind and w.subject = l.subject
  )
  update carillon.wakeups as w
  set claimed_until = $3::bigint, token = nextval('carillon.wakeup_tokens'), owner = $4::text
  from due where w.kind = due.kind and w.subject = due.subject
  returning w.kind, w.subject, w.at::double precision as at, w.token::double precision as token,
    due.owner as lapsed_owner, due.until::double precision as lapsed_until`

const kept: ReadonlyArray<string> = [...keptWakeups]
const repairing: ReadonlyArray<string> = [...housekeepingWakeups]

const claims: Readonly<Record<ClaimOrder, string>> = { earliest: claim("at"), latest: claim("at desc") }

interface ClaimedRow extends Omit<WakeupClaim, "lapsed"> {
  readonly lapsed_owner: string | null
  readonly lapsed_until: number | null
}

/** Processes of earlier releases leave no owner behind. */
const claimOf = ({ lapsed_owner: owner, lapsed_until: until, ...claim }: ClaimedRow): WakeupClaim =>
  owner === null || until === null ? claim : { ...claim, lapsed: { owner, until } }

/** Claims up to `limit` due wake-ups, the earliest or the latest, and answers them earliest first. */
export const claimWakeups = (
  sql: SqlClient.SqlClient,
  now: number,
  limit: number,
  { ms, owner }: Lease,
  order: ClaimOrder = "earliest",
) =>
  Effect.map(sql.unsafe<ClaimedRow>(claims[order], [now, limit, now + ms, owner, limits.wakeupKeptMs]), (claimed) =>
    claimed.map(claimOf).toSorted((a, b) => a.at - b.at),
  )

/** Rows are locked in the order in which commits lock them, so that neither waits for the other in turn. */
const renew = `
  with held as (
    select w.kind, w.subject from carillon.wakeups as w
    join jsonb_to_recordset($1::jsonb) as r(kind text, subject text, token bigint)
      on w.kind = r.kind and w.subject = r.subject and w.token in (r.token, -r.token)
    order by w.kind, w.subject for update of w
  )
  update carillon.wakeups as w set claimed_until = $2::bigint from held
  where w.kind = held.kind and w.subject = held.subject
  returning abs(w.token)::double precision as token`

/** Makes claims last; answers the tokens of those that were still there. */
export const renewWakeups = (sql: SqlClient.SqlClient, claims: ReadonlyArray<WakeupClaim>, until: number) =>
  Effect.map(sql.unsafe<{ readonly token: number }>(renew, [JSON.stringify(claims), until]), (rows) =>
    rows.map(({ token }) => token),
  )

const remove = `delete from carillon.wakeups where kind = $1 and subject = $2 and token = $3::bigint returning kind`

/** The token of a wake-up that was set again is negative (`WriteWakeups.ts`). */
const free = `
  update carillon.wakeups set at = case when token < 0 then at else coalesce($4::bigint, at) end,
    token = null, claimed_until = null, owner = case when kind = any($5::text[]) then owner end
  where kind = $1 and subject = $2 and token in ($3::bigint, -$3::bigint) returning at::double precision as at`

const freed = (sql: SqlClient.SqlClient, { kind, subject, token }: WakeupClaim, at: number | null) =>
  Effect.map(sql.unsafe<{ readonly at: number }>(free, [kind, subject, token, at, kept]), ([row]) => row?.at ?? null)

/** Ends a claim; what was set again meanwhile stays. The second statement sees what kept the first from finding the row. */
export const completeWakeup = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, done: WakeupClaim) {
  const removed = yield* sql.unsafe(remove, [done.kind, done.subject, done.token])
  return removed.length > 0 ? null : yield* freed(sql, done, null)
})

/** Ends a claim and looks again at the given time, or when it was set to meanwhile. */
export const deferWakeup = (sql: SqlClient.SqlClient, claim: WakeupClaim, at: number) => freed(sql, claim, at)

/**
 * The first entry of each partial index: what waits, what others keep of it, what is handled. What is housekeeping or kept by others is a
 * handful, so stepping over it costs nothing.
 */
const next = `
  select least(
    (select at from carillon.wakeups
      where claimed_until is null and kind <> all($1::text[]) and (owner is null or owner = $2::text) order by at limit 1),
    (select at + $3::bigint from carillon.wakeups
      where claimed_until is null and owner is not null and owner <> $2::text and kind <> all($1::text[])
      order by at limit 1),
    (select claimed_until from carillon.wakeups where claimed_until is not null and kind <> all($1::text[])
      order by claimed_until limit 1)
  )::double precision as next`

/** When a wake-up can next be claimed by this owner, or null. */
export const nextWakeup = (sql: SqlClient.SqlClient, housekeeping: boolean, owner: string) =>
  Effect.map(
    sql.unsafe<{ readonly next: number | null }>(next, [housekeeping ? [] : repairing, owner, limits.wakeupKeptMs]),
    ([found]) => found?.next ?? null,
  )

/** The first entries of the index of what waits, so that a long backlog costs no more than its bound. */
const backlog = `
  select kind, count(*)::int as due, min(at)::double precision as oldest from (
    select kind, at from carillon.wakeups where claimed_until is null and at <= $1::bigint order by at limit $2::bigint
  ) as waiting group by kind`

/** What is due and waits for somebody to handle it. */
export const backlogOf = (sql: SqlClient.SqlClient, now: number, limit: number) =>
  sql.unsafe<Backlog>(backlog, [now, limit])
