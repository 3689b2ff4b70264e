import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { organizationId, World } from "../../src/testing/world/World.ts"

describe("a page of campaigns or batches", () => {
  it.effect("reads the organization's numbers once, however many rows it shows", () =>
    Effect.gen(function* () {
      let reads = 0
      const world = new World({
        script: () => ending("completed"),
        interpose: (operation, effect) => {
          if (operation === "accounts.numbers") reads += 1
          return effect
        },
      })
      yield* world.start()
      const test = new Campaigning(world)
      for (let nth = 0; nth < 5; nth++) yield* test.create(contactsOf(1, nth))
      yield* world.advance(60_000)
      const page = { page: 1, page_size: 10 }
      reads = 0
      const campaigns = yield* test.campaigns((each) => each.page(organizationId, {}, page))
      assert.deepStrictEqual([campaigns.items.length, reads], [5, 1])
      reads = 0
      const batches = yield* test.batches((each) => each.page(organizationId, {}, page))
      assert.deepStrictEqual([batches.items.length, reads], [5, 1])
    }),
  )
})
