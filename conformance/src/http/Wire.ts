import { Answer } from "./Answer.ts"
import { excerpt, type Exchange } from "./Exchange.ts"
import { type Pacing, refusalPauseMs } from "./Pacing.ts"
import { redact } from "./Redaction.ts"

/** Anything that answers a request as `fetch` does: the platform's own, or the handler of a server in this process. */
export type Fetch = (request: Request) => Promise<Response>

/** A request as it will be sent. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** What all requests of a run share. */
export interface Transport {
  readonly fetch: Fetch
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

  constructor(exchange: Exchange) {
    super(`${exchange.method} ${exchange.url} got no answer: ${exchange.failure ?? "unknown"}`)
    this.exchange = exchange
  }
}

/** Most refusals by the request rate that one request waits out before the 429 is handed on. */
const maxPacedRetries = 3

const bodyText = (body: Outgoing["body"]): string =>
  body === undefined ? "" : typeof body === "string" ? body : new TextDecoder().decode(body)

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined
  return code ?? (cause instanceof Error ? cause.message : error.message)
}

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
    const { fetch, secrets, signal, timeoutMs } = this.#transport
    signal?.throwIfAborted()
    const started = performance.now()
    const base = {
      at: new Date().toISOString(),
      method: request.method,
      url: redact(request.url, secrets),
      requestHeaders: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, redact(value, secrets)]),
      ),
      requestBody: redact(excerpt(bodyText(request.body)), secrets),
    }
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(
        new Request(request.url, {
          method: request.method,
          headers: request.headers,
          redirect: "manual",
          signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
          ...(request.body === undefined ? {} : { body: request.body }),
        }),
      )
      const text = await response.text()
      const answer = new Answer({
        status: response.status,
        headers: response.headers,
        text,
        exchange: {
          ...base,
          durationMs: performance.now() - started,
          status: response.status,
          responseHeaders: Object.fromEntries(
            [...response.headers].map(([name, value]) => [name, redact(value, secrets)]),
          ),
          responseBody: redact(excerpt(text), secrets),
        },
      })
      this.#observe(request, answer)
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      throw new NoAnswer({
        ...base,
        durationMs: performance.now() - started,
        status: null,
        responseHeaders: {},
        responseBody: "",
        failure: redact(limit.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error), secrets),
      })
    }
  }
}
