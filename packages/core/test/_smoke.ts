import { Effect } from "effect"
import { Campaigns } from "@carillon/core"
import { agentId, caller, organizationId, World } from "/work/campaigns/packages/core/test/world/World.ts"
const p = Effect.scoped(Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      console.log("started")
      const campaigns = yield* world.run(Campaigns)
      const made = yield* world.run(
        campaigns.create(caller, { name: "a", agent_id: agentId }, {
          contacts: Array.from({ length: 50 }, (_, n) => ({ to_number: `+1555555${1000 + n}`, variables: { n } })),
          file_name: null,
        }),
      )
      console.log("made")
      yield* world.advance(0)
      console.log(world.dials.length)
      yield* world.advance(60_000)
      console.log(yield* world.run(campaigns.stats(organizationId, made.campaign_id)))
      console.log(yield* world.run(campaigns.find(organizationId, made.campaign_id)))
      console.log(yield* world.run(campaigns.explain(organizationId, made.campaign_id)))
}))
Effect.runPromise(p).catch(console.error)
