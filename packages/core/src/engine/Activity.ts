import { Context, Effect, type Fiber, Layer } from "effect"

interface ActivityShape {
  /** Marks one more input or exchange as open. Whoever wakes a parked fiber calls it on that fiber's behalf. */
  readonly enter: () => void
  /** Marks one as ended or parked. */
  readonly leave: () => void
  /** Runs an input or an outbound exchange so that it counts as open until it ends. */
  readonly track: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Starts an effect in the background; it counts as open from this moment, not only once its fiber runs. */
  readonly fork: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<A, E>, never, R>
  /** The same, but it has run by then as far as it goes without waiting: for whoever waits for it next. */
  readonly begin: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<A, E>, never, R>
  /** How many inputs and exchanges are open and not parked: zero means quiescent. */
  readonly open: () => number
  /** Returns once nothing is open. */
  readonly quiescent: Effect.Effect<void>
}

/**
 * The count of admitted inputs that run and of I/O that is open. Quiescence is exact because everything that leaves the
 * engine goes through it, and parked requests do not block it.
 */
export class Activity extends Context.Service<Activity, ActivityShape>()("@carillon/core/engine/Activity") {
  static readonly layer = Layer.sync(Activity, () => {
    let open = 0
    let waiters: Array<() => void> = []
    const enter = () => {
      open += 1
    }
    const leave = () => {
      open -= 1
      if (open > 0) return
      const ready = waiters
      waiters = []
      for (const resume of ready) resume()
    }
    const forkWith =
      (options: { readonly startImmediately: boolean }) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          enter()
          return Effect.forkDetach(Effect.ensuring(effect, Effect.sync(leave)), options)
        })
    return Activity.of({
      enter,
      leave,
      track: (effect) =>
        Effect.acquireUseRelease(
          Effect.sync(enter),
          () => effect,
          () => Effect.sync(leave),
        ),
      fork: forkWith({ startImmediately: false }),
      begin: forkWith({ startImmediately: true }),
      open: () => open,
      quiescent: Effect.callback<void>((resume) => {
        if (open === 0) resume(Effect.void)
        else waiters.push(() => resume(Effect.void))
      }),
    })
  })
}
