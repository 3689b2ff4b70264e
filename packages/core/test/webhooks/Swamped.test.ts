import { assert, describe, it } from "@effect/vitest"
import { limits, Subscriptions } from "@carillon/core"
import type { Delivery } from "@carillon/core/ports"
import { Effect } from "effect"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

const calls = limits.webhookEndpointInFlight * 2

describe("an endpoint that more deliveries wait for than it has places", () => {
  it.effect("gets the four attempts of each inside two minutes, though every one takes its thirty seconds", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = new World({ script: () => ({ outcome: { _tag: "Refused", kind: "invalid_destination" } }) })
        world.endpoints.react = () => ({ answer: { _tag: "Answered", http_status: 200 }, afterMs: Infinity })
        yield* world.start()
        yield* world.run(
          Effect.flatMap(Subscriptions, (subscriptions) =>
            subscriptions.create(caller, { callback_url: "https://hanging.inbox.test/", agent_id: agentId }),
          ),
        )
        for (let nth = 0; nth < calls; nth++) {
          yield* world.place({ to_number: `+1555555${1000 + nth}` })
          yield* world.advance(1)
        }
        yield* world.advance(15 * 60_000)
        const deliveries = new Map<string, Delivery>()
        for (const { changes } of world.commits) {
          for (const change of changes)
            if (change.put === "delivery") deliveries.set(change.row.delivery_id, change.row)
        }
        assert.strictEqual(deliveries.size, calls)
        for (const { attempts, status } of deliveries.values()) {
          assert.strictEqual(status, "failed")
          const starts = attempts.map(({ started_at }) => started_at - (attempts[0]?.started_at ?? 0))
          assert.deepStrictEqual(starts, [0, 30_000, 60_000, 90_000])
        }
      }),
    ),
  )
})
