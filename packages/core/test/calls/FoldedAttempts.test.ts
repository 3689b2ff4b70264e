import { assert, describe, it } from "@effect/vitest"
import { Calls } from "@carillon/core"
import { Effect } from "effect"
import { campaigning, contactsOf } from "../../src/testing/world/Campaigning.ts"
import { agentId, organizationId, type Script } from "../../src/testing/world/World.ts"

const hour = 3_600_000

/** The carrier loses its state and goes on under another id; then the leg ends. */
const folding = (status: "busy" | "completed"): Script => ({
  end: { status },
  reports: [
    [300, "initiated"],
    [2_000, "recovered"],
    [5_000, "ended"],
    [6_000, "final"],
  ],
})

describe("attempts after one that was folded", () => {
  it.effect("name the record that goes on, and are found by either id", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(({ is_follow_up, retry_count }) =>
        folding(is_follow_up || retry_count < 2 ? "busy" : "completed"),
      )
      const { batch_id } = yield* test.create(contactsOf(1), {
        retry_policy: { max_retries: 2, base_delay_minutes: 1 },
        follow_up_policy: { enabled: true, triggers: ["completed"], cooldown_minutes: 1 },
      })
      yield* test.world.advance(hour)
      const [first, ...others] = test.world.calls()
      assert.isDefined(first)
      if (first === undefined) return
      const [dialled] = test.world.dials
      assert.notStrictEqual(first.execution_id, dialled?.execution_id)
      assert.strictEqual(others.length, 3)
      for (const call of others) assert.strictEqual(call.parent_execution_id, first.execution_id)
      for (const parent_execution_id of [first.execution_id, dialled?.execution_id ?? ""]) {
        const page = { page: 1, page_size: 10 }
        const filter = { parent_execution_id }
        const listed = yield* test.world.run(
          Effect.flatMap(Calls, (calls) =>
            Effect.all([
              calls.page(organizationId, filter, page),
              calls.executionsOf(organizationId, agentId, filter, page),
            ]),
          ),
        )
        const ofBatch = yield* test.batches((batches) =>
          batches.executions(organizationId, batch_id ?? "", filter, page),
        )
        assert.deepStrictEqual(
          [...listed, ofBatch].map(({ total }) => total),
          [3, 3, 3],
        )
      }
    }),
  )
})
