import { agentStatuses, BatchStatus, type CallerId, CampaignStatus } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AcceptsIdempotencyKey,
  BodyBytes,
  chosen,
  described,
  EndpointOrigin,
  GathersRows,
  RateLimitBucket,
  RequiredScope,
} from "./Annotations.ts"
import { Batch, BatchPage } from "./Batches.ts"
import { CampaignLogPage, CampaignLogQuery } from "./CampaignLog.ts"
import {
  FollowUpPolicy,
  FollowUpPolicyBody,
  RetryPolicy,
  RetryPolicyBody,
  Transliteration,
  TransliterationBody,
  WorkingHours,
} from "./CampaignPolicies.ts"
import {
  ContactAppend,
  contactBodyBytes,
  ContactFile,
  ContactList,
  ContactPage,
  ContactsQuery,
  ContactUpload,
} from "./Contacts.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryWord } from "./Query.ts"
import {
  Flag,
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

/** Characters that the name of a campaign may have (specification, "Other constants"). */
export const campaignNameMax = 200

/** What `max_concurrent_calls` may be (specification, "Concurrency"). */
export const campaignCeilingBounds = { min: 1, max: 10_000 } as const

const phoneNumberStrategies = [
  "round_robin",
  "random",
  "least_loaded",
] as const satisfies ReadonlyArray<CallerId.PhoneNumberStrategy>

const fields = {
  phone_numbers: listOf(PhoneNumber),
  phone_number_strategy: oneOf(phoneNumberStrategies),
  timezone: Text,
  working_hours_enforced: Flag,
  working_hours: WorkingHours,
  max_concurrent_calls: nullable(integerBetween(campaignCeilingBounds.min, campaignCeilingBounds.max)),
  retry_policy: RetryPolicyBody,
  follow_up_policy: FollowUpPolicyBody,
  transliteration: TransliterationBody,
  start_time: nullable(OffsetTimestamp),
  end_time: nullable(OffsetTimestamp),
  default_call_variables: JsonObject,
  default_call_context: JsonObject,
  metadata: JsonObject,
}

const told = {
  phone_numbers: "Caller IDs, each registered to the organization; all registered numbers when left out.",
  phone_number_strategy: "`round_robin` when left out.",
  timezone: "IANA; `UTC` when left out.",
  working_hours_enforced: "False when left out.",
  working_hours: "By lowercase day names; a day left out is closed where hours are enforced.",
  max_concurrent_calls: "A ceiling only: it never reserves lines or raises the organization's limit.",
  retry_policy: "Three retries, 15 minutes apart, in working hours when left out.",
  follow_up_policy: "Disabled when left out.",
  transliteration: "Disabled when left out; inherited by every later upload, retry and follow-up.",
  start_time: "Nothing is dialled before it; with UTC offset.",
  end_time: "Nothing is dialled after it, and the campaign expires; with UTC offset.",
  default_call_variables: "Variables of every call, overridden by those of a contact.",
  default_call_context: "Free-form.",
  metadata: "Kept as given.",
} satisfies { readonly [field in keyof typeof fields]: string }

const onCreate = {
  phone_numbers: described(Schema.optionalKey(fields.phone_numbers), told.phone_numbers),
  phone_number_strategy: described(Schema.optionalKey(fields.phone_number_strategy), told.phone_number_strategy),
  timezone: described(Schema.optionalKey(fields.timezone), told.timezone),
  working_hours_enforced: described(Schema.optionalKey(fields.working_hours_enforced), told.working_hours_enforced),
  working_hours: described(Schema.optionalKey(fields.working_hours), told.working_hours),
  max_concurrent_calls: described(Schema.optionalKey(fields.max_concurrent_calls), told.max_concurrent_calls),
  retry_policy: described(Schema.optionalKey(fields.retry_policy), told.retry_policy),
  follow_up_policy: described(Schema.optionalKey(fields.follow_up_policy), told.follow_up_policy),
  transliteration: described(Schema.optionalKey(fields.transliteration), told.transliteration),
  start_time: described(Schema.optionalKey(fields.start_time), told.start_time),
  end_time: described(Schema.optionalKey(fields.end_time), told.end_time),
  default_call_variables: described(Schema.optionalKey(fields.default_call_variables), told.default_call_variables),
  default_call_context: described(Schema.optionalKey(fields.default_call_context), told.default_call_context),
  metadata: described(Schema.optionalKey(fields.metadata), told.metadata),
}

const named = {
  name: described(nonEmptyTextUpTo(campaignNameMax), "1 to 200 characters."),
  agent_id: described(NonEmptyText, "Must belong to the organization."),
}

/** The JSON body of `POST /v2/campaigns`. Without contacts it makes the policy only, and nothing dials. */
export const CampaignCreate = objectOf({
  ...named,
  contacts: Schema.optionalKey(ContactList),
  ...onCreate,
}).annotate({ identifier: "CampaignCreate" })
export type CampaignCreate = typeof CampaignCreate.Type

/** The form of `POST /v2/campaigns`: the same fields, structured ones as JSON, and the contacts as a CSV file. */
export const CampaignUpload = objectOf({ ...named, file: ContactFile, ...onCreate }).annotate({
  identifier: "CampaignUpload",
  description:
    "Structured settings are JSON in their own form fields; `phone_numbers` is a JSON array or a repeated field.",
})
export type CampaignUpload = typeof CampaignUpload.Type

const cleared = <S extends Schema.Top>(schema: S) => Schema.optionalKey(nullable(schema))

/** The body of `PATCH /v2/campaigns/{campaign_id}`: every field of a create but `contacts`; null returns a field to its default. */
export const CampaignPatch = objectOf({
  name: Schema.optionalKey(named.name),
  agent_id: described(Schema.optionalKey(NonEmptyText), "Only while the campaign is created or paused."),
  phone_numbers: described(cleared(fields.phone_numbers), told.phone_numbers),
  phone_number_strategy: described(cleared(fields.phone_number_strategy), told.phone_number_strategy),
  timezone: described(cleared(fields.timezone), told.timezone),
  working_hours_enforced: described(cleared(fields.working_hours_enforced), told.working_hours_enforced),
  working_hours: described(cleared(fields.working_hours), told.working_hours),
  max_concurrent_calls: onCreate.max_concurrent_calls,
  retry_policy: described(cleared(fields.retry_policy), "Fields left out stay; applies to retries not yet planned."),
  follow_up_policy: described(cleared(fields.follow_up_policy), "Fields left out stay."),
  transliteration: described(cleared(fields.transliteration), "Fields left out stay."),
  start_time: onCreate.start_time,
  end_time: described(onCreate.end_time, "Pushing it forward brings an expired campaign back."),
  default_call_variables: described(cleared(fields.default_call_variables), told.default_call_variables),
  default_call_context: described(cleared(fields.default_call_context), told.default_call_context),
  metadata: described(cleared(fields.metadata), told.metadata),
}).annotate({ identifier: "CampaignPatch", "x-origin": "chosen" })
export type CampaignPatch = typeof CampaignPatch.Type

/** The campaign object (specification, "Campaign"). */
export const Campaign = Schema.Struct({
  campaign_id: Text,
  organization_id: Text,
  name: Text,
  agent_id: Text,
  phone_numbers: listOf(Text),
  phone_number_strategy: oneOf(phoneNumberStrategies),
  phone_number_index: described(Integer, "Round-robin cursor."),
  timezone: Text,
  working_hours_enforced: Flag,
  working_hours: WorkingHours,
  max_concurrent_calls: nullable(Integer),
  retry_policy: RetryPolicy,
  follow_up_policy: FollowUpPolicy,
  transliteration: Transliteration,
  start_time: nullable(Timestamp),
  end_time: nullable(Timestamp),
  default_call_variables: JsonObject,
  default_call_context: JsonObject,
  status: oneOf(CampaignStatus.campaignStatuses),
  metadata: JsonObject,
  batch_id: described(nullable(Text), "The batch that this request made of its contacts; null on every other read."),
  total_contacts: Integer,
  total_batches: Integer,
  active_batches: Integer,
  completed_contacts: described(Integer, "Contacts that reached a completed call, counted once; for progress."),
  completed_calls: Integer,
  failed_calls: Integer,
  busy_calls: Integer,
  no_answer_calls: Integer,
  voicemail_calls: described(Integer, "A subset of `no_answer_calls`, never added to it."),
  in_progress_calls: Integer,
  follow_up_calls: Integer,
  follow_up_exhausted: Integer,
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "Campaign", description: "Contacts that are dialled under one policy." })
export type Campaign = typeof Campaign.Type

/** A page of campaigns. */
export const CampaignPage = pageOf(Campaign).annotate({ identifier: "CampaignPage" })

const counts = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Record(oneOf(words), Schema.optionalKey(Integer))

/** The live statistics (specification, "Campaign stats"). */
export const CampaignStats = Schema.Struct({
  campaign_id: Text,
  status: oneOf(CampaignStatus.campaignStatuses),
  timezone: Text,
  working_hours_enforced: Flag,
  start_time: nullable(Timestamp),
  end_time: nullable(Timestamp),
  total_contacts: Integer,
  contacts_dialled: described(Integer, "Distinct contacts that were dialled at least once."),
  in_flight_contacts: Integer,
  outcome_counts: described(
    Schema.Struct({
      completed: Integer,
      failed: Integer,
      in_flight: Integer,
      pending: Integer,
      total: Integer,
    }),
    "Four buckets that exclude one another and sum to `total`; `completed` only grows.",
  ),
  contact_counts: described(
    Schema.Struct({ pending: Integer, in_progress: Integer, completed: Integer, failed: Integer }),
    "Contacts by their present status; overlaps the buckets.",
  ),
  batch_counts: described(counts(BatchStatus.batchStatuses), "From batch status to batches."),
  call_counters: Schema.Struct({
    completed_calls: Integer,
    failed_calls: Integer,
    busy_calls: Integer,
    no_answer_calls: Integer,
    voicemail_calls: Integer,
    follow_up_calls: Integer,
  }),
  retry_breakdown: described(
    Schema.Record(Schema.String, Integer),
    'From retry depth (`"0"`, `"1"`…) to calls, follow-ups left out.',
  ),
  follow_up_attempts: Integer,
  total_call_attempts: described(Integer, "Every dial, retries and follow-ups included."),
  retry_policy: RetryPolicy,
}).annotate({ identifier: "CampaignStats", description: "Computed on read." })
export type CampaignStats = typeof CampaignStats.Type

/** Why a campaign dials nothing, or not more, now. */
export const CampaignExplanation = Schema.Struct({
  campaign_id: chosen(Text),
  status: chosen(oneOf(CampaignStatus.campaignStatuses)),
  at: chosen(Timestamp, "The moment of which all of this is true."),
  in_flight: chosen(Integer, "Calls that are live now."),
  dialable: chosen(Integer, "Contacts that lack nothing but a line to be dialled now."),
  blocking: chosen(
    listOf(
      Schema.Struct({
        reason: described(Text, "A word such as `outside_hours`; more may come."),
        contacts: described(Integer, "Contacts that it holds back."),
        until: described(nullable(Timestamp), "Until when, where that is known."),
      }),
    ),
    "One entry for every reason; each contact that waits stands under one of them, or is dialled as soon as the dispatcher comes to it.",
  ),
  inactive_agents: chosen(
    listOf(
      Schema.Struct({
        agent_id: Text,
        status: described(nullable(oneOf(agentStatuses)), "Null where there is no such agent any more."),
      }),
    ),
    "The agents behind `agent_inactive`: those of batches, or those that follow-ups are to be made by; at most 10.",
  ),
  waiting_for_number: chosen(
    listOf(
      Schema.Struct({
        contact_id: Text,
        batch_id: Text,
        to_number: Text,
        waits_since: described(nullable(Timestamp), "Since when it waits; null where that was not kept."),
        execution_id: described(
          nullable(Text),
          "The live call of the campaign to the number; null where none is live: as a rule another contact with the number has its turn first.",
        ),
      }),
    ),
    "Some of the contacts that wait for their number (`number_busy`), at most 10, and of these the longest wait first.",
  ),
  estimated_finish_at: chosen(
    nullable(Timestamp),
    "When the last contact is done at the pace so far, and never before the last call that is planned; null where nothing can be said honestly, as while somebody has to act before anything is dialled.",
  ),
  no_estimate_reason: chosen(
    nullable(Text),
    "Why there is no `estimated_finish_at`, null where there is one: a `reason` as in `blocking`, or `too_few_calls`, `nothing_left`, `end_comes_first`; more may come.",
  ),
}).annotate({ identifier: "CampaignExplanation", "x-origin": "chosen" })
export type CampaignExplanation = typeof CampaignExplanation.Type

/** The query of `GET /v2/campaigns`. */
export const CampaignsQuery = Schema.Struct({
  status: queryWord(CampaignStatus.campaignStatuses),
  ...pageQuery,
  ...organizationQuery,
})

/** The query of `GET /v2/campaigns/{campaign_id}/batches`. */
export const CampaignBatchesQuery = Schema.Struct({ ...pageQuery, ...organizationQuery })

const organizationOnly = Schema.Struct(organizationQuery)
const campaignPath = { campaign_id: Schema.String }

/** Creating, reading, steering and ending campaigns (specification, "Campaigns"). */
export const CampaignsGroup = HttpApiGroup.make("campaigns").add(
  HttpApiEndpoint.post("create", "/campaigns", {
    query: organizationOnly,
    payload: [CampaignCreate, CampaignUpload.pipe(HttpApiSchema.asMultipart())],
    success: Campaign.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RateLimitBucket, "calls.create")
    .annotate(RequiredScope, "batches:write")
    .annotate(AcceptsIdempotencyKey, true)
    .annotate(BodyBytes, contactBodyBytes)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create a campaign",
        description:
          "With contacts they are loaded and dialling starts; without them only the policy is made. Nothing is stored of a request that is refused.",
      }),
    ),
  HttpApiEndpoint.get("list", "/campaigns", { query: CampaignsQuery, success: CampaignPage })
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({ summary: "List campaigns", description: "Newest first, with an honest total." }),
    ),
  HttpApiEndpoint.get("get", "/campaigns/:campaign_id", {
    params: campaignPath,
    query: organizationOnly,
    success: Campaign,
  })
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(OpenApi.annotations({ summary: "Read a campaign", description: "With its counters." })),
  HttpApiEndpoint.patch("update", "/campaigns/:campaign_id", {
    params: campaignPath,
    query: organizationOnly,
    payload: CampaignPatch,
    success: Campaign,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Change a campaign",
        description: "Pushing `end_time` forward brings an expired campaign back. A cancelled one cannot be edited.",
      }),
    ),
  HttpApiEndpoint.delete("remove", "/campaigns/:campaign_id", {
    params: campaignPath,
    query: organizationOnly,
    success: HttpApiSchema.Empty(204).annotate({ description: "The campaign is archived." }),
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Delete a campaign",
        description: "Archives it. A campaign with unfinished batches has to be cancelled first (1201).",
      }),
    ),
  HttpApiEndpoint.get("stats", "/campaigns/:campaign_id/stats", {
    params: campaignPath,
    query: organizationOnly,
    success: CampaignStats,
  })
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({ summary: "Read a campaign's statistics", description: "Live, computed on read." }),
    ),
  HttpApiEndpoint.post("pause", "/campaigns/:campaign_id/pause", {
    params: campaignPath,
    query: organizationOnly,
    success: Campaign,
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Pause a campaign",
        description: "With its batches. Contacts keep their place and their retries; connected calls finish.",
      }),
    ),
  HttpApiEndpoint.post("resume", "/campaigns/:campaign_id/resume", {
    params: campaignPath,
    query: organizationOnly,
    success: Campaign,
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Resume a campaign",
        description: "With the batches that its pause paused; outside working hours work waits for the next window.",
      }),
    ),
  HttpApiEndpoint.post("cancel", "/campaigns/:campaign_id/cancel", {
    params: campaignPath,
    query: organizationOnly,
    success: Campaign,
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Cancel a campaign",
        description:
          "Cancels its batches, skips contacts that were not dialled and drops pending retries and follow-ups. Live calls finish and count.",
      }),
    ),
  HttpApiEndpoint.post("revive", "/campaigns/:campaign_id/revive", {
    params: campaignPath,
    query: organizationOnly,
    success: Campaign,
    error: Conflict,
  })
    .annotate(RequiredScope, "batches:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Revive a campaign",
        description:
          "Re-queues what the cancel skipped, each contact with what was left of its retries. Outcomes are never reset.",
      }),
    ),
  HttpApiEndpoint.get("batches", "/campaigns/:campaign_id/batches", {
    params: campaignPath,
    query: CampaignBatchesQuery,
    success: BatchPage,
  })
    .annotate(RequiredScope, "calls:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List a campaign's batches",
        description: "In the order in which they were made.",
      }),
    ),
  HttpApiEndpoint.get("contacts", "/campaigns/:campaign_id/contacts", {
    params: campaignPath,
    query: ContactsQuery,
    success: ContactPage,
  })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List a campaign's contacts",
        description: "In the order in which they were handed in, each with where it stands.",
      }),
    ),
  HttpApiEndpoint.post("append", "/campaigns/:campaign_id/contacts", {
    params: campaignPath,
    query: organizationOnly,
    payload: [ContactAppend, ContactUpload.pipe(HttpApiSchema.asMultipart())],
    success: Batch.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "batches:write")
    .annotate(EndpointOrigin, "chosen")
    .annotate(AcceptsIdempotencyKey, true)
    .annotate(BodyBytes, contactBodyBytes)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Add contacts to a campaign",
        description: "As one more batch of it, which is answered.",
      }),
    ),
  HttpApiEndpoint.get("explain", "/campaigns/:campaign_id/explain", {
    params: campaignPath,
    query: organizationOnly,
    success: CampaignExplanation,
  })
    .annotate(GathersRows, true)
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Explain a campaign's pace",
        description: "Why nothing, or not more, is dialled at this moment.",
      }),
    ),
  HttpApiEndpoint.get("log", "/campaigns/:campaign_id/log", {
    params: campaignPath,
    query: CampaignLogQuery,
    success: CampaignLogPage,
  })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read a campaign's log",
        description: "What happened to it and who brought that about, newest first.",
      }),
    ),
)
