import type { Agent } from "./agents.ts"
import type { Call } from "./calls.ts"
import type { Clock, Timer } from "./clock.ts"
import { checkedUrl } from "./destinations.ts"
import { conflict, notFound } from "./errors.ts"
import { isJson } from "./fields.ts"
import { mint } from "./ids.ts"
import type { ErrorClass, Network, Sent } from "./inbox.ts"
import type { Organization } from "./organization.ts"
import { pageAsked, pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"
import { defaultEvent, type EventType, headersFor, messageOf, type Subscription } from "./subscriptions.ts"

const statuses = ["pending", "retrying", "delivered", "failed"] as const

interface Attempt {
  readonly attempt: number
  readonly started_at: string
  readonly duration_ms: number
  readonly http_status: number | null
  readonly error_class: ErrorClass | null
}

/** One event on its way to one endpoint: a row of the ledger. */
export interface Delivery {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: EventType
  readonly execution_id: string
  readonly agent_id: string
  /** Null: to the URL that is configured on the agent. */
  readonly subscription_id: string | null
  callback_host: string
  method_type: "POST" | "PUT"
  readonly body: string
  readonly target: () => Target | null
  status: (typeof statuses)[number]
  signed: boolean
  http_status: number | null
  error_class: ErrorClass | null
  error_message: string | null
  duration_ms: number | null
  next_attempt_at: number | null
  first_attempt_at: number | null
  last_attempt_at: number | null
  readonly created_at: number
  readonly attempts: Array<Attempt>
  timer: Timer | undefined
}

/** What is read at send time. */
interface Target {
  readonly url: string
  readonly method: "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly secret: string | null
}

/** Attempts start so long after the first one, each no sooner than the end of the one before. */
const startsMs = [0, 5_000, 30_000, 90_000]

const attemptBudgetMs = 30_000

const retentionMs = 30 * 86_400_000

/** Sends what has happened, and keeps the ledger. */
export class Deliveries {
  readonly #clock: Clock
  readonly #network: Network

  constructor(clock: Clock, network: Network) {
    this.#clock = clock
    this.#network = network
  }

  /** Sends an event to whom it concerns ("Routing"): the agent's subscriptions, else the default one, else the agent's URL. */
  route(organization: Organization, call: Call, agent: Agent, type: EventType, event_id: string, body: string): void {
    const own = organization.subscriptions.filter(({ agent_id }) => agent_id === agent.agent_id)
    const fallback = organization.subscriptions.filter(({ agent_id }) => agent_id === null)
    const chosen = own.length > 0 ? own : fallback
    for (const one of chosen) {
      if (!one.enabled || !one.event_types.includes(type)) continue
      const target = () =>
        one.enabled && organization.subscriptions.get(one.subscription_id) === one ? targetOf(organization, one) : null
      this.add(organization, { call, type, event_id, body, subscription: one, target })
    }
    const { integrations } = agent.settings
    const hook = isJson(integrations) ? integrations["webhook"] : null
    const url = isJson(hook) ? hook["url"] : null
    if (chosen.length > 0 || type !== defaultEvent || typeof url !== "string" || url === "") return
    const target = () => ({ url, method: "POST", headers: {}, secret: organization.webhook_secret }) as const
    this.add(organization, { call, type, event_id, body, subscription: null, target })
  }

  add(organization: Organization, { body, call, event_id, subscription, target, type }: Adding): Delivery {
    const now = this.#clock.now()
    const aim = target()
    const delivery: Delivery = {
      delivery_id: mint("dlv"),
      event_id,
      event_type: type,
      execution_id: call.execution_id,
      agent_id: call.agent_id,
      subscription_id: subscription?.subscription_id ?? null,
      callback_host: aim === null ? "" : checkedUrl(aim.url).host,
      method_type: aim?.method ?? "POST",
      body,
      target,
      status: "pending",
      signed: aim !== null && aim.secret !== null,
      http_status: null,
      error_class: null,
      error_message: null,
      duration_ms: null,
      next_attempt_at: now,
      first_attempt_at: null,
      last_attempt_at: null,
      created_at: now,
      attempts: [],
      timer: undefined,
    }
    organization.deliveries.put(delivery.delivery_id, delivery)
    delivery.timer = this.#clock.at(now, () => this.#attempt(organization, delivery, subscription))
    return delivery
  }

  /** Stops what is on its way to a subscription that is gone or disabled. */
  stop(organization: Organization, { subscription_id }: Subscription, why: string): void {
    for (const one of organization.deliveries.values()) {
      if (one.subscription_id !== subscription_id || one.status === "delivered" || one.status === "failed") continue
      this.#fail(one, why)
    }
  }

  #fail(delivery: Delivery, why: string): void {
    this.#clock.cancel(delivery.timer)
    delivery.status = "failed"
    delivery.error_message = why
    delivery.next_attempt_at = null
  }

  #attempt(organization: Organization, delivery: Delivery, subscription: Subscription | null): void {
    const aim = delivery.target()
    if (aim === null) return this.#fail(delivery, "The subscription is gone or disabled.")
    const { body, delivery_id: deliveryId } = delivery
    const now = this.#clock.now()
    const url = checkedUrl(aim.url)
    const headers = headersFor(aim.headers, { body, deliveryId, now, secret: aim.secret })
    delivery.first_attempt_at ??= now
    delivery.last_attempt_at = now
    delivery.next_attempt_at = null
    delivery.callback_host = url.host
    delivery.method_type = aim.method
    delivery.signed = aim.secret !== null
    const sent = this.#network.send({ url, method: aim.method, headers, body }, this.#clock.iso(), attemptBudgetMs)
    const finish = () => this.#finish(organization, delivery, subscription, sent, now)
    if (sent.afterMs === 0) finish()
    else delivery.timer = this.#clock.after(sent.afterMs, finish)
  }

  #finish(
    organization: Organization,
    delivery: Delivery,
    subscription: Subscription | null,
    sent: Sent,
    startedAt: number,
  ): void {
    if (delivery.status === "failed") return
    const now = this.#clock.now()
    const { attempts } = delivery
    attempts.push({
      attempt: attempts.length + 1,
      started_at: new Date(startedAt).toISOString(),
      duration_ms: now - startedAt,
      http_status: sent.status,
      error_class: sent.error,
    })
    delivery.http_status = sent.status
    delivery.error_class = sent.error
    delivery.error_message = messageOf(sent)
    delivery.duration_ms = now - startedAt
    if (sent.error === null) {
      delivery.status = "delivered"
      if (subscription !== null) subscription.failing_since = null
      return
    }
    if (subscription !== null) {
      subscription.failing_since ??= this.#clock.iso()
      subscription.last_failure = this.#clock.iso()
    }
    const start = startsMs[attempts.length]
    if (start === undefined) {
      delivery.status = "failed"
      return
    }
    delivery.status = "retrying"
    const next = Math.max(now, (delivery.first_attempt_at ?? now) + start)
    delivery.next_attempt_at = next
    delivery.timer = this.#clock.at(next, () => this.#attempt(organization, delivery, subscription))
  }
}

interface Adding {
  readonly call: Pick<Call, "execution_id" | "agent_id">
  readonly type: EventType
  readonly event_id: string
  readonly body: string
  readonly subscription: Subscription | null
  readonly target: () => Target | null
}

const targetOf = (organization: Organization, one: Subscription): Target => ({
  url: one.callback_url,
  method: one.method_type,
  headers: one.headers,
  secret: one.secret ?? organization.webhook_secret,
})

const isoOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const show = (one: Delivery) => ({
  delivery_id: one.delivery_id,
  event_id: one.event_id,
  event_type: one.event_type,
  subscription_id: one.subscription_id,
  agent_id: one.agent_id,
  execution_id: one.execution_id,
  callback_host: one.callback_host,
  method_type: one.method_type,
  status: one.status,
  attempt_count: one.attempts.length,
  max_attempts: startsMs.length,
  signed: one.signed,
  http_status: one.http_status,
  error_class: one.error_class,
  error_message: one.error_message,
  duration_ms: one.duration_ms,
  next_attempt_at: isoOf(one.next_attempt_at),
  first_attempt_at: isoOf(one.first_attempt_at),
  last_attempt_at: isoOf(one.last_attempt_at),
  created_at: isoOf(one.created_at),
  expires_at: isoOf(one.created_at + retentionMs),
  attempts: one.attempts,
})

const listed = ({ organization, query, world }: Context) => {
  pageAsked(query)
  const [eventId, type] = [query.text("event_id"), query.text("event_type")]
  const [executionId, subscriptionId] = [query.text("execution_id"), query.text("subscription_id")]
  const status = query.word("status", statuses)
  const [from, to] = [query.moment("from_date"), query.moment("to_date")]
  const oldest = world.clock.now() - retentionMs
  const rows = organization.deliveries.newestFirst(
    (one) =>
      one.created_at > oldest &&
      (eventId === null || one.event_id === eventId) &&
      (type === null || one.event_type === type) &&
      (executionId === null || one.execution_id === executionId) &&
      (subscriptionId === null || one.subscription_id === subscriptionId) &&
      (status === null || one.status === status) &&
      (from === null || one.created_at >= from) &&
      (to === null || one.created_at <= to),
  )
  return { status: 200, body: pageOf(query, rows, show) }
}

const deliveryOf = ({ id, organization, world }: Context): Delivery => {
  const found = organization.deliveries.get(id)
  if (found === undefined || found.created_at <= world.clock.now() - retentionMs) throw notFound("Delivery")
  return found
}

const redeliver = (context: Context) => {
  const { organization, world } = context
  const found = deliveryOf(context)
  const { body, event_id, event_type: type } = found
  const subscription =
    found.subscription_id === null ? null : (organization.subscriptions.get(found.subscription_id) ?? null)
  if (found.target() === null) throw conflict("The subscription of this delivery is gone or disabled.")
  const again = world.deliveries.add(organization, {
    call: found,
    type,
    event_id,
    body,
    subscription,
    target: found.target,
  })
  context.touch("delivery", again.delivery_id)
  return { status: 202, body: show(again) }
}

export const deliveryRoutes: ReadonlyArray<Route> = [
  { method: "GET", path: "/v2/webhooks/deliveries", handle: listed },
  {
    method: "GET",
    path: "/v2/webhooks/deliveries/{delivery_id}",
    handle: (context) => ({ status: 200, body: show(deliveryOf(context)) }),
  },
  {
    method: "POST",
    path: "/v2/webhooks/deliveries/{delivery_id}/redeliver",
    action: "webhook.redeliver",
    announced: "webhooks:write",
    handle: redeliver,
  },
]
