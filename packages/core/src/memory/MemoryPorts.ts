import { Effect, Layer } from "effect"
import { type CounterPorts, counterPorts, type RowPorts, rowPorts } from "../Ports.ts"
import * as MemoryRates from "./MemoryRates.ts"
import * as MemorySlots from "./MemorySlots.ts"
import * as MemoryStore from "./MemoryStore.ts"
import type { MemoryTables } from "./MemoryTables.ts"

/** The ports over rows as plain objects, on tables that may outlive an engine. */
export const memoryRows = (tables: MemoryTables): RowPorts =>
  rowPorts(Effect.runSync(Effect.scoped(Layer.build(MemoryStore.layer(tables)))))

/** Counters as plain objects; the lines are counted in `slots`, or in a table of their own. */
export const memoryCounters = (slots?: MemorySlots.SlotTable): CounterPorts =>
  counterPorts(Effect.runSync(Effect.scoped(Layer.build(Layer.merge(MemorySlots.layer(slots), MemoryRates.layer())))))
