import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Campaigning, campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, type Script } from "../../src/testing/world/World.ts"

const minute = 60_000

const unheard: Script = { acknowledgementMs: 60 * minute, asked: { _tag: "NeverDialled" } }

/** A campaign of one contact whose only follow-up is in its call. */
const followingUp = Effect.fnUntraced(function* (followUp: Script) {
  const test = yield* campaigning(({ is_follow_up }) => (is_follow_up ? followUp : ending("busy", 20)))
  const { campaign_id } = yield* test.create(contactsOf(1), {
    retry_policy: { max_retries: 0 },
    follow_up_policy: { enabled: true, cooldown_minutes: 5 },
  })
  yield* test.world.advance(5 * minute + 30_000)
  const follow = test.calls().at(-1)
  assert(follow?.is_follow_up === true)
  return { test, campaign_id, execution_id: follow.execution_id }
})

const ends: Readonly<
  Record<string, (test: Campaigning, campaignId: string, executionId: string) => Effect.Effect<unknown, unknown>>
> = {
  "ends busy": () => Effect.void,
  "is stopped": (test, _, executionId) => test.world.stop(executionId),
  "ends busy after its campaign was cancelled": (test, campaignId) =>
    test.campaigns((campaigns) => campaigns.cancel(caller, campaignId)),
  "ends busy after follow-ups were switched off": (test, campaignId) =>
    test.campaigns((campaigns) => campaigns.patch(caller, campaignId, { follow_up_policy: { enabled: false } })),
}

describe("the last follow-up that a contact may have", () => {
  for (const [how, end] of Object.entries(ends)) {
    it.effect(`is spent without a completed call where it ${how}`, () =>
      Effect.gen(function* () {
        const { campaign_id, execution_id, test } = yield* followingUp(ending("busy", 60))
        assert.strictEqual((yield* test.find(campaign_id)).follow_up_exhausted, 0)
        yield* end(test, campaign_id, execution_id)
        yield* test.world.advance(10 * minute)
        assert.deepInclude(yield* test.find(campaign_id), { follow_up_calls: 1, follow_up_exhausted: 1 })
      }),
    )
  }

  it.effect("is spent where nobody knows what became of it", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* followingUp(unheard)
      yield* test.world.advance(60 * minute)
      assert.deepInclude(yield* test.find(campaign_id), { follow_up_calls: 1, follow_up_exhausted: 1 })
    }),
  )
})
