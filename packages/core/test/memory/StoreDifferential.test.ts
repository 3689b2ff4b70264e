import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { StoreDifferentialSuite } from "@carillon/core/testing"

StoreDifferentialSuite.suite("A store of plain maps, and the one in memory", MemoryStore.layer(new MemoryTables()), {
  numRuns: 200,
})
