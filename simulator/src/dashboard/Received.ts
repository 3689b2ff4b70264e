import { WebhookSignature } from "@carillon/core/domain"
import { signingSecret } from "@carillon/core/ports"
import type { InboxRequest } from "../webhooks/Inboxes.ts"
import type { World } from "../World.ts"

/** What the signature of a received webhook is worth: `unsigned`, `valid`, why not, or `unknown` where the secret is not known here. */
export type SignatureState =
  | "unsigned"
  | "valid"
  | "unknown"
  | "mismatch"
  | "stale"
  | "future"
  | "malformed_header"
  | "no_v1"

/** A webhook as one of the world's own endpoints got it. Times are epoch milliseconds. */
export interface Received {
  /** Finds it again. */
  readonly id: string
  readonly inbox: string
  readonly received_at: number
  readonly method: string
  readonly path: string
  readonly event_type: string | null
  readonly execution_id: string | null
  readonly delivery_id: string | null
  /** Which attempt of the delivery it was, from 1. */
  readonly attempt: number | null
  readonly answered: number | null
  readonly signature: SignatureState
}

/** A received webhook with what was sent. */
export interface ReceivedWhole extends Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const headerOf = ({ headers }: InboxRequest, name: string): string | null =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? null

const signatureOf = (world: World, request: InboxRequest, deliveryId: string | null): SignatureState => {
  const header = headerOf(request, WebhookSignature.signatureHeaderName)
  if (header === null) return "unsigned"
  const delivery = deliveryId === null ? undefined : world.tables.webhooks.delivery(deliveryId)
  if (delivery === undefined) return "unknown"
  const { organization_id, subscription_id } = delivery
  const subscription = subscription_id === null ? undefined : world.tables.subscriptions.get(subscription_id)
  const kept = signingSecret(subscription ?? null, world.tables.organizations.get(organization_id) ?? null)
  const secret = kept === null ? null : world.secrets.open(kept)
  if (secret === null) return "unknown"
  const nowSeconds = Math.floor(request.received_at / 1_000)
  const verified = WebhookSignature.verify({ header, body: request.body, secrets: [secret], nowSeconds })
  return verified.ok ? "valid" : verified.reason
}

/** What was received lately at all of a world's endpoints. A signature is verified once, when the request is first looked at. */
export class ReceivedWebhooks {
  readonly #world: World
  readonly #known = new WeakMap<InboxRequest, Omit<Received, "answered">>()

  constructor(world: World) {
    this.#world = world
  }

  /** The latest ones, newest first. */
  latest(limit: number): ReadonlyArray<Received> {
    return [...this.#latest(limit)].map(({ inbox, request }) => this.#view(inbox, request))
  }

  /** One of the latest `limit`; null when it is not among them. */
  find(id: string, limit: number): ReceivedWhole | null {
    for (const { inbox, request } of this.#latest(limit)) {
      const view = this.#view(inbox, request)
      if (view.id === id) return { ...view, headers: request.headers, body: request.body }
    }
    return null
  }

  #latest(limit: number): ReadonlyArray<{ readonly inbox: string; readonly request: InboxRequest }> {
    const { inboxes } = this.#world
    return inboxes.names
      .flatMap((inbox) => inboxes.received(inbox, limit).map((request) => ({ inbox, request })))
      .sort((a, b) => b.request.received_at - a.request.received_at)
      .slice(0, limit)
  }

  #view(inbox: string, request: InboxRequest): Received {
    const { answered } = request
    const known = this.#known.get(request)
    if (known !== undefined) return { ...known, answered }
    const { method, path, received_at } = request
    const delivery_id = headerOf(request, "X-Service-Delivery-Id")
    const delivery = delivery_id === null ? undefined : this.#world.tables.webhooks.delivery(delivery_id)
    const attempts = delivery?.attempts.filter(({ started_at }) => started_at < received_at).length ?? 0
    const view = {
      id: `${inbox} ${received_at} ${delivery_id ?? ""}`,
      inbox,
      received_at,
      method,
      path,
      event_type: delivery?.event_type ?? null,
      execution_id: delivery?.execution_id ?? null,
      delivery_id,
      attempt: delivery === undefined ? null : attempts + 1,
      signature: signatureOf(this.#world, request, delivery_id),
    }
    this.#known.set(request, view)
    return { ...view, answered }
  }
}
