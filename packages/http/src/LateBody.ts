import { Context, Effect } from "effect"
import type { EdgeRequest } from "./Edge.ts"

/**
 * Wraps what waits for the world outside: a host that admits requests one at a time may let others in meanwhile. It must run the
 * effect exactly once, or be interrupted.
 */
export const Outside = Context.Reference<<A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>>(
  "@carillon/http/LateBody/Outside",
  { defaultValue: () => (effect) => effect },
)

/** The body of a request, waited for where it is still on its way. */
export const bodyOf = (
  { body, lateBody }: EdgeRequest,
  outside: typeof Outside.Service,
): Effect.Effect<EdgeRequest["body"]> =>
  lateBody === undefined
    ? Effect.succeed(body)
    : outside(Effect.callback((resume) => lateBody((read) => resume(Effect.succeed(read)))))
