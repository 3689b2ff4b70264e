import { wholeOf } from "./AnswerPieces.ts"
import { BodyBytes } from "./BodyBytes.ts"
import { atDoor, nobody, openDoor } from "./Door.ts"
import {
  type Body,
  type BodyTerms,
  type EdgeHandler,
  type EdgeRequest,
  isPublicPath,
  type LateBody,
  splitTarget,
} from "./Edge.ts"
import { answerOf, type Fallback, type PageResponse, plainNotFound } from "./Fallback.ts"
import { behind, bodyIsGone, checkedPrefix } from "./Mounting.ts"

/** Handles a web-standard request. */
export type WebHandler = (request: Request) => Promise<Response>

/** How a web-standard mount is set up. */
export interface WebOptions {
  /** Answers what is not under `/v2`; null is a plain 404. */
  readonly fallback?: Fallback
  /** The path before `/v2`, such as `/voice`, where the API is not to be at the root. The fallback is asked for what is behind it. */
  readonly prefix?: string
  /** False takes up all requests at once, whatever their number: for tests and simulators, which only their own host calls. Default: true. */
  readonly door?: boolean
}

/**
 * Mounts the API on anything that speaks `Request` and `Response`: Hono, Next, Bun, Deno, workers. It rejects where the body of a request was
 * read before it.
 */
export const webHandler = (handle: EdgeHandler, options: WebOptions = {}): WebHandler => {
  const fallback = options.fallback ?? (() => null)
  const prefix = checkedPrefix(options.prefix ?? "")
  const notFound = plainNotFound(prefix)
  const door = (options.door ?? true) ? openDoor() : null
  const take = door === null ? handle : atDoor(handle, door)
  const turn = () => new Promise<void>((resolve) => (door === null ? resolve() : door.enter(nobody, resolve)))
  return async (request) => {
    const target = behind(prefix, targetOf(request.url))
    if (target === null) return toResponse(notFound)
    const edge: Omit<EdgeRequest, "body" | "lateBody"> = {
      method: request.method,
      target,
      header: (name) => request.headers.get(name),
      whenGone: (listener) => whenGone(request.signal, listener),
    }
    if (!isPublicPath(splitTarget(target).path)) {
      await turn()
      return toResponse((await answerOf(fallback, { ...edge, body: null })) ?? notFound)
    }
    if (request.bodyUsed) throw new Error(bodyIsGone)
    const lateBody: LateBody = (terms, read) => {
      // A client that goes away in the middle must not be waited for.
      void readBody(request, terms).then(read, () => read("broken"))
    }
    const whole: EdgeRequest = request.body === null ? { ...edge, body: null } : { ...edge, body: null, lateBody }
    return new Promise((resolve) => take(whole, (answer) => resolve(toResponse(answer))))
  }
}

const whenGone = (signal: AbortSignal, listener: () => void): (() => void) => {
  if (signal.aborted) listener()
  else signal.addEventListener("abort", listener, { once: true })
  return () => signal.removeEventListener("abort", listener)
}

/** The request's own words for its path and query: `URL` has normalised them already, and nothing is decoded. */
const targetOf = (url: string): string => {
  const fragment = url.indexOf("#")
  const { path, query } = splitTarget(fragment < 0 ? url : url.slice(0, fragment))
  return query === "" ? path : `${path}?${query}`
}

const readBody = async (request: Request, terms: BodyTerms): Promise<Body> => {
  if (request.body === null) return null
  const announced = request.headers.get("content-length")
  const bytes = new BodyBytes(terms, announced === null ? null : Number(announced))
  for await (const chunk of request.body) {
    const turn = bytes.turnOf(chunk)
    if (turn !== null) await new Promise<void>((resolve) => turn(resolve))
    const refused = bytes.push(chunk)
    // Leaving the loop cancels the stream: the server decides what becomes of the connection.
    if (refused !== null) return refused
  }
  return bytes.finish()
}

const toResponse = (answer: PageResponse): Response => {
  const { headers, pieces, status } = answer
  return new Response(pieces === undefined ? answer.body : wholeOf(pieces), { status, headers })
}
