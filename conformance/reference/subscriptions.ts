import { createHmac } from "node:crypto"
import { agentOf } from "./agents.ts"
import { checkedHeaders, checkedUrl } from "./destinations.ts"
import { conflict, malformed, notFound } from "./errors.ts"
import { type Fields, flag, list, map, orNull, text } from "./fields.ts"
import { mint } from "./ids.ts"
import type { Organization } from "./organization.ts"
import { pageAsked, pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"
import type { Sent } from "./inbox.ts"

export const eventTypes = [
  "all_processing_completed",
  "call_completed",
  "call_corrected",
  "call_ringing",
  "call_started",
  "client_analysis_completed",
  "platform_analysis_completed",
  "recording_completed",
] as const

export type EventType = (typeof eventTypes)[number]

export const defaultEvent: EventType = "all_processing_completed"

const signatureHeader = "X-Service-Signature"

/** Where events of an agent go, or of all agents that have no subscription of their own. */
export interface Subscription {
  readonly subscription_id: string
  /** Null: the organization-wide default. */
  readonly agent_id: string | null
  callback_url: string
  method_type: "POST" | "PUT"
  headers: Readonly<Record<string, string>>
  secret: string | null
  event_types: ReadonlyArray<EventType>
  enabled: boolean
  description: string | null
  failing_since: string | null
  last_failure: string | null
  readonly created_at: string
  updated_at: string
}

const urlMaxLength = 2048

const eventOf = (name: string): EventType => {
  const found = eventTypes.find((type) => type === name)
  if (found === undefined) throw malformed(`Unknown event type. Valid values are: ${eventTypes.join(", ")}.`)
  return found
}

/** Nothing named means the one event, never every event. */
const eventsOf = (names: ReadonlyArray<string> | null | undefined): ReadonlyArray<EventType> =>
  names === undefined || names === null || names.length === 0 ? [defaultEvent] : [...new Set(names.map(eventOf))]

const methodOf = (name: string): "POST" | "PUT" => {
  if (name !== "POST" && name !== "PUT") throw malformed("The method of a webhook is POST or PUT.")
  return name
}

const checkedText = (url: string): string => {
  checkedUrl(url)
  return url
}

const readSettings = (body: Fields) => {
  const method = body.optional("method_type", orNull(text()))
  const headers = body.optional("headers", orNull(map(text())))
  const secret = body.optional("secret", orNull(text(1, 1000)))
  const events = body.optional("event_types", orNull(list(text())))
  const enabled = body.optional("enabled", flag)
  const description = body.optional("description", orNull(text(0, 2000)))
  if (headers !== undefined && headers !== null) checkedHeaders(headers)
  return { method, headers, secret, events, enabled, description }
}

const show = (one: Subscription, { organization_id }: Organization) => ({
  subscription_id: one.subscription_id,
  organization_id,
  agent_id: one.agent_id,
  callback_url: one.callback_url,
  method_type: one.method_type,
  event_types: one.event_types,
  enabled: one.enabled,
  has_secret: one.secret !== null,
  header_names: Object.keys(one.headers),
  description: one.description,
  failing_since: one.failing_since,
  last_failure: one.last_failure,
  created_at: one.created_at,
  updated_at: one.updated_at,
})

/** A new subscription with what is not said of it. */
export const newSubscription = (
  parts: Pick<Subscription, "callback_url" | "agent_id"> & Partial<Subscription>,
  now: string,
): Subscription => ({
  method_type: "POST",
  headers: {},
  secret: null,
  event_types: [defaultEvent],
  enabled: true,
  description: null,
  failing_since: null,
  last_failure: null,
  ...parts,
  subscription_id: mint("sub"),
  created_at: now,
  updated_at: now,
})

const subscribe = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const url = body.required("callback_url", text(1, urlMaxLength))
  const agentId = body.optional("agent_id", orNull(text(1))) ?? null
  const { description, enabled = true, events, headers, method, secret } = readSettings(body)
  const parts = {
    callback_url: checkedText(url),
    agent_id: agentId,
    method_type: methodOf(method ?? "POST"),
    headers: headers ?? {},
    secret: secret ?? null,
    event_types: eventsOf(events),
    enabled,
    description: description ?? null,
  }
  if (agentId !== null) agentOf(organization, agentId)
  else if (organization.subscriptions.find(({ agent_id }) => agent_id === null) !== undefined) {
    throw conflict("This organization already has a default subscription.")
  }
  const made = newSubscription(parts, world.clock.iso())
  organization.subscriptions.put(made.subscription_id, made)
  context.touch("webhook", made.subscription_id)
  return { status: 201, body: show(made, organization) }
}

const subscriptionOf = ({ subscriptions }: Organization, id: string): Subscription => {
  const found = subscriptions.get(id)
  if (found === undefined) throw notFound("Webhook subscription")
  return found
}

const change = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const one = subscriptionOf(organization, context.id)
  if (Object.keys(body.values).length === 0) throw malformed("The request body must not be empty.")
  const url = body.optional("callback_url", text(1, urlMaxLength))
  const { description, enabled, events, headers, method, secret } = readSettings(body)
  if (url !== undefined) checkedText(url)
  const methodType = method === undefined ? one.method_type : methodOf(method ?? "POST")
  const types = events === undefined ? one.event_types : eventsOf(events)
  if (url !== undefined) one.callback_url = url
  one.method_type = methodType
  one.event_types = types
  if (headers !== undefined) one.headers = headers ?? {}
  if (secret !== undefined) one.secret = secret
  if (enabled !== undefined) one.enabled = enabled
  if (description !== undefined) one.description = description
  one.updated_at = world.clock.iso()
  if (enabled === false) world.deliveries.stop(organization, one, "The subscription is disabled.")
  context.touch("webhook", one.subscription_id)
  return { status: 200, body: show(one, organization) }
}

const remove = (context: Context) => {
  const { organization, world } = context
  const one = subscriptionOf(organization, context.id)
  organization.subscriptions.delete(one.subscription_id)
  world.deliveries.stop(organization, one, "The subscription was deleted.")
  context.touch("webhook", one.subscription_id)
  return { status: 204 }
}

const setEvents = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const names = body.required("event_types", orNull(list(text())))
  agentOf(organization, context.id)
  const types = eventsOf(names)
  const own = organization.subscriptions.filter(({ agent_id }) => agent_id === context.id)
  if (own.length === 0) throw notFound("Webhook subscription")
  for (const one of own) {
    one.event_types = types
    one.updated_at = world.clock.iso()
  }
  context.touch("agent", context.id)
  return {
    status: 200,
    body: {
      agent_id: context.id,
      event_types: types,
      subscriptions: own.map(({ subscription_id }) => subscription_id),
    },
  }
}

const hmac = (secret: string, signed: string): string => createHmac("sha256", secret).update(signed).digest("hex")

/** The headers of a delivery; signed over the raw body with the time of this attempt. */
export const headersFor = (
  own: Readonly<Record<string, string>>,
  {
    body,
    deliveryId,
    now,
    secret,
  }: { readonly body: string; readonly deliveryId: string; readonly now: number; readonly secret: string | null },
): Record<string, string> => {
  const seconds = Math.floor(now / 1000)
  return {
    ...own,
    "Content-Type": "application/json",
    "X-Service-Delivery-Id": deliveryId,
    ...(secret === null ? {} : { [signatureHeader]: `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}` }),
  }
}

const messages: Readonly<Record<string, string>> = {
  dns_error: "The name of the endpoint does not resolve.",
  timeout: "The endpoint did not answer in time.",
  connect_error: "The endpoint could not be connected to.",
  tls_error: "The TLS handshake with the endpoint failed.",
  http_error: "The endpoint did not answer with 2xx.",
}

export const messageOf = ({ error }: Sent): string | null => (error === null ? null : (messages[error] ?? null))

const testBudgetMs = 10_000

const readTest = (body: Fields) => ({
  url: body.optional("callback_url", orNull(text(1, urlMaxLength))) ?? null,
  subscriptionId: body.optional("subscription_id", orNull(text())) ?? null,
  type: body.optional("event_type", orNull(text())) ?? defaultEvent,
  agentId: body.optional("agent_id", orNull(text())) ?? null,
  method: body.optional("method_type", orNull(text())) ?? null,
  headers: body.optional("headers", orNull(map(text()))) ?? {},
  secret: body.optional("secret", orNull(text())) ?? null,
})

const sendTest = async (context: Context) => {
  const { organization, world } = context
  const asked = readTest(await context.fields())
  if (asked.url === null && asked.subscriptionId === null) {
    throw malformed("Give a callback_url or a subscription_id.")
  }
  const event_type = eventOf(asked.type)
  const stored = asked.subscriptionId === null ? null : subscriptionOf(organization, asked.subscriptionId)
  if (stored !== null && asked.url !== null && asked.url !== stored.callback_url) {
    throw malformed("The callback_url is not that of the subscription.")
  }
  const method = methodOf(asked.method ?? stored?.method_type ?? "POST")
  checkedHeaders(asked.headers)
  const url = checkedUrl(stored?.callback_url ?? asked.url ?? "")
  const secret = asked.secret ?? stored?.secret ?? organization.webhook_secret
  const [event_id, delivery_id] = [mint("evt"), mint("dlv")]
  const payload = { event_type, event_id, call_id: mint("exec"), agent_id: asked.agentId ?? stored?.agent_id ?? null }
  const now = world.clock.now()
  const body = JSON.stringify({
    ...payload,
    version: "1",
    timestamp: world.clock.iso(),
    organization_id: organization.organization_id,
    workspace_id: organization.organization_id,
    status: "completed",
    test: true,
  })
  const headers = headersFor({ ...stored?.headers, ...asked.headers }, { body, deliveryId: delivery_id, now, secret })
  const sent = world.network.send({ url, method, headers, body }, world.clock.iso(), testBudgetMs)
  if (sent.refused) throw malformed("The callback URL leads to an address that is not allowed.")
  await world.passing(context, sent.afterMs)
  context.touch("webhook", stored?.subscription_id ?? null)
  return {
    status: 202,
    body: {
      accepted: true,
      delivered: sent.error === null,
      http_status: sent.status,
      error_class: sent.error,
      error_message: messageOf(sent),
      duration_ms: world.clock.now() - now,
      signed: secret !== null,
      signature_header: signatureHeader,
      event_type,
      event_id,
      delivery_id,
      callback_host: url.host,
      method_type: method,
      sent_header_names: Object.keys(headers),
      body,
    },
  }
}

const listed = ({ organization, query }: Context) => {
  pageAsked(query)
  const agentId = query.text("agent_id")
  const rows = organization.subscriptions.newestFirst(({ agent_id }) => agentId === null || agent_id === agentId)
  return { status: 200, body: pageOf(query, rows, (one) => show(one, organization)) }
}

const one = "/v2/webhooks/{subscription_id}"

export const subscriptionRoutes: ReadonlyArray<Route> = [
  { method: "POST", path: "/v2/webhooks/test", action: "webhook.test", announced: "webhooks:write", handle: sendTest },
  { method: "POST", path: "/v2/webhooks", action: "webhook.create", announced: "webhooks:write", handle: subscribe },
  { method: "GET", path: "/v2/webhooks", handle: listed },
  {
    method: "GET",
    path: one,
    handle: ({ id, organization }) => ({ status: 200, body: show(subscriptionOf(organization, id), organization) }),
  },
  { method: "PATCH", path: one, action: "webhook.update", announced: "webhooks:write", handle: change },
  { method: "DELETE", path: one, action: "webhook.delete", announced: "webhooks:write", handle: remove },
  {
    method: "PATCH",
    path: "/v2/agents/{agent_id}/event-subscriptions",
    action: "webhook.events",
    announced: "webhooks:write",
    handle: setEvents,
  },
]
