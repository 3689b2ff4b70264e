/** The words and the rules of the domain: plain data and pure functions, of which `/v2` is made, and by which a program can show or judge what the engine does. */

// Agents.
export type { AgentSettings, CallingGuard } from "../agents/rules/Agent.ts"
export type { AgentWrite } from "../agents/steps/AgentEdit.ts"
export { type AgentBody, conversationConfig, defaultSettings } from "../agents/rules/AgentSettings.ts"
export { type AgentStatus, agentStatuses, agentTransitions } from "../agents/rules/AgentStatus.ts"
export type { ListedAgent } from "../agents/ports/ListedAgent.ts"
export { placeholderReader } from "../agents/ports/Placeholders.ts"

// Keys, their scopes and their rates.
export * as ApiKeyFormat from "../keys/rules/ApiKeyFormat.ts"
export * as BearerHeader from "../keys/rules/BearerHeader.ts"
export * as ScopePolicy from "../keys/rules/ScopePolicy.ts"
export type { Scope } from "../keys/rules/ScopePolicy.ts"
export { type Bucket, buckets, ceilingFor, type Ceilings, defaultCeilings } from "../limits/rules/Buckets.ts"
export type { ConcurrencyFigures } from "../limits/rules/ConcurrencyFigures.ts"
export type { RateFigures } from "../limits/RateLimiter.ts"
export * as SlidingWindow from "../limits/rules/SlidingWindow.ts"
export * as SlotLevels from "../limits/rules/SlotLevels.ts"
export { isSpent } from "../organizations/rules/Balance.ts"
export type { ConcurrencySettings } from "../organizations/rules/Organization.ts"

// The audit trail.
export * as AuditChain from "../audit/rules/AuditChain.ts"
export { chainFaults, type ChainReport } from "../audit/rules/AuditChain.ts"
export { auditOutcomes } from "../engine/rules/AuditEntry.ts"

// Calls.
export type {
  CallCost,
  CallMedia,
  CallProcessing,
  CorrectedFact,
  CostBreakdown,
  DialState,
  SetupTiming,
  TranscriptTurn,
  TurnTiming,
} from "../calls/rules/Call.ts"
export * as CallReports from "../calls/rules/CallReports.ts"
export {
  callStatuses,
  callTransitions,
  canMove,
  failureStatuses,
  type InFlightCallStatus,
  inFlightStatuses,
  isRetryTrigger,
  isTerminal,
  parseStatusFilter,
  type StatusFilter,
  type StatusFilterResult,
  statusFilterValues,
  type TerminalCallStatus,
  terminalStatuses,
} from "../calls/rules/CallStatus.ts"
export type { CallSurroundings, CallWait, LevelInUse } from "../calls/rules/CallWaiting.ts"
export { type HangupReason, hangupReasons } from "../calls/rules/HangupReason.ts"
export { type CallOrigin, directDial, newCall } from "../calls/rules/PlaceCall.ts"
export { unprocessed } from "../calls/rules/Processing.ts"
export {
  type NormalTurn,
  type TranscriptRole,
  transcriptRoles,
  transcriptStatus,
  transcriptTurns,
} from "../calls/rules/Transcript.ts"
export { isRecordingAddress } from "../telephony/RecordingAddress.ts"

// Whom one may call, when, and how often.
export type { SuppressionRequest } from "../callees/steps/AddSuppressions.ts"
export type { CallCaps } from "../callees/rules/CallCaps.ts"
export type { Suppression, SuppressionScope, SuppressionWords } from "../callees/rules/Callee.ts"
export { isCallable } from "../callees/rules/CalleeHours.ts"
export { datesOf } from "../callees/rules/Holidays.ts"
export { holidayPresets, hoursPresets } from "../callees/rules/HourPresets.ts"
export { bindingOf, type HoursEntry } from "../callees/rules/HoursRow.ts"
export type { CheckedHours } from "../callees/HoursSettings.ts"
export { numbersOfFile } from "../callees/NumberFile.ts"
export type { HoursRequest } from "../callees/steps/SetHours.ts"
export { isInForce, suppressedMessage, suppressionOf } from "../callees/rules/Suppression.ts"
export { type ExtractedValue, suppressFor, type SuppressOn } from "../callees/rules/SuppressionRule.ts"
export type { SuppressionCounts } from "../callees/Suppressions.ts"
export { agentsAsked, entriesOf, hoursOfMarks, isBound, openMarks } from "../dispatch/rules/OpenMarks.ts"

// Campaigns, their batches and contacts, and experiments.
export type { BatchRecord } from "../batches/rules/BatchRecord.ts"
export * as BatchStatus from "../batches/rules/BatchStatus.ts"
export type { NewBatch } from "../batches/steps/NewBatch.ts"
export {
  type Blocking,
  type BlockingReason,
  blockingReasons,
  type CampaignCounters,
  type CampaignRecord,
  type CampaignStats,
  type ContactRecord,
  contactRecord,
  type InactiveAgent,
  type NoEstimateReason,
  noEstimateReasons,
  type OutcomeCounts,
  outcomeCounts,
  type WaitingForNumber,
} from "../campaigns/rules/CampaignRecords.ts"
export { type BreakerRate, breakerRates, type BreakerSetting } from "../campaigns/rules/BreakerSetting.ts"
export { type AskedCallOrder, goesByPriority, inCallOrder } from "../campaigns/rules/CallOrder.ts"
export { type CallOrder, contactOrders } from "../campaigns/rules/CallOrderSetting.ts"
export type { BreakerRecord } from "../campaigns/rules/BreakerRecord.ts"
export { campaignLogEvents, campaignLogLevels } from "../campaigns/rules/CampaignEntry.ts"
export { type CampaignBody, campaignDefaults, hoursOf, type NewCampaign } from "../campaigns/rules/CampaignSettings.ts"
export * as CampaignStatus from "../campaigns/rules/CampaignStatus.ts"
export { contactId, type SkipReason } from "../contacts/rules/Contact.ts"
export * as Assignment from "../experiments/rules/Assignment.ts"
export type { ExperimentBody } from "../experiments/rules/ExperimentEdit.ts"
export * as ExperimentStatus from "../experiments/rules/ExperimentStatus.ts"
export type { ContactIntake } from "../intake/rules/ContactIntake.ts"
export { CsvContacts, type CsvFault } from "../intake/rules/Csv.ts"
export { csvContacts } from "../intake/CsvFile.ts"
export { jsonContacts } from "../intake/JsonContacts.ts"

// Who is dialled next.
export * as CallerId from "../dispatch/rules/CallerId.ts"
export * as CallingWindow from "../dispatch/rules/CallingWindow.ts"
export type { CountedBatch } from "../dispatch/rules/CountedBatch.ts"
export * as FairShare from "../dispatch/rules/FairShare.ts"
export * as FinishEstimate from "../dispatch/rules/FinishEstimate.ts"
export * as FollowUpPlan from "../dispatch/rules/FollowUpPlan.ts"
export * as Lanes from "../dispatch/rules/Lane.ts"
export * as RetryPlan from "../dispatch/rules/RetryPlan.ts"
export * as Turns from "../dispatch/rules/Turns.ts"

// Numbers, providers and files.
export type { BindAgent } from "../inbound/steps/BindAgent.ts"
export type { KnowledgeQuery } from "../knowledge/Knowledge.ts"
export type { RemovedKnowledge } from "../knowledge/rules/KnowledgeErrand.ts"
export type { NewKnowledgeBase, UploadResult } from "../knowledge/Uploads.ts"
export type { NumberStanding } from "../numbers/Numbers.ts"
export { newPhoneNumber } from "../numbers/rules/PhoneNumber.ts"
export * as E164 from "../phone/E164.ts"
export { shownValue } from "../providers/rules/Provider.ts"
export type { SentFile } from "../SentFile.ts"

// Webhooks.
export { type DeliveryStatus, deliveryStatuses, isFinished, newDelivery } from "../webhooks/rules/Delivery.ts"
export { maxAttempts as deliveryMaxAttempts } from "../webhooks/rules/DeliverySchedule.ts"
export type { AttemptTimes, DeliveryCounts, EndpointAttempts, LastAttempt } from "../webhooks/rules/EndpointStanding.ts"
export { type ErrorClass, errorClasses } from "../webhooks/rules/ErrorClass.ts"
export { defaultEventTypes, eventTypes } from "../webhooks/rules/EventType.ts"
export * as WebhookPayload from "../webhooks/rules/Payload.ts"
export * as WebhookSignature from "../webhooks/rules/Signature.ts"
export { type DeliveryMethod, deliveryMethods } from "../webhooks/rules/Subscription.ts"
export type { SubscriptionBody } from "../webhooks/rules/SubscriptionSettings.ts"
export type { WebhookTest, WebhookTestResult } from "../webhooks/WebhookTests.ts"

// Usage.
export type { UsageFigures } from "../usage/rules/Usage.ts"
export type { UsageQuery, UsageReport } from "../usage/UsageReport.ts"
export { usageGroups } from "../usage/rules/UsageParts.ts"

// Times, texts and sums.
export { counted } from "../Counted.ts"
export * as Hash from "../engine/rules/Hash.ts"
export { TimeHeap } from "../engine/rules/TimeHeap.ts"
export { ContentDigest } from "../idempotency/rules/ContentDigest.ts"
export { pageTooLarge } from "../Pagination.ts"
export * as Timestamp from "../time/Timestamp.ts"
