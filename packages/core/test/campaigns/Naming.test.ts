import { assert, describe, it } from "@effect/vitest"
import { Numbers } from "@carillon/core"
import { Effect } from "effect"
import { Campaigning, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, World } from "../../src/testing/world/World.ts"

const named = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, nth) => numberOf(nth))

const counting = Effect.gen(function* () {
  const seen = { reads: 0, together: 0, underWay: 0 }
  const world = new World({
    interpose: (operation, effect) => {
      if (operation !== "accounts.number") return effect
      const begin = Effect.sync(() => {
        seen.reads += 1
        seen.underWay += 1
        seen.together = Math.max(seen.together, seen.underWay)
      })
      const end = Effect.sync(() => {
        seen.underWay -= 1
      })
      return Effect.ensuring(Effect.andThen(Effect.andThen(begin, Effect.yieldNow), effect), end)
    },
  })
  yield* world.start()
  const test = new Campaigning(world)
  for (const number of named(20)) {
    yield* world.run(Effect.flatMap(Numbers, (numbers) => numbers.register(caller, number, {})))
  }
  return { test, seen }
})

describe("the numbers that a campaign names", () => {
  it.effect("are asked for at the same time", () =>
    Effect.gen(function* () {
      const { seen, test } = yield* counting
      yield* test.create([], { phone_numbers: named(20) })
      assert.strictEqual(seen.together, 20)
    }),
  )

  it.effect("are asked for once each, however often each is named, and raise one guard each", () =>
    Effect.gen(function* () {
      const { seen, test } = yield* counting
      const before = test.world.commits.length
      yield* test.create([], { phone_numbers: Array.from({ length: 500 }, () => numberOf(3)) })
      assert.isAtMost(seen.reads, 2)
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
