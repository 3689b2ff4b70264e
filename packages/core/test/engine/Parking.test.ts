import { Activity, DomainClock, Parking } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"

const layer = Parking.layer.pipe(
  Layer.provideMerge(Activity.layer),
  Layer.provideMerge(Layer.succeed(DomainClock, { now: () => 0 })),
)

const forked = <A>(effect: Effect.Effect<A>) => Effect.forkChild(effect, { startImmediately: true })

describe("Parking", () => {
  it.effect("waits until it is woken, and until the deadline otherwise", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const [woken, late] = [parking.park("woken", 10), parking.park("late", 20)]
      const fibers = [yield* forked(woken.wait), yield* forked(late.wait)] as const
      assert.strictEqual(parking.nextDeadline(), 10)
      parking.wake("woken")
      parking.wake("nobody")
      assert.strictEqual(parking.nextDeadline(), 20)
      assert.strictEqual(parking.expire(19), 0)
      assert.strictEqual(parking.expire(20), 1)
      assert.deepStrictEqual([yield* Fiber.join(fibers[0]), yield* Fiber.join(fibers[1])], [true, false])
      assert.strictEqual(parking.size(), 0)
      assert.isNull(parking.nextDeadline())
    }).pipe(Effect.provide(layer)),
  )

  it.effect("says what waits, since when and until when, the first deadline first", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const [later, sooner] = [parking.park("line:exec_one", 20), parking.park("dial:exec_two", 10)]
      assert.deepStrictEqual(parking.waiting(), [
        { key: "dial:exec_two", since: 0, until: 10 },
        { key: "line:exec_one", since: 0, until: 20 },
      ])
      yield* sooner.cancel
      parking.wake("line:exec_one")
      assert.isTrue(yield* later.wait)
      assert.deepStrictEqual(parking.waiting(), [])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("loses no wake-up that comes between the place and the wait", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const early = parking.park("early", 10)
      parking.wake("early")
      assert.isTrue(yield* early.wait)
      const expired = parking.park("expired", 10)
      parking.expire(10)
      assert.isFalse(yield* expired.wait)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("does not count as open what is parked, and counts it again from the moment it is woken", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const activity = yield* Activity
      const ticket = parking.park("key", 10)
      const fiber = yield* activity.fork(ticket.wait)
      yield* activity.quiescent
      assert.deepStrictEqual([activity.open(), fiber.pollUnsafe()], [0, undefined])
      parking.wake("key")
      assert.strictEqual(activity.open(), 1)
      yield* activity.quiescent
      assert.isTrue(yield* Fiber.join(fiber))
    }).pipe(Effect.provide(layer)),
  )

  it.effect("gives the place back when the wait is interrupted or cancelled, and keeps count", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const activity = yield* Activity
      const fiber = yield* activity.fork(parking.park("interrupted", 10).wait)
      yield* activity.quiescent
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([parking.size(), activity.open()], [0, 0])
      yield* parking.park("cancelled", 10).cancel
      assert.strictEqual(parking.size(), 0)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("leaves the place of a later ticket alone when an earlier one of the same key is cancelled", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const first = parking.park("key", 10)
      parking.wake("key")
      const second = parking.park("key", 20)
      yield* first.cancel
      const fiber = yield* forked(second.wait)
      parking.wake("key")
      assert.isTrue(yield* Fiber.join(fiber))
    }).pipe(Effect.provide(layer)),
  )
})
