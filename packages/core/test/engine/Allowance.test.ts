import { assert, describe, it } from "@effect/vitest"
import { DependencyTimeout } from "@carillon/core"
import { Activity, DomainClock, Parking } from "@carillon/core/ports"
import { Effect, Exit, Fiber, Layer } from "effect"
import { allowance } from "../../src/engine/Allowance.ts"

const start = Date.UTC(2026, 0, 5, 9)

/** Lets every fiber that can run do so. */
const settled = (activity: Activity["Service"]) =>
  Effect.gen(function* () {
    do {
      yield* activity.quiescent
      yield* Effect.yieldNow
    } while (activity.open() > 0)
  })

/** A clock that the test moves, and a use of a dependency that takes so long. */
const measured = (takesMs: number, allowedMs: number, advances: ReadonlyArray<number>) => {
  const clock = { time: start }
  return Effect.gen(function* () {
    const parking = yield* Parking
    const activity = yield* Activity
    const within = allowance("agent_service", { activity, parking, clock: yield* DomainClock })
    const use = Effect.as(parking.park("use", start + takesMs).wait, "done")
    const fiber = yield* activity.fork(Effect.exit(within(allowedMs, use)))
    yield* settled(activity)
    for (const at of advances) {
      clock.time = start + at
      parking.expire(clock.time)
      yield* settled(activity)
    }
    const exit = fiber.pollUnsafe()
    if (exit === undefined) yield* Fiber.interrupt(fiber)
    return { exit, open: activity.open(), places: parking.size() }
  }).pipe(
    Effect.provide(
      Parking.layer.pipe(
        Layer.provideMerge(Activity.layer),
        Layer.provideMerge(Layer.succeed(DomainClock, { now: () => clock.time })),
      ),
    ),
  )
}

describe("an allowance", () => {
  it.effect("lets pass what is done in time, and leaves nothing parked or open", () =>
    Effect.gen(function* () {
      const { exit, open, places } = yield* measured(14_999, 15_000, [14_998, 14_999])
      assert.deepStrictEqual(exit, Exit.succeed(Exit.succeed("done")))
      assert.deepStrictEqual({ open, places }, { open: 0, places: 0 })
    }),
  )

  it.effect("ends at its last millisecond what is not, as a timeout of the dependency", () =>
    Effect.gen(function* () {
      const early = yield* measured(20_000, 15_000, [14_999])
      assert.isUndefined(early.exit)
      const { exit, open, places } = yield* measured(20_000, 15_000, [14_999, 15_000])
      assert.deepStrictEqual(exit, Exit.succeed(Exit.fail(new DependencyTimeout({ dependency: "agent_service" }))))
      assert.deepStrictEqual({ open, places }, { open: 0, places: 0 })
    }),
  )

  it.effect("does not count a use that waits as open: time goes on", () =>
    Effect.gen(function* () {
      const { open } = yield* measured(20_000, 45_000, [])
      assert.strictEqual(open, 0)
    }),
  )
})
