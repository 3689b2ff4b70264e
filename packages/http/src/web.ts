import { bodyLimit, isTakenLate } from "./BodyLimit.ts"
import {
  type EdgeHandler,
  type EdgeRequest,
  type EdgeResponse,
  isPublicPath,
  type LateBody,
  splitTarget,
} from "./Edge.ts"
import { type Fallback, plainNotFound } from "./Fallback.ts"

/** Handles a web-standard request. */
export type WebHandler = (request: Request) => Promise<Response>

/** How a web-standard mount is set up. */
export interface WebOptions {
  /** Answers what is not under `/v2`; null is a plain 404. */
  readonly fallback?: Fallback
}

/** Mounts the API on anything that speaks `Request` and `Response`: Hono, Next, Bun, Deno, workers. */
export const webHandler = (handle: EdgeHandler, options: WebOptions = {}): WebHandler => {
  const fallback = options.fallback ?? (() => null)
  return async (request) => {
    const { target, path } = targetOf(request.url)
    const edge: Omit<EdgeRequest, "body" | "lateBody"> = {
      method: request.method,
      target,
      header: (name) => request.headers.get(name),
      whenGone: (listener) => whenGone(request.signal, listener),
    }
    if (!isPublicPath(path)) return toResponse(fallback({ ...edge, body: null }) ?? plainNotFound)
    const limit = bodyLimit(request.method, path)
    const answered = (taken: Pick<EdgeRequest, "body" | "lateBody">): Promise<Response> =>
      new Promise((resolve) => handle({ ...edge, ...taken }, (answer) => resolve(toResponse(answer))))
    if (!isTakenLate(request.method, path)) return answered({ body: await readBody(request, limit) })
    const lateBody: LateBody = (read) => {
      // A client that goes away in the middle must not be waited for.
      void readBody(request, limit).then(read, () => read(null))
    }
    return answered({ body: null, lateBody })
  }
}

const whenGone = (signal: AbortSignal, listener: () => void): (() => void) => {
  if (signal.aborted) listener()
  else signal.addEventListener("abort", listener, { once: true })
  return () => signal.removeEventListener("abort", listener)
}

/** The request's own words for its path and query: `URL` has normalised them already, and nothing is decoded. */
const targetOf = (url: string): { readonly target: string; readonly path: string } => {
  const fragment = url.indexOf("#")
  const { path, query } = splitTarget(fragment < 0 ? url : url.slice(0, fragment))
  return { path, target: query === "" ? path : `${path}?${query}` }
}

const readBody = async (request: Request, limit: number): Promise<EdgeRequest["body"]> => {
  if (request.body === null) return null
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    // Leaving the loop cancels the stream: the server decides what becomes of the connection.
    if (length > limit) return "oversize"
    chunks.push(chunk)
  }
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body
}

const toResponse = ({ body, headers, status }: EdgeResponse): Response => new Response(body, { status, headers })
