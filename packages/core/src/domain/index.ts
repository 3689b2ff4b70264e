/** The words and the rules of the domain: plain data and pure functions, of which `/v2` is made, and by which a program can show or judge what the engine does. */

// Agents.
export type { AgentSettings, CallingGuard } from "../agents/Agent.ts"
export type { AgentWrite } from "../agents/AgentEdit.ts"
export { type AgentBody, conversationConfig, defaultSettings } from "../agents/AgentSettings.ts"
export { type AgentStatus, agentStatuses, agentTransitions } from "../agents/AgentStatus.ts"
export type { ListedAgent } from "../agents/ListedAgent.ts"
export { placeholderReader } from "../agents/Placeholders.ts"

// Keys, their scopes and their rates.
export * as ApiKeyFormat from "../keys/ApiKeyFormat.ts"
export * as BearerHeader from "../keys/BearerHeader.ts"
export * as ScopePolicy from "../keys/ScopePolicy.ts"
export type { Scope } from "../keys/ScopePolicy.ts"
export { type Bucket, buckets, ceilingFor, type Ceilings, defaultCeilings } from "../limits/Buckets.ts"
export type { ConcurrencyFigures } from "../limits/ConcurrencyFigures.ts"
export type { RateFigures } from "../limits/RateLimiter.ts"
export * as SlidingWindow from "../limits/SlidingWindow.ts"
export * as SlotLevels from "../limits/SlotLevels.ts"
export type { ConcurrencySettings } from "../organizations/Organization.ts"

// The audit trail.
export * as AuditChain from "../audit/AuditChain.ts"
export { chainFaults, type ChainReport } from "../audit/AuditChain.ts"
export { auditOutcomes } from "../engine/AuditEntry.ts"

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
} from "../calls/Call.ts"
export * as CallReports from "../calls/CallReports.ts"
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
} from "../calls/CallStatus.ts"
export type { CallSurroundings, CallWait, LevelInUse } from "../calls/CallWaiting.ts"
export { type HangupReason, hangupReasons } from "../calls/HangupReason.ts"
export { type CallOrigin, directDial, newCall } from "../calls/PlaceCall.ts"
export { unprocessed } from "../calls/Processing.ts"
export {
  type NormalTurn,
  type TranscriptRole,
  transcriptRoles,
  transcriptStatus,
  transcriptTurns,
} from "../calls/Transcript.ts"
export { isRecordingAddress } from "../telephony/RecordingAddress.ts"

// Whom one may call, when, and how often.
export type { SuppressionRequest } from "../callees/AddSuppressions.ts"
export type { CallCaps } from "../callees/CallCaps.ts"
export type { Suppression, SuppressionScope, SuppressionWords } from "../callees/Callee.ts"
export { isCallable } from "../callees/CalleeHours.ts"
export { datesOf } from "../callees/Holidays.ts"
export { holidayPresets, hoursPresets } from "../callees/HourPresets.ts"
export { bindingOf, type HoursEntry } from "../callees/HoursRow.ts"
export type { CheckedHours } from "../callees/HoursSettings.ts"
export { numbersOfFile } from "../callees/NumberFile.ts"
export type { HoursRequest } from "../callees/SetHours.ts"
export { isInForce, suppressedMessage, suppressionOf } from "../callees/Suppression.ts"
export { type ExtractedValue, suppressFor, type SuppressOn } from "../callees/SuppressionRule.ts"
export type { SuppressionCounts } from "../callees/Suppressions.ts"
export { agentsAsked, entriesOf, hoursOfMarks, isBound, openMarks } from "../dispatch/OpenMarks.ts"

// Campaigns, their batches and contacts, and experiments.
export type { BatchRecord } from "../batches/BatchRecord.ts"
export * as BatchStatus from "../batches/BatchStatus.ts"
export type { NewBatch } from "../batches/NewBatch.ts"
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
} from "../campaigns/CampaignRecords.ts"
export { campaignLogEvents, campaignLogLevels } from "../campaigns/CampaignEntry.ts"
export { type CampaignBody, campaignDefaults, hoursOf, type NewCampaign } from "../campaigns/CampaignSettings.ts"
export * as CampaignStatus from "../campaigns/CampaignStatus.ts"
export { contactId, type SkipReason } from "../contacts/Contact.ts"
export * as Assignment from "../experiments/Assignment.ts"
export type { ExperimentBody } from "../experiments/ExperimentEdit.ts"
export * as ExperimentStatus from "../experiments/ExperimentStatus.ts"
export type { ContactIntake } from "../intake/ContactIntake.ts"
export { CsvContacts, type CsvFault } from "../intake/Csv.ts"
export { csvContacts } from "../intake/CsvFile.ts"
export { jsonContacts } from "../intake/JsonContacts.ts"

// Who is dialled next.
export * as CallerId from "../dispatch/CallerId.ts"
export * as CallingWindow from "../dispatch/CallingWindow.ts"
export type { CountedBatch } from "../dispatch/CountedBatch.ts"
export * as FairShare from "../dispatch/FairShare.ts"
export * as FinishEstimate from "../dispatch/FinishEstimate.ts"
export * as FollowUpPlan from "../dispatch/FollowUpPlan.ts"
export * as Lanes from "../dispatch/Lane.ts"
export * as RetryPlan from "../dispatch/RetryPlan.ts"
export * as Turns from "../dispatch/Turns.ts"

// Numbers, providers and files.
export type { BindAgent } from "../inbound/BindAgent.ts"
export type { KnowledgeQuery } from "../knowledge/Knowledge.ts"
export type { RemovedKnowledge } from "../knowledge/Removals.ts"
export type { NewKnowledgeBase, UploadResult } from "../knowledge/Uploads.ts"
export type { NumberStanding } from "../numbers/Numbers.ts"
export { newPhoneNumber } from "../numbers/PhoneNumber.ts"
export * as E164 from "../phone/E164.ts"
export { shownValue } from "../providers/Provider.ts"
export type { SentFile } from "../SentFile.ts"

// Webhooks.
export { type DeliveryStatus, deliveryStatuses, isFinished, newDelivery } from "../webhooks/Delivery.ts"
export { maxAttempts as deliveryMaxAttempts } from "../webhooks/DeliverySchedule.ts"
export type { AttemptTimes, DeliveryCounts, EndpointAttempts, LastAttempt } from "../webhooks/EndpointStanding.ts"
export { type ErrorClass, errorClasses } from "../webhooks/ErrorClass.ts"
export { defaultEventTypes, eventTypes } from "../webhooks/EventType.ts"
export * as WebhookPayload from "../webhooks/Payload.ts"
export * as WebhookSignature from "../webhooks/Signature.ts"
export { type DeliveryMethod, deliveryMethods } from "../webhooks/Subscription.ts"
export type { SubscriptionBody } from "../webhooks/SubscriptionSettings.ts"
export type { WebhookTest, WebhookTestResult } from "../webhooks/WebhookTests.ts"

// Usage.
export type { UsageFigures } from "../usage/Usage.ts"
export type { UsageQuery, UsageReport } from "../usage/UsageReport.ts"
export { usageGroups } from "../usage/UsageParts.ts"

// Times, texts and sums.
export { counted } from "../Counted.ts"
export * as Hash from "../engine/Hash.ts"
export { TimeHeap } from "../engine/TimeHeap.ts"
export { ContentDigest } from "../idempotency/ContentDigest.ts"
export { pageTooLarge } from "../Pagination.ts"
export * as Timestamp from "../time/Timestamp.ts"
