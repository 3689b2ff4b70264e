import { Effect } from "effect"
import { CallbackBodies, type ReadsBody } from "./CallbackBodies.ts"
import type { CallbackStatus } from "./CallbackStatus.ts"
import type { Desk } from "./Desk.ts"
import type { NotTaken } from "./Reporting.ts"

/** Answers a vendor's callbacks, and whoever fetches a recording. A callback is answered 200 once what it says is kept, else it comes again. */
export type CallbackHandler = (request: Request) => Promise<Response>

/** What is under the public address of an adapter. */
export interface CallbackRoutes {
  /** Counts how callbacks are answered, and says so where they are refused. Without it nobody sees that a vendor is not heard. */
  readonly desk?: Desk
  /**
   * Takes what a vendor posts, by the last part of its path. One that rejects has kept nothing for certain, and is answered 503. `body` reads what
   * was posted, within bounds; `request.body` has none.
   */
  readonly topics: Readonly<Record<string, (request: Request, body: ReadsBody) => Promise<CallbackStatus>>>
  /** Answers `recordings/<id>/<pass>`. */
  readonly recording: (request: Request, id: string, pass: string) => Promise<Response>
}

const plain = (status: CallbackStatus | 404 | 405): Response =>
  new Response(null, { status, headers: { "cache-control": "no-store" } })

/** The handler of these routes. It looks at the end of a path alone, so it can be mounted anywhere. */
export const callbackHandler = ({ desk, recording, topics }: CallbackRoutes): CallbackHandler => {
  const byName = new Map(Object.entries(topics))
  const bodies = new CallbackBodies()
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
    const status = await bodies.within(request, (body) => take(request, body)).catch(() => 503 as const)
    desk?.answered?.(status)
    return plain(status)
  }
}

/** How a callback is answered whose signature was checked, from what became of what it says. */
export const answerOfKept = (work: Effect.Effect<unknown, NotTaken>): Effect.Effect<200 | 400 | 503> =>
  Effect.match(work, { onFailure: ({ forGood }) => (forGood ? 400 : 503), onSuccess: () => 200 as const })

/** The same in the engine's process; while there is none the callback comes again. */
export const kept = async ({ run }: Desk, work: Effect.Effect<unknown, NotTaken>): Promise<200 | 400 | 503> =>
  run === null ? 503 : run(answerOfKept(work))
