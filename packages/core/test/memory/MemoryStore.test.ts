import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import {
  AccountStoreSuite,
  AgentStoreSuite,
  AuditStoreSuite,
  CallStoreSuite,
  ExperimentStoreSuite,
  IdempotencyStoreSuite,
  KeyStoreSuite,
  NumberStoreSuite,
  ProviderStoreSuite,
  StoreSuite,
  UsageStoreSuite,
  WakeupsSuite,
} from "@carillon/core/testing"

const layer = () => MemoryStore.layer(new MemoryTables())

StoreSuite.suite("Store in memory", layer())
CallStoreSuite.suite("CallStore in memory", layer())
AgentStoreSuite.suite("AgentStore in memory", layer())
KeyStoreSuite.suite("KeyStore in memory", layer())
AccountStoreSuite.suite("AccountStore in memory", layer())
AuditStoreSuite.suite("AuditStore in memory", layer())
WakeupsSuite.suite("Wakeups in memory", layer())
ExperimentStoreSuite.suite("ExperimentStore in memory", layer())
NumberStoreSuite.suite("NumberStore in memory", layer())
ProviderStoreSuite.suite("ProviderStore in memory", layer())
UsageStoreSuite.suite("UsageStore in memory", layer())
IdempotencyStoreSuite.suite("IdempotencyStore in memory", layer())
