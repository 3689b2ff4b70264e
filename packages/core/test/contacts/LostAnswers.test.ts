import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Asked } from "@carillon/core"
import { campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { restart } from "../../src/testing/world/Plans.ts"
import { caller, type Script } from "../../src/testing/world/World.ts"

const hour = 3_600_000

/** The answer to the dial is lost, and the carrier says so much when it is asked. */
const losing = (asked: Asked): Script => ({ acknowledgementMs: hour, asked })

const never = losing({ _tag: "NeverDialled" })
const unknown = losing({ _tag: "Unknown" })

/** Says how the n-th dial goes, the last for all that follow. */
const inTurn = (...turns: ReadonlyArray<Script>) => {
  let nth = 0
  return (): Script => turns[Math.min(nth++, turns.length - 1)] ?? never
}

describe("a contact whose dial was answered by nobody", () => {
  it.effect("is dialled again soon, and no attempt was made, where the carrier is certain that there was none", () =>
    Effect.gen(function* () {
      const script = inTurn(never, ending("completed"))
      const scripts = new Map<string, Script>()
      const test = yield* campaigning(({ execution_id }) => {
        const known = scripts.get(execution_id) ?? script()
        scripts.set(execution_id, known)
        return known
      })
      const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy: { max_retries: 0 } })
      yield* test.world.advance(10_999)
      assert.strictEqual([...test.world.slots.members()].length, 1)
      yield* test.world.advance(1)
      assert.strictEqual([...test.world.slots.members()].length, 0)
      assert.deepStrictEqual(test.calls(), [])
      assert.deepInclude((yield* test.contacts(campaign_id))[0], { status: "pending", attempts: 0 })
      assert.strictEqual((yield* test.stats(campaign_id)).total_call_attempts, 0)
      yield* test.world.advance(60_000)
      assert.strictEqual(test.world.dials.length, 2)
      assert.deepInclude((yield* test.contacts(campaign_id))[0], { status: "completed", attempts: 1 })
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("is never dialled again where the carrier only knows of no leg", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => unknown)
      const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy: { max_retries: 3 } })
      yield* test.world.advance(24 * hour)
      assert.strictEqual(test.world.dials.length, 1)
      assert.deepInclude((yield* test.contacts(campaign_id))[0], {
        status: "failed",
        attempts: 1,
        last_status: "error",
      })
    }),
  )

  it.effect("is held ten times for one attempt that ended in error, which is retried", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => never)
      const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy: { max_retries: 1 } })
      yield* test.world.advance(24 * hour)
      assert.strictEqual(test.world.dials.length, 20)
      assert.deepInclude((yield* test.contacts(campaign_id))[0], {
        status: "failed",
        attempts: 2,
        last_status: "error",
      })
    }),
  )

  it.effect("gives the number to who waits for it, in another process too", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(({ variables }) => (variables["n"] === 0 ? never : ending("completed")))
      const same = [0, 1].map((n) => ({ to_number: numberOf(1), variables: { n } }))
      const { campaign_id } = yield* test.create(same)
      yield* test.world.advance(9_000)
      test.world.kill()
      test.world.tables.wakeups.clearAll()
      yield* restart(test.world)
      yield* test.world.advance(2_000)
      assert.deepStrictEqual(
        test.world.dials.map(({ variables }) => variables["n"]),
        [0, 1],
      )
      yield* test.world.advance(60_000)
      const [first, second] = yield* test.contacts(campaign_id)
      assert.strictEqual(second?.status, "completed")
      assert.strictEqual(first?.attempts, first?.status === "in_progress" ? 1 : 0)
    }),
  )

  it.effect("is skipped, with its budget whole, where its campaign was cancelled meanwhile", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => never)
      const { campaign_id } = yield* test.create(contactsOf(1))
      yield* test.world.advance(9_000)
      yield* test.campaigns((campaigns) => campaigns.cancel(caller, campaign_id))
      yield* test.world.advance(hour)
      assert.strictEqual(test.world.dials.length, 1)
      assert.deepInclude((yield* test.contacts(campaign_id))[0], { status: "skipped", attempts: 0 })
      assert.strictEqual([...test.world.slots.members()].length, 0)
    }),
  )
})
