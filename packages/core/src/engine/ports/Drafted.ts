import type { Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { SlotDemand } from "../../Changes.ts"
import type { AdmissionRefused, Conflict } from "./Store.ts"

/**
 * Writes a commit, and answers what is to be done then, for whoever has it written to run when they want: the errands of the step, and what it asks.
 * That replies what the step replies.
 */
export type Admission<Reply, Refusal> = Effect.Effect<
  Effect.Effect<Reply, Refusal | PortError>,
  Conflict | AdmissionRefused | PortError
>

/** The commit of a step that waits for its line: it was decided, and nothing is written yet. */
export interface Drafted<Reply = void, Refusal = never> {
  readonly organization_id: string
  /** Writes it, provided that the committed calls leave room at every level, and that nothing has changed on which it rests. */
  readonly admit: (levels: ReadonlyArray<SlotDemand>) => Admission<Reply, Refusal>
}
