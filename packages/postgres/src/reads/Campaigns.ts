import type { Batch, BatchStore, Campaign, CampaignStore, LaneStore, Tally, TallyStore } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf, textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { changedLanes } from "../queries/TouchLanes.ts"
import { batches, campaigns } from "../rows/Tables.ts"
import { detached } from "../Detached.ts"
import { gather } from "./Gather.ts"
import { newestFirst, oldestFirst, oldestRows, pageOf, rowById, rowsAfter, rowsOf, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(campaigns.dependency, effect)

/** Rows that are looked at together. */
const namingAtOnce = 20

/**
 * Whether a row that stands in any of these states names the phone number. Rows in which it stands as a text are looked at some at a time: the
 * first nearly always names it.
 */
const callsFrom = <Row extends Pick<Campaign | Batch, "phone_numbers">>(
  sql: SqlClient.SqlClient,
  { id, name }: { readonly id: string; readonly name: string },
) =>
  Effect.fnUntraced(function* (organizationId: string, phoneNumber: string, statuses: ReadonlyArray<string>) {
    for (let after = ""; ;) {
      const found = yield* read(
        sql.unsafe<{ readonly id: string; readonly row: Row }>(
          `select ${id} as id, row from carillon.${name}
           where organization_id = $1 and status = any($2::text[]) and strpos(row::text, $3) > 0 and ${id} collate "C" > $4
           order by ${id} collate "C" limit ${namingAtOnce}`,
          [textOf(organizationId), statuses, JSON.stringify(phoneNumber), after],
        ),
      )
      if (found.some(({ row }) => rowOf(row).phone_numbers?.includes(phoneNumber) === true)) return true
      const last = found.at(-1)
      if (last === undefined || found.length < namingAtOnce) return false
      after = last.id
    }
  })

export const makeCampaignStore = (sql: SqlClient.SqlClient): CampaignStore["Service"] => ({
  find: (organizationId, campaignId) =>
    read(rowWhere<Campaign>(sql, campaigns.name, own(organizationId).is("campaign_id", campaignId))),
  locate: rowById<Campaign>(sql, campaigns),
  page: (organizationId, { status }, page) =>
    pageOf<Campaign>(sql, campaigns, own(organizationId).is("status", status), newestFirst, page),
  ending: (after, limit) => read(rowsAfter<Campaign>(sql, campaigns, new Where().and("ending"), after, limit)),
  callsFrom: callsFrom<Campaign>(sql, campaigns),
})

export const makeBatchStore = (sql: SqlClient.SqlClient): BatchStore["Service"] => ({
  find: (organizationId, batchId) =>
    read(rowWhere<Batch>(sql, batches.name, own(organizationId).is("batch_id", batchId))),
  locate: rowById<Batch>(sql, batches),
  page: (organizationId, { status, agent_id, campaign_id }, page) =>
    pageOf<Batch>(
      sql,
      batches,
      own(organizationId).is("status", status).is("agent_id", agent_id).is("campaign_id", campaign_id),
      newestFirst,
      page,
    ),
  oldest: (organizationId, request) => read(oldestRows<Batch>(sql, batches.name, own(organizationId), request)),
  ofCampaign: (campaignId) =>
    read(rowsOf<Batch>(sql, batches.name, new Where().is("campaign_id", campaignId), oldestFirst)),
  unfinished: (laneId) =>
    read(rowsOf<Batch>(sql, batches.name, new Where().is("lane_id", laneId).and("not finished"), oldestFirst)),
  callsFrom: callsFrom<Batch>(sql, batches),
})

export const makeTallyStore = (sql: SqlClient.SqlClient): TallyStore["Service"] => ({
  read: gather(detached(sql), textOf, (subjects: ReadonlyArray<string>) =>
    read(
      Effect.map(
        sql.unsafe<{ readonly subject: string; readonly figure: string; readonly value: number }>(
          "select subject, figure, sum(value) as value from carillon.tallies where subject = any($1::text[]) group by subject, figure",
          [subjects.map(textOf)],
        ),
        (figures) => {
          const tallies = new Map<string, { [figure: string]: number }>()
          for (const { figure, subject, value } of figures) {
            const tally = tallies.get(subject) ?? {}
            tallies.set(subject, tally)
            tally[figure] = value
          }
          return (subject: string): Tally => tallies.get(textOf(subject)) ?? {}
        },
      ),
    ),
  ),
})

export const makeLaneStore = (sql: SqlClient.SqlClient): LaneStore["Service"] => ({
  changed: (organizationId, since) => read(changedLanes(sql, organizationId, since)),
  any: gather(detached(sql), textOf, (organizationIds: ReadonlyArray<string>) =>
    read(
      Effect.map(
        // In the order of the key: where most rows are one organization's, PostgreSQL would look for the first of another in all of them.
        sql.unsafe<{ readonly id: string }>(
          `select r.id from unnest($1::text[]) as r(id) cross join lateral
             (select 1 from carillon.lanes where organization_id = r.id order by organization_id, lane_id, stripe limit 1) as first`,
          [organizationIds.map(textOf)],
        ),
        (found) => {
          const some = new Set(found.map(({ id }) => id))
          return (organizationId: string) => some.has(textOf(organizationId))
        },
      ),
    ),
  ),
  organizations: (after, limit) =>
    read(
      Effect.map(
        sql.unsafe<{ readonly id: string }>(
          "select distinct organization_id as id from carillon.lanes where organization_id > $1 order by 1 limit $2::bigint",
          [after ?? "", limit],
        ),
        (found) => found.map(({ id }) => id),
      ),
    ),
})
