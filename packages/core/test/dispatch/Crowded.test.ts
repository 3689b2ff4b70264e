import { assert, describe, it } from "@effect/vitest"
import { Agents, Experiments, limits } from "@carillon/core"
import { Assignment } from "@carillon/core/domain"
import { Effect } from "effect"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const pct = 60
const count = 540

describe("a challenger that has no line for long", () => {
  it.effect("holds up nobody whom the control agent calls, however many wait for it, and loses nobody", () =>
    Effect.gen(function* () {
      let challenger = ""
      const world = new World({
        script: ({ agent_id }) => ending("completed", agent_id === challenger ? 50 : 10),
        organization: { concurrency: { organization: 20, per_agent: 2, enforced: true } },
      })
      yield* world.start()
      const test = new Campaigning(world)
      const made = yield* world.run(
        Effect.flatMap(Agents, (agents) => agents.create(caller, { display_name: "Challenger", status: "ACTIVE" })),
      )
      challenger = made.agent.agent_id
      const { version_id } = yield* world.run(
        Effect.flatMap(Experiments, (experiments) =>
          experiments.create(caller, agentId, {
            variant_agent_id: challenger,
            version_name: "Voice",
            status: "active",
            variant_traffic_pct: pct,
          }),
        ),
      )
      const { campaign_id } = yield* test.create(contactsOf(count))
      const contacts = yield* test.contacts(campaign_id)
      const ofControl = contacts.filter((contact) => !Assignment.inVariant(version_id, pct, contact)).length
      assert.isAbove(count - ofControl, limits.passedOverContacts + 50)
      // Two lines, calls of eleven seconds each, and a little for whoever is looked at between them.
      yield* world.advance(Math.ceil((ofControl / 2) * 11 * 1.1) * 1_000 + minute)
      const called = test.calls()
      assert.strictEqual(called.filter(({ agent_id }) => agent_id === agentId).length, ofControl)
      assert.isBelow(called.length, count)
      yield* world.advance(((count - ofControl) / 2) * minute)
      assert.deepInclude(yield* test.find(campaign_id), { status: "completed", completed_contacts: count })
      assert.strictEqual(test.calls().length, count)
    }),
  )

  it.effect("holds up nobody who is routed to the control agent again, though others keep it busy", () =>
    Effect.gen(function* () {
      const world = new World({
        script: () => ending("completed", 3_600),
        organization: { concurrency: { organization: 20, per_agent: 2, enforced: true } },
      })
      yield* world.start()
      const test = new Campaigning(world)
      const made = yield* world.run(
        Effect.flatMap(Agents, (agents) => agents.create(caller, { display_name: "Challenger", status: "ACTIVE" })),
      )
      const challenger = made.agent.agent_id
      const { version_id } = yield* world.run(
        Effect.flatMap(Experiments, (experiments) =>
          experiments.create(caller, agentId, {
            variant_agent_id: challenger,
            version_name: "Voice",
            status: "active",
            variant_traffic_pct: 100,
          }),
        ),
      )
      // One campaign has both lines of the challenger; another one that waits for them asks before the last one may.
      yield* test.create(contactsOf(2), { agent_id: challenger })
      yield* world.advance(minute)
      yield* test.create(contactsOf(40, 10), { agent_id: challenger })
      const { campaign_id } = yield* test.create(contactsOf(4, 60))
      yield* world.advance(minute)
      const ofControl = () => test.calls().filter(({ agent_id }) => agent_id === agentId).length
      assert.strictEqual(ofControl(), 0)
      const { blocking } = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(
        blocking.map(({ reason }) => reason),
        ["agent_ceiling"],
      )
      yield* world.run(
        Effect.flatMap(Experiments, (experiments) =>
          experiments.patch(caller, agentId, version_id, { variant_traffic_pct: 0 }),
        ),
      )
      yield* world.advance(limits.dispatchLookMs)
      assert.strictEqual(ofControl(), 2)
    }),
  )
})
