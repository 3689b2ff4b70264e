import type { CarrierReport } from "@carillon/core"
import type { Effect } from "effect"
import type { KnownLeg } from "./LegBook.ts"

/** Where the reports go: `carillon.report`. */
export type TakesReports = (report: CarrierReport) => Promise<unknown>

/** Runs work in the engine's process, with its logs and its clock, until the engine is closed. */
export type RunsWork = <A, E>(work: Effect.Effect<A, E>) => Promise<A>

/**
 * Where the carrier and its callbacks meet: the engine starts the one, its host mounts the other, and neither waits for the other one. One
 * adapter serves one engine.
 */
export class Desk {
  /** Null before the engine has started and after it has closed. */
  run: RunsWork | null = null
  /** The same for what nobody waits for. */
  start: ((work: Effect.Effect<void>) => void) | null = null
  /** What is known of a leg, here or in the rows; null: there is no such call. Failing: the rows could not be asked. */
  known: ((executionId: string) => Effect.Effect<KnownLeg | null, unknown>) | null = null
  /** Null before the callbacks are mounted. */
  report: TakesReports | null = null
}
