export { RedisConnection, type RedisOptions } from "./RedisConnection.ts"
export * as RedisRates from "./RedisRates.ts"
export * as RedisSlots from "./RedisSlots.ts"
