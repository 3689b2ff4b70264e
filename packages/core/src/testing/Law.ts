import { Effect } from "effect"
import * as fc from "fast-check"

/** Checks that a law holds for whatever the arbitrary makes; a counterexample fails the test with its seed and its smallest form. */
export const law = <A, E, R>(
  arbitrary: fc.Arbitrary<A>,
  holds: (value: A) => Effect.Effect<void, E, R>,
  parameters: fc.Parameters<[A]> = {},
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const run = Effect.runPromiseWith(yield* Effect.context<R>())
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) => run(holds(value))),
        { numRuns: 50, ...parameters },
      ),
    )
  })
