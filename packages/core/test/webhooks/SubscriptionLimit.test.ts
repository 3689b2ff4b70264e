import { assert, it } from "@effect/vitest"
import { limits, Subscriptions } from "@carillon/core"
import { Effect, Exit } from "effect"
import { Between } from "../../src/testing/world/Between.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const most = limits.subscriptionsPerAgent

/** Creates as many subscriptions as an agent may have but one, and then two, the second in front of the nth operation of the first. */
const raced = Effect.fnUntraced(function* (agent_id: string | null, nth: number) {
  const between = new Between()
  const world = new World({ interpose: between.interpose })
  yield* world.start()
  const create = world.run(
    Effect.flatMap(Subscriptions, (all) =>
      all.create(caller, { agent_id, callback_url: "https://93.184.216.34/hook" }),
    ),
  )
  for (let one = 1; agent_id !== null && one < most; one++) yield* create
  between.arm(nth, Effect.exit(create))
  const first = yield* Effect.exit(create)
  if (!between.disarm()) return false
  const all = world.tables.subscriptions.of(organizationId)
  assert.lengthOf(all, agent_id === null ? 1 : most)
  if (Exit.isFailure(first)) assert.include(String(first.cause), "StateConflict")
  return true
})

for (const agent_id of [agentId, null]) {
  it.effect(
    `of two subscriptions of ${agent_id ?? "no agent"} that come at once where there is room for one, one is had`,
    () =>
      Effect.gen(function* () {
        let nth = 0
        while (yield* Effect.scoped(raced(agent_id, nth))) nth += 1
        // What it reads, and the commit.
        assert.isAtLeast(nth, 2)
      }),
  )
}
