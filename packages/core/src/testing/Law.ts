import { Context, Effect } from "effect"
import * as fc from "fast-check"

/**
 * The part of its runs that a law takes, 1 where nothing is said. A layer that is given to a suite may bring less, where the same is run whole
 * elsewhere: the same SQL on another server, for example.
 */
export const LawShare = Context.Reference<number>("@carillon/core/testing/LawShare", { defaultValue: () => 1 })

const usualRuns = 50

/** Checks that a law holds for whatever the arbitrary makes; a counterexample fails the test with its seed and its smallest form. */
export const law = <A, E, R>(
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => Effect.Effect<void, E, R>,
  parameters: fc.Parameters<[A]> = {},
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const run = Effect.runPromiseWith(yield* Effect.context<R>())
    const numRuns = Math.ceil((parameters.numRuns ?? usualRuns) * (yield* LawShare))
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) => run(holds(value))),
        { ...parameters, numRuns },
      ),
    )
  })
