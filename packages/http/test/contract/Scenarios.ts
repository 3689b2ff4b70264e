import type { Call } from "@carillon/core"
import { newDelivery } from "@carillon/core/domain"
import { formOf, type Part, pdf } from "../Forms.ts"
import { type Answer, organizationId, type Sent, start, type World } from "../World.ts"

/** Sends as one tenant. */
export type Send = (sent: Sent) => Promise<Answer>

/** A tenant of the world: its key, an ACTIVE agent and two numbers stand ready. */
export interface Tenant {
  readonly world: World
  readonly organization_id: string
  readonly agent_id: string
  readonly send: Send
}

/** A request of a route, without method and path. `ids` are the values of the path's placeholders. */
export interface Request {
  readonly ids?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
  /** Sent as a form instead of JSON. */
  readonly form?: ReadonlyArray<Part>
}

/** What it takes to see every success form of a route: requests in order. The first is a request that could be repeated with other ids. */
export type Scenario = (tenant: Tenant) => Promise<ReadonlyArray<Request>>

/** Makes something, and answers with the ids and other texts that it has. */
/** Gives the organization call caps. */
const callCaps = (tenant: Tenant) => tenant.send({ method: "PUT", target: "/v2/call-caps", body: { per_day: 30 } })

/** Gives the organization callee hours that are always open. */
const hours = (tenant: Tenant) =>
  tenant.send({ method: "PUT", target: "/v2/callee-hours", body: { countries: { US: null } } })

const post = async (tenant: Tenant, target: string, body: object): Promise<Readonly<Record<string, string>>> => {
  const { json } = await tenant.send({ method: "POST", target, body })
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  )
}

let numbers = 0

/** A number that no other scenario has used. */
const freshNumber = (): string => `+1555200${String(1_000 + numbers++)}`

const dial = (tenant: Tenant, more: object = {}) =>
  post(tenant, "/v2/calls", { agent_id: tenant.agent_id, to_number: "+15555550100", ...more })

const later = { scheduled_at: new Date(start + 3_600_000).toISOString() }

/** A call as its carrier has left it. */
const changed = (tenant: Tenant, executionId: string, changes: Partial<Call>): void => {
  const call = tenant.world.tables.calls.get(executionId)
  if (call === undefined) throw new Error(`There is no call ${executionId}.`)
  tenant.world.write({ put: "call", row: { ...call, revision: call.revision + 1, ...changes } })
}

const draft = (tenant: Tenant) => post(tenant, "/v2/agents", { display_name: "Draft" })

const version = async (tenant: Tenant, body: object = {}) => {
  const { agent_id: variant_agent_id } = await draft(tenant)
  return post(tenant, `/v2/agents/${tenant.agent_id}/versions`, { variant_agent_id, version_name: "V", ...body })
}

const number = (tenant: Tenant) => post(tenant, "/v2/phone-numbers", { phone_number: freshNumber() })

const campaign = (tenant: Tenant, more: object = {}) =>
  post(tenant, "/v2/campaigns", { name: "Campaign", agent_id: tenant.agent_id, ...more })

/** A campaign with a breaker. */
const withBreaker = async (tenant: Tenant) => {
  const { campaign_id = "" } = await campaign(tenant)
  await tenant.send({ method: "PUT", target: `/v2/campaigns/${campaign_id}/breaker`, body: { failed_percent: 50 } })
  return { campaign_id }
}

/** A campaign with an order. */
const withOrder = async (tenant: Tenant) => {
  const { campaign_id = "" } = await campaign(tenant)
  await tenant.send({ method: "PUT", target: `/v2/campaigns/${campaign_id}/order`, body: { contacts: "last_come" } })
  return { campaign_id }
}

const batch = (tenant: Tenant, more: object = {}) =>
  post(tenant, "/v2/batches", {
    agent_id: tenant.agent_id,
    contacts: [{ to_number: freshNumber() }],
    ...later,
    ...more,
  })

const subscription = (tenant: Tenant, more: object = {}) =>
  post(tenant, "/v2/webhooks", { agent_id: tenant.agent_id, callback_url: "https://hooks.example.com/x", ...more })

let deliveries = 0

/** A delivery in the ledger, with the event that it is of. */
const delivery = async (tenant: Tenant): Promise<string> => {
  const { agent_id, organization_id } = tenant
  const { subscription_id = "" } = await subscription(tenant)
  const { execution_id = "" } = await dial(tenant)
  const nth = deliveries++
  const event = {
    event_id: `evt_${nth}`,
    organization_id,
    event_type: "call_completed",
    execution_id,
    agent_id,
  } as const
  const row = newDelivery({ ...event, delivery_id: `dlv_${nth}`, subscription_id, body_bytes: 2 }, start)
  tenant.world.write(
    {
      put: "event",
      row: { ...event, revision: 1, body: "{}", raised_at: start, routed_at: start, expires_at: start + 86_400_000 },
    },
    { put: "delivery", row: { ...row, status: "delivered", due_at: null } },
  )
  return row.delivery_id
}

/** A knowledge base with one document, by the ids that paths have. */
const knowledgeBase = async (tenant: Tenant): Promise<Readonly<Record<string, string>>> => {
  const collection = `docs-${numbers++}`
  const form = [{ name: "collection", value: collection }, pdf("Parking is free.")]
  await tenant.send({ method: "POST", target: "/v2/knowledge-bases", ...formOf(form) })
  const documents = `/v2/knowledge-bases/${collection}/documents`
  return { collection, document_id: await firstOf(tenant, documents, "document_id") }
}

const firstOf = async (tenant: Tenant, target: string, field: string): Promise<string> => {
  const { json } = await tenant.send({ target })
  const { data } = json
  const first: unknown = Array.isArray(data) ? data[0] : undefined
  return typeof first === "object" && first !== null ? String(Reflect.get(first, field)) : ""
}

const nothing: Scenario = () => Promise.resolve([{}])

/** By `METHOD /path`: how each route succeeds. A route that is served has one. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "GET /v2/user/me": nothing,
  "GET /v2/scopes": nothing,
  "GET /v2/api-keys": nothing,
  "POST /v2/api-keys": () => Promise.resolve([{ body: { name: "Second" } }]),
  "DELETE /v2/api-keys/{key_id}": async (tenant) => {
    const { key_id = "" } = await post(tenant, "/v2/api-keys", { name: "Short-lived" })
    return [{ ids: { key_id } }]
  },

  "POST /v2/calls": ({ agent_id }) =>
    Promise.resolve([
      { body: { agent_id, to_number: "+15555550100" } },
      { body: { agent_id, to_number: "+15555550100", ...later } },
    ]),
  "GET /v2/calls": async (tenant) => {
    await dial(tenant)
    return [{ query: "page_size=5" }]
  },
  "GET /v2/calls/{execution_id}": async (tenant) => {
    const { execution_id = "" } = await dial(tenant)
    return [{ ids: { execution_id } }, { ids: { execution_id }, query: "include_transcript=true" }]
  },
  "GET /v2/calls/{execution_id}/transcript": async (tenant) => {
    const { execution_id = "" } = await dial(tenant)
    return [{ ids: { execution_id } }]
  },
  "POST /v2/calls/{execution_id}/stop": async (tenant) => {
    const { execution_id = "" } = await dial(tenant, later)
    const live = (await dial(tenant))["execution_id"] ?? ""
    changed(tenant, live, { status: "ringing", call_sid: "leg" })
    return [{ ids: { execution_id } }, { ids: { execution_id: live }, body: { reason: "enough" } }]
  },
  "GET /v2/calls/{execution_id}/recording": async (tenant) => {
    const { execution_id = "" } = await dial(tenant)
    changed(tenant, execution_id, { status: "completed", recording_url: "https://audio.example.com/1.wav" })
    return [{ ids: { execution_id } }, { ids: { execution_id }, query: "redirect=true" }]
  },
  "GET /v2/calls/{execution_id}/timing": async (tenant) => {
    const { execution_id = "" } = await dial(tenant)
    return [{ ids: { execution_id } }]
  },
  "GET /v2/agents/{agent_id}/executions": ({ agent_id }) => Promise.resolve([{ ids: { agent_id } }]),

  "POST /v2/agents": () => Promise.resolve([{ body: { display_name: "New" } }]),
  "GET /v2/agents": nothing,
  "GET /v2/agents/{agent_id}": ({ agent_id }) => Promise.resolve([{ ids: { agent_id } }]),
  "PUT /v2/agents/{agent_id}": async (tenant) => {
    const { agent_id = "" } = await draft(tenant)
    return [{ ids: { agent_id }, body: { display_name: "Replaced" } }]
  },
  "PATCH /v2/agents/{agent_id}": async (tenant) => {
    const { agent_id = "" } = await draft(tenant)
    return [{ ids: { agent_id }, body: { summary: "Changed" } }]
  },
  "DELETE /v2/agents/{agent_id}": async (tenant) => {
    const { agent_id = "" } = await draft(tenant)
    return [{ ids: { agent_id } }, { ids: { agent_id } }]
  },
  "POST /v2/agents/{agent_id}/clone": ({ agent_id }) =>
    Promise.resolve([{ ids: { agent_id } }, { ids: { agent_id }, body: { display_name: "Copy" } }]),
  "POST /v2/agents/{agent_id}/deploy": async (tenant) => {
    const { agent_id = "" } = await draft(tenant)
    return [{ ids: { agent_id } }]
  },
  "POST /v2/agents/{agent_id}/undeploy": async (tenant) => {
    const { agent_id = "" } = await draft(tenant)
    return [{ ids: { agent_id } }]
  },
  "GET /v2/agents/{agent_id}/versions": async (tenant) => {
    await version(tenant)
    return [{ ids: { agent_id: tenant.agent_id } }]
  },
  "POST /v2/agents/{agent_id}/versions": async (tenant) => {
    const { agent_id: variant_agent_id } = await draft(tenant)
    return [{ ids: { agent_id: tenant.agent_id }, body: { variant_agent_id, version_name: "V" } }]
  },
  "GET /v2/agents/{agent_id}/versions/{version_id}": async (tenant) => {
    const { version_id = "" } = await version(tenant)
    return [{ ids: { agent_id: tenant.agent_id, version_id } }]
  },
  "PATCH /v2/agents/{agent_id}/versions/{version_id}": async (tenant) => {
    const { version_id = "" } = await version(tenant)
    return [{ ids: { agent_id: tenant.agent_id, version_id }, body: { variant_traffic_pct: 10 } }]
  },
  "DELETE /v2/agents/{agent_id}/versions/{version_id}": async (tenant) => {
    const { version_id = "" } = await version(tenant)
    return [{ ids: { agent_id: tenant.agent_id, version_id } }]
  },
  "PATCH /v2/agents/{agent_id}/event-subscriptions": async (tenant) => {
    await subscription(tenant)
    return [{ ids: { agent_id: tenant.agent_id }, body: { event_types: ["call_started"] } }]
  },

  "POST /v2/campaigns": ({ agent_id }) => Promise.resolve([{ body: { name: "Campaign", agent_id } }]),
  "GET /v2/campaigns": nothing,
  ...onCampaign("GET /v2/campaigns/{campaign_id}"),
  ...onCampaign("GET /v2/campaigns/{campaign_id}/stats"),
  ...onCampaign("GET /v2/campaigns/{campaign_id}/batches"),
  ...onCampaign("GET /v2/campaigns/{campaign_id}/contacts"),
  ...onCampaign("GET /v2/campaigns/{campaign_id}/explain"),
  ...onCampaign("GET /v2/campaigns/{campaign_id}/log"),
  "GET /v2/campaigns/{campaign_id}/breaker": async (tenant) => [{ ids: await withBreaker(tenant) }],
  "PUT /v2/campaigns/{campaign_id}/breaker": async (tenant) => {
    const { campaign_id = "" } = await campaign(tenant)
    return [{ ids: { campaign_id }, body: { failed_percent: 50, resume_after_minutes: 60 } }]
  },
  "DELETE /v2/campaigns/{campaign_id}/breaker": async (tenant) => [{ ids: await withBreaker(tenant) }],
  "GET /v2/campaigns/{campaign_id}/order": async (tenant) => [{ ids: await withOrder(tenant) }],
  "PUT /v2/campaigns/{campaign_id}/order": async (tenant) => {
    const { campaign_id = "" } = await campaign(tenant)
    return [{ ids: { campaign_id }, body: { priority_column: "priority", contacts: "first_come" } }]
  },
  "DELETE /v2/campaigns/{campaign_id}/order": async (tenant) => [{ ids: await withOrder(tenant) }],
  ...onCampaign("POST /v2/campaigns/{campaign_id}/pause"),
  ...onCampaign("POST /v2/campaigns/{campaign_id}/resume"),
  ...onCampaign("POST /v2/campaigns/{campaign_id}/cancel"),
  ...onCampaign("DELETE /v2/campaigns/{campaign_id}"),
  "POST /v2/campaigns/{campaign_id}/revive": async (tenant) => {
    const { campaign_id = "" } = await campaign(tenant)
    await tenant.send({ method: "POST", target: `/v2/campaigns/${campaign_id}/cancel` })
    return [{ ids: { campaign_id } }]
  },
  "PATCH /v2/campaigns/{campaign_id}": async (tenant) => {
    const { campaign_id = "" } = await campaign(tenant)
    return [{ ids: { campaign_id }, body: { name: "Renamed" } }]
  },
  "POST /v2/campaigns/{campaign_id}/contacts": async (tenant) => {
    const { campaign_id = "" } = await campaign(tenant)
    return [{ ids: { campaign_id }, body: { contacts: [{ to_number: freshNumber() }] } }]
  },

  "POST /v2/batches": ({ agent_id }) =>
    Promise.resolve([{ body: { agent_id, contacts: [{ to_number: freshNumber() }], ...later } }]),
  "POST /v2/batches/upload": ({ agent_id }) =>
    Promise.resolve([
      {
        form: [
          { name: "agent_id", value: agent_id },
          { name: "scheduled_at", value: later.scheduled_at },
          { name: "file", filename: "contacts.csv", value: `to_number\n${freshNumber()}\n` },
        ],
      },
    ]),
  "GET /v2/batches": nothing,
  ...onBatch("GET /v2/batches/{batch_id}"),
  ...onBatch("GET /v2/batches/{batch_id}/executions"),
  ...onBatch("POST /v2/batches/{batch_id}/schedule", later),
  ...onBatch("POST /v2/batches/{batch_id}/stop"),
  ...onBatch("POST /v2/batches/{batch_id}/pause"),
  "POST /v2/batches/{batch_id}/resume": async (tenant) => {
    const { batch_id = "" } = await batch(tenant)
    await tenant.send({ method: "POST", target: `/v2/batches/${batch_id}/pause` })
    return [{ ids: { batch_id } }]
  },

  "POST /v2/knowledge-bases": () =>
    Promise.resolve([{ form: [{ name: "collection", value: `docs-${numbers++}` }, pdf("Parking is free.")] }]),
  "GET /v2/knowledge-bases": nothing,
  ...onKnowledgeBase("GET /v2/knowledge-bases/{collection}"),
  ...onKnowledgeBase("DELETE /v2/knowledge-bases/{collection}"),
  ...onKnowledgeBase("POST /v2/knowledge-bases/{collection}/documents", { form: [pdf("It closes at ten.")] }),
  ...onKnowledgeBase("GET /v2/knowledge-bases/{collection}/documents"),
  ...onKnowledgeBase("DELETE /v2/knowledge-bases/{collection}/documents/{document_id}"),
  ...onKnowledgeBase("POST /v2/knowledge-bases/{collection}/query", { body: { query: "parking" } }),

  "POST /v2/webhooks": ({ agent_id }) =>
    Promise.resolve([{ body: { agent_id, callback_url: "https://hooks.example.com/x" } }]),
  "GET /v2/webhooks": nothing,
  ...onSubscription("GET /v2/webhooks/{subscription_id}"),
  ...onSubscription("PATCH /v2/webhooks/{subscription_id}", { enabled: false }),
  ...onSubscription("DELETE /v2/webhooks/{subscription_id}"),
  "POST /v2/webhooks/test": () => Promise.resolve([{ body: { callback_url: "https://hooks.example.com/x" } }]),
  "GET /v2/webhooks/deliveries": nothing,
  "GET /v2/webhooks/deliveries/{delivery_id}": async (tenant) => [{ ids: { delivery_id: await delivery(tenant) } }],
  "POST /v2/webhooks/deliveries/{delivery_id}/redeliver": async (tenant) => [
    { ids: { delivery_id: await delivery(tenant) } },
  ],

  "GET /v2/usage": () => Promise.resolve([{}, { query: "group_by=agent" }]),
  "GET /v2/phone-numbers": nothing,
  "POST /v2/phone-numbers": () => Promise.resolve([{ body: { phone_number: freshNumber() } }]),
  "GET /v2/phone-numbers/{phone_number_id}": async (tenant) => {
    const { phone_number_id = "" } = await number(tenant)
    return [{ ids: { phone_number_id } }]
  },
  "PATCH /v2/phone-numbers/{phone_number_id}": async (tenant) => {
    const { phone_number_id = "" } = await number(tenant)
    return [{ ids: { phone_number_id }, body: { label: "Front desk" } }]
  },
  "DELETE /v2/phone-numbers/{phone_number_id}": async (tenant) => {
    const { phone_number_id = "" } = await number(tenant)
    return [{ ids: { phone_number_id } }]
  },
  "GET /v2/suppressions": async (tenant) => {
    await post(tenant, "/v2/suppressions", { to_numbers: [freshNumber()] })
    return [{}]
  },
  "POST /v2/suppressions": () =>
    Promise.resolve([
      { body: { to_numbers: [freshNumber()], reason: "opt_out" } },
      { form: [{ name: "file", value: `${freshNumber()}\n`, filename: "list.txt" }] },
    ]),
  "POST /v2/suppressions/check": () => Promise.resolve([{ body: { to_numbers: [freshNumber()] } }]),
  "POST /v2/suppressions/remove": () => Promise.resolve([{ body: { to_numbers: [freshNumber()] } }]),
  "GET /v2/suppressions/rules": nothing,
  "PUT /v2/suppressions/rules": () =>
    Promise.resolve([{ body: { suppress_on: [{ extracted: [{ field: "opt_out", equals: [true] }], days: 30 }] } }]),
  "GET /v2/callee-hours": async (tenant) => {
    await hours(tenant)
    return [{}]
  },
  "PUT /v2/callee-hours": () => Promise.resolve([{ body: { countries: { US: { preset: "US" } } } }]),
  "DELETE /v2/callee-hours": async (tenant) => {
    await hours(tenant)
    return [{}]
  },
  "GET /v2/callee-hours/presets": nothing,
  "POST /v2/callee-hours/check": async (tenant) => {
    await hours(tenant)
    return [{ body: { to_numbers: [freshNumber()] } }]
  },
  "GET /v2/call-caps": async (tenant) => {
    await callCaps(tenant)
    return [{}]
  },
  "PUT /v2/call-caps": () => Promise.resolve([{ body: { per_day: 3, minimum_rest_seconds: 3_600 } }]),
  "DELETE /v2/call-caps": async (tenant) => {
    await callCaps(tenant)
    return [{}]
  },
  "GET /v2/providers": nothing,
  "POST /v2/providers": () =>
    Promise.resolve([{ body: { provider_name: `voice-${numbers++}`, provider_value: "secret" } }]),
  "DELETE /v2/providers/{provider_name}": async (tenant) => {
    const provider_name = `voice-${numbers++}`
    await post(tenant, "/v2/providers", { provider_name, provider_value: "secret" })
    return [{ ids: { provider_name } }]
  },
  "GET /v2/inbound-agents": nothing,
  "POST /v2/inbound-agents": async (tenant) => {
    const { phone_number_id } = await number(tenant)
    return [{ body: { agent_id: tenant.agent_id, phone_number_id } }]
  },
  "DELETE /v2/inbound-agents/{inbound_agent_id}": async (tenant) => {
    const { phone_number_id } = await number(tenant)
    const { agent_id } = tenant
    const { inbound_agent_id = "" } = await post(tenant, "/v2/inbound-agents", { agent_id, phone_number_id })
    return [{ ids: { inbound_agent_id } }]
  },
  "GET /v2/audit-logs": nothing,
  "GET /v2/audit-logs/verify": nothing,
  "GET /v2/audit-logs/{event_id}": async (tenant) => {
    await draft(tenant)
    return [{ ids: { event_id: await firstOf(tenant, "/v2/audit-logs", "event_id") } }]
  },
}

function onCampaign(label: string): Readonly<Record<string, Scenario>> {
  return {
    [label]: async (tenant) => {
      const { campaign_id = "" } = await campaign(tenant)
      return [{ ids: { campaign_id } }]
    },
  }
}

function onBatch(label: string, body?: object): Readonly<Record<string, Scenario>> {
  return {
    [label]: async (tenant) => {
      const { batch_id = "" } = await batch(tenant)
      return [{ ids: { batch_id }, ...(body === undefined ? {} : { body }) }]
    },
  }
}

function onKnowledgeBase(label: string, request: Request = {}): Readonly<Record<string, Scenario>> {
  return { [label]: async (tenant) => [{ ids: await knowledgeBase(tenant), ...request }] }
}

function onSubscription(label: string, body?: object): Readonly<Record<string, Scenario>> {
  return {
    [label]: async (tenant) => {
      const { subscription_id = "" } = await subscription(tenant)
      return [{ ids: { subscription_id }, ...(body === undefined ? {} : { body }) }]
    },
  }
}

/** The request of a route as it is sent. */
export const toSent = (
  route: { readonly method: string; readonly path: string },
  { body, form, ids = {}, query }: Request,
): Sent => {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "")
  return {
    method: route.method,
    target: query === undefined ? path : `${path}?${query}`,
    ...(body === undefined ? {} : { body }),
    ...(form === undefined ? {} : formOf(form)),
  }
}

/** The tenant that a fresh world has. */
export const firstTenant = (world: World): Tenant => ({
  world,
  organization_id: organizationId,
  agent_id: "agt_1",
  send: world.send,
})
