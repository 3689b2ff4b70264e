/** For whoever embeds the engine in a server. What adapters need is in `/ports`, the words and rules of the domain in `/domain`. */

// The engine, as its host opens and drives it.
export { Engine } from "./Engine.ts"
export type { Pulse } from "./operating/rules/Pulse.ts"

// Its services.
export { Agents } from "./agents/Agents.ts"
export { Audit } from "./audit/Audit.ts"
export { AuditTrail } from "./audit/AuditTrail.ts"
export { Batches } from "./batches/Batches.ts"
export { CallCapsSettings } from "./callees/CallCapsSettings.ts"
export { HoursSettings } from "./callees/HoursSettings.ts"
export { Suppressions } from "./callees/Suppressions.ts"
export { Calls } from "./calls/Calls.ts"
export { Breakers } from "./campaigns/Breakers.ts"
export { CallOrders } from "./campaigns/CallOrders.ts"
export { Campaigns } from "./campaigns/Campaigns.ts"
export { Explainer } from "./dispatch/Explainer.ts"
export { Erasure } from "./erasure/Erasure.ts"
export { Experiments } from "./experiments/Experiments.ts"
export { Idempotency } from "./idempotency/Idempotency.ts"
export { InboundAgents } from "./inbound/InboundAgents.ts"
export { Keys } from "./keys/Keys.ts"
export { Knowledge } from "./knowledge/Knowledge.ts"
export { Gate } from "./limits/Gate.ts"
export { PlatformLines } from "./limits/PlatformLines.ts"
export { RateLimiter } from "./limits/RateLimiter.ts"
export { Reconciler } from "./limits/Reconciler.ts"
export { Numbers } from "./numbers/Numbers.ts"
export { Organizations } from "./organizations/Organizations.ts"
export { Portable } from "./portable/Portable.ts"
export { Providers } from "./providers/Providers.ts"
export { Retention } from "./retention/Retention.ts"
export { Resealing } from "./secrets/Resealing.ts"
export { Dialling } from "./telephony/Dialling.ts"
export { Usage } from "./usage/UsageReport.ts"
export { Verification } from "./verification/Verification.ts"
export { Deliveries } from "./webhooks/Deliveries.ts"
export { KeepEvents, KeptEvents } from "./webhooks/KeptEvents.ts"
export { Subscriptions } from "./webhooks/Subscriptions.ts"
export { WebhookExplainer } from "./webhooks/WebhookExplainer.ts"
export { WebhookTests } from "./webhooks/WebhookTests.ts"

// What a host sets.
export { callLimitBounds, type CallLimits, callLimits, WrongLimit } from "./CallLimits.ts"
export { CurrentCallLimits } from "./calls/ports/CurrentCallLimits.ts"
export { limits } from "./Limits.ts"
export type { PlanTable } from "./limits/rules/Buckets.ts"
export { Plans } from "./limits/RateLimiter.ts"
export { metersLayer, type MetricRegistry } from "./metrics/ports/Meters.ts"
export { AllowedDestinations } from "./webhooks/ports/AllowedDestinations.ts"

// What a host brings: its carriers.
export type { InboundCall } from "./calls/rules/InboundCall.ts"
export type { BreakerPolicy } from "./telephony/carriers/rules/Breaker.ts"
export { Carriers, type RoutedCarrier, type Routes } from "./telephony/carriers/Carriers.ts"
export type { CarrierPace, PoolPace } from "./telephony/carriers/rules/Turns.ts"
export { type PromiseCarrier, promiseCarrier } from "./telephony/PromiseCarrier.ts"
export { Telephony } from "./telephony/ports/Telephony.ts"
export type {
  Asked,
  CarrierReport,
  LegAnalysis,
  LegEnd,
  LegFacts,
  LegState,
  ReportReceipt,
} from "./telephony/rules/Leg.ts"
export type { DialCommand, DialOutcome } from "./telephony/rules/Dial.ts"

// What else a host may bring: money, numbers, secrets, files, other scripts.
export type { FileType } from "./knowledge/rules/FileType.ts"
export { TextExtractor, UnreadableFile } from "./knowledge/ports/TextExtractor.ts"
export type { SourceFile } from "./knowledge/rules/SourceFile.ts"
export { type NumberClaim, type NumberOwner, NumberOwnership } from "./numbers/ports/NumberOwnership.ts"
export { Funds } from "./organizations/ports/Funds.ts"
export { plainSecrets, Secrets, type SecretsShape } from "./secrets/ports/Secrets.ts"
export type { SecretPlace } from "./secrets/rules/SecretPlace.ts"
export {
  type TransliterationLanguages,
  type TransliterationRequest,
  Transliterator,
} from "./transliteration/ports/Transliterator.ts"

// How it fails.
export {
  type Dependency,
  DependencyTimeout,
  DependencyUnavailable,
  type EngineError,
  Forbidden,
  InsufficientCredits,
  InvalidField,
  KeyInactive,
  LimitExceeded,
  Malformed,
  MissingField,
  NotFound,
  type PortError,
  StateConflict,
  TooLarge,
  UnsupportedFile,
} from "./Errors.ts"
export { CursorLost } from "./webhooks/KeptEvents.ts"

// What services are given by a host, and what they answer it.
export type { Agent } from "./agents/rules/Agent.ts"
export type { AuditRecord } from "./audit/rules/AuditChain.ts"
export type { Call } from "./calls/rules/Call.ts"
export type { PlaceReply, StopReply } from "./calls/rules/CallReplies.ts"
export type { CallStatus } from "./calls/rules/CallStatus.ts"
export type { CallExplanation } from "./calls/rules/CallWaiting.ts"
export type { HeldLines } from "./calls/HeldLines.ts"
export type { PlaceCall } from "./calls/rules/PlaceCall.ts"
export type { CampaignExplanation } from "./campaigns/rules/CampaignRecords.ts"
export type { KeptElsewhere } from "./erasure/steps/EraseCall.ts"
export type { ErasureReport } from "./erasure/Erasure.ts"
export type { Json, JsonObject } from "./Json.ts"
export type { ApiKey } from "./keys/rules/ApiKey.ts"
export type { Caller, WhenGone } from "./keys/rules/Caller.ts"
export type { MintKey } from "./keys/steps/MintKey.ts"
export type { SilentLines } from "./limits/Comparison.ts"
export type { PlatformStanding } from "./limits/PlatformLines.ts"
export type { NumberDetails } from "./numbers/steps/ChangeNumber.ts"
export type { OrganizationChanges } from "./organizations/steps/ChangeOrganization.ts"
export type { NewOrganization } from "./organizations/rules/NewOrganization.ts"
export type { DiallingHold, Organization, Wallet } from "./organizations/rules/Organization.ts"
export type {
  GivenKey,
  OpenedOrganization,
  OrganizationPage,
  ShownOrganization,
} from "./organizations/Organizations.ts"
export type { Page, PageRequest } from "./Pagination.ts"
export type { ExportReport, ImportReport } from "./portable/Portable.ts"
export type { PurgedCounts } from "./retention/rules/PurgeRow.ts"
export type { Resealed } from "./secrets/steps/Renewal.ts"
export type { VerificationReport } from "./verification/rules/Found.ts"
export type { EventType } from "./webhooks/rules/EventType.ts"
export type { CommittedEvent, EventsFrom } from "./webhooks/KeptEvents.ts"
export type { ExplainedAgentUrl, ExplainedSubscription, ExplainedWebhooks } from "./webhooks/WebhookExplainer.ts"
