import type { CallbackHandler } from "./Callbacks.ts"

/** What a mount needs of a request of `node:http`. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

/** What a mount needs of a response of `node:http`. */
export interface NodeResponse {
  readonly destroyed: boolean
  writeHead(status: number, headers?: Record<string, string>): this
  write(piece: Uint8Array): boolean
  end(): unknown
  destroy(): unknown
  once(event: "close" | "drain" | "error", listener: () => void): unknown
  off(event: "close" | "drain", listener: () => void): unknown
}

/** Handles a request of `node:http`; what is not its own goes to `next`, or is answered 404. */
export type NodeMount = (request: NodeRequest, response: NodeResponse, next?: () => void) => void

/** Express cuts the path of a mount off `url` and keeps it in `originalUrl`. */
const targetOf = (request: NodeRequest): string =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? "/")

const webRequest = (request: NodeRequest, target: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string") headers.set(name, value)
  }
  const method = request.method ?? "GET"
  // The host of the request is not asked for: signatures are checked over the public address.
  const url = `http://callbacks.invalid${target}`
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal })
  return new Request(url, { method, headers, signal, body: ReadableStream.from(request), duplex: "half" })
}

/** Waits until more can be written, or the connection is gone. */
const writable = (response: NodeResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      resolve()
    }
    response.once("drain", done)
    response.once("close", done)
  })

const send = async (response: NodeResponse, { body, headers, status }: Response): Promise<void> => {
  response.writeHead(status, Object.fromEntries(headers))
  const reader = body?.getReader()
  // A body that fails has told so where it is read.
  response.once("close", () => void reader?.cancel().catch(() => undefined))
  for (;;) {
    const piece = await reader?.read()
    if (response.destroyed) return
    if (piece === undefined || piece.done) break
    if (!response.write(piece.value)) await writable(response)
  }
  response.end()
}

/**
 * Mounts a handler of `Request` and `Response` on `node:http`, or on what speaks its language (Express, Connect), beside the API: `path` is
 * that of the public address as it arrives here, such as `/twilio`. Mount it before anything that reads bodies. A client that goes away aborts
 * the signal of its request.
 */
export const mountOnNode = (handle: CallbackHandler, path: string): NodeMount => {
  const prefix = path.endsWith("/") ? path : `${path}/`
  return (request, response, next) => {
    const target = targetOf(request)
    if (!target.startsWith(prefix)) {
      if (next !== undefined) next()
      else response.writeHead(404).end()
      return
    }
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    response.once("error", () => gone.abort())
    handle(webRequest(request, target, gone.signal))
      .then((answer) => send(response, answer))
      .catch(() => response.destroy())
  }
}
