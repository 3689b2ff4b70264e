import { Data, Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { breakers } from "./migrations/Breakers.ts"
import { callCounts } from "./migrations/CallCounts.ts"
import { callDays } from "./migrations/CallDays.ts"
import { calleeHours } from "./migrations/CalleeHours.ts"
import { callerIds } from "./migrations/CallerIds.ts"
import { callees } from "./migrations/Callees.ts"
import { campaignLog } from "./migrations/CampaignLog.ts"
import { claims } from "./migrations/Claims.ts"
import { guards } from "./migrations/Guards.ts"
import { heldKeys } from "./migrations/HeldKeys.ts"
import { heirs } from "./migrations/Heirs.ts"
import { hoursQueue } from "./migrations/HoursQueue.ts"
import { installation } from "./migrations/Installation.ts"
import { keptEvents } from "./migrations/KeptEvents.ts"
import { knowledgePieces } from "./migrations/KnowledgePieces.ts"
import { leftOut } from "./migrations/LeftOut.ts"
import { listedContacts } from "./migrations/ListedContacts.ts"
import { listeners } from "./migrations/Listeners.ts"
import { numberHolders } from "./migrations/NumberHolders.ts"
import { numberOrder } from "./migrations/NumberOrder.ts"
import { numberQueue } from "./migrations/NumberQueue.ts"
import { priorities } from "./migrations/Priorities.ts"
import { purges } from "./migrations/Purges.ts"
import { rows } from "./migrations/Rows.ts"
import { slotSteps } from "./migrations/SlotSteps.ts"
import { usageHours } from "./migrations/UsageHours.ts"
import { wakeupTurns } from "./migrations/WakeupTurns.ts"
import { isReadOnly, ReadOnlyDatabase } from "./ReadOnly.ts"

/** The schema has gone on so far that this code may not share it any more. */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{
  /** The last step that this code knows. */
  readonly known: number
  /** The step that it would have to know. */
  readonly needed: number
}> {
  override get message(): string {
    return `The schema "carillon" needs code that knows it up to step ${this.needed}; this code knows it up to step ${this.known}. Run a later release.`
  }
}

/**
 * A step may take as long as its tables are large. It does not wait long for a table, though: whoever comes later waits behind it.
 */
const patience = ["set local statement_timeout = 0", "set local lock_timeout = '4s'"]

/** Runs the statements of a text one after the other; a prepared statement takes one at a time. */
const statements = (text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const setting of patience) yield* sql.unsafe(setting)
    for (const statement of text.split(";\n")) {
      if (statement.trim() !== "") yield* sql.unsafe(statement)
    }
  })

/**
 * Changes of the schema by number, each applied once and never edited afterwards. The numbers have no gaps: one that is added behind a higher one is never
 * taken where that was. A step keeps what the release before it reads and
 * writes, so that old and new processes may share a database while they are exchanged. One that takes away what older code needs comes a
 * release after that code, and says in its name which step code must know to go on: `0009_drop_stripes_needs_7`.
 */
const numbered = {
  "0001_rows": statements(rows),
  "0002_installation": statements(installation),
  "0003_slot_steps": statements(slotSteps),
  "0004_claims": statements(claims),
  "0005_guards": statements(guards),
  "0006_number_holders": statements(numberHolders),
  "0007_heirs": statements(heirs),
  "0008_number_order": statements(numberOrder),
  "0009_kept_events": statements(keptEvents),
  "0010_left_out": statements(leftOut),
  "0011_call_counts": statements(callCounts),
  "0012_purges": statements(purges),
  "0013_callees": statements(callees),
  "0014_usage_hours": statements(usageHours),
  "0015_call_days": statements(callDays),
  "0016_callee_hours": statements(calleeHours),
  "0017_hours_queue": statements(hoursQueue),
  // It takes the longest of these, and all that are missing are one transaction: what the others lock is not held while it lasts.
  "0018_knowledge_pieces": statements(knowledgePieces),
  "0019_listed_contacts": statements(listedContacts),
  "0020_listeners": statements(listeners),
  "0021_caller_ids": statements(callerIds),
  "0022_wakeup_turns": statements(wakeupTurns),
  "0023_number_queue": statements(numberQueue),
  "0024_campaign_log": statements(campaignLog),
  "0025_breakers": statements(breakers),
  "0026_held_keys": statements(heldKeys),
  "0027_priorities": statements(priorities),
}

const stepOf = (name: string): number => Number.parseInt(name, 10)

/** The last step that this code knows. */
const known = Math.max(...Object.keys(numbered).map(stepOf))

const schemaAttempts = 5

/** Two processes that start at once may both find the schema missing; the second attempt finds it. */
const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create schema if not exists carillon`
}).pipe(Effect.retry({ times: schemaAttempts }))

/** The first step that this code knows and nobody has taken; null where there is none. Nothing is written. */
const missing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql.unsafe<{ readonly there: boolean }>(
    "select to_regclass('carillon.migrations') is not null as there",
  )
  if (table?.there !== true) return Object.keys(numbered)[0] ?? null
  const taken = yield* sql<{ readonly step: number }>`select migration_id as step from carillon.migrations`
  const steps = new Set(taken.map(({ step }) => step))
  return Object.keys(numbered).find((name) => !steps.has(stepOf(name))) ?? null
})

/** Refuses code that is older than what later steps need. */
const fitting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const later = yield* sql<{
    readonly name: string
  }>`select name from carillon.migrations where migration_id > ${known}`
  const needed = Math.max(0, ...later.map(({ name }) => Number(/_needs_(\d+)$/.exec(name)?.[1] ?? 0)))
  if (needed > known) return yield* new SchemaTooNew({ known, needed })
})

/**
 * Brings the schema `carillon` up to date and returns the steps that were taken. Any number of processes may do so at once; one that
 * is older than the schema leaves it as it is, and is refused where it is too old for it.
 */
export const migrate = Effect.tap(
  Effect.andThen(schema, Migrator.make({})({ loader: Migrator.fromRecord(numbered), table: "carillon.migrations" })),
  () => fitting,
)

/** That the schema is up to date: it is brought so, or was, where nothing can be written. */
export const upToDate = Effect.gen(function* () {
  if (!(yield* isReadOnly)) return yield* Effect.asVoid(migrate)
  const step = yield* missing
  if (step !== null)
    return yield* new ReadOnlyDatabase({ reason: `the step ${step} of its schema has not been taken.` })
  yield* fitting
})

/** The same as a layer: what is built on it finds its tables. */
export const layer = Layer.effectDiscard(upToDate)
