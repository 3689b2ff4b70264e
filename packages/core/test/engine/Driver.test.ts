import {
  Calls,
  Engine,
  Funds,
  DependencyUnavailable,
  limits,
  metersLayer,
  type MetricRegistry,
  Telephony,
  Transliterator,
} from "@carillon/core"
import {
  Activity,
  DomainClock,
  Ids,
  KeyMinter,
  Chance,
  LaneStore,
  Parking,
  Wakeups,
  WebhookTransport,
} from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { agent, caller, organization, organizationId, request } from "../../src/testing/world/World.ts"

const tables = () => {
  const filled = new MemoryTables()
  filled.commit({
    id: "setup",
    organization_id: organizationId,
    expect: [],
    changes: [
      { put: "organization", row: organization },
      { put: "agent", row: agent },
    ],
    wakeups: [],
    events: [],
    audit: [],
  })
  return filled
}

const telephony = Layer.succeed(Telephony, {
  dial: (command) => Effect.succeed({ _tag: "Accepted", call_sid: `leg-${command.execution_id}` }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "Unknown" }),
})

/** No webhook leaves these tests. */
const nowhere = Layer.succeed(WebhookTransport, {
  send: () => Effect.die(new Error("Nobody is subscribed here.")),
})

/** The engine as a host runs it: domain time is the time of Effect's clock, and the driver sleeps by it. */
const hosted = (rows: MemoryTables, store: ReturnType<typeof MemoryStore.layer> = MemoryStore.layer(rows)) =>
  Engine.driver.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        store,
        MemorySlots.layer(),
        MemoryRates.layer(),
        telephony,
        Funds.layer,
        Transliterator.layer,
        Parking.layer,
        Ids.layer,
        Chance.layer,
        KeyMinter.layer,
        nowhere,
      ),
    ),
    Layer.provideMerge(Activity.layer),
    Layer.provideMerge(DomainClock.layer),
  )

const place = (scheduledInMs: number | null) =>
  Effect.gen(function* () {
    const calls = yield* Calls
    const now = (yield* DomainClock).now()
    return yield* calls.place(caller, request({ scheduled_at: scheduledInMs === null ? null : now + scheduledInMs }))
  })

describe("the driver", () => {
  it.effect("runs what is due when it is due, and what it finds due when it starts", () =>
    Effect.gen(function* () {
      const rows = tables()
      const id = yield* Effect.gen(function* () {
        const { call } = yield* place(120_000)
        yield* TestClock.adjust(119_000)
        assert.strictEqual(rows.calls.get(call.execution_id)?.status, "scheduled")
        yield* TestClock.adjust(1_000 + limits.driverMaxPauseMs)
        assert.strictEqual(rows.calls.get(call.execution_id)?.status, "queued")
        return call.execution_id
      }).pipe(Effect.provide(hosted(rows)), Effect.scoped)
      // While no engine runs, the leg falls silent and the time comes to ask about it.
      yield* TestClock.adjust(120_000)
      yield* Effect.gen(function* () {
        yield* TestClock.adjust(limits.driverMaxPauseMs)
        assert.strictEqual(rows.calls.get(id)?.status, "error")
      }).pipe(Effect.provide(hosted(rows)), Effect.scoped)
    }),
  )

  it.effect("repairs once the rows can be read, where they could not when it started", () =>
    Effect.gen(function* () {
      const rows = tables()
      let asked = 0
      const away = Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
      const lanes = Layer.effect(
        LaneStore,
        Effect.map(LaneStore, (store) => ({
          ...store,
          organizations: (after: string | null, limit: number) =>
            Effect.suspend(() => (++asked <= 2 ? away : store.organizations(after, limit))),
        })),
      )
      const store = lanes.pipe(Layer.provideMerge(MemoryStore.layer(rows)))
      yield* Effect.gen(function* () {
        yield* TestClock.adjust(4 * limits.wakeupRetryMs)
      }).pipe(Effect.provide(hosted(rows, store)), Effect.scoped)
      assert.strictEqual(asked, 3)
    }),
  )
})

/** A service of a store in which the first of some questions is a mistake of it. */
const mistakenOnce = <I, S extends object>(
  tag: Context.Key<I, S>,
  rows: MemoryTables,
  asked: { count: number },
  mistaken: (store: S, mistake: Effect.Effect<void>) => Partial<S>,
) => {
  const mistake = Effect.suspend(() => {
    asked.count += 1
    return asked.count === 1 ? Effect.die(new Error("a mistake")) : Effect.void
  })
  return Layer.effect(
    tag,
    Effect.map(tag, (store): S => ({ ...store, ...mistaken(store, mistake) })),
  ).pipe(Layer.provideMerge(MemoryStore.layer(rows)))
}

/** Errors of a log. */
const errors = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Error") lines.push(String(message).split(",")[0] ?? "")
  })
  return { lines, layer: Logger.layer([logger]) }
}

describe("a part of the process with a mistake", () => {
  it.effect("is an error in the log, and the driver goes on", () => {
    const { layer, lines } = errors()
    const rows = tables()
    const asked = { count: 0 }
    return Effect.gen(function* () {
      const { call } = yield* place(120_000)
      yield* TestClock.adjust(2 * limits.driverMaxPauseMs)
      assert.isAtLeast(asked.count, 2)
      assert.deepStrictEqual(lines, ["The driver of the engine has a mistake"])
      yield* TestClock.adjust(120_000)
      assert.strictEqual(rows.calls.get(call.execution_id)?.status, "queued")
    }).pipe(
      Effect.provide(
        hosted(
          rows,
          mistakenOnce(Wakeups, rows, asked, (store, mistake) => ({
            claimDue: (...given) => Effect.andThen(mistake, store.claimDue(...given)),
          })),
        ),
      ),
      Effect.scoped,
      Effect.provide(layer),
    )
  })

  it.effect("is an error in the log, and what is found at the start is repaired later", () => {
    const { layer, lines } = errors()
    const rows = tables()
    const asked = { count: 0 }
    return TestClock.adjust(2 * limits.wakeupRetryMs).pipe(
      Effect.provide(
        hosted(
          rows,
          mistakenOnce(LaneStore, rows, asked, (store, mistake) => ({
            organizations: (...given) => Effect.andThen(mistake, store.organizations(...given)),
          })),
        ),
      ),
      Effect.andThen(
        Effect.sync(() => {
          assert.strictEqual(asked.count, 2)
          assert.deepStrictEqual(lines, ["What repairs at the start what a process has left has a mistake"])
        }),
      ),
      Effect.scoped,
      Effect.provide(layer),
    )
  })

  it.effect("is measured no more as it was before, and measured again", () => {
    const { layer, lines } = errors()
    const rows = tables()
    const asked = { count: 1 }
    const registry: MetricRegistry = new Map()
    const due = () =>
      Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry)).filter(
        ({ id }) => id === "carillon.backlog.size",
      ).length
    return Effect.gen(function* () {
      yield* TestClock.adjust(limits.driverMaxPauseMs)
      assert.isAbove(due(), 0)
      asked.count = 0
      yield* TestClock.adjust(limits.sampleMs)
      assert.strictEqual(due(), 0)
      yield* TestClock.adjust(limits.sampleMs)
      assert.isAbove(due(), 0)
      assert.deepStrictEqual(lines, ["What asks the stores for what is measured has a mistake"])
    }).pipe(
      Effect.provide(
        hosted(
          rows,
          mistakenOnce(Wakeups, rows, asked, (store, mistake) => ({
            backlog: (...given) => Effect.andThen(mistake, store.backlog(...given)),
          })),
        ),
      ),
      Effect.scoped,
      Effect.provide([layer, metersLayer(registry)]),
    )
  })
})

describe("the pulse of the driver", () => {
  it.effect("beats while the store is away, and stands still while a turn of it hangs", () => {
    const rows = tables()
    const store = { isAway: false, hangs: false }
    const wakeups = Layer.effect(
      Wakeups,
      Effect.map(Wakeups, (real) => ({
        ...real,
        claimDue: (...asked: Parameters<typeof real.claimDue>) =>
          Effect.suspend(() => {
            if (store.hangs) return Effect.never
            return store.isAway
              ? Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
              : real.claimDue(...asked)
          }),
      })),
    ).pipe(Layer.provideMerge(MemoryStore.layer(rows)))
    return Effect.gen(function* () {
      const { pulse } = yield* Engine
      const still = () => pulse.stillMs() ?? Infinity
      store.isAway = true
      yield* TestClock.adjust(2 * limits.driverStillMs)
      assert.isAtMost(still(), 2 * limits.driverMaxPauseMs)
      store.hangs = true
      yield* TestClock.adjust(2 * limits.driverStillMs)
      assert.isAbove(still(), limits.driverStillMs)
      return pulse
    }).pipe(
      Effect.provide(hosted(rows, wakeups)),
      Effect.scoped,
      // Where no driver runs any more none is judged.
      Effect.map((pulse) => assert.isNull(pulse.stillMs())),
    )
  })
})
