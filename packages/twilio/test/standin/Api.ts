import { timingSafeEqual } from "node:crypto"
import type { CallRecord, RecordingRecord } from "./CallRecord.ts"
import type { StandInClock } from "./Clock.ts"
import {
  callFilters,
  callRecordingFilters,
  createParameters,
  pageSizes,
  type ParameterTable,
  recordingFilters,
  updateParameters,
} from "./Contract.ts"
import { type ApiError, apiError, bodyOf, ok, type Or } from "./Errors.ts"
import type { Exchange } from "./Exchange.ts"
import type { Operation } from "./Faults.ts"
import type { Journal } from "./Journal.ts"
import { filteredCalls, pageOf } from "./Listing.ts"
import { type Asked, readParameters } from "./Parameters.ts"
import { mediaOf } from "./Recordings.ts"
import { requestsOf } from "./Events.ts"
import { type Account, accountPath, callRecordingResource, callResource, recordingResource } from "./Resources.ts"

export interface ApiRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
  readonly authorization: string | null
}

export interface ApiResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string | Uint8Array
}

/** What a request asks for, before anything is done. */
export interface Intent {
  readonly operation: Operation
  /** The number of the call that it is about, or nothing. */
  readonly to: string
  readonly act: () => ApiResponse | Promise<ApiResponse>
}

export interface ApiOptions {
  readonly account: () => Account
  readonly authToken: string
  readonly clock: StandInClock
  readonly exchange: Exchange
  readonly journal: Journal
  /** From a call's creation until lists show it. */
  readonly listedAfterMs: number
  /** From a call's end until the record of its requests is there. */
  readonly eventsAfterMs: number
  /** Recordings are given to everybody who has their address, as accounts may choose. */
  readonly openMedia: boolean
}

const json = (status: number, body: object): ApiResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

export const errorResponse = (error: ApiError): ApiResponse => {
  const response = json(error.status, bodyOf(error))
  const realm = error.status === 401 ? { "www-authenticate": 'Basic realm="Twilio API"' } : {}
  const retry = error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }
  return { ...response, headers: { ...response.headers, ...realm, ...retry } }
}

const answer = <A>(result: Or<A>, respond: (value: A) => ApiResponse): ApiResponse =>
  result.ok ? respond(result.value) : errorResponse(result.error)

const isSame = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const calls = /^\/Calls\.json$/
const call = /^\/Calls\/(CA[0-9a-fA-F]{32})\.json$/
const callEvents = /^\/Calls\/(CA[0-9a-fA-F]{32})\/Events\.json$/
const callRecordings = /^\/Calls\/(CA[0-9a-fA-F]{32})\/Recordings\.json$/
const callRecording = /^\/Calls\/(CA[0-9a-fA-F]{32})\/Recordings\/(RE[0-9a-fA-F]{32})\.json$/
const recordings = /^\/Recordings\.json$/
const recording = /^\/Recordings\/(RE[0-9a-fA-F]{32})\.json$/
const media = /^\/Recordings\/(RE[0-9a-fA-F]{32})(|\.mp3|\.wav)$/

interface Route {
  readonly path: RegExp
  readonly methods: { readonly [method: string]: Handler }
}

type Handler = (request: ApiRequest, first: string, second: string) => Intent | ApiError

/** The part of Twilio's API that the stand-in serves: what a request means, who may ask, and the answer. */
export class Api {
  readonly #options: ApiOptions
  readonly #routes: ReadonlyArray<Route> = [
    { path: calls, methods: { POST: (request) => this.#create(request), GET: (request) => this.#list(request) } },
    {
      path: call,
      methods: {
        POST: (request, sid) => this.#withCall(request, sid, (found) => this.#update(request, found)),
        GET: (request, sid) => this.#withCall(request, sid, (found) => this.#fetch(found)),
      },
    },
    {
      path: callEvents,
      methods: { GET: (request, sid) => this.#withCall(request, sid, (found) => this.#events(request, found)) },
    },
    {
      path: callRecordings,
      methods: { GET: (request, sid) => this.#withCall(request, sid, (found) => this.#ofCall(request, found)) },
    },
    {
      path: callRecording,
      methods: {
        GET: (request, callSid, sid) =>
          this.#withRecording(request, sid, (found) =>
            found.call_sid === callSid ? json(200, callRecordingResource(this.#options.account(), found)) : null,
          ),
      },
    },
    { path: recordings, methods: { GET: (request) => this.#ofAccount(request) } },
    {
      path: recording,
      methods: {
        GET: (request, sid) =>
          this.#withRecording(request, sid, (found) => json(200, recordingResource(this.#options.account(), found))),
      },
    },
    { path: media, methods: { GET: (request, sid, extension) => this.#media(request, sid, extension) } },
  ]

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** What a request wants, or why it may not. Nothing is done yet. */
  read(request: ApiRequest): Intent | ApiError {
    const { account, openMedia } = this.#options
    const prefix = accountPath(account().sid)
    const rest = request.path.startsWith(prefix) ? request.path.slice(prefix.length) : null
    const isOpen = openMedia && rest !== null && media.test(rest)
    if (!isOpen && !this.#isAllowed(request.authorization)) return apiError(20003)
    if (rest === null) return apiError(20404, request.path)
    for (const { methods, path } of this.#routes) {
      const found = path.exec(rest)
      if (found === null) continue
      const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      return handler === undefined ? apiError(20004, request.method) : handler(request, found[1] ?? "", found[2] ?? "")
    }
    return apiError(20404, request.path)
  }

  #isAllowed(authorization: string | null): boolean {
    const { account, authToken } = this.#options
    return isSame(authorization ?? "", `Basic ${Buffer.from(`${account().sid}:${authToken}`).toString("base64")}`)
  }

  #asked(table: ParameterTable, form: URLSearchParams): Or<Asked> {
    const reading = readParameters(table, form)
    if (!reading.ok) return reading
    this.#warnOfUnknown(reading.value.unknown)
    return ok(reading.value.asked)
  }

  #warnOfUnknown(names: ReadonlyArray<string>): void {
    if (names.length > 0) this.#options.journal.warn(20001, null, `unknown: ${names.join(", ")}`)
  }

  #checkQuery(query: URLSearchParams, known: ReadonlyArray<string>): void {
    this.#warnOfUnknown([...new Set([...query.keys()].filter((name) => !known.includes(name)))])
  }

  #show(found: CallRecord) {
    return callResource(this.#options.account(), found, this.#options.clock.now())
  }

  #create({ form }: ApiRequest): Intent {
    const { exchange } = this.#options
    const act = async () => {
      const asked = this.#asked(createParameters, form)
      const made = asked.ok ? exchange.create(asked.value) : asked
      // The answer shows the call as it was made, however late it comes.
      const response = answer(made, (call) => json(201, this.#show(call)))
      if (made.ok) await exchange.hurry(made.value)
      return response
    }
    return { operation: "create", to: form.get("To") ?? "", act }
  }

  #list({ path, query }: ApiRequest): Intent {
    const { clock, exchange, listedAfterMs } = this.#options
    const act = () => {
      this.#checkQuery(query, callFilters)
      const listed = [...exchange.calls.values()].filter((found) => found.createdAt + listedAfterMs <= clock.now())
      const found = filteredCalls(listed, callFilters, query)
      const page = found.ok ? pageOf(path, query, found.value) : found
      return answer(page, ({ envelope, items }) =>
        json(200, { ...envelope, calls: items.map((item) => this.#show(item)) }),
      )
    }
    return { operation: "list", to: query.get("To") ?? "", act }
  }

  #withCall({ path }: ApiRequest, sid: string, then: (found: CallRecord) => Intent): Intent | ApiError {
    const found = this.#options.exchange.calls.get(sid)
    return found === undefined ? apiError(20404, path) : then(found)
  }

  #fetch(found: CallRecord): Intent {
    return { operation: "fetch", to: found.to, act: () => json(200, this.#show(found)) }
  }

  #update({ form }: ApiRequest, found: CallRecord): Intent {
    const act = () => {
      const asked = this.#asked(updateParameters, form)
      const updated = asked.ok ? this.#options.exchange.update(found, asked.value) : asked
      return answer(updated, (record) => json(200, this.#show(record)))
    }
    return { operation: "update", to: found.to, act }
  }

  /** https://www.twilio.com/docs/voice/api/call-event-resource: until the record is there, it is empty. */
  #events({ path, query }: ApiRequest, found: CallRecord): Intent {
    const { account, clock, eventsAfterMs, journal } = this.#options
    const act = () => {
      this.#checkQuery(query, ["PageSize", "Page", "PageToken"])
      const isThere = found.endedAt !== null && found.endedAt + eventsAfterMs <= clock.now()
      const size = Number(query.get("PageSize") ?? pageSizes.standard)
      const events = isThere ? requestsOf(account(), found, journal).slice(0, size) : []
      return json(200, { page: 0, page_size: size, uri: path, next_page_uri: null, events })
    }
    return { operation: "events", to: found.to, act }
  }

  #ofCall({ path, query }: ApiRequest, found: CallRecord): Intent {
    const { account } = this.#options
    const act = () => {
      this.#checkQuery(query, callRecordingFilters)
      const items = found.recording === null ? [] : [found.recording]
      return answer(pageOf(path, query, items), ({ envelope, items: shown }) =>
        json(200, { ...envelope, recordings: shown.map((item) => callRecordingResource(account(), item)) }),
      )
    }
    return { operation: "recordings", to: found.to, act }
  }

  #ofAccount({ path, query }: ApiRequest): Intent {
    const { account, exchange } = this.#options
    const callSid = query.get("CallSid")
    const act = () => {
      this.#checkQuery(query, recordingFilters)
      const items = [...exchange.recordings.values()]
        .filter((item) => callSid === null || item.call_sid === callSid)
        .toReversed()
      return answer(pageOf(path, query, items), ({ envelope, items: shown }) =>
        json(200, { ...envelope, recordings: shown.map((item) => recordingResource(account(), item)) }),
      )
    }
    return { operation: "recordings", to: this.#numberOf(callSid), act }
  }

  #numberOf(callSid: string | null): string {
    return (callSid === null ? undefined : this.#options.exchange.calls.get(callSid)?.to) ?? ""
  }

  #withRecording(
    { path }: ApiRequest,
    sid: string,
    respond: (found: RecordingRecord) => ApiResponse | null,
  ): Intent | ApiError {
    const found = this.#options.exchange.recordings.get(sid)
    const response = found === undefined ? null : respond(found)
    if (found === undefined || response === null) return apiError(20404, path)
    return { operation: "recordings", to: this.#numberOf(found.call_sid), act: () => response }
  }

  /** https://www.twilio.com/docs/voice/api/recording: WAV, or MP3 with `.mp3`. Until it is complete there is nothing. */
  #media({ path }: ApiRequest, sid: string, extension: string): Intent | ApiError {
    const found = this.#options.exchange.recordings.get(sid)
    if (found?.status !== "completed") return apiError(20404, path)
    const type = extension === ".mp3" ? "audio/mpeg" : "audio/x-wav"
    const act = () => ({ status: 200, headers: { "content-type": type }, body: mediaOf(found) })
    return { operation: "media", to: this.#numberOf(found.call_sid), act }
  }
}
