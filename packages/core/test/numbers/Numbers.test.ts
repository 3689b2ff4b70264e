import { assert, describe, it } from "@effect/vitest"
import { Agents, Experiments, Numbers } from "@carillon/core"
import { Effect, Result } from "effect"
import { campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller } from "../../src/testing/world/World.ts"

const phone_number = "+15555550177"

describe("a number that a campaign names", () => {
  it.effect("is given up only once the campaign does not run any more", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const numbers = test.world.service(Numbers)
      const { number } = yield* numbers.register(caller, phone_number, {})
      const { campaign_id } = yield* test.create(contactsOf(30), { phone_numbers: [phone_number] })
      yield* test.world.advance(2_000)
      const release = numbers.release(caller, number.phone_number_id)
      const refused = yield* Effect.result(release)
      assert(Result.isFailure(refused))
      assert.strictEqual(refused.failure._tag, "StateConflict")
      yield* test.campaigns((campaigns) => campaigns.cancel(caller, campaign_id))
      yield* release
    }),
  )
})

describe("an experiment of a campaign's agent", () => {
  it.effect("routes contacts, each with all its attempts to one side", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy"))
      const { agent } = yield* test.world
        .service(Agents)
        .create(caller, { display_name: "Challenger", status: "ACTIVE" })
      const { version_id } = yield* test.world.service(Experiments).create(caller, agentId, {
        version_name: "V",
        variant_agent_id: agent.agent_id,
        variant_traffic_pct: 50,
        status: "active",
      })
      yield* test.create(contactsOf(40), { retry_policy: { max_retries: 1, base_delay_minutes: 1 } })
      yield* test.world.advance(3_600_000)
      const sides = new Map<string, Set<string>>()
      for (const call of test.calls()) {
        assert.strictEqual(call.ab_version_id, version_id)
        assert.strictEqual(call.ab_is_variant, call.agent_id === agent.agent_id)
        const known = sides.get(call.contact_id ?? "") ?? new Set()
        sides.set(call.contact_id ?? "", known.add(call.agent_id))
      }
      assert.strictEqual(test.calls().length, 80)
      assert.isTrue([...sides.values()].every(({ size }) => size === 1))
      assert.strictEqual(new Set([...sides.values()].flatMap((side) => [...side])).size, 2)
    }),
  )
})
