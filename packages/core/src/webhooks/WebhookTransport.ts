import { Context, type Effect } from "effect"
import type { HeaderList } from "./DeliveryHeaders.ts"
import type { Destination } from "./Destination.ts"
import type { ErrorClass } from "./ErrorClass.ts"
import type { DeliveryMethod } from "./Subscription.ts"

/** One request to an endpoint. */
export interface WebhookRequest {
  readonly destination: Destination
  readonly method: DeliveryMethod
  readonly headers: HeaderList
  /** Sent as UTF-8, byte for byte. */
  readonly body: string
  /** Covers everything: look-up, connection, the whole answer. */
  readonly timeoutMs: number
}

/**
 * How a request went. `Refused`: an address behind the name is not allowed, and no connection was opened. A redirect is an answer like
 * any other.
 */
export type WebhookAnswer =
  | { readonly _tag: "Answered"; readonly http_status: number }
  | { readonly _tag: "Failed"; readonly error_class: Exclude<ErrorClass, "http_error"> }
  | { readonly _tag: "Refused" }

/**
 * The port through which webhooks leave: the only place that opens outbound connections. An implementation resolves the name once,
 * refuses the request if any of its addresses is refused (`mayConnect`), connects to a checked address and to nothing else, checks
 * the connected peer again, follows no redirect and keeps nothing of the body. It answers within the deadline and never fails.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  { readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer> }
>()("@carillon/core/webhooks/WebhookTransport") {}
