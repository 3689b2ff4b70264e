import { limits } from "@carillon/core"
import { BatchStatus, callStatuses } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AcceptsIdempotencyKey, BodyBytes, chosen, described, RateLimitBucket, RequiredScope } from "./Annotations.ts"
import { BatchCallsQuery, CallPage } from "./Calls.ts"
import { FollowUpPolicyBody, RetryPolicy, RetryPolicyBody } from "./CampaignPolicies.ts"
import { contactBodyBytes, ContactFile, ContactList } from "./Contacts.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryText, queryWord } from "./Query.ts"
import {
  Integer,
  integerBetween,
  JsonObject,
  listOf,
  NonEmptyText,
  nonEmptyTextUpTo,
  nullable,
  objectOf,
  OffsetTimestamp,
  oneOf,
  PhoneNumber,
  Text,
  Timestamp,
} from "./Scalars.ts"

/** Characters that the name of a batch may have. */
export const batchNameMax = 200

/** What `concurrency_limit` may be; it has no effect (specification, "Batches"). */
const concurrencyLimitBounds = { min: 1, max: 10_000 } as const

const window = `At least ${limits.scheduleMinMs / 60_000} minutes and at most ${limits.scheduleMaxMs / 86_400_000} days ahead; with UTC offset.`

const optionalFields = {
  name: chosen(Schema.optionalKey(nullable(nonEmptyTextUpTo(batchNameMax)))),
  campaign_id: chosen(
    Schema.optionalKey(nullable(NonEmptyText)),
    "The campaign that it is dialled under; without one it is dialled for itself.",
  ),
  phone_numbers: chosen(Schema.optionalKey(listOf(PhoneNumber)), "Caller IDs, each registered to the organization."),
  scheduled_at: chosen(Schema.optionalKey(nullable(OffsetTimestamp)), `${window} Without it dialling starts at once.`),
  retry_policy: chosen(Schema.optionalKey(RetryPolicyBody), "The campaign's when left out."),
  follow_up_policy: chosen(Schema.optionalKey(FollowUpPolicyBody), "The campaign's when left out."),
  default_call_variables: chosen(Schema.optionalKey(JsonObject), "Overridden by the variables of a contact."),
  metadata: chosen(Schema.optionalKey(JsonObject), "Kept as given."),
  concurrency_limit: described(
    Schema.optionalKey(nullable(integerBetween(concurrencyLimitBounds.min, concurrencyLimitBounds.max))),
    "Accepted and stored; has no effect.",
  ),
}

const agent = { agent_id: chosen(NonEmptyText, "Must belong to the organization.") }

/** The body of `POST /v2/batches`. */
export const BatchCreate = objectOf({ ...agent, contacts: chosen(ContactList), ...optionalFields }).annotate({
  identifier: "BatchCreate",
})
export type BatchCreate = typeof BatchCreate.Type

/** The form of `POST /v2/batches/upload`: the same names, structured settings as JSON, and the contacts as a CSV file. */
export const BatchUpload = objectOf({ ...agent, file: chosen(ContactFile), ...optionalFields }).annotate({
  identifier: "BatchUpload",
})
export type BatchUpload = typeof BatchUpload.Type

/** The body of `POST /v2/batches/{batch_id}/schedule`. */
export const BatchSchedule = objectOf({ scheduled_at: chosen(OffsetTimestamp, window) }).annotate({
  identifier: "BatchSchedule",
})
export type BatchSchedule = typeof BatchSchedule.Type

/** The batch record (decisions, "Campaigns and batches"). */
export const Batch = Schema.Struct({
  batch_id: chosen(Text),
  organization_id: chosen(Text),
  agent_id: chosen(Text),
  campaign_id: chosen(nullable(Text)),
  name: chosen(nullable(Text)),
  status: chosen(oneOf(BatchStatus.batchStatuses)),
  phone_numbers: chosen(listOf(Text)),
  file_name: chosen(nullable(Text), "Of the upload, where there was one."),
  valid_contacts: chosen(Integer),
  total_contacts: chosen(Integer),
  pending_contacts: chosen(Integer, "Waiting for a first dial, a retry or a follow-up."),
  in_progress_contacts: chosen(Integer),
  completed_contacts: chosen(Integer),
  failed_contacts: chosen(Integer),
  skipped_contacts: chosen(Integer),
  execution_status: chosen(
    Schema.Record(oneOf(callStatuses), Schema.optionalKey(Integer)),
    "From call status to calls.",
  ),
  retry_policy: chosen(RetryPolicy),
  concurrency_limit: chosen(nullable(Integer), "As given; has no effect."),
  scheduled_at: chosen(nullable(Timestamp)),
  started_at: chosen(nullable(Timestamp), "When its first contact was dialled."),
  completed_at: chosen(nullable(Timestamp)),
  metadata: chosen(JsonObject),
  created_at: chosen(Timestamp),
  updated_at: chosen(Timestamp),
}).annotate({ identifier: "Batch", description: "A list of contacts that is dialled together." })
export type Batch = typeof Batch.Type

/** A page of batches. */
export const BatchPage = pageOf(Batch).annotate({ identifier: "BatchPage" })

/** The query of `GET /v2/batches`. */
export const BatchesQuery = Schema.Struct({
  status: chosen(queryWord(BatchStatus.batchStatuses)),
  agent_id: chosen(Schema.optionalKey(queryText), "Only those of this agent."),
  campaign_id: chosen(Schema.optionalKey(queryText), "Only those of this campaign."),
  ...pageQuery,
  ...organizationQuery,
})

const organizationOnly = Schema.Struct(organizationQuery)
const batchPath = { batch_id: Schema.String }

/** Creating, reading and steering batches (specification, "Batches"). */
export const BatchesGroup = HttpApiGroup.make("batches").add(
  HttpApiEndpoint.post("create", "/batches", {
    query: organizationOnly,
    payload: BatchCreate,
    success: Batch.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RateLimitBucket, "calls.create")
    .annotate(RequiredScope, "batches:write")
    .annotate(AcceptsIdempotencyKey, true)
    .annotate(BodyBytes, contactBodyBytes)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create a batch",
        description: "Dialling starts at once unless `scheduled_at` says otherwise.",
      }),
    ),
  HttpApiEndpoint.post("upload", "/batches/upload", {
    query: organizationOnly,
    payload: BatchUpload.pipe(HttpApiSchema.asMultipart()),
    success: Batch.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RateLimitBucket, "calls.create")
    .annotate(RequiredScope, "batches:write")
    .annotate(AcceptsIdempotencyKey, true)
    .annotate(BodyBytes, contactBodyBytes)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create a batch from a CSV file",
        description: "Wrong rows are named together, by line; the header is line 1. Then nothing is stored.",
      }),
    ),
  HttpApiEndpoint.get("list", "/batches", { query: BatchesQuery, success: BatchPage })
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(OpenApi.annotations({ summary: "List batches", description: "Newest first." })),
  HttpApiEndpoint.get("get", "/batches/:batch_id", { params: batchPath, query: organizationOnly, success: Batch })
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(OpenApi.annotations({ summary: "Read a batch", description: "With its counts." })),
  HttpApiEndpoint.get("executions", "/batches/:batch_id/executions", {
    params: batchPath,
    query: BatchCallsQuery,
    success: CallPage,
  })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({ summary: "List a batch's calls", description: "Newest first, calls in flight included." }),
    ),
  HttpApiEndpoint.post("schedule", "/batches/:batch_id/schedule", {
    params: batchPath,
    query: organizationOnly,
    payload: BatchSchedule,
    success: Batch,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RateLimitBucket, "calls.create")
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({ summary: "Schedule a batch", description: "One that has not begun to dial." }),
    ),
  HttpApiEndpoint.post("stop", "/batches/:batch_id/stop", {
    params: batchPath,
    query: organizationOnly,
    success: Batch,
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({ summary: "Stop a batch", description: "For good: its status is `cancelled`." }),
    ),
  HttpApiEndpoint.post("pause", "/batches/:batch_id/pause", {
    params: batchPath,
    query: organizationOnly,
    success: Batch,
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({ summary: "Pause a batch", description: "A batch that has finished cannot be paused." }),
    ),
  HttpApiEndpoint.post("resume", "/batches/:batch_id/resume", {
    params: batchPath,
    query: organizationOnly,
    success: Batch.pipe(HttpApiSchema.status(202)),
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(OpenApi.annotations({ summary: "Resume a batch", description: "Dialling goes on where it stood." })),
)
