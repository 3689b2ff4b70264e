import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agent, agentId, organizationId, type World } from "../../src/testing/world/World.ts"

const minute = 60_000

const setAgent =
  (id: string) =>
  (world: World, isThere: boolean): void => {
    const row = world.tables.agents.get(id)
    assert(row !== undefined)
    const status = isThere ? ("ACTIVE" as const) : ("INACTIVE" as const)
    world.write({ put: "agent", row: { ...row, status, revision: row.revision + 1 } })
  }

const setWallet = (world: World, isThere: boolean): void => world.setBalance(isThere ? 100 : 0)

const closer = "agt_closer"

describe("a contact that was held for what is there again", () => {
  for (const [what, set, reason, follow_up_agent_id] of [
    ["its agent", setAgent(agentId), "agent_inactive", null],
    ["the wallet", setWallet, "wallet", null],
    ["the agent of its follow-up", setAgent(closer), "agent_inactive", closer],
  ] as const) {
    it.effect(`waits for its time, and not for the carrier: ${what}`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(({ is_follow_up }) => ending(is_follow_up ? "completed" : "no-answer"))
        test.world.write({ put: "agent", row: { ...agent, agent_id: closer, revision: 1 } })
        const { campaign_id } = yield* test.create(contactsOf(1), {
          retry_policy: { max_retries: 0 },
          follow_up_policy: { enabled: true, cooldown_minutes: 30, follow_up_agent_id },
        })
        yield* test.world.advance(minute)
        set(test.world, false)
        yield* test.world.advance(32 * minute)
        const reasons = Effect.map(
          test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id)),
          ({ at, blocking }) => blocking.map((each) => [each.reason, each.contacts, (each.until ?? 0) > at]),
        )
        const [held] = yield* reasons
        assert.deepStrictEqual(held?.slice(0, 2), [reason, 1])
        set(test.world, true)
        assert.deepStrictEqual(yield* reasons, [["cooldown", 1, true]])
        yield* test.world.advance(6 * minute)
        assert.lengthOf(test.calls(), 2)
      }),
    )
  }
})
