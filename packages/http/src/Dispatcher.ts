import { Audit, type Caller, type EngineError, RateLimiter } from "@carillon/core"
import type { RateFigures } from "@carillon/core/domain"
import {
  Activity,
  askingSpan,
  CurrentMeters,
  CurrentOutages,
  CurrentTracing,
  Ids,
  metrics,
  timed,
  toldCause,
  traced,
} from "@carillon/core/ports"
import { Cause, Context, Effect, ErrorReporter, Exit, Fiber, Layer, Option, Result } from "effect"
import { textOf, type Written, writtenJson } from "./AnswerPieces.ts"
import { AnswerRoom, withoutRoom } from "./AnswerRoom.ts"
import { type EdgeHandler, type EdgeRequest, type EdgeResponse, splitTarget } from "./Edge.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Handler.ts"
import { type Operation, operations } from "./Operation.ts"
import { pipeline } from "./Pipeline.ts"
import { envelope, type Refusal, refusal, refusalOf } from "./Refusal.ts"
import { echoedRequestId } from "./RequestId.ts"
import { routeTable } from "./RouteTable.ts"

/** A request that was read whole and asks to be let in. */
export interface Admitted {
  readonly request_id: string
  readonly request: EdgeRequest
  /** The live figures of its bucket, as soon as the limiter was asked. */
  readonly rate: RateFigures | null
}

/**
 * Wraps everything that happens to a request after it was read: a host may admit requests one at a time, keep a journal of
 * them or put them under a span. It must run the effect exactly once, or be interrupted.
 */
export const Admission = Context.Reference<
  <A, E>(effect: Effect.Effect<A, E>, admitted: Admitted) => Effect.Effect<A, E>
>("@carillon/http/Dispatcher/Admission", { defaultValue: () => (effect) => effect })

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const

const methodOf = ({ method }: EdgeRequest) => methods.find((known) => known === method) ?? "other"

const routeOf = ({ match }: Exchange): string => match?.route.route.path ?? "unmatched"

const statusClassOf = ({ status }: EdgeResponse) => {
  if (status < 200) return "1xx"
  if (status < 300) return "2xx"
  if (status < 400) return "3xx"
  return status < 500 ? "4xx" : "5xx"
}

/** A request's span, under that of whoever sent it. */
const spanOf = (exchange: Exchange) => ({
  name: `${methodOf(exchange.request)} ${routeOf(exchange)}`,
  kind: "server" as const,
  parent: Option.getOrUndefined(askingSpan(exchange.request.header("traceparent"))),
  attributes: {
    "http.request.method": methodOf(exchange.request),
    "http.route": routeOf(exchange),
    "carillon.request_id": exchange.request_id,
  },
})

const withStatus = (settled: Effect.Effect<EdgeResponse>) =>
  Effect.tap(settled, ({ status }) => Effect.annotateCurrentSpan("http.response.status_code", status))

/** A reply as it is sent; null where it has no body. */
const writtenOf = (reply: Reply): Written | null => {
  if ("written" in reply) return reply.written
  if ("body" in reply) return writtenJson(reply.body)
  return "text" in reply ? reply : null
}

/**
 * An answer with a body. Who sends its pieces needs no text of it, so none is made before somebody asks for it. A copy of the answer has no pieces: whoever
 * makes one may give it another body.
 */
const writtenAnswer = (status: number, headers: Readonly<Record<string, string>>, written: Written): EdgeResponse => {
  if ("text" in written) return { status, headers, body: written.text }
  const answer: EdgeResponse = {
    status,
    headers,
    get body() {
      return textOf(written)
    },
  }
  return Object.defineProperty(answer, "pieces", { value: written.pieces })
}

const unexpected = refusal(1500, "An unexpected error occurred.")

const stopping = refusal(1501, "The service is stopping and did not finish the request.")

/** The one dispatcher over the contract: answers every request under `/v2`, and nothing else. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Never fails: whatever goes wrong is answered with the error envelope. To be answered when it is interrupted as well, it
     * runs in a fiber that is itself uninterruptible; what may be interrupted inside of it is marked so.
     */
    readonly dispatch: (request: EdgeRequest) => Effect.Effect<EdgeResponse>
    /** From now on every request is answered with 1501. */
    readonly refuse: () => void
    /** Ends what is open, where that may be: it is answered with 1501. What is between a line and the carrier's word comes to its end. */
    readonly endRequests: Effect.Effect<void>
  }
>()("@carillon/http/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const ids = yield* Ids
      const limiter = yield* RateLimiter
      const audit = yield* Audit
      const activity = yield* Activity
      const admit = yield* Admission
      const run = yield* pipeline
      const find = routeTable(yield* operations)
      const room = new AnswerRoom()
      const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
      const meters = yield* CurrentMeters
      const isTraced = yield* CurrentTracing
      const outages = yield* CurrentOutages
      meters?.watch(metrics.openRequests, () => fibers.size)
      let isRefusing = false
      let nth = 0

      const open = (request: EdgeRequest): Exchange => {
        const { path, query } = splitTarget(request.target)
        return {
          request,
          request_id: echoedRequestId(request.header("x-request-id")) ?? ids.mint("request", nth++),
          query,
          match: find(request.method, path),
          caller: null,
          isRecorded: false,
          plan: null,
          rate: null,
        }
      }

      const headersOf = (exchange: Exchange): Record<string, string> => {
        const rate = exchange.rate ?? limiter.untouched(exchange.plan, exchange.match?.route.route.bucket ?? "default")
        return {
          "X-RateLimit-Limit": String(rate.limit),
          "X-RateLimit-Remaining": String(rate.remaining),
          "X-RateLimit-Reset": String(rate.resetSeconds),
          "X-Request-Id": exchange.request_id,
          "Cache-Control": "no-store",
        }
      }

      const answer = (exchange: Exchange, reply: Reply): EdgeResponse => {
        const headers = headersOf(exchange)
        if ("location" in reply) {
          // A stored URL is not a header value until it was encoded as one.
          headers["Location"] = new URL(reply.location).href
          return { status: 302, headers, body: null }
        }
        const written = writtenOf(reply)
        if (written === null) return { status: reply.status, headers, body: null }
        headers["Content-Type"] = "application/json"
        if ("replayed" in reply && reply.replayed) headers["Idempotent-Replayed"] = "true"
        return writtenAnswer(reply.status, headers, written)
      }

      const refuse = (exchange: Exchange, refused: Refusal): EdgeResponse => {
        const headers = headersOf(exchange)
        headers["Content-Type"] = "application/json"
        if (refused.retryAfterSeconds !== null) headers["Retry-After"] = String(refused.retryAfterSeconds)
        return { status: refused.status, headers, body: envelope(refused) }
      }

      /** The answer, where there is room for it until it was sent. */
      const sendable = (exchange: Exchange, response: EdgeResponse): EdgeResponse => {
        const characters = response.pieces?.characters ?? response.body?.length ?? 0
        if (exchange.caller === null || characters === 0) return response
        const refused = room.enter(exchange.caller.organization_id, exchange.request, characters)
        return refused === null ? response : refuse(exchange, withoutRoom[refused])
      }

      /** What the trail says of a request that was refused, if it says anything of it. */
      const recordOf = (caller: Caller, { action, label: route }: Operation, refused: Refusal) => {
        const { code, missingScopes, status } = refused
        if (missingScopes.length > 0) {
          return audit.denied(caller, { action: "scope.denied", route, scope: missingScopes.join(", ") })
        }
        if (action === null || (status !== 409 && status < 500)) return Effect.void
        return audit.failed(caller, { action, route, code, status })
      }

      /**
       * A request refused for want of a scope is recorded, and a write that failed in its state or for a dependency: once,
       * as far as the trail can be written.
       */
      const recordRefused = ({ caller, isRecorded, match }: Exchange, refused: Refusal) => {
        if (isRecorded || caller === null || match === undefined) return Effect.void
        // Not even a defect of the trail changes the answer.
        return Effect.catchCause(recordOf(caller, match.route, refused), () => Effect.void)
      }

      /** What a request that did not succeed is answered with. A defect is reported, and tells the caller nothing of itself. */
      const settle = (exchange: Exchange, cause: Cause.Cause<EngineError | Refusal>): Effect.Effect<EdgeResponse> => {
        if (Cause.hasDies(cause)) {
          const label = exchange.match?.route.label ?? "no route"
          return ErrorReporter.report(cause).pipe(
            Effect.andThen(Effect.logError(`Request ${exchange.request_id} to ${label} died.`, toldCause(cause))),
            Effect.andThen(recordRefused(exchange, unexpected)),
            Effect.as(refuse(exchange, unexpected)),
          )
        }
        const error = Cause.findError(cause)
        // No failure and no defect: the process is going down.
        if (Result.isFailure(error)) return Effect.succeed(refuse(exchange, stopping))
        const refused = error.success._tag === "Refusal" ? error.success : refusalOf(error.success)
        if (refused.code === 1501 || refused.code === 1502) outages?.touched()
        return Effect.as(recordRefused(exchange, refused), refuse(exchange, refused))
      }

      const dispatch = (request: EdgeRequest): Effect.Effect<EdgeResponse> =>
        Effect.withFiber((fiber) => {
          const exchange = open(request)
          if (isRefusing) return Effect.succeed(refuse(exchange, stopping))
          fibers.add(fiber)
          const answered = run(exchange).pipe(
            Effect.map((reply) => sendable(exchange, answer(exchange, reply))),
            Effect.catchCause((cause) => settle(exchange, cause)),
          )
          // Outside of the admission only an interruption is left, or a defect of the admission itself.
          const settled = Effect.interruptible(admit(activity.track(answered), exchange)).pipe(
            Effect.catchCause((cause) => settle(exchange, cause)),
            Effect.ensuring(Effect.sync(() => fibers.delete(fiber))),
          )
          return timed(
            meters,
            traced(isTraced, () => spanOf(exchange), isTraced ? withStatus(settled) : settled),
            (to, seconds, exit) => {
              if (Exit.isFailure(exit)) return
              to.record(metrics.requests, [methodOf(request), routeOf(exchange), statusClassOf(exit.value)], seconds)
            },
          )
        })

      return Dispatcher.of({
        dispatch,
        refuse: () => {
          isRefusing = true
        },
        endRequests: Effect.suspend(() => Fiber.interruptAll([...fibers])),
      })
    }),
  )

  /** The dispatcher as a plain function that runs each request with the services at hand, for mounts inside an Effect program. */
  static readonly handler: Effect.Effect<EdgeHandler, never, Dispatcher> = Effect.gen(function* () {
    const { dispatch } = yield* Dispatcher
    return edgeHandler(Effect.runForkWith(yield* Effect.context<never>()), dispatch)
  })
}

/** How a host starts an effect. */
export type Start = (
  effect: Effect.Effect<EdgeResponse>,
  options: { readonly uninterruptible: true },
) => Fiber.Fiber<EdgeResponse, unknown>

/** Makes a plain function of a dispatcher. A request that cannot be started any more is answered all the same. */
export const edgeHandler =
  (start: Start, dispatch: Dispatcher["Service"]["dispatch"]): EdgeHandler =>
  (request, respond) => {
    const fiber = start(dispatch(request), { uninterruptible: true })
    fiber.addObserver((exit) => respond(Exit.isSuccess(exit) ? exit.value : stopped))
  }

const stopped: EdgeResponse = {
  status: stopping.status,
  headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  body: envelope(stopping),
}
