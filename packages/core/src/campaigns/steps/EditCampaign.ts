import { Equal } from "effect"
import { cascadeToBatch } from "../../batches/rules/BatchStatus.ts"
import { refused } from "../../engine/rules/Outcome.ts"
import { all, orRefuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { callerIdsLeft } from "../../numbers/steps/CallerIds.ts"
import { editedWords } from "./CampaignLog.ts"
import { countsOf, numbersNamed, wholeBecause, wholeCampaign } from "./CampaignReads.ts"
import { referencesIn } from "./CampaignReferences.ts"
import { type CampaignBody, writeCampaign } from "../rules/CampaignSettings.ts"
import { decideCampaign } from "../rules/CampaignStatus.ts"
import type { OfCampaign } from "./MoveCampaign.ts"
import { progressIn, refusalOf, steered } from "./Steering.ts"

/** A caller changes settings of a campaign. One that has expired goes on where it has time left then. */
export const editCampaign = step({
  name: "campaign.update",
  whole: wholeBecause,
  *reads({ body, caller: { organization_id }, campaign_id }: OfCampaign & { readonly body: CampaignBody }) {
    const whole = yield* wholeCampaign(organization_id, campaign_id)
    const settings = yield* orRefuse(writeCampaign(whole.campaign, body))
    const mayGoOn = whole.campaign.status === "expired"
    const [named, counts, again] = yield* all(
      referencesIn(organization_id, settings, body),
      countsOf(mayGoOn ? whole.batches : []),
      callerIdsLeft(organization_id, mayGoOn ? numbersNamed(whole) : []),
    )
    return { whole, settings, named, counts, again }
  },
  decide({ body, caller }, { again, counts, named, settings, whole }, { now }) {
    const { campaign } = whole
    const decision = decideCampaign(campaign.status, {
      kind: "edit",
      changesAgent: settings.agent_id !== campaign.agent_id,
      endTimeMs: settings.end_time,
      nowMs: now,
    })
    if (!decision.ok) return refused(refusalOf(decision, "edit"))
    const goesOn = campaign.status === "expired" && decision.to === "active"
    const progress = progressIn(counts)
    const after = { ...campaign, ...settings, status: decision.to }
    const words = editedWords({ caller }, Object.keys(body), campaign.status, decision.to)
    return steered(whole, {
      now,
      after,
      words: Equal.equals(after, campaign) ? null : words,
      cascade: (batch) => (goesOn ? cascadeToBatch(batch, { kind: "reopen", progress: progress(batch) }) : batch),
      named: goesOn ? [...named, ...again] : named,
    })
  },
})
