import { mendsCampaign } from "../../campaigns/rules/CampaignErrands.ts"
import { hasEnded } from "../../campaigns/rules/CampaignStatus.ts"
import { campaignOfBatch, finishing } from "../../campaigns/steps/FinishingBatch.ts"
import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, glance, row, sum } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import type { Tally } from "../../tallies/rules/Tally.ts"
import type { Batch } from "../rules/Batch.ts"
import { moved, progressOf } from "../rules/BatchProgress.ts"
import { batchAfter, type BatchState, isFinishedBatch } from "../rules/BatchStatus.ts"

const stateBy = (batch: Batch, tally: Tally): BatchState =>
  batchAfter(batch, { kind: "progress", progress: progressOf(batch, tally) })

/** Whether a batch finishes by how far it has come. */
export const finishes = (batch: Batch, tally: Tally): boolean =>
  !isFinishedBatch(batch.status) && isFinishedBatch(stateBy(batch, tally).status)

/** Moves a batch on by how far it has come, and then its campaign. One that has ended and its batch that has not are brought together again. */
export const settleBatch = step({
  name: "batch.settle",
  *reads({ batch_id }: ByRow & { readonly batch_id: string }) {
    const [batch, tally] = yield* all(
      row("batch", batch_id),
      glance(
        "grows",
        "Once nothing is left of a batch nothing comes back; who takes a first dial back writes the batch.",
        sum(batch_id, null),
      ),
    )
    return batch === null ? null : { batch, tally, of: yield* campaignOfBatch(batch, finishes(batch, tally)) }
  },
  decide(_, view, { now }): Outcome<void> {
    if (view === null) return unchanged(undefined)
    const { batch, of, tally } = view
    const state = stateBy(batch, tally)
    const isOver = of !== null && hasEnded(of.campaign) && !isFinishedBatch(state.status)
    const errands = isOver ? [mendsCampaign(of.campaign)] : []
    if (state.status === batch.status) return unchanged(undefined, errands)
    const after = moved(batch, state, now)
    const { changes, wakeups } = finishing(isFinishedBatch(after.status) ? of : null, now)
    return write([put("batch", batch, after), ...changes], { by: batch, wakeups, errands, reply: undefined })
  },
})
