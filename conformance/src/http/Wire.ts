import { Answer } from "./Answer.ts"
import { excerpt, type Exchange } from "./Exchange.ts"
import { type Pacing, refusalPauseMs } from "./Pacing.ts"
import { before, readBody } from "./Body.ts"
import { redact } from "./Redaction.ts"
import { HarnessTrouble, isDropped, isLocal, isSafe, reasonOf } from "./Trouble.ts"
import { pieceBytes, type Upload } from "./Upload.ts"

/** Anything that answers a request as `fetch` does: the platform's own, or the handler of a server in this process. */
export type Fetch = (request: Request) => Promise<Response>

/** A request as it will be sent. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** The body goes out as a stream of unknown length. */
  readonly chunked?: boolean
}

/** What all requests of a run share. */
export interface Transport {
  readonly fetch: Fetch
  /** Sends bodies of more than `pieceBytes` over the network. */
  readonly upload?: (upload: Upload, ending: AbortSignal) => Promise<Response>
  /** Values never to be written down: keys, the control token. */
  readonly secrets: Set<string>
  /** Present where all cases share one key. */
  readonly pacing?: Pacing
  readonly signal?: AbortSignal
  /** Real time after which an unanswered request counts as failed. */
  readonly timeoutMs: number
  /** Waits in real time. */
  readonly sleep: (ms: number) => Promise<void>
}

/** The server gave no answer at all: refused connection, reset, or silence past the time limit. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
  readonly exchange: Exchange
  /** True when the connection broke: perhaps the server had closed it while it lay idle. */
  readonly dropped: boolean

  constructor(exchange: Exchange, dropped: boolean) {
    super(`${exchange.method} ${exchange.url} got no answer: ${exchange.failure ?? "unknown"}`)
    this.exchange = exchange
    this.dropped = dropped
  }
}

/** Most refusals by the request rate that one request waits out before the 429 is handed on. */
const maxPacedRetries = 3

/** An answer that has been read to its end. */
interface Fetched {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const carriedBody = ({ body, chunked }: Outgoing) => {
  if (body === undefined) return {}
  return chunked === true ? ({ body: new Blob([body]).stream(), duplex: "half" } as const) : { body }
}

/** The request as an upload; undefined where it is none. */
const uploadOf = ({ body, chunked, headers, method, url }: Outgoing): Upload | undefined => {
  if (body === undefined || chunked === true) return undefined
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  return bytes.byteLength > pieceBytes ? { method, url, headers, body: bytes } : undefined
}

const bodyText = (body: Outgoing["body"]): string =>
  body === undefined ? "" : typeof body === "string" ? body : new TextDecoder().decode(body)

const redactValues = (
  headers: Iterable<readonly [string, string]>,
  secrets: ReadonlySet<string>,
): Record<string, string> =>
  Object.fromEntries(Array.from(headers, ([name, value]) => [name, redact(excerpt(value), secrets)]))

/** Sends requests, records every exchange without its secrets, and shows each answer to an observer. */
export class Wire {
  readonly #transport: Transport
  readonly #observe: (request: Outgoing, answer: Answer) => void

  constructor(transport: Transport, observe: (request: Outgoing, answer: Answer) => void = () => {}) {
    this.#transport = transport
    this.#observe = observe
  }

  /** The answer to a request; under pacing, a refusal by the request rate is waited out first. */
  async send(request: Outgoing): Promise<Answer> {
    const { pacing, sleep } = this.#transport
    if (pacing === undefined) return this.#once(request)
    const path = new URL(request.url).pathname
    for (let attempt = 0; ; attempt++) {
      const pauseMs = pacing.pauseMs(request.method, path, Date.now())
      if (pauseMs > 0) await sleep(pauseMs)
      const answer = await this.#once(request)
      pacing.observe(request.method, path, answer, Date.now())
      const refusedMs = refusalPauseMs(answer)
      if (refusedMs === undefined || attempt >= maxPacedRetries) return answer
      await sleep(refusedMs)
    }
  }

  async #once(request: Outgoing): Promise<Answer> {
    const { secrets, signal, timeoutMs } = this.#transport
    signal?.throwIfAborted()
    const started = performance.now()
    const at = new Date().toISOString()
    const asked = () => ({
      at,
      method: request.method,
      url: redact(request.url, secrets),
      requestHeaders: redactValues(Object.entries(request.headers), secrets),
      requestBody: redact(excerpt(bodyText(request.body)), secrets),
    })
    const limit = AbortSignal.timeout(timeoutMs)
    const ending = signal === undefined ? limit : AbortSignal.any([signal, limit])
    const answered = async (): Promise<Answer> => {
      const response = await this.#fetched(request, ending)
      const { headers, status, text } = response
      const durationMs = performance.now() - started
      const record = () => ({
        ...asked(),
        durationMs,
        status,
        responseHeaders: redactValues(headers, secrets),
        responseBody: redact(excerpt(text), secrets),
      })
      return new Answer({ status, headers, text, record })
    }
    const answer = await answered().catch((error: unknown) => {
      signal?.throwIfAborted()
      if (isLocal(error)) throw new HarnessTrouble(`this machine cannot ask: ${reasonOf(error)}`, { cause: error })
      const failure = limit.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error)
      const exchange = {
        ...asked(),
        durationMs: performance.now() - started,
        status: null,
        responseHeaders: {},
        responseBody: "",
        failure: redact(failure, secrets),
      }
      throw new NoAnswer(exchange, isDropped(error) && !limit.aborted)
    })
    this.#observe(request, answer)
    return answer
  }

  /** Answer and body; a request that changes nothing is sent once more when the connection broke under it. */
  async #fetched(request: Outgoing, ending: AbortSignal): Promise<Fetched> {
    const { fetch, upload } = this.#transport
    const large = upload === undefined ? undefined : uploadOf(request)
    const asked = (): Promise<Response> => {
      if (upload !== undefined && large !== undefined) return upload(large, ending)
      const { headers, method, url } = request
      return fetch(new Request(url, { headers, method, redirect: "manual", signal: ending, ...carriedBody(request) }))
    }
    const once = async (): Promise<Fetched> => {
      const response = await before(ending, asked())
      return { status: response.status, headers: response.headers, text: await readBody(response, ending) }
    }
    try {
      return await once()
    } catch (error) {
      if (!isSafe(request.method) || !isDropped(error) || ending.aborted) throw error
      return once()
    }
  }
}
