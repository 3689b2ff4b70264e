import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import {
  AccountStoreSuite,
  AgentStoreSuite,
  AuditStoreSuite,
  CallStoreSuite,
  KeyStoreSuite,
  KnowledgeStoreSuite,
  RetrievalIndexSuite,
  StoreSuite,
  UploadPlacesSuite,
  WakeupsSuite,
} from "@carillon/core/testing"

const layer = () => MemoryStore.layer(new MemoryTables())

StoreSuite.suite("Store in memory", layer())
CallStoreSuite.suite("CallStore in memory", layer())
AgentStoreSuite.suite("AgentStore in memory", layer())
KeyStoreSuite.suite("KeyStore in memory", layer())
AccountStoreSuite.suite("AccountStore in memory", layer())
AuditStoreSuite.suite("AuditStore in memory", layer())
KnowledgeStoreSuite.suite("KnowledgeStore in memory", layer())
RetrievalIndexSuite.suite("RetrievalIndex in memory", layer())
UploadPlacesSuite.suite("UploadPlaces in memory", layer())
WakeupsSuite.suite("Wakeups in memory", layer())
