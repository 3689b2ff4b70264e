import { Context, type Effect } from "effect"
import type { WebhookRequest, WebhookAnswer } from "../rules/WebhookRequest.ts"

/**
 * The port through which webhooks leave: the only place that opens outbound connections. An implementation resolves the name once,
 * refuses the request if any of its addresses is refused (`mayConnect`), connects to a checked address and to nothing else, checks
 * the connected peer again, follows no redirect and keeps nothing of the body. It answers within the deadline and never fails.
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  { readonly send: (request: WebhookRequest) => Effect.Effect<WebhookAnswer> }
>()("@carillon/core/webhooks/WebhookTransport") {}
