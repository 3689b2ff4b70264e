import { auditOutcomes, chainFaults } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, RequiredScope } from "./Annotations.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryInteger, queryText, queryTimestamp, queryWord } from "./Query.ts"
import { Flag, Integer, JsonObject, nullable, oneOf, Text, Timestamp } from "./Scalars.ts"

/** A record of the audit trail, hashed in the very form in which it is answered. */
export const AuditEvent = Schema.Struct({
  event_id: chosen(Text),
  sequence: chosen(Integer, "1, 2, 3, … without gaps, per organization."),
  organization_id: chosen(Text),
  actor: chosen(Schema.Struct({ type: chosen(oneOf(["api_key", "system"])), key_id: chosen(nullable(Text)) })),
  action: chosen(Text),
  resource: chosen(Schema.Struct({ type: chosen(Text), id: chosen(nullable(Text)) })),
  outcome: chosen(oneOf(auditOutcomes)),
  error_code: chosen(nullable(Integer)),
  http_status: chosen(nullable(Integer)),
  request_id: chosen(nullable(Text)),
  details: chosen(JsonObject),
  created_at: chosen(Timestamp),
  prev_hash: chosen(Text, "`hash` of the record before; 64 zeros on the first."),
  hash: chosen(Text, "SHA-256 over the RFC 8785 canonical JSON of the record without `hash`."),
}).annotate({ identifier: "AuditEvent", description: "What was done, or refused, and by whom." })
export type AuditEvent = typeof AuditEvent.Type

/** A page of the audit trail. */
export const AuditPage = pageOf(AuditEvent).annotate({ identifier: "AuditPage" })

/** The query of `GET /v2/audit-logs`, chosen by us. */
export const AuditQuery = Schema.Struct({
  action: chosen(Schema.optionalKey(queryText), "Only this action, such as `call.create`."),
  actor: chosen(Schema.optionalKey(queryText), "The `key_id` that acted."),
  resource_type: chosen(Schema.optionalKey(queryText), "Only those on resources of this type."),
  resource_id: chosen(Schema.optionalKey(queryText), "Only those on this resource."),
  outcome: chosen(queryWord(auditOutcomes)),
  from_date: chosen(Schema.optionalKey(queryTimestamp), "Created at or after; ISO-8601 with offset."),
  to_date: chosen(Schema.optionalKey(queryTimestamp), "Created at or before; ISO-8601 with offset."),
  ...pageQuery,
  ...organizationQuery,
})

/** The query of `GET /v2/audit-logs/verify`: what an earlier verification found. */
export const VerifyQuery = Schema.Struct({
  expected_head: chosen(
    Schema.optionalKey(queryText.check(Schema.isPattern(/^[0-9a-f]{64}$/u, { message: "must be 64 hex digits" }))),
    "The `head_hash` of an earlier verification: the trail has to go on from it.",
  ),
  expected_count: chosen(
    Schema.optionalKey(queryInteger(0, Number.MAX_SAFE_INTEGER)),
    "The `checked` of an earlier verification.",
  ),
  ...organizationQuery,
})

/** 200 of `GET /v2/audit-logs/verify`. */
export const AuditVerification = Schema.Struct({
  valid: chosen(Flag),
  checked: chosen(
    Integer,
    "Records that hold, up to the first that does not, with those before them that are no longer kept.",
  ),
  first_event_id: chosen(nullable(Text)),
  last_event_id: chosen(nullable(Text)),
  head_hash: chosen(Text),
  broken_at: chosen(
    nullable(Text),
    "The `event_id` of the record that does not hold; null where only the tail is wrong.",
  ),
  reason: chosen(nullable(oneOf(chainFaults))),
}).annotate({ identifier: "AuditVerification", description: "Whether the chain holds." })
export type AuditVerification = typeof AuditVerification.Type

const organizationOnly = Schema.Struct(organizationQuery)

/** Reading and verifying the audit trail (decisions, "Other resources"). */
export const AuditGroup = HttpApiGroup.make("audit").add(
  HttpApiEndpoint.get("list", "/audit-logs", { query: AuditQuery, success: AuditPage })
    .annotate(RequiredScope, "audit:read")
    .annotateMerge(OpenApi.annotations({ summary: "List audit events", description: "Newest first." })),
  HttpApiEndpoint.get("verify", "/audit-logs/verify", { query: VerifyQuery, success: AuditVerification })
    .annotate(RequiredScope, "audit:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Verify the audit trail",
        description: "Finds edits, gaps and reordering; with what an earlier verification found, a cut tail too.",
      }),
    ),
  HttpApiEndpoint.get("get", "/audit-logs/:event_id", {
    params: { event_id: Schema.String },
    query: organizationOnly,
    success: AuditEvent,
  })
    .annotate(RequiredScope, "audit:read")
    .annotateMerge(
      OpenApi.annotations({ summary: "Read an audit event", description: "In the very form in which it was hashed." }),
    ),
)
