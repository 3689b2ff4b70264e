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
