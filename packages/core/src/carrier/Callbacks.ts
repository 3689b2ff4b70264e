import { Effect } from "effect"
import type { Desk } from "./Desk.ts"
import type { NotTaken } from "./Reporting.ts"

/**
 * How a callback is answered: 200 once what it says is kept. 400, 401, 403 and 413 refuse it for good: it is malformed, forged or too long.
 * After a 503 it comes again.
 */
export type CallbackStatus = 200 | 400 | 401 | 403 | 413 | 503

/** Answers a vendor's callbacks, and whoever fetches a recording. A callback is answered 200 once what it says is kept, else it comes again. */
export type CallbackHandler = (request: Request) => Promise<Response>

/** What is under the public address of an adapter. */
export interface CallbackRoutes {
  /** Takes what a vendor posts, by the last part of its path. One that rejects has kept nothing for certain, and is answered 503. */
  readonly topics: Readonly<Record<string, (request: Request) => Promise<CallbackStatus>>>
  /** Answers `recordings/<id>/<pass>`. */
  readonly recording: (request: Request, id: string, pass: string) => Promise<Response>
}

const plain = (status: CallbackStatus | 404 | 405): Response =>
  new Response(null, { status, headers: { "cache-control": "no-store" } })

/** The handler of these routes. It looks at the end of a path alone, so it can be mounted anywhere. */
export const callbackHandler = ({ recording, topics }: CallbackRoutes): CallbackHandler => {
  const byName = new Map(Object.entries(topics))
  return async (request) => {
    const segments = new URL(request.url).pathname.split("/")
    const [kind, id = "", pass = ""] = segments.slice(-3)
    if (kind === "recordings") {
      const isRead = request.method === "GET" || request.method === "HEAD"
      return isRead ? recording(request, id, pass) : plain(405)
    }
    const take = byName.get(segments.at(-1) ?? "")
    if (take === undefined) return plain(404)
    if (request.method !== "POST") return plain(405)
    return take(request).then(plain, () => plain(503))
  }
}

/** How a callback is answered whose signature was checked, from what became of what it says. */
export const answerOfKept = (work: Effect.Effect<unknown, NotTaken>): Effect.Effect<200 | 400 | 503> =>
  Effect.match(work, { onFailure: ({ forGood }) => (forGood ? 400 : 503), onSuccess: () => 200 as const })

/** The same in the engine's process; while there is none the callback comes again. */
export const kept = async ({ run }: Desk, work: Effect.Effect<unknown, NotTaken>): Promise<200 | 400 | 503> =>
  run === null ? 503 : run(answerOfKept(work))
