import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Carriers, type MetricRegistry, metersLayer, type PromiseCarrier, Telephony } from "@carillon/core"
import { CarrierName } from "@carillon/core/ports"
import { prepared } from "@carillon/core/carrier"
import { Context, Effect, Layer, Logger, Metric, References } from "effect"
import { carrierPort } from "../../src/telephony/CarrierPort.ts"

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

const thrown = (): never => {
  throw new Error("No route to +15555550100.")
}
const throwing: PromiseCarrier = { dial: thrown, hangup: thrown, find: thrown }
const untyped: unknown = { dial: async () => "yes", hangup: async () => true, find: async () => null }
const well: PromiseCarrier = {
  dial: async () => ({ _tag: "Accepted", call_sid: null }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
}

const counted = (registry: MetricRegistry, id: string, ...names: ReadonlyArray<string>) =>
  Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
    .filter((metric) => metric.id === id)
    .map(({ attributes, state }) => [
      ...names.map((name) => attributes?.[name]),
      "count" in state ? Number(state.count) : Number.NaN,
    ])

/** Asks everything once, and says what was counted. */
const asking = Effect.fnUntraced(function* (carrier: Layer.Layer<Telephony>) {
  const registry: MetricRegistry = new Map()
  const port = yield* Effect.provide(carrierPort, Layer.provideMerge(carrier, metersLayer(registry)))
  yield* port.dial(command)
  yield* port.hangup("exec_one", null)
  yield* port.find("exec_one")
  return {
    mistakes: counted(registry, "carillon.carrier.mistakes", "carrier", "operation"),
    questions: counted(registry, "carillon.carrier.questions", "operation", "outcome"),
  }
})

const named = (carrier: unknown): Layer.Layer<Telephony> => {
  const { dial, find, hangup } = carrier as PromiseCarrier
  const port = {
    dial: () => Effect.promise(() => dial(command, new AbortController().signal)),
    hangup: () => Effect.promise(() => hangup("exec_one", null, new AbortController().signal)),
    find: () => Effect.promise(() => find("exec_one", new AbortController().signal)),
  }
  return Layer.merge(Layer.succeed(Telephony, port), Layer.succeed(CarrierName, "mine"))
}

const each = (carrier: string) => ["dial", "hangup", "find"].map((operation) => [carrier, operation, 1])

describe("a carrier's mistakes are counted", () => {
  const unheard = [
    ["hangup", "no_answer", 1],
    ["find", "no_answer", 1],
  ]

  it.effect.each([
    ["that throws", throwing],
    ["that answers what is no answer", untyped],
  ] as const)("of one %s, by its name and what it was asked", ([, carrier]) =>
    Effect.gen(function* () {
      const { mistakes, questions } = yield* asking(named(carrier))
      assert.deepStrictEqual(mistakes, each("mine"))
      assert.deepStrictEqual(questions, unheard)
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("of one among several under its own name, once each", () =>
    Effect.gen(function* () {
      const carriers = { broken: { carrier: throwing }, other: { carrier: well } }
      const { mistakes } = yield* asking(Carriers.route({ carriers, choose: () => "broken" }))
      assert.deepStrictEqual(mistakes, each("broken"))
    }).pipe(Effect.provide(Logger.layer([]))),
  )

  it.effect("and nothing else is", () =>
    Effect.gen(function* () {
      const { mistakes, questions } = yield* asking(named(well))
      assert.deepStrictEqual(mistakes, [])
      assert.deepStrictEqual(questions, [
        ["hangup", "answered", 1],
        ["find", "no_answer", 1],
      ])
    }),
  )

  it.effect.each([
    ["throws", thrown],
    ["names nobody", (() => "+15555550100") as unknown as () => "well"],
  ] as const)("of a route that %s, which is told without the number and with the call", ([, choose]) =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ fiber, message }) => {
        lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
      })
      const { mistakes } = yield* Effect.provide(
        asking(Carriers.route({ carriers: { well: { carrier: well } }, choose })),
        Logger.layer([logger]),
      )
      assert.deepStrictEqual(mistakes, [["all carriers", "choose", 1]])
      const [line] = lines.filter((each) => each.includes("route"))
      assert.include(line, '"execution_id":"exec_one"')
      assert.include(line, "+***********")
      assert.notInclude(lines.join("\n"), "5555550100")
    }),
  )
})

it.effect("a voice that throws is told without the number and with the call", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ fiber, message }) => {
      lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
    })
    const agents: unknown = { find: () => Effect.succeed(null) }
    const asked = prepared(agents as Parameters<typeof prepared>[0], command, thrown)
    assert.strictEqual((yield* Effect.provide(asked, Logger.layer([logger])))._tag, "NotSent")
    for (const line of lines) assert.include(line, '"execution_id":"exec_one"')
    assert.notInclude(lines.join("\n"), "5555550100")
  }),
)

const packages = join(dirname(dirname(dirname(dirname(import.meta.dirname)))), "packages")
/** A log call to which a cause, a defect or what was thrown is given as it is. What a port may fail with is typed, and holds no words of a host. */
const bare = /\blog(?:Fatal|Error|Warning|Info|Debug)?\((?:[^()]|\([^()]*\))*,\s*(?:cause|defect|thrown|exit)\b/

it("no cause is logged as it came: it may name whom it is about", () => {
  assert.match("Effect.logError(`a ${b(c)}`, cause)", bare)
  assert.notMatch("Effect.logError(`a ${b(c)}`, told(cause))", bare)
  const sources = globSync("{core,http,twilio,telnyx,livekit,server,postgres,redis,knowledge-node}/src/**/*.ts", {
    cwd: packages,
  })
  assert.isAbove(sources.length, 300)
  const faults = sources.filter((path) => bare.test(readFileSync(join(packages, path), "utf8")))
  assert.deepStrictEqual(faults, [])
})
