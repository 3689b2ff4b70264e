import { MemorySlots } from "@carillon/core/memory"
import { SlotStoreSuite } from "@carillon/core/testing"

SlotStoreSuite.suite("SlotStore in memory", MemorySlots.layer())
