import type { ErrorCode } from "@carillon/api"

// Made of the contract, and held to it, by `npm test -- packages/client/test/Operations.test.ts`; with `-u` it is written.

/**
 * Every operation with its method, its path and what a client has to know of it: `keyed`, it honours `Idempotency-Key`; `paged`, it
 * answers pages; `redirecting`, it may answer 302.
 */
export const operations = {
  identity: {
    me: "GET /v2/user/me",
    scopes: "GET /v2/scopes",
  },
  keys: {
    list: "GET /v2/api-keys paged",
    mint: "POST /v2/api-keys",
    revoke: "DELETE /v2/api-keys/{key_id}",
  },
  agents: {
    create: "POST /v2/agents",
    list: "GET /v2/agents paged",
    get: "GET /v2/agents/{agent_id}",
    update: "PATCH /v2/agents/{agent_id}",
    replace: "PUT /v2/agents/{agent_id}",
    archive: "DELETE /v2/agents/{agent_id}",
    clone: "POST /v2/agents/{agent_id}/clone",
    deploy: "POST /v2/agents/{agent_id}/deploy",
    undeploy: "POST /v2/agents/{agent_id}/undeploy",
    executions: "GET /v2/agents/{agent_id}/executions paged",
  },
  experiments: {
    list: "GET /v2/agents/{agent_id}/versions paged",
    create: "POST /v2/agents/{agent_id}/versions",
    get: "GET /v2/agents/{agent_id}/versions/{version_id}",
    update: "PATCH /v2/agents/{agent_id}/versions/{version_id}",
    delete: "DELETE /v2/agents/{agent_id}/versions/{version_id}",
  },
  calls: {
    place: "POST /v2/calls keyed",
    list: "GET /v2/calls paged",
    get: "GET /v2/calls/{execution_id}",
    transcript: "GET /v2/calls/{execution_id}/transcript",
    stop: "POST /v2/calls/{execution_id}/stop",
    recording: "GET /v2/calls/{execution_id}/recording redirecting",
    timing: "GET /v2/calls/{execution_id}/timing",
  },
  campaigns: {
    create: "POST /v2/campaigns keyed",
    list: "GET /v2/campaigns paged",
    get: "GET /v2/campaigns/{campaign_id}",
    update: "PATCH /v2/campaigns/{campaign_id}",
    remove: "DELETE /v2/campaigns/{campaign_id}",
    stats: "GET /v2/campaigns/{campaign_id}/stats",
    pause: "POST /v2/campaigns/{campaign_id}/pause",
    resume: "POST /v2/campaigns/{campaign_id}/resume",
    cancel: "POST /v2/campaigns/{campaign_id}/cancel",
    revive: "POST /v2/campaigns/{campaign_id}/revive",
    batches: "GET /v2/campaigns/{campaign_id}/batches paged",
    contacts: "GET /v2/campaigns/{campaign_id}/contacts paged",
    append: "POST /v2/campaigns/{campaign_id}/contacts keyed",
    explain: "GET /v2/campaigns/{campaign_id}/explain",
    log: "GET /v2/campaigns/{campaign_id}/log paged",
  },
  batches: {
    create: "POST /v2/batches keyed",
    upload: "POST /v2/batches/upload keyed",
    list: "GET /v2/batches paged",
    get: "GET /v2/batches/{batch_id}",
    executions: "GET /v2/batches/{batch_id}/executions paged",
    schedule: "POST /v2/batches/{batch_id}/schedule",
    stop: "POST /v2/batches/{batch_id}/stop",
    pause: "POST /v2/batches/{batch_id}/pause",
    resume: "POST /v2/batches/{batch_id}/resume",
  },
  webhooks: {
    create: "POST /v2/webhooks",
    list: "GET /v2/webhooks paged",
    test: "POST /v2/webhooks/test",
    deliveries: "GET /v2/webhooks/deliveries paged",
    delivery: "GET /v2/webhooks/deliveries/{delivery_id}",
    redeliver: "POST /v2/webhooks/deliveries/{delivery_id}/redeliver",
    get: "GET /v2/webhooks/{subscription_id}",
    update: "PATCH /v2/webhooks/{subscription_id}",
    delete: "DELETE /v2/webhooks/{subscription_id}",
    event_subscriptions: "PATCH /v2/agents/{agent_id}/event-subscriptions",
  },
  audit: {
    list: "GET /v2/audit-logs paged",
    verify: "GET /v2/audit-logs/verify",
    get: "GET /v2/audit-logs/{event_id}",
  },
  numbers: {
    list: "GET /v2/phone-numbers paged",
    register: "POST /v2/phone-numbers",
    get: "GET /v2/phone-numbers/{phone_number_id}",
    update: "PATCH /v2/phone-numbers/{phone_number_id}",
    release: "DELETE /v2/phone-numbers/{phone_number_id}",
  },
  inboundAgents: {
    list: "GET /v2/inbound-agents paged",
    bind: "POST /v2/inbound-agents",
    unbind: "DELETE /v2/inbound-agents/{inbound_agent_id}",
  },
  providers: {
    list: "GET /v2/providers paged",
    add: "POST /v2/providers",
    remove: "DELETE /v2/providers/{provider_name}",
  },
  usage: {
    get: "GET /v2/usage",
  },
  knowledge: {
    create: "POST /v2/knowledge-bases",
    list: "GET /v2/knowledge-bases paged",
    get: "GET /v2/knowledge-bases/{collection}",
    remove: "DELETE /v2/knowledge-bases/{collection}",
    upload: "POST /v2/knowledge-bases/{collection}/documents",
    documents: "GET /v2/knowledge-bases/{collection}/documents paged",
    removeDocument: "DELETE /v2/knowledge-bases/{collection}/documents/{document_id}",
    query: "POST /v2/knowledge-bases/{collection}/query",
  },
  suppressions: {
    list: "GET /v2/suppressions paged",
    add: "POST /v2/suppressions",
    check: "POST /v2/suppressions/check",
    remove: "POST /v2/suppressions/remove",
    rules: "GET /v2/suppressions/rules",
    setRules: "PUT /v2/suppressions/rules",
  },
  calleeHours: {
    get: "GET /v2/callee-hours",
    set: "PUT /v2/callee-hours",
    remove: "DELETE /v2/callee-hours",
    presets: "GET /v2/callee-hours/presets",
    check: "POST /v2/callee-hours/check",
  },
  breakers: {
    get: "GET /v2/campaigns/{campaign_id}/breaker",
    set: "PUT /v2/campaigns/{campaign_id}/breaker",
    remove: "DELETE /v2/campaigns/{campaign_id}/breaker",
  },
  callOrders: {
    get: "GET /v2/campaigns/{campaign_id}/order",
    set: "PUT /v2/campaigns/{campaign_id}/order",
    remove: "DELETE /v2/campaigns/{campaign_id}/order",
  },
  callCaps: {
    get: "GET /v2/call-caps",
    set: "PUT /v2/call-caps",
    remove: "DELETE /v2/call-caps",
  },
} as const

/** Every error code by its name. */
export const errorCodes = {
  Malformed: 1000,
  MissingParameter: 1002,
  Unauthenticated: 1100,
  NotAnApiKey: 1101,
  Forbidden: 1102,
  NotFound: 1200,
  ValidationFailed: 1001,
  LimitExceeded: 1300,
  Unexpected: 1500,
  DependencyUnavailable: 1501,
  DependencyTimeout: 1502,
  Conflict: 1201,
  InsufficientCredits: 1400,
} as const satisfies Readonly<Record<string, ErrorCode>>
