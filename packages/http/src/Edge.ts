import type { WhenGone } from "@carillon/core"
import type { AnswerPieces } from "./AnswerPieces.ts"

/** A request as the dispatcher sees it: plain data, the same from a Node socket, a web-standard `Request` or a test. */
export interface EdgeRequest {
  readonly method: string
  /** Path and query as sent, undecoded. */
  readonly target: string
  /** The value of a header by its lower-case name; one that was sent several times is joined by ", ". Null when absent. */
  readonly header: (name: string) => string | null
  /** Null: there is none, or it is a late one. */
  readonly body: Body
  /** Calls back once the client has gone away and nobody waits for the answer; returns how to stop. */
  readonly whenGone?: WhenGone | undefined
  /** Calls back once, when the answer was handed to the network or nobody waits for it any more. A mount that cannot know has none. */
  readonly whenSent?: ((listener: () => void) => void) | undefined
  /** The body is still on its way, so that it is taken from nobody who is not let in. */
  readonly lateBody?: LateBody | undefined
}

/**
 * Why a body was not taken; its bytes were thrown away. `oversize`: its route takes fewer. `crowded`: its organization sends too many at
 * once. `busy`: all organizations do. `broken`: the client left before its end.
 */
export type Untaken = "oversize" | "crowded" | "busy" | "broken"

/** The body of a request. Null: there is none. */
export type Body = Uint8Array | Untaken | null

/** Calls back when it is the turn of somebody's next piece. */
export type Pace = (goOn: () => void) => void

/** What a body may have while it is read. */
export interface BodyTerms {
  readonly maxBytes: number
  /** Takes so many bytes of memory more; says why where they are not to be had. */
  readonly take: (bytes: number) => Untaken | null
  /** Lets others get on between two pieces of it. None: all of it is taken as it comes. */
  readonly pace?: Pace | undefined
}

/** A body that is still on its way: calls back once, when it was read, refused, or when no more of it comes. */
export type LateBody = (terms: BodyTerms, read: (body: Body) => void) => void

/**
 * The answer to a request. A body of null is an empty one. A long one has its bytes in pieces, too: a mount that sends those never asks for its text,
 * which is made when it is asked for.
 */
export interface EdgeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly pieces?: AnswerPieces | undefined
}

/** Answers a request, at once where nothing has to be waited for. Never throws, answers exactly once. */
export type EdgeHandler = (request: EdgeRequest, respond: (response: EdgeResponse) => void) => void

/** The undecoded path and query of a request target; a target in absolute form loses its origin. */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const local = target.charCodeAt(0) === 47 ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "")
  const mark = local.indexOf("?")
  return mark < 0 ? { path: local, query: "" } : { path: local.slice(0, mark), query: local.slice(mark + 1) }
}

/** Whether a path belongs to the public API; everything else is the host's. */
export const isPublicPath = (path: string): boolean => path === "/v2" || path.startsWith("/v2/")
