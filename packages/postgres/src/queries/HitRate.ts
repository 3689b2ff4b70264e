import { SlidingWindow } from "@carillon/core/domain"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * One step of the sliding window as one statement: the row is locked, rolled to the present window, judged and counted, with the rule
 * of `SlidingWindow` in whole numbers. A transaction that reads, decides and writes would hold the row over three round trips, and every
 * request of an organization meets in it. The figures of the answer follow from the counters before the step.
 */
const hit = `
  insert into carillon.rates as s (organization_id, bucket, window_number, current, previous, allowed)
  values ($1, $2, $3::bigint, case when $5::bigint > 0 then 1 else 0 end, 0, $5::bigint > 0)
  on conflict (organization_id, bucket) do update set (window_number, current, previous, allowed) = (
    select judged.window_number, judged.current + case when judged.room > 0 then 1 else 0 end, judged.previous, judged.room > 0
    from (
      select rolled.*, $5::bigint * ${SlidingWindow.windowMs} - rolled.current * ${SlidingWindow.windowMs} - rolled.previous *
        (${SlidingWindow.windowMs} - greatest(0, $4::bigint - rolled.window_number * ${SlidingWindow.windowMs})) as room
      from (
        select
          greatest(s.window_number, $3::bigint) as window_number,
          case when $3::bigint > s.window_number then 0 else s.current end as current,
          case when $3::bigint <= s.window_number then s.previous when $3::bigint = s.window_number + 1 then s.current else 0 end as previous
      ) as rolled
    ) as judged
  )
  returning window_number::double precision as window, current::double precision as current,
    previous::double precision as previous, allowed`

const read = `
  select window_number::double precision as window, current::double precision as current, previous::double precision as previous
  from carillon.rates where organization_id = $1 and bucket = $2`

/** More than any counter reaches, for ceilings that are none. */
const highestLimit = 2 ** 31

/** Checks, then counts. */
export const hitRate = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organizationId: string,
  bucket: string,
  limit: number,
  now: number,
) {
  const window = Math.floor(now / SlidingWindow.windowMs)
  const [counted] = yield* sql.unsafe<SlidingWindow.WindowState & { readonly allowed: boolean }>(hit, [
    organizationId,
    bucket,
    window,
    now,
    Math.min(limit, highestLimit),
  ])
  const { allowed, ...after } = counted ?? { ...SlidingWindow.emptyWindow, allowed: false }
  const before = { ...after, current: after.current - (allowed ? 1 : 0) }
  const { state: _, ...figures } = SlidingWindow.hit(before, limit, now)
  return figures satisfies SlidingWindow.RateHit
})

/** The same figures without counting. */
export const peekRate = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organizationId: string,
  bucket: string,
  limit: number,
  now: number,
) {
  const [state] = yield* sql.unsafe<SlidingWindow.WindowState>(read, [organizationId, bucket])
  return SlidingWindow.peek(state ?? SlidingWindow.emptyWindow, limit, now)
})
