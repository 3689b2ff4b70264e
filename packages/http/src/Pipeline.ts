import { type DecodeFailure, invalidValueMessage, missingParameterMessage } from "@carillon/api"
import {
  Audit,
  BearerHeader,
  type Caller,
  type EngineError,
  Keys,
  Knowledge,
  type RateFigures,
  RateLimiter,
  type Scope,
  ScopePolicy,
} from "@carillon/core"
import { Effect, Result } from "effect"
import type { EdgeRequest } from "./Edge.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Handler.ts"
import { readJsonObject } from "./JsonBody.ts"
import { bodyOf, Outside } from "./LateBody.ts"
import type { Operation } from "./Operation.ts"
import { namesOrganization, parseQuery } from "./Query.ts"
import { type Refusal, refusal } from "./Refusal.ts"
import { readUploadForm } from "./UploadForm.ts"

const refusals = {
  noCredential: refusal(1100, "Missing bearer token. Send Authorization: Bearer gat_..."),
  notAnApiKey: refusal(
    1101,
    "A browser session token is not a public API key. Authenticate with Authorization: Bearer gat_...",
  ),
  unknownKey: refusal(1100, "Invalid API key."),
  inactiveKey: refusal(1100, "API key is inactive."),
  unboundKey: refusal(1102, "This API key is not bound to an organization."),
  otherOrganization: refusal(1102, "This API key is not authorized for that organization."),
  noRoute: refusal(1200, "No such resource."),
  noKeysWrite: refusal(
    1102,
    "This API key is not authorized to manage API keys. Ask an account admin to enable the 'keys:write' scope.",
  ),
  noLength: refusal(1000, "The request needs a Content-Length.", { status: 411 }),
} as const

const oversize = (bytes: number): Refusal =>
  refusal(1000, `The request body is larger than ${bytes / 1024 ** 2} MiB.`, { status: 413 })

const missingScope = (scope: Scope): Refusal =>
  scope === "keys:write"
    ? refusals.noKeysWrite
    : refusal(1102, `This API key is not authorized for this action. Missing scope: ${scope}.`)

const rateExceeded = ({ limit, retryAfterSeconds }: RateFigures): Refusal =>
  refusal(
    1300,
    `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in ${retryAfterSeconds}s.`,
    { retryAfterSeconds },
  )

const undecodable = ({ kind, field, reason }: DecodeFailure): Refusal =>
  kind === "missing" ? refusal(1002, missingParameterMessage(field)) : refusal(1001, invalidValueMessage(field, reason))

/** What the length that an upload declares is enough to refuse it for. */
const declaredLength = ({ route }: Operation, { header }: EdgeRequest): Effect.Effect<void, Refusal> => {
  const declared = header("content-length")
  if (declared === null) return Effect.fail(refusals.noLength)
  return Number(declared) > route.bodyBytes ? Effect.fail(oversize(route.bodyBytes)) : Effect.void
}

const readPayload = (
  { route }: Operation,
  { header }: EdgeRequest,
  body: EdgeRequest["body"],
): Result.Result<unknown, Refusal> => {
  if (route.body === "none") return Result.succeed(undefined)
  if (body === "oversize") return Result.fail(oversize(route.bodyBytes))
  const bytes = body ?? empty
  if (route.endpoint.payload.has("multipart/form-data")) return readUploadForm(header("content-type"), bytes)
  if (route.body === "optional" && bytes.length === 0) return Result.succeed({})
  return Result.mapError(readJsonObject(header("content-type"), bytes), (reason) => refusal(1000, reason))
}

const empty = new Uint8Array()

/**
 * Every `/v2` request in the order of decisions.md, "Request pipeline" 1: authenticate → organization → rate limit → unknown
 * route → scope → path, query and body → handler. Matching comes first, because the bucket is the route's.
 */
export const pipeline = Effect.gen(function* () {
  const keys = yield* Keys
  const limiter = yield* RateLimiter
  const audit = yield* Audit
  const knowledge = yield* Knowledge
  const outside = yield* Outside

  return Effect.fnUntraced(function* (exchange: Exchange): Effect.fn.Return<Reply, EngineError | Refusal> {
    const { match, request } = exchange

    const bearer = BearerHeader.parseBearer(request.header("authorization") ?? undefined)
    if (!bearer.ok) {
      return yield* Effect.fail(bearer.reason === "missing" ? refusals.noCredential : refusals.notAnApiKey)
    }
    const key = yield* keys.authenticate(bearer.key)
    if (key === null) return yield* Effect.fail(refusals.unknownKey)
    exchange.plan = key.plan
    if (key.status !== "active") return yield* Effect.fail(refusals.inactiveKey)
    if (key.organization_id === null) return yield* Effect.fail(refusals.unboundKey)

    const query = parseQuery(exchange.query)
    if (!namesOrganization(query, key.organization_id)) return yield* Effect.fail(refusals.otherOrganization)
    const caller: Caller = { organization_id: key.organization_id, key, request_id: exchange.request_id }
    exchange.caller = caller

    const rate = yield* limiter.check(caller.organization_id, key.plan, match?.route.route.bucket ?? "default")
    exchange.rate = rate
    if (!rate.allowed) return yield* Effect.fail(rateExceeded(rate))

    if (match === undefined) return yield* Effect.fail(refusals.noRoute)
    const { params, route: operation } = match
    const { scope } = operation.route
    if (scope !== null && !ScopePolicy.allows(key, scope)) {
      // The answer stands whether or not the trail can be written.
      yield* Effect.ignore(audit.denied(caller, { action: "scope.denied", route: operation.label, scope }))
      return yield* Effect.fail(missingScope(scope))
    }

    const decodedQuery = operation.decodeQuery(query)
    if (Result.isFailure(decodedQuery)) return yield* Effect.fail(undecodable(decodedQuery.failure))
    const handled = Effect.gen(function* () {
      const read = readPayload(operation, request, yield* bodyOf(request, outside))
      if (Result.isFailure(read)) return yield* Effect.fail(read.failure)
      const payload = operation.decodePayload(read.success)
      if (Result.isFailure(payload)) return yield* Effect.fail(undecodable(payload.failure))
      return yield* operation.handle({ caller, params, query: decodedQuery.success, payload: payload.success })
    })
    if (!operation.route.needsContentLength) return yield* handled
    // An upload has its organization's one place before a byte of its files is taken.
    yield* declaredLength(operation, request)
    return yield* knowledge.alone(caller, handled)
  })
})
