import { metersLayer, type MetricRegistry } from "@carillon/core"
import {
  catalogue,
  CurrentMeters,
  type Declaration,
  type MetricKind,
  metrics,
  prometheusName,
  seriesBound,
} from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Metric } from "effect"
import * as fc from "fast-check"
import type { Meters } from "../../src/metrics/ports/Meters.ts"

const world = () => {
  const registry: MetricRegistry = new Map()
  const context = Effect.runSync(Effect.scoped(Layer.build(metersLayer(registry))))
  const meters = Context.get(context, CurrentMeters)
  if (meters === null) throw new Error("nothing is measured")
  return { meters, snapshot: () => Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)) }
}

const isOf = <K extends MetricKind>(kind: K, declared: Declaration): declared is Declaration<K> =>
  declared.kind === kind

const recorded = (meters: Meters, declared: Declaration, values: ReadonlyArray<string>) => {
  if (isOf("counter", declared)) meters.count(declared, values)
  else if (isOf("gauge", declared)) meters.set(declared, values, 1)
  else if (isOf("histogram", declared)) meters.record(declared, values, 1)
}

/** Values as the engine may give them: of a list, or anything at all where there is none. */
const valuesOf = ({ labels }: Declaration) =>
  fc.tuple(...labels.map(({ values }) => (values === null ? fc.string() : fc.constantFrom(...values))))

describe("what is measured", () => {
  it("has names of its own, in both ways of writing, and a bound for every label", () => {
    const names = catalogue.map(({ name }) => name)
    const inPrometheus = catalogue.map(prometheusName)
    assert.strictEqual(new Set(names).size, names.length)
    assert.strictEqual(new Set(inPrometheus).size, inPrometheus.length)
    for (const name of names) assert.match(name, /^(http\.server|db\.client|carillon)\.[a-z_.]+$/)
    for (const name of inPrometheus) assert.match(name, /^[a-z][a-z_]+[a-z]$/)
    for (const { labels } of catalogue) {
      assert.strictEqual(new Set(labels.map(({ name }) => name)).size, labels.length)
      for (const { most, values } of labels)
        assert.isTrue(values === null ? most <= 128 : most === new Set(values).size)
    }
  })

  it("never has more series than its bound, whatever is recorded", () => {
    const one = fc.constantFrom(...catalogue).chain((declared) => fc.tuple(fc.constant(declared), valuesOf(declared)))
    const { meters, snapshot } = world()
    const families = new Map<string, Declaration>()
    fc.assert(
      fc.property(fc.array(one, { maxLength: 100 }), (all) => {
        for (const [declared, values] of all) {
          families.set(declared.name, declared)
          recorded(meters, declared, values)
        }
        const counts = new Map<string, number>()
        for (const { id } of snapshot()) counts.set(id, (counts.get(id) ?? 0) + 1)
        for (const [name, count] of counts) {
          const declared = families.get(name)
          assert.isTrue(declared !== undefined && count <= seriesBound(declared), `${name}: ${count}`)
        }
      }),
    )
  })

  it("says `other` of what comes beyond a label's bound, and loses nothing of it", () => {
    const { meters, snapshot } = world()
    for (let nth = 0; nth < 1_000; nth++) meters.record(metrics.requests, ["GET", `/v2/${nth}`, "2xx"], 0.01)
    const series = snapshot()
    const routes = series.map(({ attributes }) => attributes?.["http.route"])
    assert.strictEqual(series.length, 129)
    assert.isTrue(routes.includes("other"))
    const counts = series.map(({ state }) => ("count" in state ? Number(state.count) : 0))
    assert.strictEqual(
      counts.reduce((sum, count) => sum + count, 0),
      1_000,
    )
  })

  it("tells no gauge that was taken back, until it is set again", () => {
    const { meters, snapshot } = world()
    meters.set(metrics.backlogSize, ["event"], 7)
    meters.forget(metrics.backlogSize, ["event"])
    assert.deepStrictEqual(snapshot(), [])
    meters.set(metrics.backlogSize, ["event"], 8)
    assert.strictEqual(snapshot().length, 1)
  })

  it("is nothing where it is switched off", () => {
    const registry: MetricRegistry = new Map()
    const context = Effect.runSync(Effect.scoped(Layer.build(metersLayer(registry, false))))
    assert.isNull(Context.get(context, CurrentMeters))
  })
})
