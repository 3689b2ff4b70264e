import { createHmac, timingSafeEqual } from "node:crypto"
import type { StandInClock } from "../../../twilio/test/standin/Clock.ts"
import type { Operation } from "../../../twilio/test/standin/Faults.ts"
import type { CallRecord, RecordingRecord } from "./CallRecord.ts"
import { actionParameters, isAction } from "./Contract.ts"
import { type ApiError, apiError, bodyOf } from "./Errors.ts"
import type { Exchange } from "./Exchange.ts"
import type { Journal } from "./Journal.ts"
import { isMap, readParameters } from "./Parameters.ts"
import * as payloads from "./Payloads.ts"

export interface ApiRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** What the body is as JSON; undefined: there is none, or it is not JSON. */
  readonly body: unknown
  readonly authorization: string | null
}

export interface ApiResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** What a request asks for, before anything is done. */
export interface Intent {
  /** `create` is a dial, `update` a command, `fetch` one call, `list` the active calls, `events` what happened to calls. */
  readonly operation: Operation
  /** The number of the call that it is about, or nothing. */
  readonly to: string
  readonly act: () => Promise<ApiResponse>
}

export interface ApiOptions {
  readonly apiKey: string
  readonly clock: StandInClock
  readonly exchange: Exchange
  readonly journal: Journal
  readonly connectionId: string
  readonly listedAfterMs: number
  /** How long an ended call is shown. */
  readonly shownMs: number
  /** The calls whose first webhook comes before the answer to their dial. */
  readonly tellsEarly: (to: string) => boolean
}

/** `recording_urls`: "These URLs are valid for 10 minutes." */
const mediaValidMs = 600_000
/** Without a filter for a leg or a session "it only filters events from the last 24 hours" (`call-events.d.ts`). */
const eventsListedMs = 86_400_000
/** `page[size]` of lists: 20, and 250 at the most. */
const standardPage = 20
const largestPage = 250

const json = (status: number, body: object): ApiResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

/** https://developers.telnyx.com/development/api-fundamentals/reliability/rate-limiting: the time until the limit is in `x-ratelimit-reset`. */
export const errorResponse = (error: ApiError): ApiResponse => {
  const response = json(error.status, bodyOf(error))
  const seconds = String(error.retryAfter ?? 1)
  const limits: Readonly<Record<string, string>> =
    error.status === 429
      ? { "x-ratelimit-limit": "150", "x-ratelimit-remaining": "0", "x-ratelimit-reset": seconds }
      : {}
  const retry: Readonly<Record<string, string>> = error.retryAfter === undefined ? {} : { "retry-after": seconds }
  return { ...response, headers: { ...response.headers, ...limits, ...retry } }
}

const isSame = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const pageOf = <A>(query: URLSearchParams, items: ReadonlyArray<A>, show: (item: A) => object): ApiResponse => {
  const whole = (name: string, standard: number, most: number): number => {
    const value = Number(query.get(name) ?? standard)
    return Number.isInteger(value) && value >= 1 ? Math.min(value, most) : standard
  }
  const size = whole("page[size]", standardPage, largestPage)
  const number = whole("page[number]", 1, Number.MAX_SAFE_INTEGER)
  const data = items.slice((number - 1) * size, number * size).map((item) => show(item))
  const meta = {
    page_number: number,
    page_size: size,
    total_pages: Math.ceil(items.length / size),
    total_results: items.length,
  }
  return json(200, { data, meta })
}

/** The part of Telnyx's API that the stand-in serves: what a request means, who may ask, and the answer. */
export class Api {
  readonly #options: ApiOptions

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** What a request wants, or why it may not. Nothing is done yet. */
  read(request: ApiRequest): Intent | ApiError {
    const { method, path, query } = request
    const media = /^\/media\/([0-9a-f-]{36})\.(?:mp3|wav)$/.exec(path)
    if (media !== null) return this.#media(media[1] ?? "", query)
    if (!isSame(request.authorization ?? "", `Bearer ${this.#options.apiKey}`)) return apiError(10009)
    const route = `${method} ${path}`
    if (route === "POST /v2/calls") return this.#dial(request)
    const call = /^(GET|POST|PUT) \/v2\/calls\/([^/]+)(?:\/actions\/([a-z_]+))?$/.exec(route)
    if (call !== null) return this.#ofCall(request, decodeURIComponent(call[2] ?? ""), call[3] ?? null)
    const connection = /^GET \/v2\/connections\/([^/]+)\/active_calls$/.exec(route)
    if (connection !== null) return this.#active(request, connection[1] ?? "")
    if (route === "GET /v2/call_events") return this.#events(request)
    if (route === "GET /v2/recordings") return this.#recordings(request)
    const recording = /^GET \/v2\/recordings\/([0-9a-f-]{36})$/.exec(route)
    return recording === null ? apiError(10005) : this.#recording(recording[1] ?? "")
  }

  /** Where a recording's sound is had without credentials, for ten minutes from then. */
  mediaUrl(base: string, recording: RecordingRecord, now: number): string {
    const until = now + mediaValidMs
    return `${base}/media/${recording.id}.${recording.format}?until=${until}&signature=${this.#sealOf(recording.id, until)}`
  }

  #sealOf(id: string, until: number): string {
    return createHmac("sha256", this.#options.apiKey).update(`${id} ${until}`).digest("hex")
  }

  #dial({ body }: ApiRequest): Intent | ApiError {
    const { exchange, tellsEarly } = this.#options
    if (!isMap(body)) return { ...apiError(10015), status: 400 }
    const to = typeof body["to"] === "string" ? body["to"] : ""
    const act = async () => {
      const before = exchange.calls.size
      const made = exchange.dial(body)
      if (!made.ok) return errorResponse(made.error)
      if (exchange.calls.size > before) await exchange.begin(made.value, tellsEarly(to))
      return json(200, { data: payloads.dialled(made.value) })
    }
    return { operation: "create", to, act }
  }

  #ofCall(request: ApiRequest, id: string, action: string | null): Intent | ApiError {
    const { clock, exchange, shownMs } = this.#options
    const call = exchange.calls.get(id)
    if (call === undefined) return apiError(10005)
    if (action !== null) return this.#command(request, call, action)
    if (request.method !== "GET") return apiError(10005)
    const act = async () => {
      const isGone = call.endedAt !== null && call.endedAt + shownMs < clock.now()
      return isGone ? errorResponse(apiError(10005)) : json(200, { data: payloads.status(call, clock.now()) })
    }
    return { operation: "fetch", to: call.to, act }
  }

  #command({ body = {}, method }: ApiRequest, call: CallRecord, action: string): Intent | ApiError {
    const { exchange, journal } = this.#options
    if (method !== "POST" || !isAction(action)) return apiError(10005)
    if (!isMap(body)) return { ...apiError(10015), status: 400 }
    const act = async () => {
      const reading = readParameters(actionParameters[action], body)
      if (!reading.ok) return errorResponse(reading.error)
      const { asked, unknown } = reading.value
      if (unknown.length > 0) journal.warn(call.call_control_id, `unknown: ${unknown.join(", ")}`)
      const done = exchange.command(call, action, asked)
      return done.ok ? json(200, { data: done.value }) : errorResponse(done.error)
    }
    return { operation: "update", to: call.to, act }
  }

  /** Calls that are not over, the ones that ring too. */
  #active({ query }: ApiRequest, connectionId: string): Intent | ApiError {
    const { clock, exchange, listedAfterMs } = this.#options
    if (connectionId !== this.#options.connectionId) return apiError(10005)
    const act = async () => {
      const now = clock.now()
      const live = [...exchange.calls.values()].filter(
        ({ createdAt, endedAt }) => endedAt === null && createdAt + listedAfterMs <= now,
      )
      return pageOf(query, live, (call) => payloads.activeCall(call, now))
    }
    return { operation: "list", to: "", act }
  }

  /** What happened to calls. Without a leg or a session: in the last 24 hours. */
  #events({ query }: ApiRequest): Intent {
    const { clock, exchange } = this.#options
    const asked = (name: string): string | null => query.get(`filter[${name}]`)
    const act = async () => {
      const isOfOne = asked("leg_id") !== null || asked("application_session_id") !== null
      const since = isOfOne ? -Infinity : clock.now() - eventsListedMs
      const found = [...exchange.calls.values()]
        .filter(
          (call) =>
            [null, call.call_leg_id].includes(asked("leg_id")) &&
            [null, call.call_session_id].includes(asked("application_session_id")) &&
            [null, call.connection_id].includes(asked("connection_id")) &&
            [null, call.to].includes(asked("to")) &&
            [null, call.from].includes(asked("from")),
        )
        .flatMap((call) => call.events.filter(({ at }) => at >= since).map((event) => payloads.callEvent(call, event)))
      return pageOf(query, found, (event) => event)
    }
    return { operation: "events", to: asked("to") ?? "", act }
  }

  #show(recording: RecordingRecord, now: number): object {
    return payloads.recordingResource(recording, this.#options.exchange.mediaUrl(recording, now))
  }

  /** Only what is `completed` is shown: no other status is supported. */
  #recordings({ query }: ApiRequest): Intent {
    const { clock, exchange } = this.#options
    const act = async () => {
      const filters: ReadonlyArray<readonly [string, (call: CallRecord) => string]> = [
        ["call_control_id", (call) => call.call_control_id],
        ["call_leg_id", (call) => call.call_leg_id],
        ["call_session_id", (call) => call.call_session_id],
        ["connection_id", (call) => call.connection_id],
        ["from", (call) => call.from],
        ["to", (call) => call.to],
      ]
      const found = [...exchange.recordings.values()].filter(
        ({ call, savedAt }) =>
          savedAt !== null &&
          filters.every(([name, read]) => [null, read(call)].includes(query.get(`filter[${name}]`))),
      )
      return pageOf(query, found.toReversed(), (recording) => this.#show(recording, clock.now()))
    }
    return { operation: "recordings", to: "", act }
  }

  #recording(id: string): Intent | ApiError {
    const { clock, exchange } = this.#options
    const found = exchange.recordings.get(id)
    if (found === undefined || found.savedAt === null) return apiError(10005)
    const act = async () => json(200, { data: this.#show(found, clock.now()) })
    return { operation: "recordings", to: found.call.to, act }
  }

  #media(id: string, query: URLSearchParams): Intent | ApiError {
    const { clock, exchange } = this.#options
    const found = exchange.recordings.get(id)
    const until = Number(query.get("until"))
    const isValid = isSame(query.get("signature") ?? "", this.#sealOf(id, until)) && until >= clock.now()
    if (found === undefined || !isValid) return apiError(10010)
    const type = found.format === "mp3" ? "audio/mpeg" : "audio/x-wav"
    // Not sound, but something of the recording's own, so that two are never taken for one another.
    const act = async () => ({ status: 200, headers: { "content-type": type }, body: `audio of ${id}` })
    return { operation: "media", to: found.call.to, act }
  }
}
