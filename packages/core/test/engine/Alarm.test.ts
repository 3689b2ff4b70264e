import { DomainClock } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Alarm } from "../../src/engine/Alarm.ts"

const layer = Alarm.layer.pipe(Layer.provideMerge(DomainClock.layer))

/** A wait of a minute, and whether it is over. */
const waiting = Effect.gen(function* () {
  const alarm = yield* Alarm
  const clock = yield* DomainClock
  const fiber = yield* Effect.forkChild(alarm.wait(clock.now() + 60_000))
  yield* Effect.yieldNow
  const isOver = Effect.map(
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => fiber.pollUnsafe()),
    ),
    (exit) => exit !== undefined,
  )
  return { fiber, isOver }
})

describe("the alarm", () => {
  it.effect("ends a wait when it rings for an earlier moment, and otherwise at its time", () =>
    Effect.gen(function* () {
      const alarm = yield* Alarm
      const clock = yield* DomainClock
      const first = yield* waiting
      alarm.ring(clock.now() + 60_000)
      assert.isFalse(yield* first.isOver)
      yield* TestClock.adjust(60_000)
      assert.isTrue(yield* first.isOver)
      const second = yield* waiting
      alarm.ring(clock.now() + 59_999)
      yield* Fiber.join(second.fiber)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("has rung for the wait that follows, and for no later one", () =>
    Effect.gen(function* () {
      const alarm = yield* Alarm
      const clock = yield* DomainClock
      alarm.ring(clock.now())
      yield* Fiber.join((yield* waiting).fiber)
      const later = yield* waiting
      assert.isFalse(yield* later.isOver)
      yield* TestClock.adjust(60_000)
      yield* Fiber.join(later.fiber)
      yield* alarm.wait(clock.now())
    }).pipe(Effect.provide(layer)),
  )
})
