import { limits } from "@carillon/core"
import { callStatuses, usageGroups } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, GathersRows, RateLimitBucket } from "./Annotations.ts"
import { CallCost } from "./Calls.ts"
import { organizationQuery, queryText, queryTimestamp, queryWord } from "./Query.ts"
import { Integer, listOf, nullable, Quantity, Text, Timestamp } from "./Scalars.ts"

const figures = {
  total_calls: chosen(Integer),
  connected_calls: chosen(Integer, "Calls that were answered."),
  total_duration_seconds: chosen(Quantity),
  total_cost: chosen(Quantity),
  cost_breakdown: chosen(CallCost.fields.breakdown),
  status_counts: chosen(Schema.Record(Text, Integer), `Calls by status, of ${callStatuses.join(", ")}.`),
}

/** The share of one day, agent or campaign. */
export const UsageBucket = Schema.Struct({
  key: chosen(nullable(Text), "The day (`2026-01-05`), the agent_id or the campaign_id; null: no campaign."),
  ...figures,
}).annotate({ identifier: "UsageBucket" })
export type UsageBucket = typeof UsageBucket.Type

/** Usage of a range of time (decisions, "Other resources"). */
export const Usage = Schema.Struct({
  from_date: chosen(Timestamp),
  to_date: chosen(Timestamp),
  currency: chosen(Text),
  ...figures,
  buckets: chosen(listOf(UsageBucket), "Empty unless `group_by` was given."),
}).annotate({
  identifier: "Usage",
  description:
    "What the calls add up to that were created in the range. It counts what `GET /v2/calls` lists for the range, both ends included.",
})
export type Usage = typeof Usage.Type

/** The query of `GET /v2/usage`. */
export const UsageQuery = Schema.Struct({
  from_date: chosen(Schema.optionalKey(queryTimestamp), "The beginning of this month when omitted."),
  to_date: chosen(Schema.optionalKey(queryTimestamp), "Now when omitted; at most 32 days after `from_date`."),
  agent_id: chosen(Schema.optionalKey(queryText), "Only those of this agent."),
  group_by: chosen(
    queryWord(usageGroups),
    `\`day\` is a day of UTC. No more than ${limits.usageGroups} agents or campaigns may have had calls.`,
  ),
  ...organizationQuery,
})

/** What calls add up to. */
export const UsageGroup = HttpApiGroup.make("usage").add(
  HttpApiEndpoint.get("get", "/usage", { query: UsageQuery, success: Usage })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(GathersRows, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read usage",
        description: "Calls, minutes and cost, by when calls were created.",
      }),
    ),
)
