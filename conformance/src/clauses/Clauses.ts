import type { AnyClause, Clause, Informative, Section } from "./Clause.ts"
import { extensionClauses } from "./Extensions.ts"
import { authentication, rejectionOrder, organizationBinding, scopes } from "./Authentication.ts"
import { conventions } from "./Conventions.ts"
import { errors } from "./Errors.ts"
import { events, eventTypes, routing, deliveryRules, payload } from "./Events.ts"
import { requestRate, concurrency, constants } from "./Limits.ts"
import { purpose } from "./Purpose.ts"
import { versioning } from "./Versioning.ts"
import { agentDecisions } from "./decisions/Agents.ts"
import { callingWindowDecisions } from "./decisions/CallingWindows.ts"
import { callDecisions } from "./decisions/Calls.ts"
import { campaignDecisions } from "./decisions/Campaigns.ts"
import { experimentDecisions } from "./decisions/Experiments.ts"
import { identifierDecisions } from "./decisions/Identifiers.ts"
import { keyDecisions } from "./decisions/Keys.ts"
import { knowledgeBaseDecisions } from "./decisions/KnowledgeBases.ts"
import { otherResourceDecisions } from "./decisions/OtherResources.ts"
import { decisionsPreamble } from "./decisions/Preamble.ts"
import { readings } from "./decisions/Readings.ts"
import { pipelineDecisions } from "./decisions/RequestPipeline.ts"
import { webhookDecisions } from "./decisions/Webhooks.ts"
import { agents } from "./endpoints/Agents.ts"
import { batches } from "./endpoints/Batches.ts"
import { calls } from "./endpoints/Calls.ts"
import { campaigns } from "./endpoints/Campaigns.ts"
import { experiments } from "./endpoints/Experiments.ts"
import { globalRules } from "./endpoints/GlobalRules.ts"
import { identityAndKeys } from "./endpoints/IdentityAndKeys.ts"
import { knowledgeBases } from "./endpoints/KnowledgeBases.ts"
import { otherRoutes } from "./endpoints/OtherRoutes.ts"
import { webhooks } from "./endpoints/Webhooks.ts"
import { agent } from "./resources/Agent.ts"
import { apiKeyRecord } from "./resources/ApiKeyRecord.ts"
import { batch } from "./resources/Batch.ts"
import { call } from "./resources/Call.ts"
import { campaign } from "./resources/Campaign.ts"
import { campaignStats } from "./resources/CampaignStats.ts"
import { errorEnvelope } from "./resources/ErrorEnvelope.ts"
import { experiment } from "./resources/Experiment.ts"
import { identity } from "./resources/Identity.ts"
import { knowledgeBase } from "./resources/KnowledgeBase.ts"
import { pagination } from "./resources/Pagination.ts"
import { scopeObject } from "./resources/ScopeObject.ts"
import { timing } from "./resources/Timing.ts"
import { webhookSubscription } from "./resources/WebhookSubscription.ts"
import { webhookTestResult } from "./resources/WebhookTestResult.ts"
import { agentStatus } from "./states/AgentStatus.ts"
import { batchStatus } from "./states/BatchStatus.ts"
import { campaignStatus } from "./states/CampaignStatus.ts"
import { executionStatus } from "./states/ExecutionStatus.ts"
import { experimentStatus } from "./states/ExperimentStatus.ts"

const sections: ReadonlyArray<Section> = [
  conventions,
  purpose,
  pagination,
  errorEnvelope,
  apiKeyRecord,
  identity,
  scopeObject,
  agent,
  call,
  timing,
  campaign,
  campaignStats,
  batch,
  knowledgeBase,
  experiment,
  webhookSubscription,
  webhookTestResult,
  executionStatus,
  agentStatus,
  campaignStatus,
  batchStatus,
  experimentStatus,
  globalRules,
  identityAndKeys,
  calls,
  agents,
  experiments,
  campaigns,
  batches,
  knowledgeBases,
  webhooks,
  otherRoutes,
  authentication,
  rejectionOrder,
  organizationBinding,
  scopes,
  events,
  eventTypes,
  routing,
  deliveryRules,
  payload,
  errors,
  requestRate,
  concurrency,
  constants,
  versioning,
  decisionsPreamble,
  pipelineDecisions,
  identifierDecisions,
  keyDecisions,
  callDecisions,
  callingWindowDecisions,
  agentDecisions,
  experimentDecisions,
  campaignDecisions,
  knowledgeBaseDecisions,
  webhookDecisions,
  otherResourceDecisions,
  readings,
]

/** Every clause, in the order of the specification and then of the decisions. */
export const clauses: ReadonlyArray<Clause> = sections.flatMap((section) => section.clauses)

/** Every passage of the two documents that states nothing a test could refute. */
export const informative: ReadonlyArray<Informative> = sections.flatMap((section) => section.informative)

const all: ReadonlyArray<AnyClause> = [...clauses, ...extensionClauses]

const byId = new Map(all.map((clause) => [clause.id, clause]))

/** The clause with this id, if there is one; those of extensions are found, too. */
export const findClause = (id: string): AnyClause | undefined => byId.get(id)

/** The clauses of a topic: `CALL` selects all of `CALL-STOP-3`, `CALL-STOP` and `CALL-STOP-3` select it too, `CALL-ST` does not. */
export const clausesByPrefix = (prefix: string): ReadonlyArray<AnyClause> =>
  all.filter((clause) => clause.id === prefix || clause.id.startsWith(`${prefix}-`))
