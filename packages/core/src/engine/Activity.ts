import { Cause, Clock, Context, Effect, Exit, type Fiber, Layer, Option, Semaphore } from "effect"
import { limits } from "../Limits.ts"
import { NowAndThen } from "./rules/NowAndThen.ts"
import { told } from "./rules/Told.ts"

interface ActivityShape {
  /** Marks one more input or exchange as open. Whoever wakes a parked fiber calls it on that fiber's behalf. */
  readonly enter: () => void
  /** Marks one as ended or parked. */
  readonly leave: () => void
  /** Runs an input or an outbound exchange so that it counts as open until it ends. */
  readonly track: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Starts an effect in the background; it counts as open from this moment, not only once its fiber runs. Nobody may be there to hear of a defect
   * of it, so that is an error in the log, once in `limits.mistakesToldMs` at most.
   */
  readonly fork: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<A, E>, never, R>
  /** The same, but it has run by then as far as it goes without waiting: for whoever waits for it next. */
  readonly begin: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<A, E>, never, R>
  /** Runs an effect in its turn; it does not count as open while it waits for others, who may be parked. */
  readonly inTurn: <A, E, R>(turn: Semaphore.Semaphore, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * An effect that runs once, for all who ask for it; whoever waits for its end does not count as open. Where whoever runs it is interrupted,
   * it has not run: the next one who asks runs it.
   */
  readonly once: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs effects at the same time. Each of them counts as open by itself, and whoever waits for all of them does not. */
  readonly together: <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) => Effect.Effect<Array<A>, E, R>
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
    /** The same for an exit, after which there is nothing else to do. */
    const ended = (): undefined => {
      leave()
    }
    const mistakes = new NowAndThen(limits.mistakesToldMs)
    const tellDefect = (cause: Cause.Cause<unknown>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const count = Cause.hasDies(cause) ? mistakes.note(now) : null
        if (count === null) return Effect.void
        const line = Effect.logError("What this process does in the background has a mistake.", told(cause))
        return Effect.annotateLogs(line, { mistakes: count })
      })
    const forkWith =
      (options: { readonly startImmediately: boolean }) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          enter()
          return Effect.forkDetach(Effect.onExitPrimitive(Effect.tapCause(effect, tellDefect), ended), options)
        })
    const waiting = <A, E, R>(turn: Semaphore.Semaphore, effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        let isWaiting = true
        leave()
        const goesOn = Effect.sync(() => {
          if (isWaiting) enter()
          isWaiting = false
        })
        return Effect.ensuring(turn.withPermit(Effect.andThen(goesOn, effect)), goesOn)
      })

    const inTurn: ActivityShape["inTurn"] = (turn, effect) =>
      Effect.flatMap(
        turn.withPermitsIfAvailable(1)(effect),
        Option.match({ onSome: Effect.succeed, onNone: () => waiting(turn, effect) }),
      )

    const once: ActivityShape["once"] = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
      const turn = Semaphore.makeUnsafe(1)
      let known: Exit.Exit<A, E> | undefined
      const run = Effect.suspend(
        () =>
          known ??
          Effect.onExit(effect, (exit) =>
            Effect.sync(() => {
              if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) known = exit
            }),
          ),
      )
      return Effect.suspend(() => known ?? inTurn(turn, run))
    }

    /** The first of them takes the count of whoever waits for them, and the last to end leaves its own. */
    const together: ActivityShape["together"] = (effects) =>
      Effect.suspend(() => {
        let left = effects.length
        for (let nth = 1; nth < left; nth++) enter()
        const ends = Effect.sync(() => {
          left -= 1
          if (left > 0) leave()
        })
        // Some were never begun where another one failed.
        const all = Effect.sync(() => {
          for (; left > 1; left--) leave()
        })
        const tracked = effects.map((effect) => Effect.ensuring(effect, ends))
        return Effect.ensuring(Effect.all(tracked, { concurrency: "unbounded" }), all)
      })

    return Activity.of({
      enter,
      leave,
      track: (effect) =>
        Effect.uninterruptibleMask((restore) => {
          enter()
          return Effect.onExitPrimitive(restore(effect), ended)
        }),
      fork: forkWith({ startImmediately: false }),
      begin: forkWith({ startImmediately: true }),
      inTurn,
      once,
      together,
      open: () => open,
      quiescent: Effect.callback<void>((resume) => {
        if (open <= 0) resume(Effect.void)
        else waiters.push(() => resume(Effect.void))
      }),
    })
  })
}
