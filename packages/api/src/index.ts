export * from "./AgentConfiguration.ts"
export * from "./Agents.ts"
export {
  AcceptsIdempotencyKey,
  EndpointOrigin,
  NullsAreMalformed,
  OptionalBody,
  type Origin,
  RateLimitBucket,
  RequiredScope,
} from "./Annotations.ts"
export * from "./Api.ts"
export { type AsyncApiDocument, type AsyncApiMessage, asyncApiDocument } from "./AsyncApi.ts"
export * from "./Audit.ts"
export * from "./Authentication.ts"
export * from "./Batches.ts"
export * from "./Calls.ts"
export * from "./CampaignPolicies.ts"
export * from "./Campaigns.ts"
export * from "./Contacts.ts"
export * from "./Decoding.ts"
export * from "./Errors.ts"
export * from "./Events.ts"
export type { ErrorName, Examples } from "./Examples.ts"
export * from "./Experiments.ts"
export * from "./Filters.ts"
export * from "./Identity.ts"
export * from "./Keys.ts"
export * from "./Knowledge.ts"
export * from "./mapping/Agent.ts"
export * from "./mapping/Batch.ts"
export * from "./mapping/Call.ts"
export * from "./mapping/Campaign.ts"
export * from "./mapping/Contact.ts"
export * from "./mapping/Experiment.ts"
export * from "./mapping/Identity.ts"
export * from "./mapping/Key.ts"
export * from "./mapping/Number.ts"
export * from "./mapping/Provider.ts"
export * from "./mapping/Knowledge.ts"
export * from "./mapping/Timing.ts"
export * from "./mapping/Transcript.ts"
export * from "./mapping/Webhook.ts"
export * from "./mapping/Usage.ts"
export * from "./Numbers.ts"
export {
  type DocumentExample,
  type DocumentMedia,
  type DocumentOperation,
  type DocumentParameter,
  type DocumentResponse,
  type DocumentSchema,
  type DocumentWebhook,
  type OpenApiDocument,
  openApiDocument,
} from "./OpenApi.ts"
export * from "./Pagination.ts"
export * from "./Providers.ts"
export * from "./ReferencePage.ts"
export * from "./Routes.ts"
export * from "./Timing.ts"
export * from "./Transcript.ts"
export * from "./Webhooks.ts"
export * from "./Usage.ts"
