export { codePoint } from "./CodePoint.ts"
export { chosenObject } from "./Chosen.ts"
export * as AccountStoreSuite from "./AccountStoreSuite.ts"
export * as AgentStoreSuite from "./AgentStoreSuite.ts"
export * as AuditStoreSuite from "./AuditStoreSuite.ts"
export * as BatchStoreSuite from "./BatchStoreSuite.ts"
export * as CalleeStoreSuite from "./CalleeStoreSuite.ts"
export * as CallStoreSuite from "./CallStoreSuite.ts"
export * as DeliveryStoreSuite from "./DeliveryStoreSuite.ts"
export * as CarrierSuite from "./CarrierSuite.ts"
export * as CarrierDay from "./CarrierDay.ts"
export * as CampaignStoreSuite from "./CampaignStoreSuite.ts"
export * as ContactStoreSuite from "./ContactStoreSuite.ts"
export * as ExperimentStoreSuite from "./ExperimentStoreSuite.ts"
export * as IdempotencyStoreSuite from "./IdempotencyStoreSuite.ts"
export * as KeyStoreSuite from "./KeyStoreSuite.ts"
export { LawShare } from "./Law.ts"
export * as LaneStoreSuite from "./LaneStoreSuite.ts"
export * as NumberStoreSuite from "./NumberStoreSuite.ts"
export * as ProviderStoreSuite from "./ProviderStoreSuite.ts"
export * as Interleavings from "./interleavings/Interleavings.ts"
export * as KnowledgeStoreSuite from "./KnowledgeStoreSuite.ts"
export * as RateDifferentialSuite from "./RateDifferentialSuite.ts"
export * as RateStoreSuite from "./RateStoreSuite.ts"
export * as RetrievalIndexSuite from "./RetrievalIndexSuite.ts"
export * as RowsSuite from "./RowsSuite.ts"
export * as SecretsSuite from "./SecretsSuite.ts"
export * as SlotDifferentialSuite from "./SlotDifferentialSuite.ts"
export * as SlotStoreSuite from "./SlotStoreSuite.ts"
export * as StoreDifferentialSuite from "./StoreDifferentialSuite.ts"
export * as StoreSuite from "./StoreSuite.ts"
export * as SubscriptionStoreSuite from "./SubscriptionStoreSuite.ts"
export * as TallyStoreSuite from "./TallyStoreSuite.ts"
export * as UsageStoreSuite from "./UsageStoreSuite.ts"
export { testSecrets } from "./world/Seals.ts"
export * as TestWorld from "./world/World.ts"
export * as UploadPlacesSuite from "./UploadPlacesSuite.ts"
export * as WakeupsSuite from "./WakeupsSuite.ts"
export {
  sampleAgent,
  sampleBatch,
  sampleBreaker,
  sampleCall,
  sampleCaller,
  sampleCampaign,
  sampleCampaignEntry,
  sampleEpoch,
  sampleExperiment,
  sampleInboundAgent,
  sampleKnowledgeBase,
  sampleKnowledgeUpload,
  sampleOrganization,
  samplePhoneNumber,
  sampleProvider,
  sampleSubscription,
  samplePlaceCall,
} from "./Samples.ts"
