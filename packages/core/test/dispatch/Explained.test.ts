import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { Effect } from "effect"
import { campaigning, Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

describe("an explanation", () => {
  it.effect("shows who waits for a number in batches that may dial, however many wait in one that was paused", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 3_600))
      const withOneNumber = (count: number) =>
        Array.from({ length: count }, (_, n) => ({ to_number: numberOf(1), variables: { n } }))
      const { campaign_id } = yield* test.create(withOneNumber(1))
      const appended = Effect.fnUntraced(function* (count: number) {
        const intake = { contacts: withOneNumber(count), file_name: null }
        const made = yield* test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake))
        yield* test.world.advance(1_000)
        return made.batch_id ?? ""
      })
      yield* test.world.advance(1_000)
      const paused = yield* appended(12)
      yield* test.batches((batches) => batches.pause(caller, paused))
      const open = yield* appended(2)
      const { blocking, waiting_for_number } = yield* test.campaigns((campaigns) =>
        campaigns.explain(organizationId, campaign_id),
      )
      assert.deepInclude(blocking, { reason: "number_busy", contacts: 2, until: null })
      assert.deepStrictEqual(
        waiting_for_number.map(({ batch_id }) => batch_id),
        [open, open],
      )
    }),
  )

  it.effect("reads what is counted of many batches some at a time", () =>
    Effect.gen(function* () {
      let underWay = 0
      let most = 0
      const world = new World({
        script: () => ending("completed"),
        interpose: (operation, effect) =>
          operation !== "tallies.read"
            ? effect
            : Effect.acquireUseRelease(
                Effect.sync(() => (most = Math.max(most, (underWay += 1)))),
                () => Effect.andThen(Effect.yieldNow, effect),
                () => Effect.sync(() => (underWay -= 1)),
              ),
      })
      yield* world.start()
      const test = new Campaigning(world)
      // The campaign is active, so its end is estimated, and what is left of each batch counts.
      const { campaign_id } = yield* test.create(contactsOf(1))
      const row = world.tables.campaigns.get(campaign_id)
      assert(row !== undefined)
      world.write({ put: "campaign", row: { ...row, status: "active", start_time: epoch + 1, revision: 2 } })
      const count = 2 * limits.talliesAtOnce + 1
      for (let nth = 1; nth < count; nth++)
        yield* test.campaigns((campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: contactsOf(1, nth), file_name: null }),
        )
      most = 0
      yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.strictEqual(most, limits.talliesAtOnce)
    }),
  )
})
