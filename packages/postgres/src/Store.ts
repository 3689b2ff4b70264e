import {
  AdmissionRefused,
  type Call,
  type Commit,
  Conflict,
  dependencyOf,
  DependencyTimeout,
  holdsLine,
  laneOf,
  placeOf,
  type PortError,
  type RemovableKind,
  type RowKind,
  type SlotDemand,
  type Store,
} from "@carillon/core"
import { Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { byKind, type ChangesByKind } from "./commit/Changes.ts"
import { stripeOf } from "./commit/Stripes.ts"
import { isBroken, isTransient, noted, portError } from "./Failures.ts"
import { appendAudit } from "./queries/AppendAudit.ts"
import { writeTallies, writeUsage } from "./queries/AddFigures.ts"
import { countHolders } from "./queries/CountLines.ts"
import { writeContacts } from "./queries/PutContacts.ts"
import { touchAllLanes, touchLanes } from "./queries/TouchLanes.ts"
import { writeWakeups } from "./queries/WriteWakeups.ts"
import type { Table } from "./rows/Table.ts"
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
} from "./rows/Tables.ts"

/** How long a commit may take before its answer counts as lost. */
const commitMaxMs = 10_000

/** Times that a transaction is run again which PostgreSQL undid for the sake of another. */
const transientRetries = 8

/** So many commits are remembered at least, so that one that is sent again applies once. */
const rememberedCommits = 100_000

/** Old ones are forgotten after so many more. */
const forgetEvery = 1_000

/** Where the rows of a kind lie, and the column of their ids. Contacts have no column of their own for it before they are touched. */
const places: Readonly<Record<Exclude<RowKind, "contact">, { readonly name: string; readonly id: string }>> = {
  platform: platforms,
  organization: organizations,
  api_key: apiKeys,
  provider: providers,
  phone_number: phoneNumbers,
  inbound_agent: inboundAgents,
  experiment: experiments,
  agent: agents,
  subscription: subscriptions,
  campaign: campaigns,
  batch: batches,
  call: calls,
  call_media: callMedia,
  knowledge_base: knowledgeBases,
  knowledge_upload: knowledgeUploads,
  event: events,
  delivery: deliveries,
}

/** Kinds in the order in which their rows are locked. */
const lockOrder: ReadonlyArray<RowKind> = [
  "platform",
  "organization",
  "api_key",
  "provider",
  "phone_number",
  "inbound_agent",
  "experiment",
  "agent",
  "subscription",
  "campaign",
  "batch",
  "contact",
  "call",
  "call_media",
  "knowledge_base",
  "knowledge_upload",
  "event",
  "delivery",
]

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

/** Holds the rows that a commit rests on until it ends, and compares their revisions. They are shared: many commits rest on one campaign. */
const expectRows = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, expect: Commit["expect"]) {
  for (const kind of lockOrder) {
    const expected = expect.filter((row) => row.kind === kind)
    if (expected.length === 0) continue
    const found =
      kind === "contact"
        ? yield* contactRevisions(
            sql,
            expected.map(({ id }) => id),
          )
        : yield* sql.unsafe<{ readonly id: string; readonly revision: number }>(
            `select ${places[kind].id} as id, revision from carillon.${places[kind].name} where ${places[kind].id} = any($1::text[]) order by 1 for share`,
            [expected.map(({ id }) => id)],
          )
    const revisions = new Map(found.map(({ id, revision }) => [id, revision]))
    for (const { id, revision } of expected) {
      if ((revisions.get(id) ?? 0) !== revision) return yield* new Conflict({ kind, id })
    }
  }
})

const contactRevisions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) {
  const found: Array<{ readonly id: string; readonly revision: number }> = []
  for (const id of ids) {
    const place = placeOf(id)
    if (place === null) continue
    const [row] = yield* sql.unsafe<{ readonly revision: number }>(
      "select revision from carillon.contacts where batch_id = $1 and row_number = $2 for share",
      [place.batch_id, place.row],
    )
    if (row !== undefined) found.push({ id, revision: row.revision })
  }
  return found
})

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
    written.push(...(yield* Effect.mapError(sql.unsafe<Written>(table.update, [table.records(replaced)]), taken)))
  }
  if (added.length > 0) {
    written.push(...(yield* Effect.mapError(sql.unsafe<Written>(table.insert, [table.records(added)]), taken)))
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

const debit = (sql: SqlClient.SqlClient, debits: ChangesByKind["debit"]) =>
  Effect.forEach(
    debits,
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
    attempts,
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

const callLane = (call: Call): string | null =>
  call.batch_id === null ? null : laneOf({ batch_id: call.batch_id, campaign_id: call.campaign_id })

/** The lanes of the organization that what was written concerns. */
const lanesOf = (changes: ChangesByKind, written: ReadonlyArray<Written>): ReadonlySet<string> => {
  const lanes = new Set<string>()
  for (const { campaign_id } of changes.campaign) lanes.add(campaign_id)
  for (const batch of changes.batch) lanes.add(laneOf(batch))
  for (const contact of changes.contact) lanes.add(laneOf(contact))
  const held = new Map(written.map((row) => [row.id, row.held === true]))
  for (const call of changes.call) {
    const lane = callLane(call)
    if (lane !== null && held.get(call.execution_id) !== holdsLine(call)) lanes.add(lane)
  }
  for (const { call } of changes.erased_call) {
    const lane = callLane(call)
    if (lane !== null && holdsLine(call)) lanes.add(lane)
  }
  return lanes
}

/** Writes everything that a commit says, in the order in which rows are locked. */
const apply = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, commit: Commit) {
  const changes = byKind(commit.changes)
  const stripe = stripeOf(commit.id)
  yield* expectRows(sql, commit.expect)
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
  if (commit.wakeups.length > 0) yield* writeWakeups(sql, commit.wakeups)
  const lanes = lanesOf(changes, written)
  if (lanes.size > 0) yield* touchLanes(sql, commit.organization_id, [...lanes], stripe)
  for (const { organization_id } of [...changes.organization, ...changes.agent]) {
    yield* touchAllLanes(sql, organization_id)
  }
  if (commit.audit.length > 0) yield* appendAudit(sql, commit.audit)
})

/** Enters the commit's id; false where it has been applied before. */
const isNew = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, commitId: string) {
  const [entered] = yield* sql.unsafe<{ readonly sequence: number }>(
    "insert into carillon.commits (commit_id) values ($1) on conflict (commit_id) do nothing returning sequence::double precision as sequence",
    [commitId],
  )
  if (entered === undefined) return false
  if (entered.sequence % forgetEvery === 0) {
    yield* sql.unsafe("delete from carillon.commits where sequence <= $1::bigint", [
      entered.sequence - rememberedCommits,
    ])
  }
  return true
})

/**
 * Counts the committed calls that hold a line under locks on the installation and the organization, where they have a ceiling: agents and
 * campaigns belong to one organization. Nobody else admits by count until this commit has ended.
 */
const admitByCount = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  organizationId: string,
  levels: ReadonlyArray<SlotDemand>,
) {
  const isLimited = (level: SlotDemand["level"]) =>
    levels.some((demand) => demand.level === level && demand.ceiling !== null)
  const keys = [...(isLimited("platform") ? ["platform"] : []), organizationId]
  for (const key of keys)
    yield* sql.unsafe("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`carillon ${key}`])
  for (const { level, key, ceiling } of levels) {
    if (ceiling === null) continue
    const used = yield* countHolders(sql, { level, key })
    if (used >= ceiling) return yield* new AdmissionRefused({ level, used, max: ceiling })
  }
})

/**
 * A commit as one transaction. What PostgreSQL undid for the sake of another transaction is run again; where the answer to the end of
 * it was lost nobody knows whether it applied, and the engine sends it again under the same id.
 */
const transaction = (
  sql: SqlClient.SqlClient,
  commit: Commit,
  levels: ReadonlyArray<SlotDemand>,
): Effect.Effect<void, Conflict | AdmissionRefused | PortError> => {
  const dependency = dependencyOf(commit)
  const lost = new DependencyTimeout({ dependency })
  return Effect.suspend(() => {
    let isUnderWay = false
    const steps = Effect.gen(function* () {
      isUnderWay = true
      if (!(yield* isNew(sql, commit.id))) return
      if (levels.length > 0) yield* admitByCount(sql, commit.organization_id, levels)
      yield* apply(sql, commit)
    })
    return sql.withTransaction(steps).pipe(
      // Where even the rollback finds no connection, the client gives up with a defect.
      Effect.catchDefect((defect) => (defect instanceof SqlError.SqlError ? Effect.fail(defect) : Effect.die(defect))),
      Effect.retry({ times: transientRetries, while: (error) => error._tag === "SqlError" && isTransient(error) }),
      Effect.catchTag("SqlError", (error) => {
        const failure = isUnderWay && isBroken(error) ? lost : portError(dependency, error)
        return Effect.andThen(noted(commit.id, error), Effect.fail(failure))
      }),
      // The steps around a dial cannot be interrupted; a server that never answers must not hold them up all the same.
      Effect.interruptible,
      Effect.timeoutOrElse({ duration: commitMaxMs, orElse: () => Effect.fail(lost) }),
    )
  })
}

/** The only way to write. */
export const makeStore = (sql: SqlClient.SqlClient): Store["Service"] => ({
  // Where no level is asked for, none refuses.
  commit: (commit) => Effect.catchTag(transaction(sql, commit, []), "AdmissionRefused", Effect.die),
  admit: (commit, levels) => transaction(sql, commit, levels),
})
