import { type Activity, letGo } from "@carillon/core/ports"
import { Context, Effect } from "effect"
import type { Body, BodyTerms, EdgeRequest } from "./Edge.ts"

type Wrap = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * Wraps what waits for the world outside: a host that admits requests one at a time may let others in meanwhile. It must run the
 * effect exactly once, or be interrupted, and leave the activity of the engine while it runs. Null: it leaves the activity and no more.
 */
export const Outside = Context.Reference<Wrap | null>("@carillon/http/LateBody/Outside", { defaultValue: () => null })

/** Runs an effect so that who drains the engine does not wait for it: a client may take minutes to send a body. */
export const awayFrom =
  (activity: Activity["Service"]): Wrap =>
  (effect) =>
    Effect.acquireUseRelease(
      Effect.sync(activity.leave),
      () => effect,
      () => Effect.sync(activity.enter),
    )

/** Goes on with the body of a request. One that is still on its way is waited for, and its memory is given back in the end. */
export const withBody = <A, E>(
  { body, lateBody }: EdgeRequest,
  terms: BodyTerms,
  outside: Wrap,
  goOn: (body: Body) => Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
  lateBody === undefined
    ? goOn(body)
    : outside(Effect.callback<Body>((resume) => lateBody(terms, (read) => resume(Effect.succeed(read))))).pipe(
        Effect.flatMap((read) =>
          typeof read === "object" && read !== null
            ? Effect.ensuring(
                goOn(read),
                Effect.sync(() => letGo(read)),
              )
            : goOn(read),
        ),
      )
