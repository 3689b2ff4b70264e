import type { Call, PortError } from "@carillon/core"
import type { Effect } from "effect"

/** Runs work in the engine's process, with its logs and its clock, until the engine is closed. */
export type RunsWork = <A, E>(work: Effect.Effect<A, E>) => Promise<A>

/**
 * Where the carrier and its webhooks meet: the engine starts the one, its host mounts the other, and neither waits for the other one. One
 * adapter serves one engine.
 */
export class Desk {
  /** Null before the engine has started and after it has closed. */
  run: RunsWork | null = null
  /** The engine's row of a call; null as above. */
  row: ((executionId: string) => Effect.Effect<Call | null, PortError>) | null = null
}
