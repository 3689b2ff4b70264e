/** For adapters: rows and commits, the stores that keep them, counters, limiters, transports, and what these are made of. What hosts see as well is in `.`. */

// The ports together.
export {
  type CounterPorts,
  counterPorts,
  type Ports,
  portsLayer,
  type RowPorts,
  rowPorts,
  type RowServices,
  type StoragePorts,
} from "../Ports.ts"

// What is committed.
export { type Change, type Commit, type Expectation, type LaneNumber, laneNumberName } from "../engine/rules/Commit.ts"
export type { DomainEvent, EndpointAttempt, ErasedCall, SlotDemand } from "../Changes.ts"
export { AdmissionRefused, Conflict, type ConflictKind, keyLost, numberTaken, Store } from "../engine/ports/Store.ts"

// What is known of each kind of row, and the guards of their sets.
export { StepsAreBounded } from "../engine/Decisions.ts"
export { dependencyOf, dependencyOfChange } from "../engine/rules/Dependencies.ts"
export { FoundRows, type RowAsked } from "../engine/rules/FoundRows.ts"
export {
  batchesOf,
  dependencyOfGuard,
  type Guard,
  type GuardKind,
  guardName,
  holdersOf,
} from "../engine/rules/Guards.ts"
export type { HeldKey } from "../engine/rules/HeldKey.ts"
export { change, put, raised } from "../engine/rules/Put.ts"
export { laneTouched, type RowDescription, type TouchedLane } from "../engine/rules/RowDescription.ts"
export { Steps } from "../engine/Steps.ts"
export {
  descriptions,
  type DiscardableKind,
  type Put,
  putId,
  type RemovableKind,
  replacedRevision,
  type RowKind,
  rowKinds,
  type Rows,
} from "../Rows.ts"

// Rows.
export { knowledgeBasesOf } from "../agents/rules/AgentKnowledge.ts"
export { agentLister } from "../agents/ports/ListedAgent.ts"
export type { AuditedAction } from "../audit/Audit.ts"
export type { AuditEntry, Recorded } from "../engine/rules/AuditEntry.ts"
export { type Batch, laneOf, listedContacts } from "../batches/rules/Batch.ts"
export type { CallCapsSetting } from "../callees/rules/CallCaps.ts"
export { type Callee, calleeId } from "../callees/rules/Callee.ts"
export type { HoursSetting } from "../callees/rules/HoursRow.ts"
export { type HeldSlot, holdsLine } from "../calls/rules/Call.ts"
export { type WatchedCall, watchedCall } from "../calls/rules/WatchedCall.ts"
export type { Breaker } from "../campaigns/rules/BreakerSetting.ts"
export { isWatched } from "../campaigns/rules/CampaignWork.ts"
export type { Campaign, CampaignSettings } from "../campaigns/rules/Campaign.ts"
export type { BalanceChange, Debit } from "../organizations/rules/Balance.ts"
export type { CampaignEntry } from "../campaigns/rules/CampaignEntry.ts"
export {
  type Contact,
  type ContactEntry,
  type ContactStatus,
  type HeldBecause,
  isLeftOut,
  isWaiting,
  type OwnSkipReason,
  placeOf,
  type StoredContactStatus,
} from "../contacts/rules/Contact.ts"
export type { Experiment } from "../experiments/rules/Experiment.ts"
export type { InboundAgent } from "../inbound/rules/InboundAgent.ts"
export type { KnowledgeBase, KnowledgeUpload, UploadStatus } from "../knowledge/rules/KnowledgeBase.ts"
export type { PhoneNumber } from "../numbers/rules/PhoneNumber.ts"
export type { Platform } from "../organizations/rules/Organization.ts"
export type { Provider } from "../providers/rules/Provider.ts"
export type { Purge } from "../retention/rules/PurgeRow.ts"
export { purgeWakeup } from "../retention/rules/PurgeWakeup.ts"
export {
  headerPlace,
  type Kept,
  organizationSecretPlace,
  signingSecret,
  subscriptionSecretPlace,
} from "../secrets/rules/Kept.ts"
export type { AttemptOutcome, Delivery, DeliveryAttempt, Dispatch } from "../webhooks/rules/Delivery.ts"
export {
  type EndpointFailure,
  type EndpointHealth,
  type Listener,
  type Listeners,
  type Subscription,
  untriedEndpoint,
} from "../webhooks/rules/Subscription.ts"
export type { PlacedEvent, WebhookEvent } from "../webhooks/rules/WebhookEvent.ts"

// Stores: how rows are read.
export { type AgentQuery, AgentStore } from "../agents/ports/AgentStore.ts"
export { type AuditFilter, AuditStore } from "../audit/ports/AuditStore.ts"
export { type BatchPart, type BatchQuery, BatchStore } from "../batches/ports/BatchStore.ts"
export { CalleeStore } from "../callees/ports/CalleeStore.ts"
export { type CallFilter, CallStore, type LiveCallKey } from "../calls/ports/CallStore.ts"
export { type CampaignQuery, CampaignStore } from "../campaigns/ports/CampaignStore.ts"
export {
  type ContactChoice,
  type ContactLoad,
  type ContactMoment,
  ContactStore,
} from "../contacts/ports/ContactStore.ts"
export { usualPriority } from "../contacts/rules/Priority.ts"
export type { ContactTimes, ContactWait } from "../contacts/rules/ContactTimes.ts"
export type { ContactPlace, ContactRow } from "../contacts/rules/PlacedContact.ts"
export { LaneStore } from "../dispatch/ports/LaneStore.ts"
export { ExperimentStore } from "../experiments/ports/ExperimentStore.ts"
export type { KeyedAnswer, KeyedHandling, KeyedRequest } from "../idempotency/Idempotency.ts"
export type { Recalled } from "../idempotency/rules/Recalled.ts"
export {
  IdempotencyStore,
  type IdempotentRequest,
  type KeyTaking,
  type KeptAnswer,
  type Standing,
} from "../idempotency/ports/IdempotencyStore.ts"
export { KeyStore } from "../keys/ports/KeyStore.ts"
export { KnowledgeStore } from "../knowledge/ports/KnowledgeStore.ts"
export { RetrievalIndex } from "../knowledge/ports/RetrievalIndex.ts"
export type { Chunk, ChunkHit } from "../knowledge/rules/Chunk.ts"
export { UploadPlaces } from "../knowledge/ports/UploadPlaces.ts"
export { NumberStore } from "../numbers/ports/NumberStore.ts"
export { AccountStore } from "../organizations/ports/AccountStore.ts"
export type { ListPlace, OldestRequest, Placed } from "../Pagination.ts"
export { ProviderStore } from "../providers/ports/ProviderStore.ts"
export type { PurgePlace } from "../retention/rules/PurgeRow.ts"
export type { Tally } from "../tallies/rules/Tally.ts"
export { TallyStore } from "../tallies/ports/TallyStore.ts"
export type { UsagePlace } from "../usage/rules/Usage.ts"
export { type UsageCell, type UsageRange, UsageStore } from "../usage/ports/UsageStore.ts"
export type { UsageGroup, UsagePart } from "../usage/rules/UsageParts.ts"
export {
  type DeliveryFilter,
  type DeliveryStanding,
  DeliveryStore,
  type EventStanding,
  type StandingRequest,
  type Standings,
} from "../webhooks/ports/DeliveryStore.ts"
export { SubscriptionStore } from "../webhooks/ports/SubscriptionStore.ts"

// What an organization has used.
export { noUsage, type UsageChange, usageDayMs, type UsageDelta, usageMinuteMs } from "../usage/rules/Usage.ts"
export { firstParts, sumParts, usageOf } from "../usage/rules/UsageStretches.ts"

// Wake-ups.
export { type Backlog, type ClaimOrder, type Lease, Wakeups } from "../engine/ports/Wakeups.ts"
export {
  housekeepingWakeups,
  keptWakeups,
  type LapsedClaim,
  platformParty,
  type Wakeup,
  type WakeupChange,
  type WakeupClaim,
  type WakeupKind,
  wakeupParty,
} from "../engine/rules/Wakeup.ts"

// Counters and limiters.
export type { Line } from "../limits/Gate.ts"
export { everyHolder, restoreLine } from "../limits/Holders.ts"
export { RateStore } from "../limits/ports/RateStore.ts"
export type { LineRequest, ReservedLine } from "../limits/ReservedLines.ts"
export type { SlotLevel } from "../limits/rules/SlotLevels.ts"
export { SlotNews } from "../limits/ports/SlotNews.ts"
export { type SlotAnswer, type SlotMember, type SlotRequest, SlotStore } from "../limits/ports/SlotStore.ts"

// Carriers and the transport of webhooks.
export { CarrierName } from "../telephony/ports/CarrierName.ts"
export { told as toldCause } from "../engine/rules/Told.ts"
export { OwnNumber } from "../telephony/ports/OwnNumber.ts"
export { type Destination, isOpened, mayConnect, parseDestination } from "../webhooks/rules/Destination.ts"
export { WebhookTransport } from "../webhooks/ports/WebhookTransport.ts"
export type { WebhookAnswer, WebhookRequest } from "../webhooks/rules/WebhookRequest.ts"

// Secrets at rest.
export { keyIdPattern, readSealed, sealedText } from "../secrets/rules/SealedText.ts"
export { SecretUnreadable, unreadable } from "../secrets/rules/SecretUnreadable.ts"

// The engine's own sources: time, ids, chance, keys, who waits and what runs.
export { Activity } from "../engine/Activity.ts"
export { Chance } from "../engine/ports/Chance.ts"
export { DomainClock } from "../engine/ports/DomainClock.ts"
export { Ids } from "../engine/ports/Ids.ts"
export type { IdKind } from "../engine/rules/IdKinds.ts"
export { Parking, type Ticket } from "../engine/Parking.ts"
export { KeyMinter } from "../keys/ports/KeyMinter.ts"

// Turns and bounds of long work.
export { FewInTurn, type TurnBounds } from "../engine/ports/FewInTurn.ts"
export { CurrentPieceClock, nextTurn, Pacing, type PieceClock, PieceTurns } from "../engine/ports/Pacing.ts"
export { CurrentParty } from "../engine/ports/Party.ts"
export { Pieces } from "../engine/Pieces.ts"
export { Places } from "../engine/Places.ts"
export { type BytesTerms, GrowingBytes, letGo } from "../GrowingBytes.ts"
export { Pipelines } from "../Pipelines.ts"

// What is measured, traced and logged.
export { catalogue, metrics } from "../metrics/rules/Catalogue.ts"
export {
  type Declaration,
  type Label,
  type MetricKind,
  prometheusName,
  seriesBound,
} from "../metrics/rules/Declaration.ts"
export { timed } from "../metrics/ports/Measured.ts"
export { outcomeOf } from "../engine/rules/Ended.ts"
export { CurrentMeters, type Meters } from "../metrics/ports/Meters.ts"
export { NowAndThen } from "../engine/rules/NowAndThen.ts"
export { CurrentOutages, type Outages, outagesLayer, type Outsider } from "../operating/Outages.ts"
export { outlasting } from "../operating/Outlasting.ts"
export { CurrentTracing, traced } from "../engine/ports/Tracing.ts"
export { askingSpan } from "../operating/rules/TraceParent.ts"
