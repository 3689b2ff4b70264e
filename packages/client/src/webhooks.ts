export * from "./WebhookVerifier.ts"
export * from "./WebhookReceiver.ts"
