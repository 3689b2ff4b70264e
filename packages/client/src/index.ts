export * from "./promise.ts"
export * from "./webhooks.ts"
