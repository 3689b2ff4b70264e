import { Result, type Tracer } from "effect"
import type { Agent } from "../../agents/rules/Agent.ts"
import { traceparentOf } from "../../operating/rules/TraceParent.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import { type Kept, keptHeaders, signingSecret } from "../../secrets/rules/Kept.ts"
import type { HeaderList } from "./DeliveryHeaders.ts"
import { type Destination, parseDestination } from "./Destination.ts"
import { agentUrlOf } from "./AgentUrl.ts"
import { deliveryIdHeaderName, sign, signatureHeaderName } from "./Signature.ts"
import type { DeliveryMethod, Subscription } from "./Subscription.ts"
import type { WebhookRequest } from "./WebhookRequest.ts"

/** Where and how one attempt is sent, as it is configured at that moment. */
export interface Target {
  readonly destination: Destination | null
  /** The host as configured, for the ledger. */
  readonly host: string
  readonly method: DeliveryMethod
  /** As they lie in the rows; they are opened when an attempt is made. */
  readonly headers: ReadonlyArray<readonly [name: string, value: Kept]>
  readonly secret: Kept | null
}

/** The bytes of memory that headers take while an attempt with them is under way, as they lie in their row. */
export const headerBytesOf = (headers: Target["headers"]): number =>
  headers.reduce((sum, [name, { sealed }]) => sum + name.length + sealed.length, 0)

/** A target whose secrets are open, and which may be sent to. */
export interface OpenTarget {
  readonly destination: Destination
  readonly method: DeliveryMethod
  readonly headers: HeaderList
  readonly secret: string | null
}

/** A target, with the revision of the subscription that says it (null for an agent's own URL); or the sentence that says why there is none any more. */
export type Targeted =
  | { readonly _tag: "Target"; readonly target: Target; readonly subscription_revision: number | null }
  | { readonly _tag: "Stopped"; readonly why: string }

const stopped = (why: string): Targeted => ({ _tag: "Stopped", why })

const targetOf = (url: string, rest: Omit<Target, "destination" | "host">, allowed: ReadonlyArray<string>): Target => {
  const judged = parseDestination(url, allowed)
  const destination = Result.isSuccess(judged) ? judged.success : null
  return { ...rest, destination, host: destination?.host ?? "" }
}

/**
 * What a subscription as it is now makes of a delivery that was made under a revision of it; without a secret of its own the organization's signs.
 * What was pending when it was disabled is stopped, also where it was enabled again before the next attempt. Where no revision is known (null) it is
 * stopped only while the subscription is disabled.
 */
export const targetOfSubscription = (
  subscription: Subscription | null,
  organization: Organization | null,
  allowed: ReadonlyArray<string>,
  madeUnder: number | null,
): Targeted => {
  if (subscription === null) return stopped("The subscription was deleted.")
  const { disabled_after = 0, enabled } = subscription
  if (!enabled || (madeUnder !== null && madeUnder <= disabled_after)) return stopped("The subscription was disabled.")
  return {
    _tag: "Target",
    subscription_revision: subscription.revision,
    target: targetOf(
      subscription.callback_url,
      {
        method: subscription.method_type,
        headers: keptHeaders(subscription),
        secret: signingSecret(subscription, organization),
      },
      allowed,
    ),
  }
}

/** What the URL on an agent makes of a delivery, signed with the organization's secret where there is one. */
export const targetOfAgent = (
  agent: Pick<Agent, "integrations"> | null,
  organization: Organization | null,
  allowed: ReadonlyArray<string>,
): Targeted => {
  const url = agentUrlOf(agent)
  if (url === null) return stopped("The agent has no webhook URL any more.")
  const rest = { method: "POST", headers: [], secret: signingSecret(null, organization) } as const
  return { _tag: "Target", subscription_revision: null, target: targetOf(url, rest, allowed) }
}

/** The request of one attempt: the frozen body under a fresh signature. */
export const requestOf = (
  target: OpenTarget,
  delivery: { readonly delivery_id: string; readonly body: string },
  now: number,
  timeoutMs: number,
): WebhookRequest => ({
  destination: target.destination,
  method: target.method,
  headers: [
    ["Content-Type", "application/json"],
    [deliveryIdHeaderName, delivery.delivery_id],
    ...(target.secret === null
      ? []
      : [[signatureHeaderName, sign(target.secret, Math.floor(now / 1000), delivery.body)] as const]),
    ...target.headers,
  ],
  body: delivery.body,
  timeoutMs,
})

const traceparentHeaderName = "traceparent"

/** The request with the span under which it is made, for its endpoint to go on with; a header of that name that the customer has set stays as it is. */
export const underSpan = (request: WebhookRequest, span: Tracer.AnySpan): WebhookRequest => {
  const value = traceparentOf(span)
  const isSet = request.headers.some(([name]) => name.toLowerCase() === traceparentHeaderName)
  return value === null || isSet
    ? request
    : { ...request, headers: [...request.headers, [traceparentHeaderName, value]] }
}
