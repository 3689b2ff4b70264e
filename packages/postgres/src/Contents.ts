import type { AuditRecord, Organization } from "@carillon/core"
import type { Change, Contact, ContactEntry, Guard, RowKind, Rows, Subscription, Tally } from "@carillon/core/ports"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { rowOf } from "./Documents.ts"
import { standingGuards } from "./queries/Guards.ts"
import type { Table } from "./rows/Table.ts"
import {
  agents,
  apiKeys,
  batches,
  calleeHours,
  callees,
  callMedia,
  calls,
  campaignEntries,
  campaigns,
  deliveries,
  events,
  experiments,
  inboundAgents,
  knowledgeBases,
  knowledgeUploads,
  phoneNumbers,
  platforms,
  providers,
  purges,
} from "./rows/Tables.ts"

/** A contact as it was handed in, in its place. */
export interface StoredEntry {
  readonly batch_id: string
  readonly row: number
  readonly entry: ContactEntry
}

/** A guard, and how often it was raised. */
export interface StoredGuard {
  readonly guard: Guard
  readonly version: number
}

/** Everything that is stored but for usage, wake-ups and idempotency keys. */
export interface Contents {
  /** Rows as they stand, in their order of lists, a batch before its contacts; and tallies. */
  readonly changes: ReadonlyArray<Change>
  /** The entries of each batch from its first row on. */
  readonly entries: ReadonlyArray<StoredEntry>
  /** The records of every chain in their order. */
  readonly audit: ReadonlyArray<AuditRecord>
  /** The guards that were ever raised: commits to come expect them as they stand. */
  readonly guards: ReadonlyArray<StoredGuard>
  /** How many commits were begun so far; it only grows. */
  readonly commits: number
}

const listed = "created_at, sequence"

/**
 * Reads everything, for whoever keeps a picture of the rows beside the database, as the simulator does for its invariants. What is read
 * fits together only while nobody writes.
 */
export const readContents: Effect.Effect<Contents, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const changes: Array<Change> = []

  const all = <Row>(table: string, order: string) =>
    Effect.map(sql.unsafe<{ readonly row: Row }>(`select row from carillon.${table} order by ${order}`), (found) =>
      found.map((stored): Row => rowOf(stored.row)),
    )
  const put = Effect.fnUntraced(function* <Row extends Rows[RowKind]>(
    table: Table<Row>,
    order: string,
    change: (row: Row) => Change,
  ) {
    for (const row of yield* all<Row>(table.name, order)) changes.push(change(row))
  })

  yield* put(platforms, "platform_id", (row) => ({ put: "platform", row }))
  const organizations = yield* sql.unsafe<{
    readonly row: Organization
    readonly revision: number
    readonly balance: number
  }>("select row, revision, balance from carillon.organizations order by organization_id")
  for (const { row, revision, balance } of organizations) {
    const stored = rowOf(row)
    changes.push({ put: "organization", row: { ...stored, revision, wallet: { ...stored.wallet, balance } } })
  }
  yield* put(purges, "organization_id", (row) => ({ put: "purge", row }))
  yield* put(apiKeys, "sequence", (row) => ({ put: "api_key", row }))
  yield* put(phoneNumbers, "sequence", (row) => ({ put: "phone_number", row }))
  yield* put(providers, "sequence", (row) => ({ put: "provider", row }))
  yield* put(inboundAgents, "sequence", (row) => ({ put: "inbound_agent", row }))
  yield* put(agents, "sequence", (row) => ({ put: "agent", row }))
  yield* put(experiments, "sequence", (row) => ({ put: "experiment", row }))
  const subscriptions = yield* sql.unsafe<{
    readonly row: Subscription
    readonly failing_since: number | null
    readonly last_failure: Subscription["health"]["last_failure"]
  }>(
    "select row, failing_since::double precision as failing_since, last_failure from carillon.subscriptions order by sequence",
  )
  for (const { row, failing_since, last_failure } of subscriptions) {
    changes.push({ put: "subscription", row: { ...rowOf(row), health: { failing_since, last_failure } } })
  }
  yield* put(campaigns, listed, (row) => ({ put: "campaign", row }))
  yield* put(campaignEntries, "campaign_id, number", (row) => ({ put: "campaign_entry", row }))
  yield* put(batches, listed, (row) => ({ put: "batch", row }))
  const entries: Array<StoredEntry> = []
  const contacts = yield* sql.unsafe<{
    readonly batch_id: string
    readonly row: number
    readonly entry: ContactEntry
    readonly contact: Contact | null
  }>("select batch_id, row_number as row, entry, contact from carillon.contacts order by batch_id, row_number")
  for (const { batch_id, row, entry, contact } of contacts) {
    entries.push({ batch_id, row, entry: rowOf(entry) })
    if (contact !== null) changes.push({ put: "contact", row: rowOf(contact) })
  }
  yield* put(calleeHours, "organization_id", (row) => ({ put: "callee_hours", row }))
  yield* put(callees, "sequence", (row) => ({ put: "callee", row }))
  yield* put(calls, listed, (row) => ({ put: "call", row }))
  yield* put(callMedia, "execution_id", (row) => ({ put: "call_media", row }))
  yield* put(knowledgeBases, listed, (row) => ({ put: "knowledge_base", row }))
  yield* put(knowledgeUploads, listed, (row) => ({ put: "knowledge_upload", row }))
  yield* put(events, "event_id", (row) => ({ put: "event", row }))
  yield* put(deliveries, listed, (row) => ({ put: "delivery", row }))
  const tallies = yield* sql.unsafe<{ readonly subject: string; readonly figure: string; readonly value: number }>(
    "select subject, figure, sum(value) as value from carillon.tallies group by subject, figure",
  )
  for (const { subject, figure, value } of tallies) {
    const add: Tally = { [figure]: value }
    changes.push({ put: "tally", subject, add })
  }
  const audit = yield* sql.unsafe<{ readonly record: AuditRecord }>(
    "select record from carillon.audit_records order by organization_id, sequence",
  )
  const guards = yield* standingGuards(sql)
  const [last] = yield* sql.unsafe<{ readonly commits: number | null }>(
    "select max(sequence)::double precision as commits from carillon.commits",
  )
  return {
    changes,
    entries,
    audit: audit.map(({ record }) => rowOf(record)),
    guards: guards.map(({ id, set, version }) => ({ guard: { set, id }, version })),
    commits: last?.commits ?? 0,
  }
})

/** Empties the tables of `PostgresSlots` and `PostgresRates`: what they count begins anew, from the committed calls. */
export const clearCounters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("truncate carillon.slot_members, carillon.slot_waiters, carillon.slot_wants, carillon.rates")
})

/** Empties every table, as if nothing had ever been written. */
export const clearContents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.unsafe<{ readonly name: string }>(
    "select format('carillon.%I', tablename) as name from pg_tables where schemaname = 'carillon' and tablename not in ('migrations', 'installation')",
  )
  yield* sql.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`)
})
