import { assert, describe, it } from "@effect/vitest"
import { type Call, Engine, limits } from "@carillon/core"
import { MemorySlots } from "@carillon/core/memory"
import { Effect } from "effect"
import { laws } from "../../src/testing/world/Laws.ts"
import { numberOf, restart, worldOf } from "../../src/testing/world/Plans.ts"
import { away, type World } from "../../src/testing/world/World.ts"

describe("the reconciler", () => {
  it.effect("is not put off by dials, however they are timed", () =>
    Effect.gen(function* () {
      let ticks = 0
      const world = worldOf(
        { ceiling: 100, calls: [] },
        {
          interpose: (operation, effect) => {
            if (operation === "slots.members") ticks += 1
            return effect
          },
        },
      )
      yield* world.start()
      const look = laws(world, 100)
      for (let nth = 0; nth < 8; nth++) {
        yield* world.place({ to_number: numberOf("silentFromAnswer") })
        yield* world.advance(limits.reconcileMs - 1, look)
        // The next dial is there in the very moment of the tick, before it is claimed.
        world.now += 1
      }
      yield* world.advance(1_000, look)
      assert.isAtLeast(ticks, 7)
    }),
  )

  it.effect("lets no reservation lapse under a call that is committed", () =>
    Effect.gen(function* () {
      const slots = new MemorySlots.SlotTable()
      const world: World = worldOf(
        { ceiling: 1, calls: [] },
        {
          slots,
          interpose: (operation, effect) =>
            operation === "slots.hold"
              ? Effect.andThen(
                  Effect.sync(() => world.kill()),
                  Effect.never,
                )
              : effect,
        },
      )
      yield* world.start()
      yield* world.place({ to_number: numberOf("ordinary") })
      yield* world.advance(1_000)
      const [reserved] = [...slots.members()]
      assert.deepInclude(reserved, { state: "reserved" })
      yield* restart(world)
      yield* world.advance(1_000)
      assert.deepStrictEqual([...slots.members()], [{ ...reserved, state: "held", reserved_until: 0 }])
    }),
  )

  it.effect("ticks while lines are held, and rests while none are", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 2, calls: [] })
      yield* world.start()
      yield* world.placed({ to_number: numberOf("busy") })
      assert.isAtMost(world.tables.wakeups.next(true) ?? Infinity, world.now + limits.reconcileMs)
      yield* world.advance(3 * limits.reconcileMs)
      assert.isNull(world.tables.wakeups.next(true))
      yield* world.placed({ to_number: numberOf("busy") })
      assert.isNotNull(world.tables.wakeups.next(true))
      assert.isNotNull(world.tables.wakeups.next(false))
    }),
  )

  it.effect("goes on where a tick failed", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = worldOf(
        { ceiling: 2, calls: [] },
        {
          interpose: (operation, effect) =>
            isAway && (operation.startsWith("slots.") || operation === "wakeups.set") ? away : effect,
        },
      )
      yield* world.start()
      yield* world.placed({ to_number: numberOf("busy") })
      isAway = true
      yield* world.advance(4 * limits.reconcileMs)
      assert.strictEqual([...world.slots.members()].length, 1)
      isAway = false
      yield* world.advance(limits.wakeupRetryMs + 2 * limits.reconcileMs)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  const ends: Readonly<Record<string, (world: World, call: Call) => Effect.Effect<unknown, unknown>>> = {
    ends: (world, { execution_id }) =>
      world.run(
        Effect.flatMap(Engine, (engine) =>
          engine.report({
            type: "final",
            execution_id,
            call_sid: null,
            at: world.now,
            end: {
              status: "completed",
              duration_seconds: 1,
              answered_by_voicemail: false,
              hangup_by: null,
              hangup_reason: null,
              error: null,
            },
            facts: { recording_url: null, cost: null, media: null },
          }),
        ),
      ),
    "is taken back": (world, call) =>
      Effect.sync(() => {
        world.write({ put: "erased_call", call })
        world.slots.release(call.execution_id, call.slot?.fence ?? 0, world.now)
      }),
  }
  it.effect.each(Object.entries(ends))("leaves no line behind of a call that %s while it is entered again", ([, end]) =>
    Effect.gen(function* () {
      let isEnding = false
      const world: World = worldOf(
        { ceiling: 1, calls: [] },
        {
          interpose: (operation, effect) => {
            if (operation !== "slots.restore" || !isEnding) return effect
            isEnding = false
            const [call] = world.calls()
            assert.isDefined(call)
            return Effect.andThen(Effect.orDie(end(world, call)), effect)
          },
        },
      )
      yield* world.start()
      yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(6_000)
      const [member] = [...world.slots.members()]
      assert.isDefined(member)
      world.slots.release(member.execution_id, member.fence, world.now)
      isEnding = true
      yield* world.advance(limits.reconcileMs)
      assert.isFalse(isEnding)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  it.effect("walks through more lines than one page holds", () =>
    Effect.gen(function* () {
      const lines = limits.reconcilePage + 3
      const world = worldOf({ ceiling: lines, calls: [] })
      yield* world.start()
      for (let nth = 0; nth < lines; nth++) yield* world.place({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(2_000)
      assert.strictEqual([...world.slots.members()].length, lines)
      for (const { execution_id, fence } of [...world.slots.members()])
        world.slots.release(execution_id, fence, world.now)
      yield* world.advance(limits.reconcileMs)
      assert.strictEqual([...world.slots.members()].length, lines)
    }),
  )

  it.effect("frees a line whose row says that it was over at the tick before, though another process made that", () =>
    Effect.gen(function* () {
      const slots = new MemorySlots.SlotTable()
      let isLost = true
      const world: World = worldOf(
        { ceiling: 1, calls: [] },
        {
          slots,
          // The line is not given back, as if the process had died there.
          interpose: (operation, effect) =>
            isLost && operation === "slots.release" ? Effect.succeed(Object([])) : effect,
        },
      )
      yield* world.start()
      const { call } = yield* world.placed({ to_number: numberOf("busy") })
      while (world.call(call.execution_id).final_report_at === null) yield* world.advance(100)
      isLost = false
      const members = () => [...slots.members()].length
      assert.strictEqual(members(), 1)
      // Each tick is a process's first.
      const since = world.now
      while (members() > 0 && world.now < since + 10 * limits.reconcileMs) {
        yield* restart(world)
        yield* world.advance(limits.reconcileMs)
      }
      assert.isAtMost(world.now, since + 2 * limits.reconcileMs)
    }),
  )
})
