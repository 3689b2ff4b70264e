import { cascadeToBatch } from "../../batches/rules/BatchStatus.ts"
import { refused } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { callerIdsLeft } from "../../numbers/steps/CallerIds.ts"
import { keptWords, movedWords } from "./CampaignLog.ts"
import { countsOf, numbersNamed, wholeBecause, wholeCampaign } from "./CampaignReads.ts"
import { decideCampaign } from "../rules/CampaignStatus.ts"
import { unfinishedOf } from "../rules/CampaignWork.ts"
import { progressIn, refusalOf, stays, steered } from "./Steering.ts"

/** A caller who names a campaign. */
export interface OfCampaign extends ByCaller {
  readonly campaign_id: string
}

const read = ({ caller, campaign_id }: OfCampaign) => wholeCampaign(caller.organization_id, campaign_id)

/** A caller pauses a campaign, its batches with it. */
export const pauseCampaign = step({
  name: "campaign.pause",
  whole: wholeBecause,
  reads: (input: OfCampaign) => read(input),
  decide({ caller }, whole, { now }) {
    const { campaign } = whole
    const decision = decideCampaign(campaign.status, { kind: "pause" })
    if (!decision.ok) return refused(refusalOf(decision, "pause"))
    const cascade = { kind: "pause" } as const
    const { breaker } = campaign
    const isTakenOver = breaker !== undefined && breaker.trip !== null
    return steered(whole, {
      now,
      // What its breaker has paused does not go on by itself any more.
      after: { ...campaign, status: decision.to, ...(isTakenOver ? { breaker: { ...breaker, trip: null } } : {}) },
      words: isTakenOver ? keptWords({ caller }) : movedWords({ caller }, "paused", campaign.status, decision.to),
      cascade: (batch) => cascadeToBatch(batch, cascade),
    })
  },
})

/** A caller resumes a campaign, and with it what was paused with it. */
export const resumeCampaign = step({
  name: "campaign.resume",
  whole: wholeBecause,
  *reads(input: OfCampaign) {
    const whole = yield* read(input)
    return { whole, counts: yield* countsOf(whole.batches) }
  },
  decide({ caller }, { counts, whole }, { now }) {
    const { campaign } = whole
    const decision = decideCampaign(campaign.status, { kind: "resume" })
    if (!decision.ok) return refused(refusalOf(decision, "resume"))
    if (decision.to === campaign.status) return stays(whole)
    const progress = progressIn(counts)
    return steered(whole, {
      now,
      after: { ...campaign, status: decision.to },
      words: movedWords({ caller }, "resumed", campaign.status, decision.to),
      cascade: (batch) => cascadeToBatch(batch, { kind: "resume", progress: progress(batch) }),
    })
  },
})

/** A caller ends a campaign, its batches with it. */
export const cancelCampaign = step({
  name: "campaign.cancel",
  whole: wholeBecause,
  reads: (input: OfCampaign) => read(input),
  decide({ caller }, whole, { now }) {
    const { campaign } = whole
    const decision = decideCampaign(campaign.status, { kind: "cancel" })
    if (!decision.ok) return refused(refusalOf(decision, "cancel"))
    const cascade = { kind: "cancel" } as const
    return steered(whole, {
      now,
      after: { ...campaign, status: decision.to },
      words: movedWords({ caller }, "stopped", campaign.status, decision.to),
      cascade: (batch) => cascadeToBatch(batch, cascade),
    })
  },
})

/** A caller brings a campaign back that has ended, and with it what ended with it. */
export const reviveCampaign = step({
  name: "campaign.revive",
  whole: wholeBecause,
  *reads(input: OfCampaign) {
    const whole = yield* read(input)
    const { organization_id } = input.caller
    const [counts, named] = yield* all(countsOf(whole.batches), callerIdsLeft(organization_id, numbersNamed(whole)))
    return { whole, counts, named }
  },
  decide({ caller }, { counts, named, whole }, { now }) {
    const { campaign } = whole
    const decision = decideCampaign(campaign.status, { kind: "revive" })
    if (!decision.ok) return refused(refusalOf(decision, "revive"))
    const progress = progressIn(counts)
    return steered(whole, {
      now,
      after: { ...campaign, status: decision.to },
      words: movedWords({ caller }, "revived", campaign.status, decision.to),
      cascade: (batch) => cascadeToBatch(batch, { kind: "reopen", progress: progress(batch) }),
      isRevived: true,
      named,
    })
  },
})

/** A caller archives a campaign that has nothing unfinished; one that is archived already stays as it is. */
export const deleteCampaign = step({
  name: "campaign.delete",
  whole: wholeBecause,
  reads: (input: OfCampaign) => read(input),
  decide({ caller }, whole, { now }) {
    const { campaign, tally } = whole
    const decision = decideCampaign(campaign.status, { kind: "delete", unfinishedBatches: unfinishedOf(tally) })
    if (!decision.ok) return refused(refusalOf(decision, "delete"))
    if (decision.to === campaign.status) return stays(whole)
    return steered(whole, {
      now,
      after: { ...campaign, status: decision.to },
      words: movedWords({ caller }, "archived", campaign.status, decision.to),
      cascade: (batch) => batch,
    })
  },
})
