import {
  Activity,
  Calls,
  DomainClock,
  Engine,
  Funds,
  Ids,
  KeyMinter,
  Chance,
  DependencyUnavailable,
  LaneStore,
  limits,
  Parking,
  Telephony,
  Transliterator,
  WebhookTransport,
} from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
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
