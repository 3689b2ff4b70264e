import { assert, it } from "@effect/vitest"
import { limits, metersLayer, type MetricRegistry } from "@carillon/core"
import { DomainClock, metrics } from "@carillon/core/ports"
import { Context, Effect, Layer, Logger, Metric, References } from "effect"
import { Withheld } from "../../src/operating/Withheld.ts"

it.effect("a dial that is not made is counted, and told once in a while for each organization and reason", () =>
  Effect.gen(function* () {
    const registry: MetricRegistry = new Map()
    const lines: Array<string> = []
    const logger = Logger.make(({ fiber, message }) => {
      lines.push(`${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
    })
    let now = 0
    const clock = Layer.succeed(DomainClock, { now: () => now })
    const layer = Withheld.layer.pipe(Layer.provide(Layer.merge(clock, metersLayer(registry))))
    const withheld = Context.get(yield* Layer.build(layer), Withheld)
    const play = Effect.gen(function* () {
      for (let nth = 0; nth < 3; nth++) yield* withheld.note("org_1", "direct", "caps")
      yield* withheld.note("org_1", "booked", "suppressed")
      // What campaigns are made of is counted alone, and what is told elsewhere.
      yield* withheld.note("org_1", "contact", "hours", 500)
      yield* withheld.note("org_1", "contact", "agent")
      yield* withheld.note("org_1", "direct", "wallet")
      now += limits.withheldToldMs
      yield* withheld.note("org_1", "direct", "caps")
    })
    yield* Effect.provide(play, Logger.layer([logger]))
    const told = (reason: string, kind: string) =>
      `A dial was not made when its turn came: ${reason}. ${JSON.stringify({ organization_id: "org_1", kind })}`
    assert.deepStrictEqual(lines, [
      told("caps", "direct"),
      'More dials were not made when their turn came, too many to name each. {"dials":1}',
      told("suppressed", "booked"),
      told("agent", "contact"),
      told("caps", "direct"),
    ])
    const counted = Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
      .filter(({ id }) => id === metrics.dialsWithheld.name)
      .map(({ attributes, state }) => [attributes?.["origin"], attributes?.["reason"], Object(state).count])
    assert.deepStrictEqual(counted, [
      ["direct", "caps", 4],
      ["booked", "suppressed", 1],
      ["contact", "hours", 500],
      ["contact", "agent", 1],
      ["direct", "wallet", 1],
    ])
  }),
)
