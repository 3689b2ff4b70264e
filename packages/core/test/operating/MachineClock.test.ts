import { limits, metersLayer, type MetricRegistry } from "@carillon/core"
import { DomainClock, metrics } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Logger, Metric } from "effect"
import * as fc from "fast-check"
import { TestClock } from "effect/testing"
import { jumpOf, watchMachineClock } from "../../src/operating/MachineClock.ts"

const millis = fc.integer({ min: 0, max: 10_000_000 })

describe("a jump of the clock", () => {
  it("is by how much it went on more, or less, than time did; less than a second is none", () => {
    fc.assert(
      fc.property(
        millis,
        millis,
        millis,
        fc.integer({ min: -5_000_000, max: 5_000_000 }),
        (wall, steady, gone, set) => {
          const after = { wall: wall + gone + set, steady: steady + gone }
          assert.strictEqual(jumpOf({ wall, steady }, after), Math.abs(set) >= limits.clockJumpMs ? set : 0)
        },
      ),
    )
  })
})

/** A clock that somebody sets, and that is read in no time. */
const settable = Effect.gen(function* () {
  const real = yield* Clock.Clock
  const state = { offsetMs: 0 }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + state.offsetMs,
    currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + state.offsetMs),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
    currentTimeNanos: real.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
  }
  return { state, clock }
})

const hourMs = 3_600_000
const year2026 = Date.UTC(2026, 0, 1)

describe("who watches the clock of the machine", () => {
  it.effect("says once of each time that it is set, counts it, and tells the time that the process has", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(year2026)
      const { clock, state } = yield* settable
      const registry: MetricRegistry = new Map()
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const surroundings = Layer.mergeAll(DomainClock.layer, metersLayer(registry)).pipe(
        Layer.provideMerge(Layer.succeed(Clock.Clock, clock)),
        Layer.provideMerge(Logger.layer([logger])),
      )
      const jumps = () =>
        Object.fromEntries(
          Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).flatMap(({ attributes, id, state }) =>
            id === metrics.clockJumps.name ? [[attributes?.["direction"], Object(state).count]] : [],
          ),
        )
      const time = () =>
        Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
          .filter(({ id }) => id === metrics.clockTime.name)
          .map(({ state }) => Object(state).value)
      const watching = yield* Effect.forkChild(Effect.provide(watchMachineClock, surroundings))
      yield* TestClock.adjust(10 * limits.clockLookMs)
      assert.deepStrictEqual([lines, jumps()], [[], { forward: 0, back: 0 }])
      state.offsetMs = 600_000
      yield* TestClock.adjust(10 * limits.clockLookMs)
      assert.lengthOf(lines, 1)
      assert.include(lines[0], "went forward by 600.0 s at once")
      assert.deepStrictEqual(time(), [(year2026 + 20 * limits.clockLookMs + 600_000) / 1_000])
      state.offsetMs = 600_000 - hourMs
      yield* TestClock.adjust(10 * limits.clockLookMs)
      assert.lengthOf(lines, 2)
      assert.include(lines[1], "was set back by 3600.0 s")
      assert.deepStrictEqual(jumps(), { forward: 1, back: 1 })
      yield* Fiber.interrupt(watching)
    }),
  )
})
