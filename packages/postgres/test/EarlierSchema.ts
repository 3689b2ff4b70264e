import { Migrations } from "@carillon/postgres"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const operations = ["update", "insert", "delete"] as const

/** Takes back the step that cuts the chunks of documents into pieces, and those behind it: steps are taken in their order. */
const piecesTakenBack = [
  "alter table carillon.contacts drop column priority",
  "alter table carillon.idempotency drop column leased, drop column holding, drop column held_until, drop column subject",
  "drop index carillon.calls_watched, carillon.campaigns_watched",
  "alter table carillon.calls drop column watched_end, drop column watched_seconds",
  "alter table carillon.campaigns drop column watched",
  "drop table carillon.campaign_entries",
  "drop index carillon.contacts_number_queue",
  "create index contacts_heirs on carillon.contacts (lane_id, to_number, batch_id, in_hours_only, row_number) where waits_for_number",
  "drop index carillon.wakeups_in_turn",
  "alter table carillon.wakeups drop column organization_id",
  ...(["campaign", "batch"] as const).flatMap((kind) => [
    `drop trigger name_numbers on carillon.${kind === "batch" ? "batches" : "campaigns"}`,
    `drop function carillon.name_numbers_of_${kind}`,
  ]),
  "drop function carillon.numbers_of",
  "drop table carillon.caller_ids",
  "drop index carillon.subscriptions_agent",
  "drop trigger tell_listeners on carillon.subscriptions",
  "drop function carillon.tell_listeners",
  "alter table carillon.subscriptions drop column enabled, drop column event_types",
  "drop index carillon.batches_movable, carillon.batches_contacts",
  "create index batches_campaign on carillon.batches (campaign_id, created_at, sequence) where campaign_id is not null",
  "alter table carillon.batches drop column listed_contacts",
  ...(["insert", "delete"] as const).flatMap((operation) => [
    `drop trigger knowledge_pieces_at_${operation} on carillon.knowledge_documents`,
    `drop function carillon.knowledge_pieces_at_${operation}`,
  ]),
  "drop table carillon.knowledge_pieces",
  "delete from carillon.migrations where name in ('knowledge_pieces', 'listed_contacts', 'listeners', 'caller_ids', 'wakeup_turns', 'number_queue', 'campaign_log', 'breakers', 'held_keys', 'priorities')",
]

/** Takes back the steps that count usage by hours and calls by days, and those behind them. */
const takenBack = [
  ...piecesTakenBack,
  "drop table carillon.callee_hours",
  "alter table carillon.contacts drop column hours_of",
  "drop table carillon.usage_hours, carillon.call_days",
  ...operations.flatMap((operation) => [
    `drop trigger call_days_at_${operation} on carillon.calls`,
    `drop function carillon.count_days_at_${operation}`,
    `drop trigger if exists usage_hours_at_${operation} on carillon.usage`,
    `drop function if exists carillon.add_hours_at_${operation}`,
  ]),
  "delete from carillon.migrations where name in ('usage_hours', 'call_days', 'callee_hours', 'hours_queue')",
]

/** What a process writes that knows none of some steps, and then the steps. */
const before = <A, E, R>(statements: ReadonlyArray<string>, write: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of statements) yield* sql.unsafe(statement)
    yield* write
    yield* Migrations.migrate
  })

/** What a process of the release before counted days writes, and then the steps. */
export const beforeCountedDays = <A, E, R>(write: Effect.Effect<A, E, R>) => before(takenBack, write)

/** What a process of the release before the pieces of documents writes, and then the step. */
export const beforeKnowledgePieces = <A, E, R>(write: Effect.Effect<A, E, R>) => before(piecesTakenBack, write)
