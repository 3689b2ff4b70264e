import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId, type Script } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

const refusal: Script = { outcome: { _tag: "Refused", kind: "rejected" } }

const numbers = (count: number, from = 0): ReadonlySet<string> =>
  new Set(contactsOf(count, from).map(({ to_number }) => to_number))

describe("destinations that the carrier always refuses", () => {
  for (const [refused, lines] of [
    [1, 1],
    [3, 1],
    [5, 2],
    [5, 3],
  ] as const) {
    it.effect(`hold up nobody else: ${refused} of 20, on ${lines} lines`, () =>
      Effect.gen(function* () {
        const away = numbers(refused)
        const test = yield* campaigning(({ to_number }) => (away.has(to_number) ? refusal : ending("completed", 10)))
        const { campaign_id } = yield* test.create(contactsOf(20), { max_concurrent_calls: lines })
        yield* test.world.advance(5 * minute)
        const { outcome_counts } = yield* test.stats(campaign_id)
        assert.strictEqual(outcome_counts.completed, 20 - refused)
      }),
    )
  }

  it.effect("do not make a campaign wait for one of them, however often that one is refused", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(({ to_number }) =>
        to_number === numberOf(0) ? refusal : ending("completed", 10),
      )
      const { campaign_id } = yield* test.create(contactsOf(1), { max_concurrent_calls: 1 })
      yield* test.world.advance(10.5 * minute)
      assert.isAbove(test.world.dials.length, 5)
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(5, 1), file_name: null }),
      )
      yield* test.world.advance(minute + 5_000)
      assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 5)
    }),
  )

  it.effect("hold up nobody any more once their attempts have ended", () =>
    Effect.gen(function* () {
      const away = numbers(3)
      const test = yield* campaigning(({ to_number }) => (away.has(to_number) ? refusal : ending("completed", 10)))
      const { campaign_id } = yield* test.create(contactsOf(3), {
        max_concurrent_calls: 3,
        retry_policy: { max_retries: 1, base_delay_minutes: 300 },
      })
      const areHeld = () => test.world.tables.tallies.figure(campaign_id, "contact:retry_scheduled") < 3
      while (areHeld() && test.world.dials.length < 100) yield* test.world.advance(1_000)
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(1, 100), file_name: null }),
      )
      yield* test.world.advance(1_000)
      assert.strictEqual(test.world.dials.at(-1)?.to_number, numberOf(100))
    }),
  )

  it.effect("hold up no retries: who is not held back is tried at every second wait at the latest", () =>
    Effect.gen(function* () {
      const away = numbers(12)
      const test = yield* campaigning(({ retry_count, to_number }) =>
        away.has(to_number) ? refusal : ending(retry_count === 0 ? "busy" : "completed", 10),
      )
      const { campaign_id } = yield* test.create([...contactsOf(8, 100), ...contactsOf(12)], {
        max_concurrent_calls: 1,
        retry_policy: { max_retries: 1, base_delay_minutes: 30 },
      })
      yield* test.world.advance(30 * minute)
      assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 0)
      // The first of them are due by now, and a wait is five minutes at most.
      yield* test.world.advance(15 * minute)
      assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 8)
    }),
  )
})

describe("contacts that are held back", () => {
  it.effect("are tried again though all others are refused", () =>
    Effect.gen(function* () {
      let isBack = false
      const first = numbers(3)
      const test = yield* campaigning(({ to_number }) =>
        isBack && first.has(to_number) ? ending("completed", 10) : refusal,
      )
      const { campaign_id } = yield* test.create(contactsOf(300), { max_concurrent_calls: 1 })
      yield* test.world.advance(10 * minute)
      isBack = true
      yield* test.world.advance(30 * minute)
      assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 3)
    }),
  )
})

describe("a carrier that refuses everybody", () => {
  for (const [lines, most] of [
    [1, 25],
    [20, 400],
  ] as const) {
    it.effect(`is asked less and less, and not about every contact: ${lines} lines`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => refusal)
        const { campaign_id } = yield* test.create(contactsOf(1_000), { max_concurrent_calls: lines })
        yield* test.world.advance(hour)
        const asked = new Set(test.world.dials.map(({ to_number }) => to_number))
        assert.isAtMost(test.world.dials.length, most)
        assert.isAtLeast(test.world.dials.length, 15)
        // Those of the first round, as many where they are burned, and somebody else at every second wait.
        assert.isAtMost(asked.size, 2 * lines + 10)
        const { blocking } = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
        assert.include(
          blocking.map(({ reason }) => reason),
          "carrier",
        )
      }),
    )
  }
})
