export * from "./EffectClient.ts"
export { type EffectClientOptions, IdempotencyKey } from "./EffectSending.ts"
