import { type DecodeFailure, invalidValueMessage, missingParameterMessage, type Route } from "@carillon/api"
import { type ApiKey, type Caller, type EngineError, Keys, Knowledge, limits, RateLimiter } from "@carillon/core"
import { BearerHeader, type RateFigures, type Scope, ScopePolicy } from "@carillon/core/domain"
import { Activity, CurrentParty, CurrentPieceClock, nextTurn, Pacing, PieceTurns } from "@carillon/core/ports"
import { Context, Effect, Result } from "effect"
import { contactsFirst } from "./ContactsFirst.ts"
import type { Body, EdgeRequest, Untaken } from "./Edge.ts"
import type { Exchange } from "./Exchange.ts"
import type { Reply } from "./Handler.ts"
import { isForm, readForm } from "./FormBody.ts"
import { idempotentRequests } from "./IdempotentRequest.ts"
import { isJson, type JsonFault, readJsonObject } from "./JsonBody.ts"
import { awayFrom, Outside, withBody } from "./LateBody.ts"
import type { Decode, Operation } from "./Operation.ts"
import { PagePlaces } from "./PagePlaces.ts"
import { boundedPage } from "./PageText.ts"
import { namesOrganization, parseQuery } from "./Query.ts"
import { ReadingRoom } from "./ReadingRoom.ts"
import { inactiveKey, type Refusal, refusal } from "./Refusal.ts"

const refusals = {
  noCredential: refusal(1100, "Missing bearer token. Send Authorization: Bearer gat_..."),
  notAnApiKey: refusal(
    1101,
    "A browser session token is not a public API key. Authenticate with Authorization: Bearer gat_...",
  ),
  unknownKey: refusal(1100, "Invalid API key."),
  inactiveKey,
  unboundKey: refusal(1102, "This API key is not bound to an organization."),
  otherOrganization: refusal(1102, "This API key is not authorized for that organization."),
  noRoute: refusal(1200, "No such resource."),
  noKeysWrite: refusal(
    1102,
    "This API key is not authorized to manage API keys. Ask an account admin to enable the 'keys:write' scope.",
    { missingScopes: ["keys:write"] },
  ),
  noLength: refusal(1000, "The request needs a Content-Length.", { status: 411 }),
  crowded: refusal(
    1300,
    `Request bodies of this organization come to more than ${limits.readingBytes.organization / 1024 ** 2} MiB at once.`,
    { retryAfterSeconds: limits.readingRetryAfterSeconds },
  ),
  busy: refusal(1501, "The room for request bodies is temporarily taken.", {
    retryAfterSeconds: limits.readingRetryAfterSeconds,
  }),
  broken: refusal(1000, "The request body ended too early."),
  oversizeOutline: refusal(
    1000,
    `The request body is larger than ${limits.bodyBytes / 1024 ** 2} MiB without its contacts.`,
    { status: 413 },
  ),
  json: refusal(1000, "The request body must be JSON with Content-Type: application/json."),
  form: refusal(1000, "The request body must be a form with Content-Type: multipart/form-data."),
  jsonOrForm: refusal(
    1000,
    "The request body must be JSON with Content-Type: application/json, or a form with Content-Type: multipart/form-data.",
  ),
} as const

const missingScope = (scope: Scope): Refusal =>
  scope === "keys:write"
    ? refusals.noKeysWrite
    : refusal(1102, `This API key is not authorized for this action. Missing scope: ${scope}.`, {
        missingScopes: [scope],
      })

/** The key behind a credential, which must be there and hold. */
const holding = (key: ApiKey | null): Effect.Effect<ApiKey, Refusal> => {
  if (key === null) return Effect.fail(refusals.unknownKey)
  return key.status === "active" ? Effect.succeed(key) : Effect.fail(refusals.inactiveKey)
}

const rateExceeded = ({ limit, retryAfterSeconds }: RateFigures): Refusal =>
  refusal(
    1300,
    `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in ${retryAfterSeconds}s.`,
    { retryAfterSeconds },
  )

const undecodable = ({ kind, field, reason }: DecodeFailure): Refusal =>
  kind === "missing" ? refusal(1002, missingParameterMessage(field)) : refusal(1001, invalidValueMessage(field, reason))

const oversize = (bytes: number): Refusal =>
  refusal(1000, `The request body is larger than ${bytes / 1024 ** 2} MiB.`, { status: 413 })

/** What a body that was not taken is answered with. */
const untaken = (why: Untaken, maxBytes: number): Refusal => {
  switch (why) {
    case "oversize":
      return oversize(maxBytes)
    case "crowded":
      return refusals.crowded
    case "busy":
      return refusals.busy
    case "broken":
      return refusals.broken
  }
}

const decodeWith = Effect.fnUntraced(function* (
  decode: Decode,
  body: object,
  carrier: "contacts" | "file",
  route: Route,
): Effect.fn.Return<unknown, EngineError | Refusal> {
  const decoded = decode(body)
  if (Result.isSuccess(decoded)) return decoded.success
  yield* contactsFirst(route, body, carrier, decode)
  return yield* Effect.fail(undecodable(decoded.failure))
})

/** The list of a JSON body that may be large; null where there is none. */
const carrierOf = ({ bodyBytes }: Route): string | null => (bodyBytes > limits.bodyBytes ? "contacts" : null)

const unreadable = (fault: JsonFault): Refusal => {
  if (typeof fault === "string") return refusal(1000, fault)
  return fault.isOversize ? refusals.oversizeOutline : refusal(1001, invalidValueMessage(fault.field, fault.reason))
}

/** What the length that a body announces is enough to refuse it for. */
const judgeLength = ({ route }: Operation, { header }: EdgeRequest): Effect.Effect<void, Refusal> => {
  const announced = header("content-length")
  if (announced === null) return route.needsContentLength ? Effect.fail(refusals.noLength) : Effect.void
  return Number(announced) > route.bodyBytes ? Effect.fail(oversize(route.bodyBytes)) : Effect.void
}

/** The body of a request, read as its content type says and decoded as the contract says. */
const readPayload = Effect.fnUntraced(function* (
  { decodeForm, decodeJson, route }: Operation,
  { header }: EdgeRequest,
  body: Body,
): Effect.fn.Return<unknown, EngineError | Refusal> {
  if (typeof body === "string") return yield* Effect.fail(untaken(body, route.bodyBytes))
  const bytes = body ?? empty
  const turn = bytes.length > briefBytes ? nextTurn : Effect.void
  yield* turn
  const contentType = header("content-type")
  if (decodeForm !== null && isForm(contentType))
    return yield* decodeWith(decodeForm, yield* readForm(contentType, bytes, route), "file", route)
  if (decodeJson === null) return yield* Effect.fail(refusals.form)
  if (route.body === "optional" && bytes.length === 0) return yield* decodeWith(decodeJson, {}, "contacts", route)
  if (!isJson(contentType)) return yield* Effect.fail(decodeForm === null ? refusals.json : refusals.jsonOrForm)
  const json = yield* Effect.mapError(readJsonObject(bytes, carrierOf(route)), unreadable)
  yield* turn
  const nothing = route.nullsAreMalformed.find((name) => json[name] === null)
  if (nothing !== undefined) return yield* Effect.fail(refusal(1000, `The field '${nothing}' must not be null.`))
  const payload = yield* decodeWith(decodeJson, json, "contacts", route)
  yield* turn
  return payload
})

const empty = new Uint8Array()

/** Bodies that are so small are read, decoded and handled at once; a larger one waits for its turn before each. */
const briefBytes = 16 * 1024

/** Whether any valid key may use the campaign routes, for which the specification shows no scope; by default they are scoped as batches are. */
export const OpenCampaigns = Context.Reference<boolean>("@carillon/http/Pipeline/OpenCampaigns", {
  defaultValue: () => false,
})

/**
 * Every `/v2` request in the order of decisions.md, "Request pipeline" 1: authenticate → organization → rate limit → unknown
 * route → scope → path, query and body → idempotency → handler. Matching comes first, because the bucket is the route's.
 */
export const pipeline = Effect.gen(function* () {
  const keys = yield* Keys
  const limiter = yield* RateLimiter
  const knowledge = yield* Knowledge
  const activity = yield* Activity
  const outside = (yield* Outside) ?? awayFrom(activity)
  const openCampaigns = yield* OpenCampaigns
  const once = yield* idempotentRequests
  const room = new ReadingRoom()
  const turns = new PieceTurns(yield* CurrentPieceClock)
  const pagePlaces = new PagePlaces(activity)

  /** What a caller is answered with whose key holds. A body may take minutes to come: `stillHolds` says whether the key does, once it is there. */
  const admitted = Effect.fnUntraced(function* (
    exchange: Exchange,
    caller: Caller,
    query: ReturnType<typeof parseQuery>,
    stillHolds: Effect.Effect<unknown, EngineError | Refusal>,
  ): Effect.fn.Return<Reply, EngineError | Refusal> {
    const { match, request } = exchange
    const { key } = caller
    const rate = yield* limiter.check(caller.organization_id, key.plan, match?.route.route.bucket ?? "default")
    exchange.rate = rate
    if (!rate.allowed) return yield* Effect.fail(rateExceeded(rate))

    if (match === undefined) return yield* Effect.fail(refusals.noRoute)
    const { params, route: operation } = match
    const scope = openCampaigns && operation.route.name.startsWith("campaigns.") ? null : operation.route.scope
    if (scope !== null && !ScopePolicy.allows(key, scope)) return yield* Effect.fail(missingScope(scope))

    const decodedQuery = operation.decodeQuery(query)
    if (Result.isFailure(decodedQuery)) return yield* Effect.fail(undecodable(decodedQuery.failure))
    const handled = (payload: unknown) => {
      const handlingFor = (of: Caller) => {
        const handling = Effect.flatMap(
          operation.handle({ caller: of, params, query: decodedQuery.success, payload }),
          boundedPage,
        )
        return operation.route.gathersRows ? pagePlaces.within(of, handling) : handling
      }
      return once(exchange, caller, operation, params, payload, handlingFor)
    }
    if (operation.route.body === "none") return yield* handled(undefined)
    yield* judgeLength(operation, request)
    const judged = request.lateBody === undefined ? Effect.void : stillHolds
    const answered = Effect.suspend(() => {
      const reading = room.enter(caller.organization_id, operation.route.bodyBytes)
      return withBody(request, reading, outside, (body) =>
        Effect.flatMap(Effect.andThen(judged, readPayload(operation, request, body)), handled),
      ).pipe(Effect.ensuring(Effect.sync(reading.leave)))
    })
    // An upload has its organization's one place before a byte of its files is taken.
    return yield* operation.route.needsContentLength ? knowledge.alone(caller, answered) : answered
  })

  const answer = Effect.fnUntraced(function* (exchange: Exchange): Effect.fn.Return<Reply, EngineError | Refusal> {
    const { match, request } = exchange

    const bearer = BearerHeader.parseBearer(request.header("authorization") ?? undefined)
    if (!bearer.ok) {
      return yield* Effect.fail(bearer.reason === "missing" ? refusals.noCredential : refusals.notAnApiKey)
    }
    const known = yield* keys.authenticate(bearer.key)
    if (known !== null) exchange.plan = known.plan
    const key = yield* holding(known)
    if (key.organization_id === null) return yield* Effect.fail(refusals.unboundKey)

    const query = parseQuery(exchange.query)
    const { organization_id } = key
    if (!namesOrganization(query, organization_id)) {
      // It consumes nothing, and its headers tell what remains to the key's own organization.
      exchange.rate = yield* limiter.look(organization_id, key.plan, match?.route.route.bucket ?? "default")
      return yield* Effect.fail(refusals.otherOrganization)
    }
    const { request_id } = exchange
    const [success_status, ...others] = match?.route.route.successStatuses ?? []
    const answers = others.length === 0 ? { success_status } : {}
    const onRecorded = () => {
      exchange.isRecorded = true
    }
    const caller: Caller = { organization_id, key, request_id, whenGone: request.whenGone, onRecorded, ...answers }
    exchange.caller = caller

    const stillHolds = Effect.flatMap(keys.authenticate(bearer.key), holding)
    const served = Effect.provideService(admitted(exchange, caller, query, stillHolds), CurrentParty, organization_id)
    return yield* turns.serving(organization_id, served)
  })

  /** Nobody works in pieces for whom it is not known. */
  const turnOf = ({ caller }: Exchange) => (caller === null ? Effect.yieldNow : turns.of(caller.organization_id))

  return (exchange: Exchange) =>
    Effect.provideService(
      answer(exchange),
      Pacing,
      Effect.suspend(() => turnOf(exchange)),
    )
})
