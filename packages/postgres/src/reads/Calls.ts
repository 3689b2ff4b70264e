import type { Call } from "@carillon/core"
import type { CallMedia } from "@carillon/core/domain"
import type { CallFilter, CallStore, LiveCallKey, WatchedCall } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { countHolders, countLive } from "../queries/CountLines.ts"
import { callMedia, calls } from "../rows/Tables.ts"
import { detached } from "../Detached.ts"
import { countedTotal, ofStatus } from "./CallTotals.ts"
import { gather } from "./Gather.ts"
import { newestFirst, oldestRows, ownedBy, pageOf, rowById, rowsAfter, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

/** Every filter field has an index that continues in list order, so the one PostgreSQL finds narrowest also gives the page its order. */
const filtered = (organizationId: string, filter: CallFilter): Where => {
  const where = new Where().is("organization_id", organizationId).and("listed")
  return ofStatus(where, filter)
    .chosen("direction", filter.direction)
    .chosen("agent_id", filter.agent_id)
    .chosen("batch_id", filter.batch_id)
    .chosen("campaign_id", filter.campaign_id)
    .chosen("contact_id", filter.contact_id)
    .chosen("parent_execution_id", filter.parent_execution_id)
    .chosen("to_number", filter.to_number)
    .chosen("from_number", filter.from_number)
    .also("created_at >= ?::bigint", filter.from_date)
    .also("created_at <= ?::bigint", filter.to_date)
}

const watchedCalls = `
  select status, voicemail, watched_seconds as duration_seconds, watched_end::double precision as ended_at
  from carillon.calls where campaign_id = $1 and watched_end is not null
  order by watched_end desc, sequence desc limit $2`

const byNumbers = `
  select r.lane_id, r.number, c.row
  from unnest($1::text[], $2::text[]) as r(lane_id, number)
  cross join lateral (
    select row from carillon.calls where lane_id = r.lane_id and to_number = r.number and holds_line
    order by execution_id limit 1
  ) as c`

interface NumberOfLane {
  readonly laneId: string
  readonly toNumber: string
}

const numberName = ({ laneId, toNumber }: NumberOfLane): string => `${textOf(laneId)} ${textOf(toNumber)}`

interface CallOnNumber {
  readonly lane_id: string
  readonly number: string
  readonly row: Call
}

/** The calls of lanes that go to numbers and hold a line, those that are asked for at the same time together. */
const onNumberIn = (sql: SqlClient.SqlClient) =>
  gather(detached(sql), numberName, (asked: ReadonlyArray<NumberOfLane>) =>
    reading(
      calls.dependency,
      Effect.map(
        sql.unsafe<CallOnNumber>(byNumbers, [
          asked.map(({ laneId }) => textOf(laneId)),
          asked.map(({ toNumber }) => textOf(toNumber)),
        ]),
        (found) => {
          const calls = new Map(found.map(({ lane_id, number, row }) => [`${lane_id} ${number}`, rowOf(row)]))
          return (number: NumberOfLane): Call | null => calls.get(numberName(number)) ?? null
        },
      ),
    ),
  )

export const makeCallStore = (sql: SqlClient.SqlClient): CallStore["Service"] => {
  const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(calls.dependency, effect)
  const locate = rowById<Call>(sql, calls)
  const live = gather(detached(sql), JSON.stringify, (keys: ReadonlyArray<LiveCallKey>) => read(countLive(sql, keys)))
  const onNumber = onNumberIn(sql)
  return {
    find: (organizationId, executionId) => Effect.map(locate(executionId), ownedBy(organizationId)),
    locate,
    media: (organizationId, executionId) =>
      read(
        rowWhere<CallMedia>(
          sql,
          callMedia.name,
          new Where().is("execution_id", executionId).is("organization_id", organizationId),
        ),
      ),
    page: (organizationId, filter, page) => {
      const where = filtered(organizationId, filter)
      const total = countedTotal(organizationId, filter, where)
      return pageOf<Call>(sql, calls, where, newestFirst, page, { total })
    },
    oldest: (organizationId, request) => read(oldestRows<Call>(sql, calls.name, filtered(organizationId, {}), request)),
    holding: (levels) => read(countHolders(sql, levels)),
    live: (keys) => Effect.forEach(keys, live, { concurrency: "unbounded" }),
    onNumber: (laneId, toNumber) => onNumber({ laneId, toNumber }),
    watched: (campaignId, limit) => read(sql.unsafe<WatchedCall>(watchedCalls, [textOf(campaignId), limit])),
    holders: (after, limit) => read(rowsAfter<Call>(sql, calls, new Where().and("holds_line"), after, limit)),
    due: (after, limit) => read(rowsAfter<Call>(sql, calls, new Where().and("due"), after, limit)),
    processing: (after, limit) => read(rowsAfter<Call>(sql, calls, new Where().and("processing"), after, limit)),
  }
}
