import type { Case } from "../run/Case.ts"
import { keptUploadCases } from "./idempotency/Uploads.ts"
import { forgottenCases } from "./knowledge/Forgotten.ts"
import { sustainedCases } from "./rate/Sustained.ts"
import { draftCases } from "./agents/Drafts.ts"
import { listedBatchCases } from "./batches/Listed.ts"
import { boundKeyCases } from "./keys/Bound.ts"
import { changedNumberCases } from "./numbers/Changed.ts"
import { ownerCases } from "./webhooks/Owners.ts"
import { batchRouteCases } from "./batches/Routes.ts"
import { experimentRouteCases } from "./experiments/Routes.ts"
import { namedCases } from "./routing/Named.ts"
import { testFieldCases } from "./webhooks/TestFields.ts"
import { payloadFieldCases } from "./webhooks/Payload.ts"
import { lastingCases } from "./webhooks/Lasting.ts"
import { reachedCases } from "./campaigns/Reached.ts"
import { makingCases } from "./agents/Making.ts"
import { uploadLimitCases } from "./knowledge/Lengths.ts"
import { configurationCases } from "./agents/Configuration.ts"
import { createCases } from "./agents/Create.ts"
import { fieldCases } from "./agents/Fields.ts"
import { agentListCases } from "./agents/List.ts"
import { readCases } from "./agents/Read.ts"
import { statusCases } from "./agents/Status.ts"
import { storedCases } from "./agents/Stored.ts"
import { togetherCases } from "./agents/Together.ts"
import { updateCases } from "./agents/Update.ts"
import { auditCases } from "./audit/Trail.ts"
import { batchCases } from "./batches/Batches.ts"
import { campaignCreateCases } from "./campaigns/Create.ts"
import { csvCases } from "./campaigns/Csv.ts"
import { campaignDispatchCases } from "./campaigns/Dispatch.ts"
import { campaignFairnessCases } from "./campaigns/Fairness.ts"
import { typeCases } from "./webhooks/Types.ts"
import { givenCases } from "./campaigns/Given.ts"
import { toldCases } from "./calls/lifecycle/Told.ts"
import { keptApartCases } from "./organization/Kept.ts"
import { figureCases } from "./campaigns/Figures.ts"
import { campaignHourCases } from "./campaigns/Hours.ts"
import { campaignMoveCases } from "./campaigns/Moves.ts"
import { shareCases } from "./campaigns/Shares.ts"
import { renewedCases } from "./campaigns/Renewed.ts"
import { headerCases } from "./authentication/Header.ts"
import { keyStoreCases } from "./authentication/KeyStore.ts"
import { orderCases } from "./authentication/Order.ts"
import { daylightCases } from "./calls/create/Daylight.ts"
import { guardCases } from "./calls/create/Guard.ts"
import { immediateCases } from "./calls/create/Immediate.ts"
import { recipientCases } from "./calls/create/Recipient.ts"
import { scheduledCases } from "./calls/create/Scheduled.ts"
import { upstreamCases } from "./calls/create/Upstream.ts"
import { validationCases } from "./calls/create/Validation.ts"
import { walletCases } from "./calls/create/Wallet.ts"
import { foldedCases } from "./calls/lifecycle/Folded.ts"
import { lateCases } from "./calls/lifecycle/Late.ts"
import { rescheduledCases } from "./calls/lifecycle/Rescheduled.ts"
import { recordingCases } from "./calls/records/Recording.ts"
import { timingCases } from "./calls/records/Timing.ts"
import { analysisCases } from "./calls/records/Analysis.ts"
import { transcriptCases } from "./calls/records/Transcript.ts"
import { experimentCases } from "./experiments/Experiments.ts"
import { faultCases } from "./faults/Away.ts"
import { idempotencyCases } from "./idempotency/Idempotency.ts"
import { numberCases } from "./numbers/Numbers.ts"
import { usageCases } from "./usage/Usage.ts"
import { dueCases } from "./calls/lifecycle/Due.ts"
import { outcomeCases } from "./calls/lifecycle/Outcomes.ts"
import { phaseCases } from "./calls/lifecycle/Phases.ts"
import { silenceCases } from "./calls/lifecycle/Silence.ts"
import { callListCases } from "./calls/read/List.ts"
import { ofAgentCases } from "./calls/read/OfAgent.ts"
import { oneCases } from "./calls/read/One.ts"
import { stopLiveCases } from "./calls/stop/Live.ts"
import { stopScheduledCases } from "./calls/stop/Scheduled.ts"
import { gateCases } from "./concurrency/Gate.ts"
import { levelCases } from "./concurrency/Levels.ts"
import { agentModelCases } from "./model/Agents.ts"
import { callModelCases } from "./model/Calls.ts"
import { campaignModelCases } from "./model/Campaigns.ts"
import { alikeCases } from "./calls/read/Alike.ts"
import { optionCases } from "./campaigns/Options.ts"
import { resultCases } from "./webhooks/Results.ts"
import { ceilingOfRouteCases } from "./routing/Ceilings.ts"
import { keptCases } from "./idempotency/Routes.ts"
import { keptExperimentCases } from "./experiments/Kept.ts"
import { rateModelCases } from "./model/Rate.ts"
import { bodyCases } from "./decoding/Body.ts"
import { queryCases } from "./decoding/Query.ts"
import { scopeCases } from "./identity/Scopes.ts"
import { userMeCases } from "./identity/UserMe.ts"
import { enforcementCases } from "./keys/Enforcement.ts"
import { listCases } from "./keys/List.ts"
import { matrixCases } from "./keys/Matrix.ts"
import { mintCases } from "./keys/Mint.ts"
import { revokeCases } from "./keys/Revoke.ts"
import { knowledgeDeleteCases } from "./knowledge/Delete.ts"
import { refusedUploadCases } from "./knowledge/Refused.ts"
import { uploadCases } from "./knowledge/Upload.ts"
import { bindingCases } from "./organization/Binding.ts"
import { ceilingCases } from "./rate/Ceiling.ts"
import { sharingCases } from "./rate/Sharing.ts"
import { slidingCases } from "./rate/Sliding.ts"
import { bucketCases } from "./routing/Buckets.ts"
import { everywhereCases } from "./routing/Everywhere.ts"
import { pageCases } from "./routing/Pages.ts"
import { responseCases } from "./routing/Response.ts"
import { unknownCases } from "./routing/Unknown.ts"
import { deliveredCases } from "./webhooks/Delivered.ts"
import { originCases } from "./webhooks/Origins.ts"
import { subscriptionCases } from "./webhooks/Subscriptions.ts"
import { testedCases } from "./webhooks/Tested.ts"
import { callCapCases } from "./extensions/call-caps/Caps.ts"
import { campaignBreakerCases } from "./extensions/campaign-breaker/Breakers.ts"
import { campaignOrderCases } from "./extensions/campaign-order/Orders.ts"
import { campaignLogCases } from "./extensions/campaign-log/Log.ts"
import { hoursCallCases } from "./extensions/callee-hours/Calls.ts"
import { keptHoursCases } from "./extensions/callee-hours/Kept.ts"
import { extensionScopeCases } from "./extensions/Scopes.ts"
import { suppressedCallCases } from "./extensions/suppressions/Calls.ts"
import { suppressionFileCases } from "./extensions/suppressions/Files.ts"
import { keptSuppressionCases } from "./extensions/suppressions/Kept.ts"
import { suppressionRuleCases } from "./extensions/suppressions/Rules.ts"

/** Every case of the contract, in the order in which they run. */
export const cases: ReadonlyArray<Case> = [
  ...headerCases,
  ...orderCases,
  ...keyStoreCases,
  ...bindingCases,
  ...unknownCases,
  ...bucketCases,
  ...responseCases,
  ...everywhereCases,
  ...pageCases,
  ...ceilingOfRouteCases,
  ...bodyCases,
  ...queryCases,
  ...userMeCases,
  ...scopeCases,
  ...listCases,
  ...mintCases,
  ...revokeCases,
  ...enforcementCases,
  ...matrixCases,
  ...ceilingCases,
  ...slidingCases,
  ...sharingCases,
  ...createCases,
  ...fieldCases,
  ...storedCases,
  ...readCases,
  ...agentListCases,
  ...updateCases,
  ...togetherCases,
  ...configurationCases,
  ...statusCases,
  ...validationCases,
  ...scheduledCases,
  ...guardCases,
  ...daylightCases,
  ...immediateCases,
  ...recipientCases,
  ...draftCases,
  ...keptUploadCases,
  ...forgottenCases,
  ...sustainedCases,
  ...listedBatchCases,
  ...boundKeyCases,
  ...changedNumberCases,
  ...ownerCases,
  ...walletCases,
  ...upstreamCases,
  ...outcomeCases,
  ...phaseCases,
  ...silenceCases,
  ...dueCases,
  ...rescheduledCases,
  ...lateCases,
  ...foldedCases,
  ...oneCases,
  ...alikeCases,
  ...callListCases,
  ...ofAgentCases,
  ...transcriptCases,
  ...analysisCases,
  ...recordingCases,
  ...timingCases,
  ...stopScheduledCases,
  ...stopLiveCases,
  ...gateCases,
  ...levelCases,
  ...experimentCases,
  ...keptExperimentCases,
  ...numberCases,
  ...usageCases,
  ...idempotencyCases,
  ...keptCases,
  ...uploadCases,
  ...refusedUploadCases,
  ...knowledgeDeleteCases,
  ...faultCases,
  ...campaignCreateCases,
  ...csvCases,
  ...campaignMoveCases,
  ...optionCases,
  ...campaignDispatchCases,
  ...figureCases,
  ...givenCases,
  ...toldCases,
  ...keptApartCases,
  ...shareCases,
  ...campaignFairnessCases,
  ...renewedCases,
  ...batchCases,
  ...agentModelCases,
  ...rateModelCases,
  ...callModelCases,
  ...campaignModelCases,
  ...subscriptionCases,
  ...testedCases,
  ...resultCases,
  ...deliveredCases,
  ...typeCases,
  ...originCases,
  ...auditCases,
  ...batchRouteCases,
  ...experimentRouteCases,
  ...namedCases,
  ...testFieldCases,
  ...payloadFieldCases,
  ...lastingCases,
  ...reachedCases,
  ...makingCases,
  ...uploadLimitCases,
  // Last, because its days are many.
  ...campaignHourCases,
]

/** Every case of the extensions, which only a run asks that says so. */
export const extensionCases: ReadonlyArray<Case> = [
  ...keptSuppressionCases,
  ...suppressionFileCases,
  ...suppressedCallCases,
  ...suppressionRuleCases,
  ...keptHoursCases,
  ...hoursCallCases,
  ...callCapCases,
  ...campaignLogCases,
  ...campaignBreakerCases,
  ...campaignOrderCases,
  ...extensionScopeCases,
]
