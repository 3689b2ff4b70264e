import type { LaneNumber, LiveCallKey, SlotLevel } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { textOf } from "../Documents.ts"

/**
 * Calls that hold a line are few, whatever lies in the history: each of these counts walks a partial index that holds them alone, and
 * has an index of its own so that none reads the rows. A counter beside the rows would be quicker to read and one more row that every
 * dial of an organization waits for.
 */
const holding = `
  select case r.level
    when 'platform' then (select count(*) from carillon.calls where holds_line and r.key is not null)
    when 'organization' then (select count(*) from carillon.calls where holds_line and organization_id = r.key)
    when 'agent' then (select count(*) from carillon.calls where holds_line and agent_id = r.key)
    when 'callee' then (select coalesce(max(revision), 0) from carillon.callees where callee_id = r.key)
    when 'callee_hours' then (select coalesce(max(revision), 0) from carillon.callee_hours where organization_id = r.key)
    when 'number' then (select count(*) from carillon.calls where holds_line and lane_id = r.key and to_number = r.to_number)
    else (select count(*) from carillon.calls where holds_line and lane_id = r.key)
  end::double precision as used
  from unnest($1::text[], $2::text[], $3::text[]) with ordinality as r(level, key, to_number, nth) order by r.nth`

const fromNumbers = `
  select r.nth, (
    select count(*) from carillon.calls as c
    where c.holds_line and c.organization_id = r.organization_id and c.from_number = r.number
  )::double precision as used
  from unnest($1::text[], $2::text[]) with ordinality as r(organization_id, number, nth) order by r.nth`

const liveOn =
  "select live_number, count(*)::double precision as live from carillon.calls where organization_id = $1 and live_number = any($2::text[]) group by 1"

/** What a dial knows of whom it calls: the callee, or the hours of callees. */
export interface CalleeGuard {
  readonly kind: "callee" | "callee_hours"
  readonly id: string
}

/**
 * How many committed calls hold a line at each of the levels, then how many of a lane to each of the numbers, and then the revisions of callees and of
 * callee hours, 0 for what is not there: whoever counts looks at these, too, and one statement more would be one more for every dial.
 */
export const countHolders = (
  sql: SqlClient.SqlClient,
  lines: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>,
  numbers: ReadonlyArray<LaneNumber> = [],
  guards: ReadonlyArray<CalleeGuard> = [],
) =>
  Effect.map(
    sql.unsafe<{ readonly used: number }>(holding, [
      [...lines.map(({ level }) => level), ...numbers.map(() => "number"), ...guards.map(({ kind }) => kind)],
      [
        ...lines.map(({ key }) => key),
        ...numbers.map(({ lane_id }) => textOf(lane_id)),
        ...guards.map(({ id }) => textOf(id)),
      ],
      [...lines.map(() => ""), ...numbers.map(({ to_number }) => textOf(to_number)), ...guards.map(() => "")],
    ]),
    (found) => found.map(({ used }) => used),
  )

/** How many of them an organization has from each number, each key once. */
export const countLive = (sql: SqlClient.SqlClient, keys: ReadonlyArray<LiveCallKey>) =>
  Effect.map(
    sql.unsafe<{ readonly used: number }>(fromNumbers, [
      keys.map(({ organization_id }) => textOf(organization_id)),
      keys.map(({ from_number }) => textOf(from_number)),
    ]),
    (found) => {
      const counts = new Map(keys.map((key, index) => [JSON.stringify(key), found[index]?.used ?? 0]))
      return (key: LiveCallKey): number => counts.get(JSON.stringify(key)) ?? 0
    },
  )

/** How many calls are live on each of an organization's numbers. */
export const countOnNumbers = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organizationId: string,
  numbers: ReadonlyArray<string>,
) {
  const found = yield* sql.unsafe<{ readonly live_number: string; readonly live: number }>(liveOn, [
    organizationId,
    numbers,
  ])
  const live = new Map(found.map((row) => [row.live_number, row.live]))
  return numbers.map((number) => live.get(number) ?? 0)
})
