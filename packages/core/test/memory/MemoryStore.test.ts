import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import {
  AccountStoreSuite,
  AgentStoreSuite,
  AuditStoreSuite,
  BatchStoreSuite,
  CalleeStoreSuite,
  CallStoreSuite,
  DeliveryStoreSuite,
  CampaignStoreSuite,
  ContactStoreSuite,
  ExperimentStoreSuite,
  IdempotencyStoreSuite,
  KeyStoreSuite,
  LaneStoreSuite,
  NumberStoreSuite,
  ProviderStoreSuite,
  KnowledgeStoreSuite,
  RetrievalIndexSuite,
  RowsSuite,
  StoreSuite,
  SubscriptionStoreSuite,
  TallyStoreSuite,
  UsageStoreSuite,
  UploadPlacesSuite,
  WakeupsSuite,
} from "@carillon/core/testing"

const layer = () => MemoryStore.layer(new MemoryTables())

StoreSuite.suite("Store in memory", layer())
RowsSuite.suite("Rows in memory", layer())
CallStoreSuite.suite("CallStore in memory", layer())
CalleeStoreSuite.suite("CalleeStore in memory", layer())
AgentStoreSuite.suite("AgentStore in memory", layer())
KeyStoreSuite.suite("KeyStore in memory", layer())
AccountStoreSuite.suite("AccountStore in memory", layer())
AuditStoreSuite.suite("AuditStore in memory", layer())
KnowledgeStoreSuite.suite("KnowledgeStore in memory", layer())
RetrievalIndexSuite.suite("RetrievalIndex in memory", layer())
UploadPlacesSuite.suite("UploadPlaces in memory", layer())
WakeupsSuite.suite("Wakeups in memory", layer())
SubscriptionStoreSuite.suite("SubscriptionStore in memory", layer())
DeliveryStoreSuite.suite("DeliveryStore in memory", layer())
CampaignStoreSuite.suite("CampaignStore in memory", layer())
BatchStoreSuite.suite("BatchStore in memory", layer())
ContactStoreSuite.suite("ContactStore in memory", layer())
TallyStoreSuite.suite("TallyStore in memory", layer())
LaneStoreSuite.suite("LaneStore in memory", layer())
ExperimentStoreSuite.suite("ExperimentStore in memory", layer())
NumberStoreSuite.suite("NumberStore in memory", layer())
ProviderStoreSuite.suite("ProviderStore in memory", layer())
UsageStoreSuite.suite("UsageStore in memory", layer())
IdempotencyStoreSuite.suite("IdempotencyStore in memory", layer())
