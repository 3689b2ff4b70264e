import { agentStatuses } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AgentAnalytics,
  AgentAnalyticsBody,
  AgentConfiguration,
  AgentConfigurationBody,
  AgentIntegrations,
  AgentIntegrationsBody,
  AgentPrompts,
  AgentPromptsBody,
  AgentSwitches,
  AgentSwitchesBody,
  AgentVariables,
  AgentVariablesBody,
  CallingGuard,
  CallingGuardBody,
  ConversationConfig,
  ConversationConfigBody,
  FollowUpConfig,
  FollowUpConfigBody,
  Multilingual,
  MultilingualBody,
} from "./AgentConfiguration.ts"
import { chosen, described, EndpointOrigin, OptionalBody, RateLimitBucket, RequiredScope } from "./Annotations.ts"
import { AgentCallsQuery, CallPage } from "./Calls.ts"
import { Conflict, PayloadTooLarge } from "./Errors.ts"
import { agentSorts, sortOrders } from "./Filters.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery, queryText, queryWord } from "./Query.ts"
import { Integer, listOf, nonEmptyTextUpTo, nullable, objectOf, oneOf, Text, textUpTo, Timestamp } from "./Scalars.ts"

/** Characters that the texts of an agent may have (specification, "Other constants"). */
export const agentTextBounds = { displayName: 100, summary: 2_000, greetingMessage: 20_000 } as const

const DisplayName = nonEmptyTextUpTo(agentTextBounds.displayName).check(
  Schema.isPattern(/^[\p{L}\p{M}\p{Nd} \-_.()]*$/u, {
    message: "may contain only letters, digits, spaces and - _ . ( )",
  }),
)

const optionalFields = {
  summary: Schema.optionalKey(nullable(textUpTo(agentTextBounds.summary))),
  greeting_message: described(
    Schema.optionalKey(nullable(textUpTo(agentTextBounds.greetingMessage))),
    "May contain `{variables}`.",
  ),
  status: Schema.optionalKey(nullable(oneOf(agentStatuses))),
  category: described(Schema.optionalKey(nullable(Text)), "Free grouping label; no effect at call time."),
  labels: described(Schema.optionalKey(nullable(listOf(Text))), "Replaces the whole list."),
  prompts: Schema.optionalKey(AgentPromptsBody),
  variables: Schema.optionalKey(AgentVariablesBody),
  analytics: Schema.optionalKey(AgentAnalyticsBody),
  integrations: Schema.optionalKey(nullable(AgentIntegrationsBody)),
  knowledge_base: described(Schema.optionalKey(nullable(Text)), "Name of a knowledge base; null detaches."),
  calling_guard: described(Schema.optionalKey(CallingGuardBody), 'Send `{"enabled": false}` to remove it.'),
  conversation_config: Schema.optionalKey(nullable(ConversationConfigBody)),
  configuration: Schema.optionalKey(AgentConfigurationBody),
  settings: Schema.optionalKey(AgentSwitchesBody),
  follow_up_config: Schema.optionalKey(FollowUpConfigBody),
  multilingual: described(
    Schema.optionalKey(nullable(MultilingualBody)),
    "Replaces the stored block; null returns to one language.",
  ),
}

/** The body of `POST /v2/agents`: a name alone is a valid, empty draft. */
export const AgentCreate = objectOf({ display_name: DisplayName, ...optionalFields }).annotate({
  identifier: "AgentCreate",
})
export type AgentCreate = typeof AgentCreate.Type

/** The body of `PATCH /v2/agents/{agent_id}`: a JSON merge patch of the create fields. */
export const AgentPatch = objectOf({
  display_name: Schema.optionalKey(DisplayName),
  ...optionalFields,
  // Answers carry null here, so an agent that was read can be sent back.
  calling_guard: described(
    Schema.optionalKey(nullable(CallingGuardBody)),
    'Send `{"enabled": false}` or null to remove it.',
  ),
}).annotate({
  identifier: "AgentPatch",
  description: "A JSON merge patch (RFC 7396) of the create fields; null clears.",
  "x-origin": "chosen",
})
export type AgentPatch = typeof AgentPatch.Type

/** The body of `PUT /v2/agents/{agent_id}`: what it leaves out returns to its default. */
export const AgentReplace = objectOf({
  display_name: DisplayName,
  ...optionalFields,
  // Answers carry null here, so an agent that was read can be sent back.
  calling_guard: described(
    Schema.optionalKey(nullable(CallingGuardBody)),
    'Send `{"enabled": false}`, null or nothing to remove it.',
  ),
}).annotate({
  identifier: "AgentReplace",
  description: "The whole agent; what is left out returns to its default, the status alone stays.",
  "x-origin": "chosen",
})
export type AgentReplace = typeof AgentReplace.Type

/** The body of `POST /v2/agents/{agent_id}/clone`. */
export const AgentClone = objectOf({
  display_name: described(Schema.optionalKey(DisplayName), 'When omitted, the copied name with " (copy)".'),
}).annotate({ identifier: "AgentClone", "x-origin": "chosen" })
export type AgentClone = typeof AgentClone.Type

/** 200 of `DELETE /v2/agents/{agent_id}`. */
export const ArchivedAgent = Schema.Struct({
  agent_id: chosen(Text),
  status: chosen(Schema.Literal("ARCHIVED")),
  archived: chosen(Schema.Literal(true)),
}).annotate({ identifier: "ArchivedAgent", description: "The agent is archived for good." })
export type ArchivedAgent = typeof ArchivedAgent.Type

/** The agent object (specification, "Agent"). On a list row `prompts` is empty and `knowledge_base` is null. */
export const Agent = Schema.Struct({
  agent_id: Text,
  org_id: Text,
  display_name: Text,
  summary: nullable(Text),
  greeting_message: nullable(Text),
  status: oneOf(agentStatuses),
  category: nullable(Text),
  labels: nullable(listOf(Text)),
  prompts: AgentPrompts,
  variables: AgentVariables,
  analytics: AgentAnalytics,
  integrations: nullable(AgentIntegrations),
  knowledge_base: nullable(Text),
  calling_guard: described(nullable(CallingGuard), "Null when the agent may call at any time."),
  conversation_config: ConversationConfig,
  configuration: AgentConfiguration,
  settings: AgentSwitches,
  follow_up_config: FollowUpConfig,
  multilingual: nullable(Multilingual),
  timestamps: Schema.Struct({ created_at: Timestamp, updated_at: Timestamp }),
  version: described(Integer, "Raised by one on every successful update."),
  dropped_languages: described(
    Schema.optionalKey(listOf(Text)),
    "After an update: languages that could not be saved, usually for a missing voice.",
  ),
}).annotate({ identifier: "Agent", description: "A configurable voice agent." })
export type Agent = typeof Agent.Type

/** A page of agents. */
export const AgentPage = pageOf(Agent).annotate({ identifier: "AgentPage" })

/** The query of `GET /v2/agents`. */
export const AgentsQuery = Schema.Struct({
  status: described(queryWord(agentStatuses), "ARCHIVED is excluded unless named."),
  category: described(Schema.optionalKey(queryText), "Only those of this category."),
  search: described(Schema.optionalKey(queryText), "Substring of the name, in either case."),
  sort_by: described(queryWord(agentSorts), "`created_at` when omitted."),
  sort_order: described(queryWord(sortOrders), "`desc` when omitted."),
  ...pageQuery,
  ...organizationQuery,
})

const organizationOnly = Schema.Struct(organizationQuery)
const agentPath = { agent_id: Schema.String }

/** Creating, reading and changing agents (specification, "Agents"). */
export const AgentsGroup = HttpApiGroup.make("agents").add(
  HttpApiEndpoint.post("create", "/agents", {
    query: organizationOnly,
    payload: AgentCreate,
    success: Agent.pipe(HttpApiSchema.status(201)),
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "agents:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create an agent",
        description:
          "Only `display_name` is required. The answer is version 2, because a create configures what it allocated.",
      }),
    ),
  HttpApiEndpoint.get("list", "/agents", { query: AgentsQuery, success: AgentPage })
    .annotate(RequiredScope, "agents:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List agents",
        description: "List rows carry the keys of a single read, with empty prompts and no knowledge base.",
      }),
    ),
  HttpApiEndpoint.get("get", "/agents/:agent_id", { params: agentPath, query: organizationOnly, success: Agent })
    .annotate(RequiredScope, "agents:read")
    .annotateMerge(
      OpenApi.annotations({ summary: "Read an agent", description: "With full prompts and knowledge base." }),
    ),
  HttpApiEndpoint.patch("update", "/agents/:agent_id", {
    params: agentPath,
    query: organizationOnly,
    payload: AgentPatch,
    success: Agent,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "agents:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Change an agent",
        description: "An ACTIVE agent has to be set back to INACTIVE before it can be edited.",
      }),
    ),
  HttpApiEndpoint.put("replace", "/agents/:agent_id", {
    params: agentPath,
    query: organizationOnly,
    payload: AgentReplace,
    success: Agent,
    error: [Conflict, PayloadTooLarge],
  })
    .annotate(RequiredScope, "agents:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Replace an agent",
        description: "An ACTIVE agent has to be set back to INACTIVE before it can be edited.",
      }),
    ),
  HttpApiEndpoint.delete("archive", "/agents/:agent_id", {
    params: agentPath,
    query: organizationOnly,
    success: ArchivedAgent,
    error: Conflict,
  })
    .annotate(RequiredScope, "agents:write")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Archive an agent",
        description: "An ACTIVE agent has to be set back to INACTIVE first; archiving twice is harmless.",
      }),
    ),
  HttpApiEndpoint.post("clone", "/agents/:agent_id/clone", {
    params: agentPath,
    query: organizationOnly,
    payload: AgentClone,
    success: Agent.pipe(HttpApiSchema.status(201)),
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(OptionalBody, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Copy an agent",
        description:
          "The copy is a DRAFT with the configuration and knowledge base, without experiments and subscriptions.",
      }),
    ),
  HttpApiEndpoint.post("deploy", "/agents/:agent_id/deploy", {
    params: agentPath,
    query: organizationOnly,
    success: Agent,
    error: Conflict,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set an agent ACTIVE",
        description: "From then on it may place calls, and cannot be edited.",
      }),
    ),
  HttpApiEndpoint.post("undeploy", "/agents/:agent_id/undeploy", {
    params: agentPath,
    query: organizationOnly,
    success: Agent,
    error: Conflict,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set an agent INACTIVE",
        description: "From then on it places no calls, and can be edited.",
      }),
    ),
  HttpApiEndpoint.get("executions", "/agents/:agent_id/executions", {
    params: agentPath,
    query: AgentCallsQuery,
    success: CallPage,
  })
    .annotate(RateLimitBucket, "executions.list")
    .annotate(RequiredScope, "agents:read")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List an agent's calls",
        description: "Newest first, calls in flight included. An unknown agent is 404 rather than an empty page.",
      }),
    ),
)
