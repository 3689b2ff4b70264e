import {
  AccountStoreSuite,
  AgentStoreSuite,
  AuditStoreSuite,
  BatchStoreSuite,
  CalleeStoreSuite,
  CallStoreSuite,
  CampaignStoreSuite,
  ContactStoreSuite,
  DeliveryStoreSuite,
  ExperimentStoreSuite,
  IdempotencyStoreSuite,
  KeyStoreSuite,
  KnowledgeStoreSuite,
  LaneStoreSuite,
  NumberStoreSuite,
  ProviderStoreSuite,
  RateDifferentialSuite,
  RateStoreSuite,
  RowsSuite,
  SlotDifferentialSuite,
  SlotStoreSuite,
  RetrievalIndexSuite,
  StoreDifferentialSuite,
  StoreSuite,
  SubscriptionStoreSuite,
  TallyStoreSuite,
  UploadPlacesSuite,
  UsageStoreSuite,
  WakeupsSuite,
} from "@carillon/core/testing"
import type { Layer } from "effect"
import type { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"

type Ports =
  | Layer.Success<ReturnType<typeof Postgres.layer>>
  | Layer.Success<typeof PostgresRates.layer>
  | Layer.Success<typeof PostgresSlots.layer>

/** Every suite of a storage port, each on the layer that it is given. */
export const everySuite = <E>(where: string, layer: () => Layer.Layer<Ports, E>): void => {
  rowSuites(where, layer)
  SlotStoreSuite.suite(`SlotStore ${where}`, layer())
  SlotDifferentialSuite.suite(`The gate in memory, and the one ${where}`, layer(), { numRuns: 4 })
  RateDifferentialSuite.suite(`The sliding window, and the one ${where}`, layer(), { numRuns: 30 })
  StoreDifferentialSuite.suite(`A store of plain maps, and the one ${where}`, layer(), { numRuns: 20 })
}

/** All of them but the longest. */
export const rowSuites = <E>(where: string, layer: () => Layer.Layer<Ports, E>): void => {
  StoreSuite.suite(`Store ${where}`, layer())
  RowsSuite.suite(`Rows ${where}`, layer())
  CalleeStoreSuite.suite(`CalleeStore ${where}`, layer())
  CallStoreSuite.suite(`CallStore ${where}`, layer())
  AgentStoreSuite.suite(`AgentStore ${where}`, layer())
  KeyStoreSuite.suite(`KeyStore ${where}`, layer())
  AccountStoreSuite.suite(`AccountStore ${where}`, layer())
  AuditStoreSuite.suite(`AuditStore ${where}`, layer())
  WakeupsSuite.suite(`Wakeups ${where}`, layer())
  SubscriptionStoreSuite.suite(`SubscriptionStore ${where}`, layer())
  DeliveryStoreSuite.suite(`DeliveryStore ${where}`, layer())
  CampaignStoreSuite.suite(`CampaignStore ${where}`, layer())
  BatchStoreSuite.suite(`BatchStore ${where}`, layer())
  ContactStoreSuite.suite(`ContactStore ${where}`, layer())
  TallyStoreSuite.suite(`TallyStore ${where}`, layer())
  LaneStoreSuite.suite(`LaneStore ${where}`, layer())
  ExperimentStoreSuite.suite(`ExperimentStore ${where}`, layer())
  NumberStoreSuite.suite(`NumberStore ${where}`, layer())
  ProviderStoreSuite.suite(`ProviderStore ${where}`, layer())
  UsageStoreSuite.suite(`UsageStore ${where}`, layer())
  RateStoreSuite.suite(`RateStore ${where}`, layer())
  KnowledgeStoreSuite.suite(`KnowledgeStore ${where}`, layer())
  RetrievalIndexSuite.suite(`RetrievalIndex ${where}`, layer())
  UploadPlacesSuite.suite(`UploadPlaces ${where}`, layer())
  IdempotencyStoreSuite.suite(`IdempotencyStore ${where}`, layer())
}
