export * as MemoryRates from "./MemoryRates.ts"
export * as MemorySlots from "./MemorySlots.ts"
export * as MemoryStore from "./MemoryStore.ts"
export { MemoryTables } from "./MemoryTables.ts"
