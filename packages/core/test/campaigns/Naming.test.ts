import { assert, describe, it } from "@effect/vitest"
import { Numbers } from "@carillon/core"
import { Effect } from "effect"
import { Campaigning, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, World } from "../../src/testing/world/World.ts"

const named = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, nth) => numberOf(nth))

const counting = Effect.gen(function* () {
  const seen = { uses: 0 }
  const world = new World({
    interpose: (_operation, effect) =>
      Effect.suspend(() => {
        seen.uses += 1
        return effect
      }),
  })
  yield* world.start()
  const test = new Campaigning(world)
  for (const number of named(20)) {
    yield* world.run(Effect.flatMap(Numbers, (numbers) => numbers.register(caller, number, {})))
  }
  /** How often ports are used to make a campaign that names those numbers. */
  const uses = Effect.fnUntraced(function* (phone_numbers: ReadonlyArray<string>) {
    const before = seen.uses
    yield* test.create([], { phone_numbers })
    return seen.uses - before
  })
  return { test, uses }
})

describe("the numbers that a campaign names", () => {
  it.effect("are asked for at the same time, however many they are", () =>
    Effect.gen(function* () {
      const { uses } = yield* counting
      const one = yield* uses(named(1))
      assert.strictEqual(yield* uses(named(20)), one)
      assert.isBelow(yield* uses([]), one)
    }),
  )

  it.effect("raise one guard each, however often each is named", () =>
    Effect.gen(function* () {
      const { test } = yield* counting
      const before = test.world.commits.length
      yield* test.create([], { phone_numbers: Array.from({ length: 500 }, () => numberOf(3)) })
      const guards = test.world.commits
        .slice(before)
        .flatMap(({ changes }) => changes.filter(({ put }) => put === "guard"))
      assert.lengthOf(guards, 1)
    }),
  )

  it.effect("are refused by the place of the first that is not registered", () =>
    Effect.gen(function* () {
      const { test } = yield* counting
      const phone_numbers = [numberOf(0), numberOf(0), "+15559990001", "+15559990001", "+15559990002"]
      const refused = yield* Effect.flip(test.create([], { phone_numbers }))
      assert.include(refused, { _tag: "InvalidField", field: "phone_numbers[2]" })
    }),
  )
})
