import type { Answer } from "./Answer.ts"
import type { Outgoing, Wire } from "./Wire.ts"

/** What a request carries beside method and path. */
export interface RequestParts {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it stands, with whatever content type `headers` name. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  /** Sends the body in pieces, without saying beforehand how long it is. */
  readonly chunked?: boolean
}

const queryOf = (query: RequestParts["query"]): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.append(name, String(value))
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

/** Requests to `/v2` with one credential. */
export class Client {
  readonly #wire: Wire
  readonly #baseUrl: string
  /** The API key, or undefined for a client that sends no credential. */
  readonly key: string | undefined

  constructor(wire: Wire, baseUrl: string, key: string | undefined) {
    this.#wire = wire
    this.#baseUrl = baseUrl
    this.key = key
  }

  /** The same server with another key, or with none. */
  as(key: string | undefined): Client {
    return new Client(this.#wire, this.#baseUrl, key)
  }

  /** Sends a request to a path such as `/v2/calls`. */
  send(method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
    const headers: Record<string, string> = {}
    if (this.key !== undefined) headers["authorization"] = `Bearer ${this.key}`
    if (parts.body !== undefined) headers["content-type"] = "application/json"
    Object.assign(headers, parts.headers)
    const body = parts.raw ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body))
    const request: Outgoing = { method, url: `${this.#baseUrl}${path}${queryOf(parts.query)}`, headers }
    const chunked = parts.chunked === true ? { chunked: true } : {}
    return this.#wire.send(body === undefined ? request : { ...request, body, ...chunked })
  }

  get(path: string, query?: RequestParts["query"]): Promise<Answer> {
    return this.send("GET", path, query === undefined ? {} : { query })
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send("POST", path, body === undefined ? {} : { body })
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.send("PATCH", path, { body })
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send("PUT", path, { body })
  }

  delete(path: string): Promise<Answer> {
    return this.send("DELETE", path)
  }
}
