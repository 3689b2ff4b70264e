import { completesCampaign } from "../../campaigns/rules/CampaignErrands.ts"
import { campaignOfBatch, type Counted, finishing } from "../../campaigns/steps/FinishingBatch.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { type Outcome, put, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, glance, sum } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { Errand } from "../../Errands.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { Tally } from "../../tallies/rules/Tally.ts"
import { tallyAfter } from "../../tallies/steps/TallyAfter.ts"
import type { Batch } from "../rules/Batch.ts"
import { moved, progressOf } from "../rules/BatchProgress.ts"
import { batchOf } from "./BatchReads.ts"
import {
  type BatchCommand,
  type BatchRefusal,
  type BatchStatus,
  decideBatch,
  isFinishedBatch,
} from "../rules/BatchStatus.ts"

const refusals: { readonly [reason in BatchRefusal]: (status: BatchStatus, verb: string) => string } = {
  finished: (status, verb) => `This batch has already finished (status=${status}) and cannot be ${verb}.`,
  already_started: (status) => `This batch has already started (status=${status}) and cannot be scheduled.`,
  paused: () => "This batch is paused. Resume it before it is scheduled.",
}

const verbs = { schedule: "scheduled", pause: "paused", resume: "resumed", stop: "stopped" } as const

/** A caller who names a batch. */
export interface OfBatch extends ByCaller {
  readonly batch_id: string
}

type Asked = BatchCommand["kind"]

const commandOf = (asked: Asked, batch: Batch, tally: Tally): BatchCommand =>
  asked === "resume" ? { kind: asked, progress: progressOf(batch, tally) } : { kind: asked }

/** Whether a batch finishes by what is asked of it. */
const finishes = (asked: Asked, batch: Batch, tally: Tally): boolean => {
  const decision = decideBatch(batch, commandOf(asked, batch, tally))
  return decision.ok && isFinishedBatch(decision.to.status)
}

/** A batch with how far it has come, and its campaign. */
interface View {
  readonly batch: Batch
  readonly tally: Tally
  readonly of: Counted | null
}

/** A batch of an organization, of which something is asked. */
function* batchAsked({ batch_id, caller }: OfBatch, asked: Asked) {
  const [batch, tally] = yield* all(
    batchOf(caller.organization_id, batch_id),
    glance(
      "level",
      "The dispatcher looks at a batch that was written, and settles it where nobody of it is left.",
      sum(batch_id, null),
    ),
  )
  return { batch, tally, of: yield* campaignOfBatch(batch, finishes(asked, batch, tally)) }
}

/** What is answered to who moves a batch. */
export interface MovedBatch {
  readonly batch: Batch
  readonly campaign: Campaign | null
  readonly tally: Tally
}

/**
 * The campaign of a batch that has finished is looked at once more: whoever is answered finds it completed, where another batch was stopped at the same
 * moment. The dispatcher looks, too.
 */
const lookedAt = ({ campaign_id, organization_id, status }: Batch): ReadonlyArray<Errand> =>
  campaign_id !== null && isFinishedBatch(status) ? [completesCampaign({ campaign_id, organization_id })] : []

/** What comes of a batch of which something is asked. */
const moving = (
  asked: Asked,
  { batch, of, tally }: View,
  now: number,
  anew: Pick<Batch, "scheduled_at"> = batch,
): Outcome<MovedBatch, StateConflict> => {
  const campaign = of?.campaign ?? null
  const decision = decideBatch(batch, commandOf(asked, batch, tally))
  if (!decision.ok) {
    return refused(new StateConflict({ message: refusals[decision.reason](decision.status, verbs[asked]) }))
  }
  const { scheduled_at } = anew
  const after = { ...moved(batch, decision.to, now), scheduled_at }
  const isSame = after.status === batch.status && after.paused_by === batch.paused_by
  if (isSame && asked !== "schedule") return unchanged({ batch, campaign, tally }, lookedAt(batch))
  const { changes, wakeups } = finishing(isFinishedBatch(after.status) ? of : null, now)
  const written = [put("batch", batch, after), ...changes]
  return write(written, {
    audit: [{ resource: { type: "batch", id: batch.batch_id } }],
    wakeups,
    errands: lookedAt(after),
    reply: { batch: after, campaign, tally: tallyAfter(tally, batch.batch_id, written, now) },
  })
}

/** A caller books a batch that has not begun to dial. */
export const scheduleBatch = step({
  name: "batch.schedule",
  reads: (input: OfBatch & Pick<Batch, "scheduled_at">) => batchAsked(input, "schedule"),
  decide: ({ scheduled_at }, view, { now }) => moving("schedule", view, now, { scheduled_at }),
})

/** A caller pauses a batch. */
export const pauseBatch = step({
  name: "batch.pause",
  reads: (input: OfBatch) => batchAsked(input, "pause"),
  decide: (_, view, { now }) => moving("pause", view, now),
})

/** A caller resumes a batch that was paused, by a request or with its campaign. */
export const resumeBatch = step({
  name: "batch.resume",
  reads: (input: OfBatch) => batchAsked(input, "resume"),
  decide: (_, view, { now }) => moving("resume", view, now),
})

/** A caller ends a batch. */
export const stopBatch = step({
  name: "batch.stop",
  reads: (input: OfBatch) => batchAsked(input, "stop"),
  decide: (_, view, { now }) => moving("stop", view, now),
})
