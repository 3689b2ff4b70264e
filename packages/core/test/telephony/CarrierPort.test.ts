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

const end = {
  status: "completed",
  duration_seconds: 1,
  answered_by_voicemail: null,
  hangup_by: null,
  hangup_reason: null,
  error: null,
}
const facts = { recording_url: null, cost: null, media: null }

/** What an operation may be answered with, and what it may not, with the field that is named for it. */
const answers = {
  dial: {
    right: [
      { _tag: "Accepted", call_sid: null },
      { _tag: "Accepted", call_sid: "CA1", from_number: "+12125550100" },
      { _tag: "Refused", kind: "unreachable" },
      { _tag: "Refused", kind: "rejected" },
      { _tag: "Refused", kind: "invalid_destination" },
      { _tag: "Refused", kind: "insufficient_funds" },
      { _tag: "Refused", kind: "throttled", retryAfterSeconds: null },
      { _tag: "Refused", kind: "throttled", retryAfterSeconds: 1.5 },
      { _tag: "Unknown" },
    ],
    wrong: [
      [undefined, "its answer must be an object."],
      [null, "its answer must be an object."],
      ["Accepted", "its answer must be an object."],
      [{}, "its answer's _tag is required."],
      [{ _tag: "accepted", call_sid: null }, "its answer's _tag must be one of Accepted, Refused, Unknown."],
      [{ _tag: "Accepted" }, "its answer's call_sid is required."],
      [{ _tag: "Accepted", call_sid: 5555550100 }, "its answer's call_sid must be a string or null."],
      [{ _tag: "Accepted", call_sid: null, from_number: 5555550100 }, "its answer's from_number must be a string."],
      [{ _tag: "Refused" }, "its answer's kind is required."],
      [
        { _tag: "Refused", kind: "busy" },
        "its answer's kind must be one of unreachable, rejected, invalid_destination, insufficient_funds, throttled.",
      ],
      [{ _tag: "Refused", kind: "throttled" }, "its answer's retryAfterSeconds is required."],
      [
        { _tag: "Refused", kind: "throttled", retryAfterSeconds: -1 },
        "its answer's retryAfterSeconds must be a number of at least 0.",
      ],
      [
        { _tag: "Refused", kind: "throttled", retryAfterSeconds: Number.NaN },
        "its answer's retryAfterSeconds must be a number.",
      ],
    ],
    instead: { _tag: "Unknown" },
  },
  hangup: {
    right: ["Sent", "Refused"],
    wrong: [
      [undefined, "its answer must be one of Sent, Refused."],
      [true, "its answer must be one of Sent, Refused."],
      ["sent", "its answer must be one of Sent, Refused."],
    ],
    instead: "Sent",
  },
  find: {
    right: [
      { _tag: "NoAnswer" },
      { _tag: "Unknown" },
      { _tag: "NeverDialled" },
      { _tag: "Live", call_sid: "CA1", phase: "ringing" },
      { _tag: "Ended", call_sid: null, end, facts },
    ],
    wrong: [
      [undefined, "its answer must be an object."],
      [{ _tag: "unknown" }, "its answer's _tag must be one of NoAnswer, Unknown, NeverDialled, Live, Ended."],
      [
        { _tag: "Live", call_sid: null, phase: "in-progress" },
        "its answer's phase must be one of initiated, ringing, answered.",
      ],
      [{ _tag: "Live", call_sid: 5, phase: "ringing" }, "its answer's call_sid must be a string or null."],
      [{ _tag: "Ended", call_sid: null, facts }, "its answer's end is required."],
      [{ _tag: "Ended", call_sid: null, end }, "its answer's facts is required."],
      [
        { _tag: "Ended", call_sid: null, end: { ...end, duration_seconds: -1 }, facts },
        "its answer's end.duration_seconds must be a number of at least 0.",
      ],
    ],
    instead: { _tag: "NoAnswer" },
  },
} as const

/** A host that no compiler has read: every method answers this. */
const untyped = (answer: unknown): PromiseCarrier => {
  const method = () => Promise.resolve(answer)
  const carrier: unknown = { dial: method, hangup: method, find: method }
  return carrier as PromiseCarrier
}

const put = (operation: keyof typeof answers, answer: unknown) => {
  const { layer, lines } = logged()
  const ask = Effect.flatMap(carrierPort, (port): Effect.Effect<unknown> => {
    switch (operation) {
      case "dial":
        return port.dial(command)
      case "hangup":
        return port.hangup("exec_one", null)
      case "find":
        return port.find("exec_one")
    }
  })
  const answered = ask.pipe(Effect.provide(promiseCarrier(untyped(answer))), Effect.provide(layer))
  return Effect.map(answered, (taken) => ({ taken, lines }))
}

describe("what a carrier answers is checked:", () => {
  for (const operation of ["dial", "hangup", "find"] as const) {
    const { instead, right, wrong } = answers[operation]
    it.effect(`each answer that a ${operation} may have is taken as it is`, () =>
      Effect.gen(function* () {
        for (const answer of right) {
          assert.deepStrictEqual(yield* put(operation, answer), { taken: answer, lines: [] })
        }
      }),
    )

    it.effect(`a wrong answer to a ${operation} is loud, by its field and not by its value, and then is none`, () =>
      Effect.gen(function* () {
        for (const [answer, says] of wrong) {
          const about = `{"execution_id":"exec_one","operation":"${operation}"}`
          assert.deepStrictEqual(yield* put(operation, answer), {
            taken: instead,
            lines: [`Error The carrier's ${operation} has a mistake: ${says} ${about}`],
          })
        }
      }),
    )
  }

  it.effect("a failure that the types deny is one that was thrown", () =>
    Effect.gen(function* () {
      const { layer, lines } = logged()
      const failing: unknown = { find: () => Effect.fail("no such leg") }
      const find = Effect.flatMap(carrierPort, (port) => port.find("exec_one"))
      const taken = yield* find.pipe(
        Effect.provideService(Telephony, failing as Telephony["Service"]),
        Effect.provide(layer),
      )
      assert.deepStrictEqual(taken, { _tag: "NoAnswer" })
      assert.include(lines[0], "Error The carrier's find has a mistake: it must answer, not throw.,")
      assert.include(lines[0], "no such leg")
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

describe("a carrier that is asked about a leg", () => {
  it.effect("is believed how it ended, without the address of a recording to which nobody can be sent", () =>
    Effect.gen(function* () {
      const end = {
        status: "completed",
        duration_seconds: 12,
        answered_by_voicemail: false,
        hangup_by: "customer",
        hangup_reason: "user_hangup",
        error: null,
      } as const
      const ended = (recording_url: string) =>
        ({ _tag: "Ended", call_sid: null, end, facts: { recording_url, cost: null, media: null } }) as const
      for (const [recording_url, kept] of [
        ["javascript:alert(1)", null],
        ["https://recordings.example/1", "https://recordings.example/1"],
      ] as const) {
        const { layer, lines } = logged()
        const carrier: Telephony["Service"] = {
          dial: () => Effect.succeed({ _tag: "Unknown" }),
          hangup: () => Effect.succeed("Sent"),
          find: () => Effect.succeed(ended(recording_url)),
        }
        const answer = yield* Effect.flatMap(carrierPort, (port) => port.find("exec_one")).pipe(
          Effect.provideService(Telephony, carrier),
          Effect.provide(layer),
        )
        assert.deepStrictEqual(answer, {
          _tag: "Ended",
          call_sid: null,
          end,
          facts: { recording_url: kept, cost: null, media: null },
        })
        assert.strictEqual(
          lines.filter((line) => line.startsWith("Error The carrier's find ")).length,
          kept === null ? 1 : 0,
        )
        assert.notInclude(lines.join(), "javascript")
      }
    }),
  )
})
