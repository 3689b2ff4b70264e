import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { Effect } from "effect"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

describe("an explanation", () => {
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
