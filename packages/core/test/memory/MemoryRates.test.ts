import { MemoryRates } from "@carillon/core/memory"
import { RateStoreSuite } from "@carillon/core/testing"

RateStoreSuite.suite("RateStore in memory", MemoryRates.layer())
