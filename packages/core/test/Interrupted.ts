import { Effect, type Scope } from "effect"
import { Campaigning } from "../src/testing/world/Campaigning.ts"
import { type Script, World } from "../src/testing/world/World.ts"
import type { DialCommand } from "@carillon/core"

/** So many turns of the scheduler are enough for what runs in no time. */
const turns = 400

/** Lets what was begun in between come as far as it comes in no time. */
export const untilStill: Effect.Effect<void> = Effect.forEach(Array.from({ length: turns }), () => Effect.yieldNow, {
  discard: true,
})

/** A world in which something else gets on in front of one operation of a port. */
export interface Interrupted {
  readonly test: Campaigning
  /** Counts the operations of ports from now on. */
  readonly arm: () => void
  /** How many operations there were. */
  readonly count: () => number
}

/** A world in which something else gets on in front of the n-th operation of a port after it was armed. */
export const interrupted = (
  nth: number,
  script: (command: DialCommand) => Script,
  other: (test: Campaigning) => Effect.Effect<unknown>,
): Effect.Effect<Interrupted, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isArmed = false
    let count = 0
    const world: World = new World({
      script,
      interpose: (_operation, effect) =>
        Effect.suspend(() => (isArmed && count++ === nth ? Effect.andThen(other(test), effect) : effect)),
    })
    const test: Campaigning = new Campaigning(world)
    yield* world.start()
    const arm = () => {
      isArmed = true
    }
    return { test, arm, count: () => count }
  })

/** Tries something once for each operation of its ports; a trial returns how many there were. Returns that, too. */
export const everywhere = Effect.fnUntraced(function* (
  trial: (nth: number) => Effect.Effect<number, never, Scope.Scope>,
) {
  let operations = 1
  for (let nth = 0; nth < operations; nth++) {
    operations = Math.max(operations, yield* Effect.scoped(trial(nth)))
  }
  return operations
})
