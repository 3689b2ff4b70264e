import { limits } from "@carillon/core"
import {
  type Backlog,
  type ClaimOrder,
  housekeepingWakeups,
  keptWakeups,
  type Lease,
  type WakeupClaim,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Waits for its time, which has come, and is not kept by another who is on time. */
const isFree = `claimed_until is null and at <= $1::bigint and (owner is null or owner = $4::text or at <= $1::bigint - $5::bigint)`

/**
 * Claims what is due. `skip locked` lets any number of processes claim at once without waiting for one another; a lease that has ended
 * makes the row claimable again, and the new token fences the late handler off. The two kinds of rows that can be claimed lie in two
 * partial indexes: what waits is read in its order up to the limit, and of ended leases there are no more than handlers that were lost. One
 * `or` over both would read everything that is due. What was set for later while a lost handler had it is freed, so that it can still be set
 * for sooner. The latest are read from the other end of the same index. Whoever claims stands in the row, so that it is
 * known whose work was lost; once that is over it says who keeps the subject, and nobody keeps most of them.
 */
const found = (order: "at" | "at desc"): string => `
  free as (
    select kind, subject, at, null::text as owner, null::bigint as until from carillon.wakeups
    where ${isFree} order by ${order} limit $2::bigint for update skip locked
  ), lapsed as (
    select kind, subject, at, owner, claimed_until as until from carillon.wakeups
    where claimed_until <= $1::bigint and at <= $1::bigint order by ${order} limit $2::bigint for update skip locked
  ), both_kinds as (
    select * from free union all select * from lapsed
  ), set_for_later as (
    select kind, subject from carillon.wakeups
    where claimed_until <= $1::bigint and at > $1::bigint for update skip locked
  ), later as (
    update carillon.wakeups as w set token = null, claimed_until = null, owner = null
    from set_for_later as l where w.kind = l.kind and w.subject = l.subject
  )`

const take = `
  update carillon.wakeups as w
  set claimed_until = $3::bigint, token = nextval('carillon.wakeup_tokens'), owner = $4::text
  from due where w.kind = due.kind and w.subject = due.subject
  returning w.kind, w.subject, w.at::double precision as at, w.token::double precision as token,
    due.owner as lapsed_owner, due.until::double precision as lapsed_until`

const claim = (order: "at" | "at desc"): string => `
  with ${found(order)}, due as (
    select kind, subject, owner, until from both_kinds order by ${order} limit $2::bigint
  ) ${take}`

const kept: ReadonlyArray<string> = [...keptWakeups]
const repairing: ReadonlyArray<string> = [...housekeepingWakeups]

const claims: Readonly<Record<Exclude<ClaimOrder, "in turn">, string>> = {
  earliest: claim("at"),
  latest: claim("at desc"),
}

/**
 * The next party of which something waits, in the order of the index `wakeups_in_turn`: spans of 65.5 s of time, and within each the organizations. So
 * nobody is passed of whom nothing is due by the end of this span, and of a backlog no more than one entry for each span.
 */
const after = (place: string): string => `
  select w.at >> 16 as span, w.organization_id from carillon.wakeups as w
  where w.claimed_until is null and w.at >> 16 <= $1::bigint >> 16 and (w.at >> 16, w.organization_id) > (${place})
  order by w.at >> 16, w.organization_id limit 1`

/**
 * Claims in turn: of the parties behind the one that was reached before, up to $8, as many of each as there is room for, and beside them the
 * earliest of all. It answers how far it came, also where it claims nothing.
 */
const claimInTurn = `
  with recursive ${found("at")}, parties as (
    select first.*, 1 as nth from (${after("$6::bigint, $7::text")}) as first
    union all
    select next.*, parties.nth + 1 from parties cross join lateral (${after("parties.span, parties.organization_id")}) as next
    where parties.nth < $8::int
  ), in_turn as (
    select one.* from parties cross join lateral (
      select kind, subject, at from carillon.wakeups as w
      where w.at >> 16 = parties.span and w.organization_id = parties.organization_id and ${isFree}
      order by w.at limit greatest(1, $8::int / (select count(*) from parties)) for update skip locked
    ) as one
  ), due as (
    select kind, subject, owner, until from (
      select kind, subject, at, null::text as owner, null::bigint as until, 1 as place from in_turn
      union all
      select kind, subject, at, owner, until, 2 as place from both_kinds
      where (kind, subject) not in (select kind, subject from in_turn)
    ) as all_kinds order by place, at limit $2::bigint
  ), claimed as (${take})
  select claimed.*, reached.span::double precision as reached_span, reached.organization_id as reached_party
  from (select 1) as always
  left join (select span, organization_id from parties where nth = $8::int) as reached on true
  left join claimed on true`

interface ClaimedRow extends Omit<WakeupClaim, "lapsed"> {
  readonly lapsed_owner: string | null
  readonly lapsed_until: number | null
}

/** Processes of earlier releases leave no owner behind. */
const claimOf = ({ at, kind, lapsed_owner: owner, lapsed_until: until, subject, token }: ClaimedRow): WakeupClaim => {
  const claim = { kind, subject, at, token }
  return owner === null || until === null ? claim : { ...claim, lapsed: { owner, until } }
}

/** How far turns have come: a party, and the span of time in which it had its turn. */
export interface Reached {
  readonly span: number
  readonly party: string
}

/** Before all parties. */
export const fromTheStart: Reached = { span: -1, party: "" }

const earliestFirst = (rows: ReadonlyArray<ClaimedRow>): ReadonlyArray<WakeupClaim> =>
  rows.map(claimOf).toSorted((a, b) => a.at - b.at)

/** Claims up to `limit` due wake-ups, the earliest or the latest, and answers them earliest first. */
export const claimWakeups = (
  sql: SqlClient.SqlClient,
  now: number,
  limit: number,
  { ms, owner }: Lease,
  order: keyof typeof claims = "earliest",
) =>
  Effect.map(sql.unsafe<ClaimedRow>(claims[order], [now, limit, now + ms, owner, limits.wakeupKeptMs]), earliestFirst)

/** A row for each claim, or one that says only how far it came. */
type RowInTurn = (ClaimedRow | { readonly kind: null }) & {
  readonly reached_span: number | null
  readonly reached_party: string | null
}

/** Claims up to `limit` due wake-ups in turn, and answers them earliest first, with the party that was the last to have its turn. */
export const claimWakeupsInTurn = (
  sql: SqlClient.SqlClient,
  now: number,
  limit: number,
  { ms, owner }: Lease,
  before: Reached,
) => {
  const inTurn = Math.min(limit, limits.wakeupsInTurn)
  const parameters = [now, limit, now + ms, owner, limits.wakeupKeptMs, before.span, before.party, inTurn]
  return Effect.map(sql.unsafe<RowInTurn>(claimInTurn, parameters), (rows) => {
    const { reached_party: last, reached_span: span } = rows[0] ?? { reached_party: null, reached_span: null }
    const reached = last === null || span === null ? fromTheStart : { span, party: last }
    return { claims: earliestFirst(rows.filter((row) => row.kind !== null)), reached }
  })
}

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
