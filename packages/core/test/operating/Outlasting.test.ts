import { limits } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { outlasting } from "../../src/operating/Outlasting.ts"

const restMs = 1_000

const logged = () => {
  const lines: Array<{ readonly text: string; readonly mistakes: unknown }> = []
  const logger = Logger.make(({ fiber, message }) => {
    lines.push({ text: String(message), mistakes: fiber.getRef(References.CurrentLogAnnotations)["mistakes"] })
  })
  return { lines, layer: Logger.layer([logger]) }
}

describe("what has to go on", () => {
  it.effect("is run again after each mistake, which is a line a minute, and ends when it has ended", () => {
    const { layer, lines } = logged()
    return Effect.gen(function* () {
      let runs = 0
      const dies = 2 * (limits.mistakesToldMs / restMs)
      const mistaken = Effect.suspend(() =>
        ++runs <= dies ? Effect.die(new Error("nobody at +15551234567")) : Effect.succeed("done"),
      )
      const fiber = yield* Effect.forkChild(outlasting("It", mistaken, restMs))
      yield* TestClock.adjust((dies - 1) * restMs)
      assert.strictEqual(runs, dies)
      yield* TestClock.adjust(restMs)
      assert.strictEqual(yield* Fiber.join(fiber), "done")
      assert.deepStrictEqual(
        lines.map(({ mistakes }) => mistakes),
        [1, dies / 2],
      )
      for (const { text } of lines) {
        assert.include(text, "It has a mistake, and is run again after 1000 ms.")
        assert.notInclude(text, "5551234567")
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("is run again where something in it is interrupted, and ends at once when it is interrupted itself", () => {
    const { layer, lines } = logged()
    return Effect.gen(function* () {
      let runs = 0
      let ended = 0
      const looped = Effect.suspend(() => (++runs === 1 ? Effect.interrupt : Effect.never))
      const fiber = yield* Effect.forkChild(
        outlasting(
          "It",
          Effect.ensuring(
            looped,
            Effect.sync(() => (ended += 1)),
          ),
          restMs,
        ),
      )
      yield* TestClock.adjust(2 * restMs)
      assert.deepStrictEqual([runs, ended, lines.length], [2, 1, 1])
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(2 * restMs)
      assert.deepStrictEqual([runs, ended, lines.length], [2, 2, 1])
    }).pipe(Effect.provide(layer))
  })
})
