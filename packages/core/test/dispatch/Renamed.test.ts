import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Campaigning, contactsOf } from "../../src/testing/world/Campaigning.ts"
import { Dispatcher } from "../../src/dispatch/Dispatcher.ts"
import { caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"

/** A world whose wallet carries no call, in which something happens once, before the heirs of a contact are read: just before it is written. */
const worldWith = (meanwhile: () => Effect.Effect<unknown>) => {
  let isFirst = true
  return new World({
    interpose: (operation, effect) => {
      if (operation === "funds.covers") return Effect.succeed(false)
      if (operation !== "contacts.heirs" || !isFirst) return effect
      isFirst = false
      return Effect.andThen(meanwhile(), effect)
    },
  })
}

describe("a contact whose campaign is edited while it is decided over", () => {
  it.effect("is decided over again at once", () =>
    Effect.gen(function* () {
      let edited = 0
      const world: World = worldWith(() => rename)
      const test = new Campaigning(world)
      const rename: Effect.Effect<unknown> = Effect.suspend(() => {
        const [campaign] = [...world.tables.campaigns.values()]
        assert(campaign !== undefined)
        edited += 1
        const edit = test.campaigns((campaigns) => campaigns.patch(caller, campaign.campaign_id, { name: "Renamed" }))
        return Effect.orDie(edit)
      })
      yield* world.start()
      const { campaign_id } = yield* test.create(contactsOf(1))
      // A wake-up that fails comes again; it is not to fail for a neighbour.
      yield* world.run(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.run(organizationId, () => true)))
      assert.deepStrictEqual({ edited, now: world.now }, { edited: 1, now: epoch })
      const [contact] = yield* test.contacts(campaign_id)
      assert.deepInclude(contact, { status: "failed", last_status: "balance-low" })
    }),
  )
})
