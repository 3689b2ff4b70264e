import { Activity } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger } from "effect"

describe("Activity", () => {
  it.effect("counts a tracked effect from its start to its end, whatever that is", () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      for (const ending of [Effect.void, Effect.fail("fault"), Effect.die("defect"), Effect.interrupt]) {
        const gate = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(activity.track(Effect.andThen(Deferred.await(gate), ending)), {
          startImmediately: true,
        })
        assert.strictEqual(activity.open(), 1)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.await(fiber)
        assert.strictEqual(activity.open(), 0)
      }
    }).pipe(Effect.provide(Activity.layer)),
  )

  it.effect("counts a forked effect from the moment of the fork, before its fiber has run", () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      let ran = false
      const fiber = yield* activity.fork(
        Effect.sync(() => {
          ran = true
          return 7
        }),
      )
      assert.deepStrictEqual({ ran, open: activity.open() }, { ran: false, open: 1 })
      yield* activity.quiescent
      assert.deepStrictEqual({ ran, open: activity.open() }, { ran: true, open: 0 })
      assert.strictEqual(yield* Fiber.join(fiber), 7)
    }).pipe(Effect.provide(Activity.layer)),
  )

  it.effect(
    "says that what was started in the background has a mistake, and nothing of a failure or an interruption",
    () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      return Effect.gen(function* () {
        const activity = yield* Activity
        yield* activity.fork(Effect.fail("fault"))
        yield* activity.fork(Effect.interrupt)
        yield* activity.quiescent
        assert.deepStrictEqual(lines, [])
        for (let nth = 0; nth < 3; nth++) yield* activity.fork(Effect.die(new Error("nobody at +15551234567")))
        yield* activity.quiescent
        assert.lengthOf(lines, 1)
        assert.match(lines[0] ?? "", /^Error What this process does in the background has a mistake\.,Error: nobody at/)
        assert.notInclude(lines[0], "5551234567")
      }).pipe(Effect.provide([Activity.layer, Logger.layer([logger])]))
    },
  )

  it.effect("lets what is begun run at once, as far as it goes without waiting", () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      const gate = yield* Deferred.make<void>()
      const seen: Array<string> = []
      const note = (what: string) => Effect.sync(() => seen.push(what))
      const done = yield* activity.begin(note("done"))
      assert.deepStrictEqual({ seen, open: activity.open() }, { seen: ["done"], open: 0 })
      yield* Fiber.join(done)
      const waiting = yield* activity.begin(
        note("begun").pipe(Effect.andThen(Deferred.await(gate)), Effect.andThen(note("ended"))),
      )
      assert.deepStrictEqual({ seen, open: activity.open() }, { seen: ["done", "begun"], open: 1 })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual({ seen, open: activity.open() }, { seen: ["done", "begun", "ended"], open: 0 })
    }).pipe(Effect.provide(Activity.layer)),
  )

  it.effect("tells everybody who waits for rest, at the moment when the last one ends", () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      yield* activity.quiescent
      activity.enter()
      activity.enter()
      const waiting = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(activity.quiescent, { startImmediately: true }),
      )
      activity.leave()
      assert.deepStrictEqual(
        waiting.map((fiber) => fiber.pollUnsafe()),
        [undefined, undefined],
      )
      activity.leave()
      yield* Effect.forEach(waiting, Fiber.join)
    }).pipe(Effect.provide(Activity.layer)),
  )

  it.effect("runs what is to run once again where whoever ran it was interrupted", () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      const gate = yield* Deferred.make<void>()
      let begun = 0
      const effect = activity.once(
        Effect.suspend(() => {
          begun += 1
          return Effect.as(Deferred.await(gate), 7)
        }),
      )
      const first = yield* activity.begin(effect)
      const second = yield* activity.begin(effect)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(second), 7)
      assert.deepStrictEqual([yield* effect, begun, activity.open()], [7, 2, 0])
    }).pipe(Effect.provide(Activity.layer)),
  )
})
