import { figure, type Tally } from "../tallies/Tally.ts"
import type { Batch } from "./Batch.ts"
import { type BatchProgress, type BatchState, isFinishedBatch } from "./BatchStatus.ts"

/** How far a batch has come, from what is counted of it. */
export const progressOf = (batch: Batch, tally: Tally, now: number): BatchProgress => ({
  due: batch.scheduled_at === null || batch.scheduled_at <= now,
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
