import type { Call, InvalidField } from "@carillon/core"
import {
  type Commit,
  Conflict,
  type Contact,
  descriptions,
  laneTouched,
  type RemovableKind,
  type RowKind,
  rowKinds,
  type Rows,
  type TouchedLane,
} from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { writeTallies, writeUsage } from "../queries/AddFigures.ts"
import { atOnce, both } from "../AtOnce.ts"
import { appendAudit, chained } from "../queries/AppendAudit.ts"
import { enterKept, leaveKept } from "../queries/KeptEvents.ts"
import { removeContacts, writeContacts } from "../queries/PutContacts.ts"
import { type Lane, touchAllLanes, touchLanes } from "../queries/TouchLanes.ts"
import { writeWakeups } from "../queries/WriteWakeups.ts"
import type { Table } from "../rows/Table.ts"
import { tables } from "../rows/Tables.ts"
import { ChangesByKind } from "./Changes.ts"
import { stripeOf } from "./Stripes.ts"

interface Written {
  readonly id: string
  /** Whether the row before took of its lane, where only that matters to the lane. */
  readonly took?: boolean
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
  isAdded: (row: Row) => boolean,
) {
  const [first] = rows
  if (first === undefined) return []
  const taken = takenIs(kind, table.idOf(first))
  const added = rows.filter(isAdded)
  const replaced = rows.filter((row) => !isAdded(row))
  const statements: Array<Effect.Effect<ReadonlyArray<Written>, Refusal>> = []
  if (replaced.length > 0) {
    const records = yield* Effect.fromResult(table.records(replaced))
    statements.push(Effect.mapError(sql.unsafe<Written>(table.update, [records, replaced.length]), taken))
  }
  if (added.length > 0) {
    const records = yield* Effect.fromResult(table.records(added))
    statements.push(Effect.mapError(sql.unsafe<Written>(table.insert, [records]), taken))
  }
  const written = (yield* atOnce(statements)).flat()
  if (written.length < rows.length) {
    const ids = new Set(written.map(({ id }) => id))
    const missed = rows.find((row) => !ids.has(table.idOf(row))) ?? first
    return yield* new Conflict({ kind, id: table.idOf(missed) })
  }
  return written
})

/** What is written of rows by others than those that put them, once those of the kind are put. */
type Beside = (sql: SqlClient.SqlClient, changes: ChangesByKind) => Effect.Effect<unknown, Refusal>

const putContacts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ReadonlyArray<Contact>) {
  if (rows.length === 0) return
  const written = new Set(yield* writeContacts(sql, rows))
  const missed = rows.find(({ contact_id }) => !written.has(contact_id))
  if (missed !== undefined) return yield* new Conflict({ kind: "contact", id: missed.contact_id })
})

/** Of several that are at their revisions, which are given in the order of the ids. */
const removed = (name: string, id: string) =>
  `delete from carillon.${name} where ${id} = any($1::text[])
   and revision = ($2::integer[])[array_position($1::text[], ${id}::text)] returning ${id} as id`

/** Removes rows of a kind, each at the revision that was read. */
const removeKind = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, kind: RemovableKind, changes: ChangesByKind) {
  const removable: Readonly<Record<RemovableKind, { readonly name: string; readonly id: string }>> = tables
  const rows = changes.of("removal").filter((change) => change.kind === kind)
  if (rows.length === 0) return
  const { id, name } = removable[kind]
  const ids = rows.map((row) => row.id)
  const removing = sql.unsafe<{ readonly id: string }>(removed(name, id), [ids, rows.map(({ revision }) => revision)])
  const uploads = sql.unsafe("delete from carillon.knowledge_uploads where retrieval_id = any($1::text[])", [ids])
  const [gone] = yield* both(removing, kind === "knowledge_base" ? uploads : Effect.succeed([]))
  const missed = ids.find((each) => !gone.some((row) => row.id === each))
  if (missed !== undefined) return yield* new Conflict({ kind, id: missed })
})

/** Removes rows of some kinds. */
const remove =
  (kinds: ReadonlyArray<RemovableKind>): Beside =>
  (sql, changes) =>
    atOnce(kinds.map((kind) => removeKind(sql, kind, changes)))

/** What customers delete. Calls go with others of their kind. */
const deletable: ReadonlyArray<RemovableKind> = [
  "phone_number",
  "experiment",
  "provider",
  "inbound_agent",
  "knowledge_base",
  "knowledge_upload",
]

const eraseCalls: Beside = (sql, changes) =>
  atOnce(
    changes.of("erased_call").map(({ call: { execution_id, revision } }) => {
      const text = "delete from carillon.calls where execution_id = $1 and revision = $2 returning 1"
      return Effect.flatMap(sql.unsafe(text, [execution_id, revision]), (gone) =>
        gone.length === 0 ? Effect.fail(new Conflict({ kind: "call", id: execution_id })) : Effect.void,
      )
    }),
  )

/** Several commits that are written together lock what they share in one order. */
const inOrder = <A>(changes: ReadonlyArray<A>, idOf: (change: A) => string): ReadonlyArray<A> =>
  changes.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0))

const debit = (sql: SqlClient.SqlClient, changes: ChangesByKind) =>
  atOnce(
    inOrder(changes.of("debit"), ({ organization_id }) => organization_id).map(({ organization_id, amount }) =>
      sql.unsafe("update carillon.organizations set balance = balance - $2 where organization_id = $1", [
        organization_id,
        amount,
      ]),
    ),
  )

/** What hosts make of balances (`balanceAfter`, as a statement). */
const fund = (sql: SqlClient.SqlClient, changes: ChangesByKind) =>
  atOnce(
    changes
      .of("balance")
      .map(({ organization_id, from, to }) =>
        sql.unsafe(
          "update carillon.organizations set balance = $3::double precision - ($2::double precision - balance) where organization_id = $1",
          [organization_id, from, to],
        ),
      ),
  )

/** The health of endpoints after attempts (`healthAfter`, as a statement). */
const attempt = (sql: SqlClient.SqlClient, changes: ChangesByKind) =>
  atOnce(
    inOrder(changes.of("endpoint_attempt"), ({ subscription_id }) => subscription_id).map(
      ({ subscription_id, at, failure }) =>
        sql.unsafe(
          `update carillon.subscriptions set
            failing_since = case when $3::text is null then null else coalesce(failing_since, $2::bigint) end,
            last_failure = coalesce($3::text::json, last_failure)
          where subscription_id = $1`,
          [subscription_id, at, failure === null ? null : JSON.stringify(failure)],
        ),
    ),
  )

const discard: Beside = (sql, changes) =>
  atOnce(
    [...Map.groupBy(changes.of("discard"), (change) => change.kind)].map(([kind, discards]) => {
      const ids = inOrder(discards, ({ id }) => id).map(({ id }) => id)
      if (kind === "contact") return Effect.asVoid(removeContacts(sql, ids))
      const { id, name } = tables[kind]
      const removing = sql.unsafe(`delete from carillon.${name} where ${id} = any($1::text[])`, [ids])
      return Effect.asVoid(both(removing, kind === "event" ? leaveKept(sql, ids) : Effect.void))
    }),
  )

const besides: { readonly [K in RowKind]?: Beside } = {
  organization: (sql, changes) => atOnce([debit(sql, changes), fund(sql, changes), remove(deletable)(sql, changes)]),
  subscription: attempt,
  callee: remove(["callee"]),
  call: (sql, changes) => both(eraseCalls(sql, changes), remove(["call"])(sql, changes)),
  event: (sql, changes) => enterKept(sql, changes.rows("event")),
}

type Tabled = Exclude<RowKind, "contact">

/** Writes the rows of a kind, and says where they concern a lane. */
const putKind = Effect.fnUntraced(function* <K extends Tabled>(
  sql: SqlClient.SqlClient,
  kind: K,
  changes: ChangesByKind,
) {
  const table: Table<Rows[K]> = tables[kind]
  const rows = changes.rows(kind)
  const written = yield* put(sql, kind, table, rows, changes.isAdded)
  const took = new Map(written.map((row) => [row.id, row.took === true]))
  return rows.map((row) => laneTouched(descriptions[kind], row, took.get(table.idOf(row)) === true, true))
})

const putContactRows = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ReadonlyArray<Contact>) {
  yield* putContacts(sql, rows)
  return rows.map((row) => laneTouched(descriptions.contact, row, false, true))
})

const leftBy = (call: Call): TouchedLane | null => {
  const { takes } = descriptions.call
  return laneTouched(descriptions.call, call, takes?.(call) === true, false)
}

/** Tells whoever reads the news of lanes. */
const touch = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  touched: ReadonlyArray<TouchedLane | null>,
  stripe: number,
) {
  const lanes = new Map<string, Lane>()
  const everywhere: Array<string> = []
  for (const lane of touched) {
    if (lane === null) continue
    const { lane_id, organization_id } = lane
    if (lane_id === null) everywhere.push(organization_id)
    else lanes.set(lane_id, { organization_id, lane_id })
  }
  yield* atOnce([
    ...(lanes.size > 0 ? [touchLanes(sql, [...lanes.values()], stripe)] : []),
    ...everywhere.map((organizationId) => touchAllLanes(sql, organizationId)),
  ])
})

/** Writes the rows of all kinds, and what is written beside them; says what they concern. */
const putAll = (sql: SqlClient.SqlClient, changes: ChangesByKind) =>
  Effect.map(
    atOnce(
      rowKinds.map((kind) => {
        const putting: Effect.Effect<ReadonlyArray<TouchedLane | null>, Refusal | InvalidField> = kind === "contact"
          ? putContactRows(sql, changes.rows(kind))
          : putKind(sql, kind, changes)
        return both(putting, besides[kind]?.(sql, changes) ?? Effect.void)
      }),
    ),
    (put) => put.flatMap(([touched]) => touched),
  )

/**
 * Writes everything that commits say together, in the order in which rows are locked. What they rest on was looked at before; a row that is not at
 * its revision all the same is a conflict. It waits for what only the answers say: the lanes that are concerned, and the heads of the audit chains.
 */
export const apply = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, commits: ReadonlyArray<Commit>) {
  const changes = new ChangesByKind(commits.flatMap((commit) => commit.changes))
  const stripe = stripeOf(commits[0]?.id ?? "")
  const usage = changes.of("usage").map(({ delta }) => delta)
  const tallies = changes.of("tally")
  const wakeups = commits.flatMap((commit) => commit.wakeups)
  const [put] = yield* both(
    putAll(sql, changes),
    atOnce([
      discard(sql, changes),
      usage.length > 0 ? writeUsage(sql, usage, stripe) : Effect.void,
      tallies.length > 0 ? writeTallies(sql, tallies, stripe) : Effect.void,
      wakeups.length > 0 ? writeWakeups(sql, wakeups) : Effect.void,
    ]),
  )
  const touched = [...put, ...changes.of("erased_call").map(({ call }) => leftBy(call))]
  const audit = commits.flatMap((commit) => commit.audit)
  const [, appended] = yield* both(
    touch(sql, touched, stripe),
    audit.length > 0 ? chained(sql, audit) : Effect.succeed([]),
  )
  if (appended.length > 0) yield* appendAudit(sql, appended)
})
