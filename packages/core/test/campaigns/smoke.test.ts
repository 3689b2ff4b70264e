import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Campaigns } from "@carillon/core"
import { agentId, caller, organizationId, World } from "../world/World.ts"

describe("a campaign", () => {
  it.effect("dials all and completes", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const campaigns = yield* world.run(Campaigns)
      const made = yield* world.run(
        campaigns.create(caller, { name: "a", agent_id: agentId }, {
          contacts: Array.from({ length: 50 }, (_, n) => ({ to_number: `+1555555${1000 + n}`, variables: { n } })),
          file_name: null,
        }),
      )
      assert.strictEqual(made.status, "created")
      yield* world.advance(0)
      assert.strictEqual(world.dials.length, 20)
      yield* world.advance(60_000)
      console.log(yield* world.run(campaigns.stats(organizationId, made.campaign_id)))
      console.log(yield* world.run(campaigns.find(organizationId, made.campaign_id)))
      console.log(yield* world.run(campaigns.explain(organizationId, made.campaign_id)))
    }),
  )
})
