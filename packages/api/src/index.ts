export * from "./AgentConfiguration.ts"
export * from "./Agents.ts"
export {
  AcceptsIdempotencyKey,
  EndpointOrigin,
  OptionalBody,
  type Origin,
  RateLimitBucket,
  RequiredScope,
} from "./Annotations.ts"
export * from "./Api.ts"
export * from "./Authentication.ts"
export * from "./Calls.ts"
export * from "./Decoding.ts"
export * from "./Errors.ts"
export * from "./Filters.ts"
export * from "./Identity.ts"
export * from "./Keys.ts"
export * from "./Knowledge.ts"
export * from "./mapping/Agent.ts"
export * from "./mapping/Call.ts"
export * from "./mapping/Identity.ts"
export * from "./mapping/Key.ts"
export * from "./mapping/Knowledge.ts"
export * from "./mapping/Timing.ts"
export * from "./mapping/Transcript.ts"
export * from "./OpenApi.ts"
export * from "./Pagination.ts"
export * from "./ReferencePage.ts"
export * from "./Routes.ts"
export * from "./Timing.ts"
export * from "./Transcript.ts"
