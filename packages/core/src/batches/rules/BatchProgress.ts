import { figure, type Tally } from "../../tallies/rules/Tally.ts"
import type { Batch } from "./Batch.ts"
import { type BatchProgress, type BatchState, isFinishedBatch } from "./BatchStatus.ts"

/** A batch in which somebody is dialled, and others wait for their first dial. */
export const someDialled: BatchProgress = { waits: null, exhausted: false, settled: false }

/** As what a batch waits that has not begun to dial: it stays as it was made, or booked, until its first dial. */
const waitsAs = ({ scheduled_at, started_at }: Batch): BatchProgress["waits"] => {
  if (started_at !== null) return null
  return scheduled_at === null ? "created" : "scheduled"
}

/** How far a batch has come, from what is counted of it. */
export const progressOf = (batch: Batch, tally: Tally): BatchProgress => ({
  waits: waitsAs(batch),
  exhausted: figure(tally, "dialled") + figure(tally, "left_out") >= batch.total_contacts,
  settled:
    figure(tally, "contact:in_progress") === 0 &&
    figure(tally, "contact:retry_scheduled") === 0 &&
    figure(tally, "contact:follow_up_scheduled") === 0,
})

/** A batch in another state. */
export const moved = (batch: Batch, state: BatchState, now: number): Batch => ({
  ...batch,
  ...state,
  completed_at: isFinishedBatch(state.status) ? (batch.completed_at ?? now) : null,
  updated_at: now,
})
