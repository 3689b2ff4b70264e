import { assert, describe, it } from "@effect/vitest"
import { type PromiseCarrier, promiseCarrier, Telephony } from "@carillon/core"
import { Effect, Exit, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { carrierPort } from "../../src/telephony/CarrierPort.ts"
import { numberOf, worldOf } from "../../src/testing/world/Plans.ts"

/** What was logged: its level, its words and its annotations. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const about = JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))
    lines.push(`${logLevel} ${String(message)} ${about}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

const command = {
  execution_id: "exec_one",
  organization_id: "org",
  agent_id: "agent",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number: "+15555550100",
  from_number: null,
  timeout_seconds: 30,
  record: false,
  variables: {},
}

const message = "No route to +15555550100."

const mistaken: Record<string, Telephony["Service"]> = {
  "that throws": {
    dial: () => {
      throw new Error(message)
    },
    hangup: () => {
      throw new Error(message)
    },
    find: () => {
      throw new Error(message)
    },
  },
  "that dies": {
    dial: () => Effect.die(new Error(message)),
    hangup: () => Effect.die(new Error(message)),
    find: () => Effect.die(new Error(message)),
  },
}

const each = (port: Telephony["Service"]) =>
  Effect.all([port.dial(command), port.hangup("exec_one", null), port.find("exec_one")])

describe("a carrier's mistake is loud, and then counts as not knowing:", () => {
  const check = (ask: Effect.Effect<unknown, never, Telephony>, carrier: Effect.Effect<Telephony["Service"]>) =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const answers = yield* ask.pipe(Effect.provideServiceEffect(Telephony, carrier), Effect.provide(layer))
      assert.deepStrictEqual(answers, [{ _tag: "Unknown" }, "Sent", { _tag: "NoAnswer" }])
      assert.deepStrictEqual(
        ["dial", "hangup", "find"].filter((name, at) => lines[at]?.startsWith(`Error The carrier's ${name} `) !== true),
        [],
      )
      assert.strictEqual(lines.length, 3)
      for (const line of lines) {
        assert.include(line, "No route to +***********.")
        assert.include(line, '"execution_id":"exec_one"')
        assert.notInclude(line, "5555550100")
      }
    })
  const ask = Effect.flatMap(carrierPort, each)

  for (const [how, carrier] of Object.entries(mistaken)) {
    it.effect(`one ${how}`, () => check(ask, Effect.succeed(carrier)))
  }

  const rejecting: Record<string, PromiseCarrier> = {
    "whose promises reject": {
      dial: () => Promise.reject(new Error(message)),
      hangup: () => Promise.reject(new Error(message)),
      find: () => Promise.reject(new Error(message)),
    },
    "in promises that throws": {
      dial: () => {
        throw new Error(message)
      },
      hangup: () => {
        throw new Error(message)
      },
      find: () => {
        throw new Error(message)
      },
    },
  }
  for (const [how, carrier] of Object.entries(rejecting)) {
    it.effect(`one ${how}`, () => check(ask, Effect.provide(Telephony, promiseCarrier(carrier))))
  }

  it.effect("one that is interrupted is none", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const silent = { ...mistaken["that dies"]!, dial: () => Effect.never }
      const dial = Effect.flatMap(carrierPort, (port) => port.dial(command))
      const fiber = yield* Effect.forkChild(
        dial.pipe(Effect.provideService(Telephony, silent), Effect.provide(layer)),
        { startImmediately: true },
      )
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(lines, [])
    }),
  )

  it.effect("in a whole engine the call is asked about, and its line comes back", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const world = worldOf(
        { ceiling: 1, calls: [] },
        {
          interpose: (operation, effect) =>
            operation.startsWith("telephony.dial") ? Effect.die(new Error(message)) : effect,
        },
      )
      yield* Effect.gen(function* () {
        yield* world.start()
        yield* world.place({ to_number: numberOf("ordinary") })
        yield* world.advance(60 * 60_000)
      }).pipe(Effect.provide(layer))
      assert.isTrue(lines.some((line) => line.startsWith("Error The carrier's dial ")))
      assert.deepStrictEqual([...world.slots.members()], [])
      assert.strictEqual(world.calls()[0]?.status, "error")
    }),
  )
})

describe("a carrier in promises that does not answer in time", () => {
  it.effect("is told by its signal, and its silence is told", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const aborted: Array<string> = []
      const silent = (name: string, signal: { addEventListener: (type: "abort", told: () => void) => void }) =>
        new Promise<never>(() => signal.addEventListener("abort", () => void aborted.push(name)))
      const carrier = promiseCarrier({
        dial: (_, signal) => silent("dial", signal),
        hangup: (_, __, signal) => silent("hangup", signal),
        find: (_, signal) => silent("find", signal),
      })
      const both = Effect.flatMap(carrierPort, (port) =>
        Effect.all([port.hangup("exec_one", null), port.find("exec_one")], { concurrency: 2 }),
      )
      const asking = yield* Effect.forkChild(both.pipe(Effect.provide(carrier), Effect.provide(layer)), {
        startImmediately: true,
      })
      yield* TestClock.adjust(15_000)
      assert.deepStrictEqual(yield* Fiber.join(asking), ["Sent", { _tag: "NoAnswer" }])
      assert.deepStrictEqual(aborted, ["hangup", "find"])
      assert.strictEqual(lines.filter((line) => line.startsWith("Warn")).length, 2)
    }),
  )
})
