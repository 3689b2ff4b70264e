import { assert, describe, it } from "@effect/vitest"
import {
  type Asked,
  Carriers,
  type DialCommand,
  type DialOutcome,
  limits,
  type MetricRegistry,
  metersLayer,
  type RoutedCarrier,
  Telephony,
} from "@carillon/core"
import { CarrierName, outagesLayer, OwnNumber } from "@carillon/core/ports"
import { tellingOf } from "@carillon/core/carrier"
import { Context, Deferred, Effect, Fiber, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { carrierPort } from "../../../src/telephony/CarrierPort.ts"

const commandOf = (execution_id: string, more: Partial<DialCommand> = {}): DialCommand => ({
  execution_id,
  organization_id: "org_1",
  agent_id: "agt_1",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number: "+14155550100",
  from_number: null,
  timeout_seconds: 30,
  record: false,
  variables: {},
  ...more,
})

const accepted: DialOutcome = { _tag: "Accepted", call_sid: null }
const unreachable: DialOutcome = { _tag: "Refused", kind: "unreachable" }

/** A carrier that answers as it is told, and remembers what it was asked. */
class Scripted {
  readonly dialled: Array<string> = []
  readonly hungUp: Array<string> = []
  readonly asked: Array<string> = []
  says: Effect.Effect<DialOutcome> = Effect.succeed(accepted)
  found: Asked = { _tag: "Unknown" }

  get layer(): Layer.Layer<Telephony> {
    return Layer.succeed(Telephony, {
      dial: ({ execution_id }) =>
        Effect.suspend(() => {
          this.dialled.push(execution_id)
          return this.says
        }),
      hangup: (id) => Effect.sync(() => (this.hungUp.push(id), "Sent" as const)),
      find: (id) => Effect.sync(() => (this.asked.push(id), this.found)),
    })
  }

  with(options: Omit<RoutedCarrier, "carrier"> = {}): RoutedCarrier {
    return { ...options, carrier: this.layer }
  }
}

const two = (options: Omit<RoutedCarrier, "carrier"> = {}) => {
  const first = new Scripted()
  const second = new Scripted()
  const carriers = { first: first.with(options), second: second.with() }
  const both = Effect.provide(Telephony, Carriers.route({ carriers, choose: () => ["first", "second"] }))
  const alone = Effect.provide(Telephony, Carriers.route({ carriers, choose: () => "first" }))
  return { first, second, both, alone, carriers }
}

describe("a call with several carriers", () => {
  it.effect.each<DialOutcome>([
    unreachable,
    { _tag: "Refused", kind: "rejected" },
    { _tag: "Refused", kind: "insufficient_funds" },
    { _tag: "Refused", kind: "throttled", retryAfterSeconds: 3 },
  ])("goes on to the next where it is certain that there is no leg: %o", (refusal) =>
    Effect.gen(function* () {
      const { both, first, second } = two()
      first.says = Effect.succeed(refusal)
      const port = yield* both
      assert.deepStrictEqual(yield* port.dial(commandOf("exec_1")), accepted)
      assert.deepStrictEqual([first.dialled, second.dialled], [["exec_1"], ["exec_1"]])
      // The leg is where it was made, and nowhere else.
      second.found = { _tag: "NeverDialled" }
      assert.deepStrictEqual(yield* port.find("exec_1"), { _tag: "NeverDialled" })
      yield* port.hangup("exec_1", null)
      assert.deepStrictEqual([first.asked, first.hungUp, second.hungUp], [[], [], ["exec_1"]])
    }),
  )

  it.effect.each<DialOutcome>([{ _tag: "Unknown" }, accepted, { _tag: "Refused", kind: "invalid_destination" }])(
    "stays where another dial might ring twice, or is of no use: %o",
    (outcome) =>
      Effect.gen(function* () {
        const { both, first, second } = two()
        first.says = Effect.succeed(outcome)
        const port = yield* both
        assert.deepStrictEqual(yield* port.dial(commandOf("exec_1")), outcome)
        assert.deepStrictEqual(second.dialled, [])
      }),
  )

  it.effect("is told to come again where one of them is only busy", () =>
    Effect.gen(function* () {
      const { both, first, second } = two()
      first.says = Effect.succeed({ _tag: "Refused", kind: "throttled", retryAfterSeconds: 7 })
      second.says = Effect.succeed(unreachable)
      const port = yield* both
      assert.deepStrictEqual(yield* port.dial(commandOf("exec_1")), {
        _tag: "Refused",
        kind: "throttled",
        retryAfterSeconds: 7,
      })
    }),
  )

  it.effect("is looked for everywhere after a restart, and nothing is certain unless all of them are", () =>
    Effect.gen(function* () {
      const { both, first, second } = two()
      const port = yield* both
      first.found = { _tag: "NeverDialled" }
      second.found = { _tag: "Live", call_sid: "CA1", phase: "ringing" }
      assert.deepStrictEqual(yield* port.find("exec_1"), second.found)
      second.found = { _tag: "NoAnswer" }
      assert.deepStrictEqual(yield* port.find("exec_1"), { _tag: "NoAnswer" })
      second.found = { _tag: "Unknown" }
      assert.deepStrictEqual(yield* port.find("exec_1"), { _tag: "Unknown" })
      second.found = { _tag: "NeverDialled" }
      assert.deepStrictEqual(yield* port.find("exec_1"), { _tag: "NeverDialled" })
      yield* port.hangup("exec_1", null)
      assert.deepStrictEqual([first.hungUp, second.hungUp], [["exec_1"], ["exec_1"]])
    }),
  )

  it.effect("is refused, and nobody is asked, where the route names nobody or throws; the host is told", () =>
    Effect.gen(function* () {
      const { carriers, first } = two()
      const told: Array<unknown> = []
      const logger = Logger.make(({ message }) => void told.push(message))
      const logged = Effect.provide(Logger.layer([logger]))
      for (const choose of [
        () => [],
        () => {
          throw new Error("no such plan")
        },
      ]) {
        const port = yield* Effect.provide(Telephony, Carriers.route({ carriers, choose }))
        assert.deepStrictEqual(yield* logged(port.dial(commandOf("exec_1"))), unreachable)
      }
      assert.deepStrictEqual(first.dialled, [])
      assert.strictEqual(told.length, 2)
    }),
  )
})

describe("a carrier that does not answer", () => {
  it.effect("is left alone, tried by one call, and used again once it hears", () =>
    Effect.gen(function* () {
      const { both, first, second } = two()
      first.says = Effect.succeed(unreachable)
      const port = yield* both
      for (let nth = 0; nth < 8; nth++) yield* port.dial(commandOf(`exec_${nth}`))
      assert.strictEqual(first.dialled.length, 5)
      assert.strictEqual(second.dialled.length, 8)
      yield* TestClock.adjust("5 seconds")
      const answer = yield* Deferred.make<DialOutcome>()
      first.says = Deferred.await(answer)
      const trial = yield* Effect.forkChild(port.dial(commandOf("exec_trial")))
      yield* Effect.yieldNow
      yield* port.dial(commandOf("exec_beside"))
      assert.strictEqual(first.dialled.length, 6)
      yield* Deferred.succeed(answer, accepted)
      assert.deepStrictEqual(yield* Fiber.join(trial), accepted)
      first.says = Effect.succeed(accepted)
      yield* port.dial(commandOf("exec_after"))
      assert.deepStrictEqual(first.dialled.slice(5), ["exec_trial", "exec_after"])
    }),
  )

  it.effect("is away too where its answers are not waited for any more", () =>
    Effect.gen(function* () {
      const { alone, first } = two()
      first.says = Effect.never
      const port = yield* alone
      for (let nth = 0; nth < 5; nth++) {
        const dial = yield* Effect.forkChild(port.dial(commandOf(`exec_${nth}`)))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(dial)
      }
      assert.deepStrictEqual(yield* port.dial(commandOf("exec_6")), unreachable)
      assert.strictEqual(first.dialled.length, 5)
    }),
  )
})

describe("a carrier that takes so many calls in a second", () => {
  it.effect("gets no more, and those who wait too long are told when to come again", () =>
    Effect.gen(function* () {
      const { alone, first } = two({ callsPerSecond: 1 })
      const port = yield* alone
      const dials = yield* Effect.forEach(Array.from({ length: 8 }), (_each, nth) =>
        Effect.forkChild(port.dial(commandOf(`exec_${nth}`))),
      )
      yield* Effect.yieldNow
      for (let second = 1; second <= 5; second++) {
        assert.strictEqual(first.dialled.length, Math.min(second, 5))
        yield* TestClock.adjust("1 second")
      }
      const said = yield* Effect.forEach(dials, (dial) => Fiber.join(dial))
      assert.strictEqual(said.filter(({ _tag }) => _tag === "Accepted").length, 5)
      assert.deepStrictEqual(said[7], { _tag: "Refused", kind: "throttled", retryAfterSeconds: 5 })
    }),
  )

  it.effect("hands the rest to the next one", () =>
    Effect.gen(function* () {
      const { both, first, second } = two({ callsPerSecondOfNumber: 0.1 })
      const port = yield* both
      const from_number = "+14155550199"
      yield* port.dial(commandOf("exec_1", { from_number }))
      yield* port.dial(commandOf("exec_2", { from_number }))
      yield* port.dial(commandOf("exec_3", { from_number: "+14155550198" }))
      assert.deepStrictEqual([first.dialled, second.dialled], [["exec_1", "exec_3"], ["exec_2"]])
    }),
  )
})

describe("a carrier that several organizations share", () => {
  const pools = { callsPerSecond: 10, of: () => "all" }

  it.effect.each<Omit<RoutedCarrier, "carrier">>([
    { callsPerSecond: 10 },
    { pools },
    // The caller ID of calls that name none is everybody's.
    { callsPerSecondOfNumber: 10 },
  ])("takes one call of each in turn, however many one of them has: %o", (pace) =>
    Effect.gen(function* () {
      const { alone, first } = two(pace)
      const port = yield* alone
      const dialling = (organization_id: string, count: number) =>
        Effect.forEach(Array.from({ length: count }), (_each, nth) =>
          Effect.forkChild(port.dial(commandOf(`${organization_id}_${nth}`, { organization_id }))),
        )
      yield* dialling("org_busy", 100)
      yield* Effect.yieldNow
      yield* TestClock.adjust(500)
      const before = first.dialled.length
      yield* dialling("org_a", 2)
      yield* dialling("org_b", 1)
      yield* Effect.yieldNow
      yield* TestClock.adjust(500)
      assert.deepStrictEqual(first.dialled.slice(before), [
        `org_busy_${before}`,
        "org_a_0",
        "org_b_0",
        `org_busy_${before + 1}`,
        "org_a_1",
      ])
    }),
  )

  it.effect("refuses those whose turn has not come in time, where others have come meanwhile", () =>
    Effect.gen(function* () {
      const { alone, first } = two({ callsPerSecond: 1 })
      const port = yield* alone
      const dialling = (organization_id: string, count: number) =>
        Effect.forEach(Array.from({ length: count }), (_each, nth) =>
          Effect.forkChild(port.dial(commandOf(`${organization_id}_${nth}`, { organization_id }))),
        )
      const busy = yield* dialling("org_busy", 5)
      yield* Effect.yieldNow
      yield* dialling("org_other", 1)
      yield* Effect.yieldNow
      yield* TestClock.adjust("10 seconds")
      const said = yield* Effect.forEach(busy, (dial) => Fiber.join(dial))
      assert.deepStrictEqual(first.dialled, ["org_busy_0", "org_busy_1", "org_other_0", "org_busy_2", "org_busy_3"])
      assert.deepStrictEqual(said[4], { _tag: "Refused", kind: "throttled", retryAfterSeconds: 1 })
    }),
  )

  it.effect("goes on with thousands whose turns come at once", () =>
    Effect.gen(function* () {
      const { alone, first } = two({ callsPerSecondOfNumber: 1 })
      const port = yield* alone
      const numbers = Array.from({ length: 3_000 }, (_each, nth) => `+1415${String(nth).padStart(7, "0")}`)
      const ids = (round: string) => numbers.map((_each, nth) => `${round}_${nth}`)
      const dials = yield* Effect.forEach(["first", "second"], (round) =>
        Effect.forEach(numbers, (from_number, nth) =>
          Effect.forkChild(port.dial(commandOf(`${round}_${nth}`, { from_number }))),
        ),
      )
      yield* Effect.yieldNow
      yield* TestClock.adjust("2 seconds")
      for (const dial of dials.flat()) assert.deepStrictEqual(yield* Fiber.join(dial), accepted)
      assert.deepStrictEqual(first.dialled, [...ids("first"), ...ids("second")])
    }),
  )

  it.effect("gives the turn of one who is gone to the next", () =>
    Effect.gen(function* () {
      const { alone, first } = two({ callsPerSecond: 1 })
      const port = yield* alone
      const dials = yield* Effect.forEach(["exec_0", "exec_1", "exec_2"], (id) =>
        Effect.forkChild(port.dial(commandOf(id))),
      )
      yield* Effect.yieldNow
      for (const gone of dials.slice(1, 2)) yield* Fiber.interrupt(gone)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(first.dialled, ["exec_0", "exec_2"])
    }),
  )
})

describe("a carrier with pools of numbers", () => {
  it.effect("gets no more calls of one pool than that takes, and others at once", () =>
    Effect.gen(function* () {
      const { both, first, second } = two({
        pools: {
          callsPerSecond: 0.1,
          of: ({ from_number }) => (from_number === null ? null : from_number.slice(0, 5)),
        },
      })
      const port = yield* both
      yield* port.dial(commandOf("exec_1", { from_number: "+14155550199" }))
      yield* port.dial(commandOf("exec_2", { from_number: "+14155550198" }))
      yield* port.dial(commandOf("exec_3", { from_number: "+12125550198" }))
      for (const id of ["exec_4", "exec_5"]) yield* port.dial(commandOf(id))
      assert.deepStrictEqual([first.dialled, second.dialled], [["exec_1", "exec_3", "exec_4", "exec_5"], ["exec_2"]])
    }),
  )

  it.effect("whose function throws takes its calls as those of one pool, loudly", () =>
    Effect.gen(function* () {
      const { carriers, first, second } = two({
        pools: {
          callsPerSecond: 0.1,
          of: () => {
            throw new Error("Who knows.")
          },
        },
      })
      const registry: MetricRegistry = new Map()
      const routed = Carriers.route({ carriers, choose: () => ["first", "second"] })
      const port = yield* Effect.provide(carrierPort, Layer.provideMerge(routed, metersLayer(registry)))
      yield* port.dial(commandOf("exec_1"))
      yield* port.dial(commandOf("exec_2"))
      assert.deepStrictEqual([first.dialled, second.dialled], [["exec_1"], ["exec_2"]])
      const mistakes = Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).filter(
        ({ id }) => id === "carillon.carrier.mistakes",
      )
      assert.deepStrictEqual(
        mistakes.map(({ attributes }) => [attributes?.["carrier"], attributes?.["operation"]]),
        [["first", "choose"]],
      )
    }),
  )
})

it.effect("a carrier says itself which number it calls from, unless its host does", () =>
  Effect.gen(function* () {
    for (const said of [undefined, "+14155550111"]) {
      const { first, second } = two()
      const named = Layer.merge(first.layer, Layer.succeed(OwnNumber, "+14155550199"))
      const carriers = {
        first: { carrier: named, callsPerSecondOfNumber: 0.1, ...(said === undefined ? {} : { defaultNumber: said }) },
        second: second.with(),
      }
      const port = yield* Effect.provide(Telephony, Carriers.route({ carriers, choose: () => ["first", "second"] }))
      yield* port.dial(commandOf("exec_1"))
      yield* port.dial(commandOf("exec_2", { from_number: "+14155550199" }))
      assert.deepStrictEqual(second.dialled, said === undefined ? ["exec_2"] : [])
    }
  }),
)

it.effect("a carrier knows under which name it is one of several, for what it counts itself", () =>
  Effect.gen(function* () {
    const names: Array<string | null> = []
    const { first, second } = two()
    const curious = (each: Scripted) =>
      Layer.effectDiscard(Effect.map(CarrierName, (name) => void names.push(name))).pipe(Layer.merge(each.layer))
    const carriers = { first: { carrier: curious(first) }, second: { carrier: curious(second) } }
    yield* Effect.provide(Telephony, Carriers.route({ carriers, choose: () => "first" }))
    assert.deepStrictEqual(names, ["first", "second"])
  }),
)

it.effect("several carriers are measured each under its own name, and no dial is counted twice", () =>
  Effect.gen(function* () {
    const { carriers, first } = two()
    first.says = Effect.succeed(unreachable)
    const registry: MetricRegistry = new Map()
    const routed = Carriers.route({ carriers, choose: () => ["first", "second"] })
    const port = yield* Effect.provide(carrierPort, Layer.provideMerge(routed, metersLayer(registry)))
    assert.deepStrictEqual(yield* port.dial(commandOf("exec_1")), accepted)
    const dials = Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).filter(
      ({ id }) => id === "carillon.dial.duration",
    )
    assert.deepStrictEqual(
      dials.map(({ attributes }) => [attributes?.["carrier"], attributes?.["outcome"]]),
      [
        ["first", "unreachable"],
        ["second", "accepted"],
      ],
    )
  }),
)

describe("a carrier that is away", () => {
  const awayAfter = 5

  /** A carrier whose requests tell of it by themselves. */
  const told = (layer: Layer.Layer<Telephony>, isThere: () => boolean) =>
    Layer.effect(
      Telephony,
      Effect.map(Telephony, (port) => {
        const sign = () => (isThere() ? 200 : "no connection")
        return {
          ...port,
          dial: (command: DialCommand) => tellingOf(port.dial(command), sign),
          find: (id: string) => tellingOf(port.find(id), sign),
        }
      }),
    ).pipe(Layer.provide(layer))

  const world = Effect.gen(function* () {
    const { first } = two()
    const state = { isThere: true }
    const carriers = { main: { carrier: told(first.layer, () => state.isThere) } }
    const routed = Layer.provideMerge(Carriers.route({ carriers, choose: () => "main" }), outagesLayer)
    const services = yield* Layer.build(routed)
    const port = Context.get(services, Telephony)
    const dial = (id: string) => Effect.provide(port.dial(commandOf(id)), services)
    const breakDown = Effect.gen(function* () {
      yield* dial("exec_well")
      state.isThere = false
      first.says = Effect.succeed(unreachable)
      for (let nth = 0; nth < awayAfter; nth++) yield* dial(`exec_${nth}`)
    })
    return { first, state, dial, breakDown }
  })

  it.effect("is asked about its last call until it answers, and is then tried at once, however long it was away", () =>
    Effect.gen(function* () {
      const { breakDown, dial, first, state } = yield* world
      yield* breakDown
      // Trials fail until it is left alone for a minute.
      for (let nth = 0; nth < 12; nth++) {
        yield* TestClock.adjust(60_000)
        yield* dial(`exec_in_vain_${nth}`)
      }
      const dialled = first.dialled.length
      assert.deepStrictEqual([...new Set(first.asked)], ["exec_well"])
      state.isThere = true
      first.says = Effect.succeed(accepted)
      assert.deepStrictEqual(yield* dial("exec_too_soon"), unreachable)
      yield* TestClock.adjust(limits.carrierLookMs)
      assert.deepStrictEqual(yield* dial("exec_back"), accepted)
      assert.deepStrictEqual(first.dialled.slice(dialled), ["exec_back"])
      // It is asked nothing more.
      const asked = first.asked.length
      yield* TestClock.adjust(600_000)
      assert.strictEqual(first.asked.length, asked)
    }).pipe(Effect.scoped),
  )

  it.effect("is asked nothing while it is there, nor before it has ever taken a call", () =>
    Effect.gen(function* () {
      const { dial, first, state } = yield* world
      state.isThere = false
      first.says = Effect.succeed(unreachable)
      for (let nth = 0; nth < awayAfter; nth++) yield* dial(`exec_${nth}`)
      yield* TestClock.adjust(600_000)
      assert.deepStrictEqual(first.asked, [])
    }).pipe(Effect.scoped),
  )

  it.effect("is tried by one dial, for which the others wait where there is no other carrier", () =>
    Effect.gen(function* () {
      const { breakDown, dial, first, state } = yield* world
      yield* breakDown
      state.isThere = true
      const answer = yield* Deferred.make<DialOutcome>()
      first.says = Deferred.await(answer)
      yield* TestClock.adjust(limits.carrierLookMs)
      const dialled = first.dialled.length
      const dials = yield* Effect.forEach(["exec_a", "exec_b", "exec_c"], (id) => Effect.forkChild(dial(id)))
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(first.dialled.slice(dialled), ["exec_a"])
      first.says = Effect.succeed(accepted)
      yield* Deferred.succeed(answer, accepted)
      assert.deepStrictEqual(yield* Effect.forEach(dials, Fiber.join), [accepted, accepted, accepted])
      assert.deepStrictEqual(first.dialled.slice(dialled), ["exec_a", "exec_b", "exec_c"])
    }).pipe(Effect.scoped),
  )

  it.effect("has those who wait for its trial refused where that takes too long", () =>
    Effect.gen(function* () {
      const { breakDown, dial, first, state } = yield* world
      yield* breakDown
      state.isThere = true
      first.says = Effect.never
      yield* TestClock.adjust(limits.carrierLookMs)
      const trial = yield* Effect.forkChild(dial("exec_a"))
      yield* TestClock.adjust(0)
      const other = yield* Effect.forkChild(dial("exec_b"))
      yield* TestClock.adjust(limits.carrierPatienceMs)
      assert.deepStrictEqual(yield* Fiber.join(other), unreachable)
      yield* Fiber.interrupt(trial)
    }).pipe(Effect.scoped),
  )
})
