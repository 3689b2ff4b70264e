import { assert, describe, it } from "@effect/vitest"
import { holdsLine } from "@carillon/core/ports"
import { Effect } from "effect"
import * as fc from "fast-check"
import { assertOver, laws } from "../../src/testing/world/Laws.ts"
import { law } from "../../src/testing/Law.ts"
import { numberOf, type Plan, plans, play, restart, worldOf } from "../../src/testing/world/Plans.ts"
import { epoch, type World } from "../../src/testing/world/World.ts"

interface Crash {
  /** Which use of a port, counted from the start of the engine, is the last. */
  readonly use: number
  readonly happens: boolean
}

/** A world whose engine dies at each of some uses of its ports, before the use or after it happened. */
const mortal = (plan: Plan, crashes: ReadonlyArray<Crash>): World => {
  let uses = 0
  let nth = 0
  const world = worldOf(plan, {
    interpose: (_, effect) => {
      const crash = crashes[nth]
      if (crash === undefined || uses++ < crash.use) return effect
      nth += 1
      uses = 0
      const end = Effect.andThen(
        Effect.sync(() => world.kill()),
        Effect.never,
      )
      return crash.happens ? Effect.andThen(effect, end) : end
    },
  })
  return world
}

const crashes = fc.array(fc.record({ use: fc.nat(120), happens: fc.boolean() }), { minLength: 1, maxLength: 3 })

describe("a crash at any use of any port", () => {
  it.effect("loses nobody, rings nobody twice, and leaves no line behind", () =>
    law(
      fc.tuple(plans, crashes),
      Effect.fnUntraced(function* ([plan, at]) {
        const world = mortal(plan, at)
        yield* world.start()
        yield* play(world, plan, laws(world, plan.ceiling))
        assertOver(world)
      }, Effect.scoped),
      { numRuns: 80 },
    ),
  )

  it.effect("keeps the lines of live calls taken, though the new engine's slots are empty", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 2, calls: [] })
      yield* world.start()
      for (const _ of [0, 1]) yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const scheduled_at = epoch + 120_000
      const { call: booked } = yield* world.placed({ to_number: numberOf("ordinary"), scheduled_at })
      yield* world.advance(110_000)
      // The engine is down while the booked call comes due, so that it is the first thing the next one looks at.
      world.now += 30_000
      yield* restart(world)
      yield* world.advance(14_999, laws(world, 2))
      assert.strictEqual(world.dials.length, 2)
      assert.strictEqual(world.call(booked.execution_id).status, "scheduled")
      assert.strictEqual(world.calls().filter(holdsLine).length, 2)
      assert.strictEqual([...world.slots.members()].length, 2)
    }),
  )
})
