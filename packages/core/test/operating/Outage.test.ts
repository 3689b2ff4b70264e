import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { answered, failed, missed, type Standing, touched, unknownStanding } from "../../src/operating/rules/Outage.ts"
import { metrics } from "../../src/metrics/rules/Catalogue.ts"
import { metersLayer, type MetricRegistry } from "../../src/metrics/ports/Meters.ts"
import { CurrentOutages, outagesLayer } from "../../src/operating/Outages.ts"

type Event =
  | { readonly do: "fail" }
  | { readonly do: "answer"; readonly lastedMs: number }
  | { readonly do: "miss" | "touch" }

const events: fc.Arbitrary<ReadonlyArray<readonly [afterMs: number, Event]>> = fc.array(
  fc.tuple(
    fc.nat(1_500),
    fc.oneof(
      fc.constant<Event>({ do: "fail" }),
      fc.nat(4_000).map((lastedMs): Event => ({ do: "answer", lastedMs })),
      fc.constantFrom<Event>({ do: "miss" }, { do: "touch" }),
    ),
  ),
  { maxLength: 60 },
)

const step = (standing: Standing, event: Event, now: number, patience: Parameters<typeof failed>[2]): Standing => {
  switch (event.do) {
    case "fail":
      return failed(standing, now, patience)
    case "answer":
      return answered(standing, now - event.lastedMs, patience)
    case "miss":
      return missed(standing)
    case "touch":
      return touched(standing)
  }
}

describe("an outage", () => {
  it("begins with so many failures in a row, and ends with an answer to what was asked after the calm", () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 2_000), (all, failures, calmMs) => {
        let standing = unknownStanding
        let now = 1_000_000
        let failedAt = -Infinity
        let inARow = 0
        let operations = 0
        for (const [afterMs, event] of all) {
          now += afterMs
          const before = standing
          standing = step(before, event, now, { failures, calmMs })
          if (event.do === "fail") {
            failedAt = now
            inARow += 1
            operations += 1
            if (before.since === null) assert.strictEqual(standing.since !== null, inARow >= failures)
            else assert.strictEqual(standing.since, before.since)
          }
          if (event.do === "miss" && before.since !== null) operations += 1
          if (event.do === "answer") {
            const isCalm = now - event.lastedMs >= failedAt + calmMs
            if (before.since !== null) assert.strictEqual(standing.since === null, isCalm)
            if (before.since === null || isCalm) {
              inARow = 0
              operations = 0
            }
          }
          if (standing.since !== null) assert.strictEqual(standing.operations, operations)
        }
      }),
    )
  })

  it.effect("is one line when it begins and one when it is over, whoever meets it", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const clock = yield* Clock.Clock
      const context = yield* Layer.build(outagesLayer)
      const outages = Context.get(context, CurrentOutages)
      if (outages === null) throw new Error("nobody tells of outages")
      const told = Effect.gen(function* () {
        yield* outages.answered("postgresql", clock.currentTimeMillisUnsafe())
        for (let nth = 0; nth < 100; nth++) {
          yield* outages.failed("postgresql", "ConnectionError ECONNREFUSED")
          yield* TestClock.adjust(100)
          // One that was on its way before is no sign that it is back.
          yield* outages.answered("postgresql", clock.currentTimeMillisUnsafe() - 1_000)
        }
        for (let nth = 0; nth < 7; nth++) outages.touched()
        yield* TestClock.adjust(2_000)
        for (let nth = 0; nth < 100; nth++) {
          yield* outages.answered("postgresql", clock.currentTimeMillisUnsafe())
        }
        // Two dials without an answer are no outage of a carrier.
        yield* outages.failed("carrier", "carrier: unknown")
        yield* outages.failed("carrier", "carrier: unknown")
        yield* outages.answered("carrier", clock.currentTimeMillisUnsafe())
      })
      yield* Effect.provide(told, Logger.layer([logger]))
      assert.deepStrictEqual(lines, [
        "Warn PostgreSQL does not answer (ConnectionError ECONNREFUSED): what needs it is answered 1501 or 1502, and nothing is dialled.",
        "Info PostgreSQL answers again, after 12.0 s: 100 operations and 7 requests went without it.",
      ])
    }),
  )

  it.effect("of a disk that is full goes on while reads are answered, and ends with a commit or a calm minute", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const outages = Context.get(yield* Layer.build(outagesLayer), CurrentOutages)
      if (outages === null) throw new Error("nobody tells of outages")
      const read = Effect.suspend(() => outages.answered("postgresql", outages.now(), null, "read"))
      const written = Effect.suspend(() => outages.answered("postgresql", outages.now()))
      const quiet = Effect.gen(function* () {
        yield* read
        for (let nth = 0; nth < 30; nth++) {
          yield* outages.failed("postgresql", "its disk is full, 53100", null, true)
          for (let second = 0; second < 10; second++) {
            yield* TestClock.adjust(1_000)
            yield* read
            assert.isTrue(outages.isAway("postgresql"))
          }
        }
        yield* TestClock.adjust(1_000)
        yield* written
        assert.isFalse(outages.isAway("postgresql"))
        yield* outages.failed("postgresql", "its disk is full, 53100", null, true)
        yield* TestClock.adjust(60_000)
        yield* read
        assert.isFalse(outages.isAway("postgresql"))
        // A server that is not there at all is back when it answers anything.
        yield* outages.failed("postgresql", "it is starting, 57P03")
        yield* TestClock.adjust(2_000)
        yield* read
        assert.isFalse(outages.isAway("postgresql"))
      })
      yield* Effect.provide(quiet, Logger.layer([logger]))
      assert.lengthOf(lines, 6)
    }),
  )

  it.effect("is measured of each carrier under its name", () =>
    Effect.gen(function* () {
      const registry: MetricRegistry = new Map()
      const context = yield* Layer.build(Layer.provide(outagesLayer, metersLayer(registry)))
      const outages = Context.get(context, CurrentOutages)
      if (outages === null) throw new Error("nobody tells of outages")
      const series = (name: string) =>
        Object.fromEntries(
          Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry))
            .filter(({ id }) => id === name)
            .map(({ attributes, state }) => [
              `${attributes?.["dependency"]} ${attributes?.["carrier"]}`,
              Object(state).value ?? Object(state).count,
            ]),
        )
      const up = () => series(metrics.dependencyUp.name)
      for (const name of ["main", "spare"]) yield* outages.answered("carrier", outages.now(), name)
      yield* outages.answered("credentials", outages.now(), "main")
      yield* outages.answered("postgresql", outages.now())
      const well = { "carrier main": 1, "carrier spare": 1, "credentials main": 1, "postgresql ": 1 }
      assert.deepStrictEqual(up(), well)
      for (let nth = 0; nth < 3; nth++) yield* outages.failed("carrier", "spare: no answer", "spare")
      assert.deepStrictEqual(up(), { ...well, "carrier spare": 0 })
      assert.deepStrictEqual(series(metrics.dependencyFailures.name), { "carrier spare": 3 })
      yield* outages.failed("carrier", "main: no answer", "main")
      yield* TestClock.adjust(2_000)
      // One of two that is back says so, whatever the other does.
      yield* outages.answered("carrier", outages.now(), "spare")
      assert.deepStrictEqual(up(), well)
    }),
  )
})
