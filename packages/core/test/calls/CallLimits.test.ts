import { assert, describe, it } from "@effect/vitest"
import {
  type CallLimits,
  callLimitBounds,
  callLimits,
  CurrentCallLimits,
  Engine,
  limits,
  promiseCarrier,
  WrongLimit,
} from "@carillon/core"
import { Activity, Parking } from "@carillon/core/ports"
import { Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { carrierPort } from "../../src/telephony/CarrierPort.ts"
import { numberOf, type ScriptName, worldOf } from "../../src/testing/world/Plans.ts"

type Name = keyof CallLimits

const names = Object.keys(callLimitBounds).filter((name): name is Name => name in callLimitBounds)

/** What is said of a value that is not taken; null where it is taken. */
const refusal = (set: object): WrongLimit | null => {
  try {
    callLimits(set)
    return null
  } catch (error) {
    if (error instanceof WrongLimit) return error
    throw error
  }
}

describe("the times of calls that a host may set", () => {
  it("are as `limits` says where nobody sets them", () => {
    const whole = callLimits()
    assert.sameMembers(Object.keys(whole), names)
    for (const name of names) assert.strictEqual(whole[name], limits[name])
  })

  it("may be anything within their bounds, and leave the others as they are", () => {
    for (const name of names) {
      const { max, min } = callLimitBounds[name]
      for (const value of [min, max]) {
        assert.deepStrictEqual(callLimits({ [name]: value }), { ...callLimits(), [name]: value })
      }
    }
  })

  it("are refused beyond them, with the name, the value and the bounds", () => {
    for (const name of names) {
      const { max, min } = callLimitBounds[name]
      for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Infinity, "5000", null, undefined]) {
        const said = refusal({ [name]: value })
        assert.strictEqual(said?.limit, name, String(value))
        for (const word of [name, String(value), String(min), String(max)]) assert.include(said?.message, word)
      }
    }
  })

  it("are refused where they are none, also where `limits` has them", () => {
    for (const name of ["commitAttempts", "dialAcknowledgementMs", "ringGrace", "toString"]) {
      assert.strictEqual(refusal({ [name]: 5_000 })?.limit, name)
    }
  })
})

/** When the carrier is first asked about a call of a script, from its dial. */
const askedAfter = Effect.fnUntraced(function* (script: ScriptName, set: Partial<CallLimits>) {
  const world = worldOf({ ceiling: 1, calls: [] })
  yield* world.start().pipe(Effect.provideService(CurrentCallLimits, callLimits(set)))
  const from = world.now
  yield* world.placed({ to_number: numberOf(script), timeout_seconds: 20 })
  yield* world.advance(3_600_000)
  return (world.carrier.questions[0]?.at ?? Infinity) - from
})

describe("an engine whose host has set them", () => {
  it.effect("asks about a call that rings in silence that much after its ring time", () =>
    Effect.gen(function* () {
      const rung = 1_000 + 20_000
      assert.strictEqual(yield* askedAfter("silentFromRinging", {}), rung + limits.ringGraceMs)
      assert.strictEqual(yield* askedAfter("silentFromRinging", { ringGraceMs: 4_000 }), rung + 4_000)
    }),
  )

  it.effect("asks about a call that was answered after that much silence", () =>
    Effect.gen(function* () {
      const answered = 5_000
      assert.strictEqual(yield* askedAfter("silentFromAnswer", {}), answered + limits.answeredSilenceMs)
      assert.strictEqual(yield* askedAfter("silentFromAnswer", { answeredSilenceMs: 60_000 }), answered + 60_000)
    }),
  )

  it.effect("waits that long for the carrier's answer", () =>
    Effect.gen(function* () {
      const never = () => new Promise<never>(() => {})
      const question = Effect.flatMap(carrierPort, (port) => port.find("exec_one")).pipe(
        Effect.provide(promiseCarrier({ dial: never, hangup: never, find: never })),
        Effect.provideService(CurrentCallLimits, callLimits({ carrierAnswerMs: 2_000 })),
      )
      const asking = yield* Effect.forkChild(question, { startImmediately: true })
      yield* TestClock.adjust(1_999)
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(asking), { _tag: "NoAnswer" })
    }),
  )

  it.effect("leaves within that time, whatever hangs", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 1, calls: [] })
      const set = callLimits({ drainFinishMs: 2_000, drainEndMs: 3_000 })
      yield* world.start().pipe(Effect.provideService(CurrentCallLimits, set))
      yield* world.run(Effect.flatMap(Activity, (activity) => activity.begin(Effect.never)))
      let hasEnded = false
      const ending = Effect.andThen(
        Effect.sync(() => (hasEnded = true)),
        Effect.never,
      )
      const waiting = world.service(Parking).park("line:exec_one", world.now + 60_000)
      yield* world.run(Effect.flatMap(Activity, (activity) => activity.begin(waiting.wait)))
      const lines: Array<string> = []
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        const annotations = fiber.getRef(References.CurrentLogAnnotations)
        lines.push(`${logLevel} ${String(message)} ${JSON.stringify(annotations)}`)
      })
      const draining = Effect.provide(world.service(Engine).drain(ending), Logger.layer([logger]))
      const leaving = yield* Effect.forkChild(draining, { startImmediately: true })
      yield* TestClock.adjust(1_999)
      assert.isFalse(hasEnded)
      yield* TestClock.adjust(1)
      assert.isTrue(hasEnded)
      yield* TestClock.adjust(2_999)
      assert.isUndefined(leaving.pollUnsafe())
      assert.deepStrictEqual(lines, [])
      yield* TestClock.adjust(1)
      yield* Fiber.join(leaving)
      const said = { open: 1, parked: 1, waiting: "line:exec_one" }
      assert.deepStrictEqual(lines, [
        `Warn This process ends, and cuts off what had not ended in time. ${JSON.stringify(said)}`,
      ])
    }),
  )
})
