import { holding } from "./HeldRequests.ts"
import { ApiError, isEnvelope, NoAnswer, UnexpectedAnswer } from "./PromiseErrors.ts"
import {
  defaultFormTimeoutMs,
  defaultLongestWaitMs,
  defaultRetries,
  defaultTimeoutMs,
  mintIdempotencyKey,
  readRetryAfter,
  unusableParam,
  waitMs,
} from "./Repeating.ts"

/** How a client reaches the service. */
export interface ClientOptions {
  /** Where the service is, without `/v2`. */
  readonly baseUrl: string | URL
  /** The API key, `gat_…`. It opens the whole organization: never hand it to a browser that is not your own. */
  readonly key: string
  /** The times that a request is sent again at most; default 2. */
  readonly retries?: number
  /** How long one attempt may take; default 60 seconds, 200 where a form is sent. */
  readonly timeoutMs?: number
  /** A longer wait before the next attempt is none: the failure is handed on instead. Default 60 seconds. */
  readonly longestWaitMs?: number
  /** What sends requests; default the platform's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** What waits, for tests that own the time; default the platform's timers. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
}

/** What can be said of one call of an operation. */
export interface CallOptions {
  /** Ends the attempt that is under way and all that would follow. */
  readonly signal?: AbortSignal
  readonly retries?: number
  readonly timeoutMs?: number
}

/** What can be said of one call of an operation that honours `Idempotency-Key`. */
export interface KeyedCallOptions extends CallOptions {
  /** Your own name for the deed, such as the id of an order: default a new one for each call. */
  readonly idempotencyKey?: string
}

/** A request as every operation takes it. */
export interface RequestParts {
  readonly params?: object
  readonly query?: object
  readonly payload?: unknown
}

/** Waits as the platform does, and no longer than the signal lets it. */
export const platformSleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })

const urlOf = (base: string | URL, path: string, { params, query }: RequestParts): URL => {
  const unusable = unusableParam(params)
  if (unusable !== null) throw new TypeError(`'${unusable}' cannot be part of a path.`)
  const values = new Map<string, unknown>(Object.entries(params ?? {}))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!values.has(name)) throw new TypeError(`'${name}' is missing.`)
    return encodeURIComponent(String(values.get(name)))
  })
  const url = new URL(`${String(base).replace(/\/$/, "")}${filled}`)
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

/** An answer with its body, read to its end. */
interface Read {
  readonly response: Response
  readonly text: string
}

const jsonOf = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

/** What an operation comes to: its answer, or what is thrown. That a JSON answer is of its type, the service answers for. */
const judge = (operation: string, traits: ReadonlyArray<string>, { response, text }: Read, now: number): unknown => {
  const { headers, ok, status, type } = response
  const leads = type === "opaqueredirect" || status === 302
  if (leads && traits.includes("redirecting")) return undefined
  if (status === 204) return undefined
  const json = jsonOf(text)
  if (ok && json !== null) return json.value
  if (ok || !isEnvelope(json?.value)) throw new UnexpectedAnswer(operation, status, text)
  throw new ApiError({
    code: json.value.error,
    message: json.value.message,
    status,
    retryAfterMs: readRetryAfter(headers.get("retry-after"), now),
    requestId: headers.get("x-request-id"),
  })
}

const headersOf = (key: string, isJson: boolean, idempotencyKey: string | null): Headers => {
  const headers = new Headers({ authorization: `Bearer ${key}` })
  if (isJson) headers.set("content-type", "application/json")
  if (idempotencyKey !== null) headers.set("idempotency-key", idempotencyKey)
  return headers
}

/** Sends requests of operations as the table writes them, again where that is safe. */
export const sender = (options: ClientOptions) => {
  const send = options.fetch ?? ((request: Request) => fetch(request))
  const sleep = options.sleep ?? platformSleep

  return async (operation: string, parts: RequestParts, call: KeyedCallOptions): Promise<unknown> => {
    const [method = "", path = "", ...traits] = operation.split(" ")
    const named = `${method} ${path}`
    const url = urlOf(options.baseUrl, path, parts)
    const keyed = traits.includes("keyed")
    const isForm = parts.payload instanceof FormData
    const isJson = method !== "GET" && method !== "DELETE" && !isForm
    const headers = headersOf(options.key, isJson, keyed ? (call.idempotencyKey ?? mintIdempotencyKey()) : null)
    const body = isForm ? parts.payload : isJson ? JSON.stringify(parts.payload ?? {}) : null
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? (isForm ? defaultFormTimeoutMs : defaultTimeoutMs)

    const attempt = async (): Promise<Read> => {
      const limits = [AbortSignal.timeout(timeoutMs), ...(call.signal === undefined ? [] : [call.signal])]
      const signal = AbortSignal.any(limits)
      return holding(new Request(url, { method, headers, body, signal, redirect: "manual" }), async (request) => {
        const response = await send(request)
        return { response, text: await response.text() }
      })
    }

    for (let sent = 1; ; sent++) {
      call.signal?.throwIfAborted()
      const came = await attempt().catch((cause: unknown) => new NoAnswer(`No answer came to ${named}.`, { cause }))
      call.signal?.throwIfAborted()
      const lost = came instanceof NoAnswer
      const wait = waitMs(
        {
          repeatable: keyed || method === "GET",
          sent,
          retries: call.retries ?? options.retries ?? defaultRetries,
          longestWaitMs: options.longestWaitMs ?? defaultLongestWaitMs,
          chance: Math.random(),
        },
        {
          status: lost ? null : came.response.status,
          retryAfterMs: lost ? null : readRetryAfter(came.response.headers.get("retry-after"), Date.now()),
        },
      )
      if (wait !== null) await sleep(wait, call.signal)
      else if (lost) throw came
      else return judge(named, traits, came, Date.now())
    }
  }
}
