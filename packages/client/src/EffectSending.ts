import { AcceptsIdempotencyKey, Authentication } from "@carillon/api"
import { Clock, Context, Duration, Effect, identity, Random, type Redacted, Result } from "effect"
import { HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import {
  defaultFormTimeoutMs,
  defaultLongestWaitMs,
  defaultRetries,
  defaultTimeoutMs,
  mintIdempotencyKey,
  type Outcome,
  readRetryAfter,
  waitMs,
} from "./Repeating.ts"

/** How a client reaches the service. */
export interface EffectClientOptions {
  /** Where the service is, without `/v2`. */
  readonly baseUrl: string | URL
  /** The API key, `gat_…`. */
  readonly key: Redacted.Redacted<string>
  /** The times that a request is sent again at most; default 2. */
  readonly retries?: number
  /** How long one attempt may take; default 60 seconds, 200 where a form is sent. */
  readonly timeout?: Duration.Input
  /** A longer wait before the next attempt is none: the failure is handed on instead. Default 60 seconds. */
  readonly longestWait?: Duration.Input
}

/**
 * The key of the operations that honour `Idempotency-Key`: your own name for the deed, such as the id of an order. Null, as by default, is
 * a new one for each run of the effect.
 */
export const IdempotencyKey = Context.Reference<string | null>("@carillon/client/IdempotencyKey", {
  defaultValue: () => null,
})

type Answer = Result.Result<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** What came of an attempt; null where the request was not even sent. */
const outcomeOf = (came: Answer, now: number): Outcome | null => {
  if (Result.isSuccess(came)) {
    const { headers, status } = came.success
    return { status, retryAfterMs: readRetryAfter(headers["retry-after"], now) }
  }
  // A body that broke off is an answer that was lost.
  const isLost = came.failure.reason._tag === "TransportError" || came.failure.reason._tag === "DecodeError"
  return isLost ? { status: null, retryAfterMs: null } : null
}

const tooLate = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description: "No answer came in time." }),
  })

/** The client's side of the contract's authentication: every request passes here, with the endpoint that it is for. */
export const sending = (options: EffectClientOptions) =>
  HttpApiMiddleware.layerClient(Authentication, ({ endpoint, next, request }) =>
    Effect.gen(function* () {
      const isKeyed = Context.get(endpoint.annotations, AcceptsIdempotencyKey)
      const idempotencyKey = (yield* IdempotencyKey) ?? mintIdempotencyKey()
      const signed = request.pipe(
        HttpClientRequest.bearerToken(options.key),
        isKeyed ? HttpClientRequest.setHeader("idempotency-key", idempotencyKey) : identity,
      )
      const patience = request.body._tag === "FormData" ? defaultFormTimeoutMs : defaultTimeoutMs
      const attempt = next(signed).pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.timeoutOrElse({
          duration: options.timeout ?? patience,
          orElse: () => Effect.fail(tooLate(signed)),
        }),
        Effect.result,
      )
      for (let sent = 1; ; sent++) {
        const came = yield* attempt
        const outcome = outcomeOf(came, yield* Clock.currentTimeMillis)
        const rule = {
          repeatable: isKeyed || endpoint.method === "GET",
          sent,
          retries: options.retries ?? defaultRetries,
          longestWaitMs: Duration.toMillis(options.longestWait ?? defaultLongestWaitMs),
          chance: yield* Random.next,
        }
        const wait = outcome === null ? null : waitMs(rule, outcome)
        if (wait === null) return yield* Effect.fromResult(came)
        yield* Effect.sleep(wait)
      }
    }),
  )
