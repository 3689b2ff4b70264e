import { BatchStatus } from "@carillon/core/domain"
import type {
  Batch,
  BatchStore,
  Campaign,
  CampaignEntry,
  CampaignStore,
  LaneStore,
  Tally,
  TallyStore,
} from "@carillon/core/ports"
import { Effect, flow } from "effect"
import type { SqlClient } from "effect/sql"
import { textOf } from "../Documents.ts"
import { reading } from "../Failures.ts"
import { changedLanes } from "../queries/TouchLanes.ts"
import { batches, campaignEntries, campaigns } from "../rows/Tables.ts"
import { detached } from "../Detached.ts"
import { gather } from "./Gather.ts"
import { newestFirst, oldestFirst, oldestRows, pageOf, rowById, rowsAfter, rowWhere } from "./Rows.ts"
import { bytesOf, rowsOfBytes } from "./RowBytes.ts"
import { Where } from "./Where.ts"

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(campaigns.dependency, effect)

/** Whether a row of a kind that may still dial names the phone number. The database knows it beside their documents. */
const callsFrom =
  (sql: SqlClient.SqlClient, kind: "campaign" | "batch") => (organizationId: string, phoneNumber: string) =>
    Effect.map(
      read(
        sql.unsafe(
          "select 1 from carillon.caller_ids where organization_id = $1 and phone_number = $2 and kind = $3 limit 1",
          [textOf(organizationId), textOf(phoneNumber), kind],
        ),
      ),
      (found) => found.length > 0,
    )

const immovable = BatchStatus.immovableBatchStatuses.map((status) => `'${status}'`).join(", ")

/** The batches that a campaign may move. */
const movable = (campaignId: string): Where =>
  new Where().is("campaign_id", campaignId).and(`status not in (${immovable})`)

/** Batches as they are read: without a document where it is known already. */
interface StoredBatch {
  readonly id: string
  readonly document: Uint8Array | null
}

const nothing: ReadonlyMap<string, Batch> = new Map()

/** Batches in their order; those of a campaign may have a megabyte together. */
const batchesOf = (found: ReadonlyArray<StoredBatch>, known: ReadonlyMap<string, Batch>) =>
  Effect.map(rowsOfBytes<Batch>(found.flatMap(({ document }) => document ?? [])), (rows): ReadonlyArray<Batch> => {
    const all = new Map([...known, ...rows.map((row) => [row.batch_id, row] as const)])
    return found.flatMap(({ id }) => all.get(id) ?? [])
  })

const movableBatches = (sql: SqlClient.SqlClient) => (campaignId: string) => {
  const { parameters, text } = movable(campaignId)
  const statement = `select batch_id as id, ${bytesOf("row")} as document from carillon.batches where ${text} order by ${oldestFirst}`
  return Effect.flatMap(read(sql.unsafe<StoredBatch>(statement, parameters)), (found) => batchesOf(found, nothing))
}

const unfinishedIn = `
  select b.batch_id as id, case when b.revision is distinct from known.revision then ${bytesOf("row")} end as document
  from carillon.batches as b left join unnest($2::text[], $3::integer[]) as known(batch_id, revision) on known.batch_id = b.batch_id
  where lane_id = $1 and not finished order by ${oldestFirst}`

/** A lane is looked at after every first call of a batch, and few of its batches have changed by then. */
const unfinished =
  (sql: SqlClient.SqlClient): BatchStore["Service"]["unfinished"] =>
  (laneId, known = nothing) => {
    const rows = [...known.values()]
    const revisions = [rows.map(({ batch_id }) => textOf(batch_id)), rows.map(({ revision }) => revision)]
    return Effect.flatMap(read(sql.unsafe<StoredBatch>(unfinishedIn, [textOf(laneId), ...revisions])), (found) =>
      batchesOf(found, known),
    )
  }

/**
 * Where the contacts of a page lie. Of the other batches only a column is read. Where it is null, a process of an earlier release has added the
 * batch: then the last of its contacts says how many there are.
 */
const partsOfPage = `
  with counted as materialized (
    select batch_id, created_at, sequence, coalesce(listed_contacts, (
      select row_number + 1 from carillon.contacts as c where c.batch_id = b.batch_id order by row_number desc limit 1
    ), 0) as count
    from carillon.batches as b where campaign_id = $1
  ),
  placed as (select *, sum(count) over (order by ${oldestFirst}) - count as before from counted)
  select total::double precision as total,
    (select ${bytesOf("row")} from carillon.batches as b where b.batch_id = placed.batch_id) as document,
    greatest($2::bigint - before, 0)::double precision as first,
    least(count, $2::bigint + $3::bigint - before)::double precision as last
  from (select coalesce(sum(count), 0) as total from counted) as all_of_them
  left join placed on count > 0 and before < $2::bigint + $3::bigint and before + count > $2::bigint
  order by ${oldestFirst}`

interface StoredPart {
  readonly total: number
  /** Null where no contact is on the page. */
  readonly document: Uint8Array | null
  readonly first: number
  readonly last: number
}

const contactsOfCampaign =
  (sql: SqlClient.SqlClient): BatchStore["Service"]["contactsOfCampaign"] =>
  (campaignId, { page, page_size }) =>
    Effect.flatMap(
      read(sql.unsafe<StoredPart>(partsOfPage, [textOf(campaignId), (page - 1) * page_size, page_size])),
      (found) =>
        Effect.map(rowsOfBytes<Batch>(found.flatMap(({ document }) => document ?? [])), (rows) => ({
          items: rows.map((batch, nth) => {
            const { first = 0, last = 0 } = found[nth] ?? {}
            return { batch, from: first, count: last - first }
          }),
          total: found[0]?.total ?? 0,
        })),
    )

export const makeCampaignStore = (sql: SqlClient.SqlClient): CampaignStore["Service"] => ({
  find: (organizationId, campaignId) =>
    read(rowWhere<Campaign>(sql, campaigns.name, own(organizationId).is("campaign_id", campaignId))),
  locate: rowById<Campaign>(sql, campaigns),
  page: (organizationId, { status }, page) =>
    pageOf<Campaign>(sql, campaigns, own(organizationId).chosen("status", status), newestFirst, page),
  ending: (after, limit) => read(rowsAfter<Campaign>(sql, campaigns, new Where().and("ending"), after, limit)),
  watched: (after, limit) => read(rowsAfter<Campaign>(sql, campaigns, new Where().and("watched"), after, limit)),
  callsFrom: callsFrom(sql, "campaign"),
  lastEntry: (campaignId) =>
    read(
      Effect.map(
        sql.unsafe<{ readonly number: number }>(
          "select number::double precision as number from carillon.campaign_entries where campaign_id = $1 order by number desc limit 1",
          [textOf(campaignId)],
        ),
        ([found]) => found?.number ?? 0,
      ),
    ),
  entries: (campaignId, page) =>
    pageOf<CampaignEntry>(sql, campaignEntries, new Where().is("campaign_id", campaignId), "number desc", page),
})

export const makeBatchStore = (sql: SqlClient.SqlClient): BatchStore["Service"] => ({
  find: (organizationId, batchId) =>
    read(rowWhere<Batch>(sql, batches.name, own(organizationId).is("batch_id", batchId))),
  locate: rowById<Batch>(sql, batches),
  page: (organizationId, { status, agent_id, campaign_id }, page) =>
    pageOf<Batch>(
      sql,
      batches,
      own(organizationId).chosen("status", status).chosen("agent_id", agent_id).chosen("campaign_id", campaign_id),
      newestFirst,
      page,
    ),
  oldest: (organizationId, request) => read(oldestRows<Batch>(sql, batches.name, own(organizationId), request)),
  pageOfCampaign: (campaignId, page) =>
    pageOf<Batch>(sql, batches, new Where().is("campaign_id", campaignId), oldestFirst, page),
  contactsOfCampaign: contactsOfCampaign(sql),
  movable: movableBatches(sql),
  movableBytes: (campaignId) => {
    const { parameters, text } = movable(campaignId)
    const size = `select coalesce(sum(octet_length(row::text)), 0)::double precision as bytes from carillon.batches where ${text}`
    return read(Effect.map(sql.unsafe<{ readonly bytes: number }>(size, parameters), ([found]) => found?.bytes ?? 0))
  },
  unfinished: unfinished(sql),
  callsFrom: callsFrom(sql, "batch"),
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
  changed: flow(changedLanes(sql), read),
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
