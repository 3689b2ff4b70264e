import type { Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { SlotDemand } from "../../Changes.ts"
import type { AdmissionRefused, Conflict } from "./Store.ts"

/** The commit of a step that waits for its line: it was decided, and nothing is written yet. */
export interface Drafted {
  readonly organization_id: string
  /** Writes it, provided that the committed calls leave room at every level, and that nothing has changed on which it rests. */
  readonly admit: (levels: ReadonlyArray<SlotDemand>) => Effect.Effect<void, Conflict | AdmissionRefused | PortError>
}
