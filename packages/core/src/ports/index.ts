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
export { type Change, type Commit, type Expectation, type LaneNumber, laneNumberName } from "../engine/Commit.ts"
export type { DomainEvent, EndpointAttempt, ErasedCall, SlotDemand } from "../Changes.ts"
export { AdmissionRefused, Conflict, type ConflictKind, numberTaken, Store } from "../engine/Store.ts"

// What is known of each kind of row, and the guards of their sets.
export { StepsAreBounded } from "../engine/Decisions.ts"
export { dependencyOf, dependencyOfChange } from "../engine/Dependencies.ts"
export { FoundRows, type RowAsked } from "../engine/FoundRows.ts"
export { batchesOf, dependencyOfGuard, type Guard, type GuardKind, guardName, holdersOf } from "../engine/Guards.ts"
export { change, put, raised } from "../engine/Put.ts"
export { laneTouched, type RowDescription, type TouchedLane } from "../engine/RowDescription.ts"
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
export { knowledgeBasesOf } from "../agents/AgentKnowledge.ts"
export { agentLister } from "../agents/ListedAgent.ts"
export type { AuditedAction } from "../audit/Audit.ts"
export type { AuditEntry, Recorded } from "../engine/AuditEntry.ts"
export { type Batch, laneOf, listedContacts } from "../batches/Batch.ts"
export type { CallCapsSetting } from "../callees/CallCaps.ts"
export { type Callee, calleeId } from "../callees/Callee.ts"
export type { HoursSetting } from "../callees/HoursRow.ts"
export { type HeldSlot, holdsLine } from "../calls/Call.ts"
export type { Campaign, CampaignSettings } from "../campaigns/Campaign.ts"
export type { BalanceChange, Debit } from "../organizations/Balance.ts"
export type { CampaignEntry } from "../campaigns/CampaignEntry.ts"
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
} from "../contacts/Contact.ts"
export type { Experiment } from "../experiments/Experiment.ts"
export type { InboundAgent } from "../inbound/InboundAgent.ts"
export type { KnowledgeBase, KnowledgeUpload, UploadStatus } from "../knowledge/KnowledgeBase.ts"
export type { PhoneNumber } from "../numbers/PhoneNumber.ts"
export type { Platform } from "../organizations/Organization.ts"
export type { Provider } from "../providers/Provider.ts"
export type { Purge } from "../retention/PurgeRow.ts"
export { purgeWakeup } from "../retention/PurgeWakeup.ts"
export {
  headerPlace,
  type Kept,
  organizationSecretPlace,
  signingSecret,
  subscriptionSecretPlace,
} from "../secrets/Kept.ts"
export type { AttemptOutcome, Delivery, DeliveryAttempt, Dispatch } from "../webhooks/Delivery.ts"
export {
  type EndpointFailure,
  type EndpointHealth,
  type Listener,
  type Listeners,
  type Subscription,
  untriedEndpoint,
} from "../webhooks/Subscription.ts"
export type { PlacedEvent, WebhookEvent } from "../webhooks/WebhookEvent.ts"

// Stores: how rows are read.
export { type AgentQuery, AgentStore } from "../agents/AgentStore.ts"
export { type AuditFilter, AuditStore } from "../audit/AuditStore.ts"
export { type BatchPart, type BatchQuery, BatchStore } from "../batches/BatchStore.ts"
export { CalleeStore } from "../callees/CalleeStore.ts"
export { type CallFilter, CallStore, type LiveCallKey } from "../calls/CallStore.ts"
export { type CampaignQuery, CampaignStore } from "../campaigns/CampaignStore.ts"
export { type ContactChoice, type ContactLoad, type ContactMoment, ContactStore } from "../contacts/ContactStore.ts"
export type { ContactTimes, ContactWait } from "../contacts/ContactTimes.ts"
export type { ContactPlace, ContactRow } from "../contacts/PlacedContact.ts"
export { LaneStore } from "../dispatch/LaneStore.ts"
export { ExperimentStore } from "../experiments/ExperimentStore.ts"
export type { KeyedAnswer, KeyedRequest } from "../idempotency/Idempotency.ts"
export {
  IdempotencyStore,
  type IdempotentRequest,
  type KeptAnswer,
  type Standing,
} from "../idempotency/IdempotencyStore.ts"
export { KeyStore } from "../keys/KeyStore.ts"
export { KnowledgeStore } from "../knowledge/KnowledgeStore.ts"
export { RetrievalIndex } from "../knowledge/RetrievalIndex.ts"
export type { Chunk, ChunkHit } from "../knowledge/Chunk.ts"
export { UploadPlaces } from "../knowledge/UploadPlaces.ts"
export { NumberStore } from "../numbers/NumberStore.ts"
export { AccountStore } from "../organizations/AccountStore.ts"
export type { ListPlace, OldestRequest, Placed } from "../Pagination.ts"
export { ProviderStore } from "../providers/ProviderStore.ts"
export type { PurgePlace } from "../retention/PurgeRow.ts"
export type { Tally } from "../tallies/Tally.ts"
export { TallyStore } from "../tallies/TallyStore.ts"
export type { UsagePlace } from "../usage/Usage.ts"
export { type UsageCell, type UsageRange, UsageStore } from "../usage/UsageStore.ts"
export type { UsageGroup, UsagePart } from "../usage/UsageParts.ts"
export {
  type DeliveryFilter,
  type DeliveryStanding,
  DeliveryStore,
  type EventStanding,
  type StandingRequest,
  type Standings,
} from "../webhooks/DeliveryStore.ts"
export { SubscriptionStore } from "../webhooks/SubscriptionStore.ts"

// What an organization has used.
export { noUsage, type UsageChange, usageDayMs, type UsageDelta, usageMinuteMs } from "../usage/Usage.ts"
export { firstParts, sumParts, usageOf } from "../usage/UsageStretches.ts"

// Wake-ups.
export { type Backlog, type ClaimOrder, type Lease, Wakeups } from "../engine/Wakeups.ts"
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
} from "../engine/Wakeup.ts"

// Counters and limiters.
export type { Line } from "../limits/Gate.ts"
export { everyHolder, restoreLine } from "../limits/Holders.ts"
export { RateStore } from "../limits/RateStore.ts"
export type { LineRequest, ReservedLine } from "../limits/ReservedLines.ts"
export type { SlotLevel } from "../limits/SlotLevels.ts"
export { SlotNews } from "../limits/SlotNews.ts"
export { type SlotAnswer, type SlotMember, type SlotRequest, SlotStore } from "../limits/SlotStore.ts"

// Carriers and the transport of webhooks.
export { CarrierName } from "../telephony/CarrierName.ts"
export { told as toldCause } from "../engine/Told.ts"
export { OwnNumber } from "../telephony/OwnNumber.ts"
export { type Destination, isOpened, mayConnect, parseDestination } from "../webhooks/Destination.ts"
export { WebhookTransport } from "../webhooks/WebhookTransport.ts"
export type { WebhookAnswer, WebhookRequest } from "../webhooks/WebhookRequest.ts"

// Secrets at rest.
export { keyIdPattern, readSealed, sealedText } from "../secrets/SealedText.ts"
export { SecretUnreadable, unreadable } from "../secrets/SecretUnreadable.ts"

// The engine's own sources: time, ids, chance, keys, who waits and what runs.
export { Activity } from "../engine/Activity.ts"
export { Chance } from "../engine/Chance.ts"
export { DomainClock } from "../engine/DomainClock.ts"
export { Ids } from "../engine/Ids.ts"
export type { IdKind } from "../engine/IdKinds.ts"
export { Parking, type Ticket } from "../engine/Parking.ts"
export { KeyMinter } from "../keys/KeyMinter.ts"

// Turns and bounds of long work.
export { FewInTurn, type TurnBounds } from "../engine/FewInTurn.ts"
export { CurrentPieceClock, nextTurn, Pacing, type PieceClock, PieceTurns } from "../engine/Pacing.ts"
export { CurrentParty } from "../engine/Party.ts"
export { Pieces } from "../engine/Pieces.ts"
export { Places } from "../engine/Places.ts"
export { type BytesTerms, GrowingBytes, letGo } from "../GrowingBytes.ts"
export { Pipelines } from "../Pipelines.ts"

// What is measured, traced and logged.
export { catalogue, metrics } from "../metrics/Catalogue.ts"
export { type Declaration, type Label, type MetricKind, prometheusName, seriesBound } from "../metrics/Declaration.ts"
export { timed } from "../metrics/Measured.ts"
export { outcomeOf } from "../engine/Ended.ts"
export { CurrentMeters, type Meters } from "../metrics/Meters.ts"
export { NowAndThen } from "../engine/NowAndThen.ts"
export { CurrentOutages, type Outages, outagesLayer, type Outsider } from "../operating/Outages.ts"
export { outlasting } from "../operating/Outlasting.ts"
export { CurrentTracing, traced } from "../engine/Tracing.ts"
export { askingSpan } from "../operating/TraceParent.ts"
