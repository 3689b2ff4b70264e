import { assert, describe, it } from "@effect/vitest"
import { limits, Numbers } from "@carillon/core"
import { Effect } from "effect"
import { samplePhoneNumber } from "../../src/testing/Samples.ts"
import { Campaigning, contactsOf, numberOf } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

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

  it.effect("may be more than another step may read", () =>
    Effect.gen(function* () {
      const numbers = named(limits.stepRows + 1)
      const rows = numbers.map(
        (number) => ({ put: "phone_number", row: samplePhoneNumber(organizationId, number) }) as const,
      )
      const test = new Campaigning(new World({ rows }))
      yield* test.world.start()
      const { campaign_id } = yield* test.create([], { phone_numbers: numbers })
      yield* test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, { phone_numbers: numbers }))
      const body = { agent_id: agentId, phone_numbers: numbers }
      const made = yield* test.batches((batches) =>
        batches.create(caller, body, { contacts: contactsOf(1), file_name: null }),
      )
      assert.deepStrictEqual(made.phone_numbers, numbers)
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
