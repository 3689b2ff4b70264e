import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { Effect } from "effect"
import { laws } from "../world/Laws.ts"
import { numberOf, worldOf } from "../world/Plans.ts"
import { away } from "../world/World.ts"

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
})
