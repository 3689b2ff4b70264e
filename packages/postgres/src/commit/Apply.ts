import { type Call, type Commit, Conflict, holdsLine, laneOf, type RemovableKind, type RowKind } from "@carillon/core"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { writeTallies, writeUsage } from "../queries/AddFigures.ts"
import { appendAudit } from "../queries/AppendAudit.ts"
import { writeContacts } from "../queries/PutContacts.ts"
import { type Lane, touchAllLanes, touchLanes } from "../queries/TouchLanes.ts"
import { writeWakeups } from "../queries/WriteWakeups.ts"
import { places } from "../rows/Places.ts"
import type { Table } from "../rows/Table.ts"
import {
  agents,
  apiKeys,
  batches,
  callMedia,
  calls,
  campaigns,
  deliveries,
  events,
  experiments,
  inboundAgents,
  knowledgeBases,
  knowledgeUploads,
  organizations,
  phoneNumbers,
  platforms,
  providers,
  subscriptions,
} from "../rows/Tables.ts"
import { byKind, type ChangesByKind } from "./Changes.ts"
import { stripeOf } from "./Stripes.ts"

interface Written {
  readonly id: string
  /** Of a call: whether the row before held a line. */
  readonly held?: boolean
}

type Refusal = Conflict | SqlError.SqlError

/** A second key of the rows is taken: that of the first row, where several were written. */
const takenIs =
  (kind: RowKind, id: string) =>
  (error: SqlError.SqlError): Refusal =>
    error.reason._tag === "UniqueViolation" ? new Conflict({ kind, id }) : error

/** Writes rows of one kind, each at the revision before its own. */
const put = Effect.fnUntraced(function* <Row extends { readonly revision: number }>(
  sql: SqlClient.SqlClient,
  kind: RowKind,
  table: Table<Row>,
  rows: ReadonlyArray<Row>,
) {
  const written: Array<Written> = []
  const [first] = rows
  if (first === undefined) return written
  const taken = takenIs(kind, table.idOf(first))
  const added = rows.filter(({ revision }) => revision === 1)
  const replaced = rows.filter(({ revision }) => revision !== 1)
  if (replaced.length > 0) {
    const records = yield* Effect.fromResult(table.records(replaced))
    written.push(...(yield* Effect.mapError(sql.unsafe<Written>(table.update, [records, replaced.length]), taken)))
  }
  if (added.length > 0) {
    const records = yield* Effect.fromResult(table.records(added))
    written.push(...(yield* Effect.mapError(sql.unsafe<Written>(table.insert, [records]), taken)))
  }
  if (written.length < rows.length) {
    const ids = new Set(written.map(({ id }) => id))
    const missed = rows.find((row) => !ids.has(table.idOf(row))) ?? first
    return yield* new Conflict({ kind, id: table.idOf(missed) })
  }
  return written
})

const putContacts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ChangesByKind["contact"]) {
  if (rows.length === 0) return
  const written = new Set(yield* writeContacts(sql, rows))
  const missed = rows.find(({ contact_id }) => !written.has(contact_id))
  if (missed !== undefined) return yield* new Conflict({ kind: "contact", id: missed.contact_id })
})

/** Rows that customers delete for good. */
const remove = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, removals: ChangesByKind["removal"]) {
  const removable: Readonly<Record<RemovableKind, { readonly name: string; readonly id: string }>> = places
  for (const { kind, id, revision } of removals) {
    const { name, id: column } = removable[kind]
    const gone = yield* sql.unsafe(`delete from carillon.${name} where ${column} = $1 and revision = $2 returning 1`, [
      id,
      revision,
    ])
    if (gone.length === 0) return yield* new Conflict({ kind, id })
    if (kind === "knowledge_base") {
      yield* sql.unsafe("delete from carillon.knowledge_uploads where retrieval_id = $1", [id])
    }
  }
})

const eraseCalls = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, erased: ChangesByKind["erased_call"]) {
  for (const { call } of erased) {
    const gone = yield* sql.unsafe("delete from carillon.calls where execution_id = $1 and revision = $2 returning 1", [
      call.execution_id,
      call.revision,
    ])
    if (gone.length === 0) return yield* new Conflict({ kind: "call", id: call.execution_id })
  }
})

/** Several commits that are written together lock what they share in one order. */
const inOrder = <A>(changes: ReadonlyArray<A>, idOf: (change: A) => string): ReadonlyArray<A> =>
  changes.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0))

const debit = (sql: SqlClient.SqlClient, debits: ChangesByKind["debit"]) =>
  Effect.forEach(
    inOrder(debits, ({ organization_id }) => organization_id),
    ({ organization_id, amount }) =>
      sql.unsafe(
        "update carillon.organizations set balance = balance - $2, revision = revision + 1 where organization_id = $1",
        [organization_id, amount],
      ),
    { discard: true },
  )

/** The health of endpoints after attempts (`healthAfter`, as a statement). */
const attempt = (sql: SqlClient.SqlClient, attempts: ChangesByKind["endpoint_attempt"]) =>
  Effect.forEach(
    inOrder(attempts, ({ subscription_id }) => subscription_id),
    ({ subscription_id, at, failure }) =>
      sql.unsafe(
        `update carillon.subscriptions set
          failing_since = case when $3::text is null then null else coalesce(failing_since, $2::bigint) end,
          last_failure = coalesce($3::text::json, last_failure)
        where subscription_id = $1`,
        [subscription_id, at, failure === null ? null : JSON.stringify(failure)],
      ),
    { discard: true },
  )

const discard = (sql: SqlClient.SqlClient, discards: ChangesByKind["discard"]) =>
  Effect.forEach(
    discards,
    ({ kind, id }) => sql.unsafe(`delete from carillon.${places[kind].name} where ${places[kind].id} = $1`, [id]),
    { discard: true },
  )

const callLane = (call: Call): Lane | null =>
  call.batch_id === null
    ? null
    : {
        organization_id: call.organization_id,
        lane_id: laneOf({ batch_id: call.batch_id, campaign_id: call.campaign_id }),
      }

/** The lanes that what was written concerns. */
const lanesOf = (changes: ChangesByKind, written: ReadonlyArray<Written>): ReadonlyArray<Lane> => {
  const lanes = new Map<string, Lane>()
  const add = (lane: Lane) => lanes.set(lane.lane_id, lane)
  for (const { campaign_id, organization_id } of changes.campaign) add({ organization_id, lane_id: campaign_id })
  for (const row of [...changes.batch, ...changes.contact]) {
    add({ organization_id: row.organization_id, lane_id: laneOf(row) })
  }
  const held = new Map(written.map((row) => [row.id, row.held === true]))
  for (const call of changes.call) {
    const lane = callLane(call)
    if (lane !== null && held.get(call.execution_id) !== holdsLine(call)) add(lane)
  }
  for (const { call } of changes.erased_call) {
    const lane = callLane(call)
    if (lane !== null && holdsLine(call)) add(lane)
  }
  return [...lanes.values()]
}

/**
 * Writes everything that commits say together, in the order in which rows are locked. What they rest on was looked at before; a row that is not at
 * its revision all the same is a conflict.
 */
export const apply = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, commits: ReadonlyArray<Commit>) {
  const changes = byKind(commits.flatMap((commit) => commit.changes))
  const stripe = stripeOf(commits[0]?.id ?? "")
  yield* put(sql, "platform", platforms, changes.platform)
  yield* put(sql, "organization", organizations, changes.organization)
  yield* debit(sql, changes.debit)
  yield* remove(sql, changes.removal)
  yield* put(sql, "api_key", apiKeys, changes.api_key)
  yield* put(sql, "provider", providers, changes.provider)
  yield* put(sql, "phone_number", phoneNumbers, changes.phone_number)
  yield* put(sql, "inbound_agent", inboundAgents, changes.inbound_agent)
  yield* put(sql, "experiment", experiments, changes.experiment)
  yield* put(sql, "agent", agents, changes.agent)
  yield* put(sql, "subscription", subscriptions, changes.subscription)
  yield* attempt(sql, changes.endpoint_attempt)
  yield* put(sql, "campaign", campaigns, changes.campaign)
  yield* put(sql, "batch", batches, changes.batch)
  yield* putContacts(sql, changes.contact)
  const written = yield* put(sql, "call", calls, changes.call)
  yield* eraseCalls(sql, changes.erased_call)
  yield* put(sql, "call_media", callMedia, changes.call_media)
  yield* put(sql, "knowledge_base", knowledgeBases, changes.knowledge_base)
  yield* put(sql, "knowledge_upload", knowledgeUploads, changes.knowledge_upload)
  yield* put(sql, "event", events, changes.event)
  yield* put(sql, "delivery", deliveries, changes.delivery)
  yield* discard(sql, changes.discard)
  if (changes.usage.length > 0) {
    yield* writeUsage(
      sql,
      changes.usage.map(({ delta }) => delta),
      stripe,
    )
  }
  if (changes.tally.length > 0) yield* writeTallies(sql, changes.tally, stripe)
  const wakeups = commits.flatMap((commit) => commit.wakeups)
  if (wakeups.length > 0) yield* writeWakeups(sql, wakeups)
  const lanes = lanesOf(changes, written)
  if (lanes.length > 0) yield* touchLanes(sql, lanes, stripe)
  for (const { organization_id } of [...changes.organization, ...changes.agent]) {
    yield* touchAllLanes(sql, organization_id)
  }
  const audit = commits.flatMap((commit) => commit.audit)
  if (audit.length > 0) yield* appendAudit(sql, audit)
})
