import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Api, type ApiRequest, type ApiResponse, errorResponse, type Intent } from "./Api.ts"
import { Callbacks } from "./Callbacks.ts"
import type { CallRecord } from "./CallRecord.ts"
import { sidOf } from "./Chance.ts"
import { realClock, ScopedClock, type StandInClock } from "./Clock.ts"
import { type ApiError, apiError } from "./Errors.ts"
import { Exchange } from "./Exchange.ts"
import { everybodyAnswers, type Script } from "./Fate.ts"
import { type Faults, noFaults, Occasions, type RequestFault } from "./Faults.ts"
import { type CallbackEntry, Journal, type RequestEntry, type Warning } from "./Journal.ts"

export interface TwilioStandInOptions {
  /** Decides each call's fate. */
  readonly script?: Script
  /** The machine's own time where it is left out. */
  readonly clock?: StandInClock
  /** What goes wrong; nothing where it is left out. */
  readonly faults?: Faults
  /** SIDs, the token, and what the stand-in draws itself hang on it. */
  readonly seed?: string
  /** Calls that are dialled in a second; the others wait. https://www.twilio.com/docs/voice/api/call-resource: 1, unless more was agreed. */
  readonly callsPerSecond?: number
  /** Numbers that calls may come from; any where it is left out. */
  readonly numbers?: ReadonlyArray<string>
  /** The account is a trial, and may call these numbers alone. */
  readonly verified?: ReadonlyArray<string>
  /** Where a public URL is reached on this machine, as through a tunnel. Signatures are over the public one. */
  readonly reach?: (url: URL) => URL
  /** From a call's creation until lists show it. */
  readonly listedAfterMs?: number
  /** What a 429 says in `Retry-After`, in seconds; no such header where it is left out. */
  readonly retryAfterSeconds?: number
  /** Recordings are given without credentials. */
  readonly openMedia?: boolean
}

/** Twilio's voice API as it looks from outside, on a port of this machine. */
export interface TwilioStandIn {
  /** In the place of `https://api.twilio.com`. */
  readonly url: string
  readonly accountSid: string
  readonly authToken: string
  /** All calls that there ever were, the first one first. */
  readonly calls: () => ReadonlyArray<CallRecord>
  /** The callee hangs up; nothing happens where nobody talks. */
  readonly hangUp: (callSid: string) => Promise<void>
  readonly requests: () => ReadonlyArray<RequestEntry>
  readonly callbacks: () => ReadonlyArray<CallbackEntry>
  /** What Twilio would warn of. */
  readonly warnings: () => ReadonlyArray<Warning>
  /** Nothing is done, called back or answered any more. */
  readonly close: () => Promise<void>
}

/** A request's body; longer ones are refused. */
const longestBodyBytes = 65_536
const payloadTooLarge = 413

/** Null: it is too long. */
const readBody = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.byteLength
    if (bytes > longestBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Only a form is read; anything else is as if nothing had been sent. */
const formOf = (request: IncomingMessage, body: string): URLSearchParams =>
  new URLSearchParams(request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ? body : "")

const isIntent = (read: Intent | ApiError): read is Intent => "act" in read

interface Answered {
  /** Null: the connection is cut. */
  readonly response: ApiResponse | null
  readonly fault: RequestFault | null
}

class Service {
  readonly #api: Api
  readonly #faults: Faults
  readonly #occasions = new Occasions()
  readonly #journal: Journal
  readonly #now: () => number
  readonly #tooMany: ApiError

  constructor(api: Api, faults: Faults, journal: Journal, now: () => number, retryAfter: number | undefined) {
    this.#api = api
    this.#faults = faults
    this.#journal = journal
    this.#now = now
    this.#tooMany = retryAfter === undefined ? apiError(20429) : { ...apiError(20429), retryAfter }
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (body === null) return void response.writeHead(payloadTooLarge, { connection: "close" }).end()
    const url = new URL(request.url ?? "/", "http://twilio.test")
    const read: ApiRequest = {
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      form: formOf(request, body),
      authorization: request.headers.authorization ?? null,
    }
    const { fault, response: answered } = this.#answer(read)
    this.#journal.requests.add({
      at: this.#now(),
      method: read.method,
      path: url.pathname + url.search,
      form: [...read.form],
      status: answered?.status ?? null,
      fault,
    })
    if (answered === null) response.destroy()
    else response.writeHead(answered.status, { ...answered.headers }).end(answered.body)
  }

  #answer(request: ApiRequest): Answered {
    const read = this.#api.read(request)
    if (!isIntent(read)) return { response: errorResponse(read), fault: null }
    const fault = this.#faults.request(this.#occasions.next(read.operation, read.to))
    switch (fault) {
      case null:
        return { response: read.act(), fault }
      case "lost_before":
        return { response: null, fault }
      case "lost_after":
        read.act()
        return { response: null, fault }
      case "too_many":
        return { response: errorResponse(this.#tooMany), fault }
      case "error_before":
        return { response: errorResponse(apiError(20500)), fault }
      case "error_after":
        read.act()
        return { response: errorResponse(apiError(20500)), fault }
    }
  }
}

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") reject(new Error("The server has no port"))
      else resolve(`http://127.0.0.1:${address.port}`)
    })
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
    server.closeAllConnections()
  })

/** Starts a stand-in. What it does is written from Twilio's document and pages alone; the source is beside each rule. */
export const startTwilioStandIn = async (options: TwilioStandInOptions = {}): Promise<TwilioStandIn> => {
  const { callsPerSecond = 1, faults = noFaults, numbers = null, script = everybodyAnswers, seed = "standin" } = options
  const clock = new ScopedClock(options.clock ?? realClock())
  const journal = new Journal()
  const accountSid = sidOf(seed, "AC", 0)
  const authToken = sidOf(seed, "", 0)
  const reach = options.reach ?? ((at: URL) => at)
  let url = ""
  const callbacks = new Callbacks({ authToken, seed, clock, faults, journal, reach })
  const verified = options.verified ?? null
  const world = {
    accountSid,
    url: () => url,
    seed,
    clock,
    journal,
    callbacks,
    script,
    callsPerSecond,
    numbers,
    verified,
  }
  const exchange = new Exchange(world)
  const { listedAfterMs = 0, openMedia = false } = options
  const account = () => ({ sid: accountSid, url })
  const api = new Api({ account, authToken, clock, exchange, journal, listedAfterMs, openMedia })
  const service = new Service(api, faults, journal, clock.now, options.retryAfterSeconds)
  const server = createServer((request, response) => void service.serve(request, response))
  url = await listen(server)
  return {
    url,
    accountSid,
    authToken,
    calls: () => [...exchange.calls.values()],
    hangUp: (sid) => exchange.hangUp(sid),
    requests: () => journal.requests.entries,
    callbacks: () => journal.callbacks.entries,
    warnings: () => journal.warnings.entries,
    close: async () => {
      clock.close()
      callbacks.close()
      await close(server)
    },
  }
}
