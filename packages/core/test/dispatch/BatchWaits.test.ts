import { Agents } from "@carillon/core"
import { type Change, isWaiting } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sampleAgent, samplePhoneNumber } from "../../src/testing/Samples.ts"
import { type Campaigning, campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000

const put = (test: Campaigning, row: Change) => test.world.write(row)

/** A campaign that makes calls, and a batch of it that cannot. */
const twoBatches = Effect.fnUntraced(function* (ofBatch: {
  readonly agent_id?: string
  readonly phone_numbers?: ReadonlyArray<string>
}) {
  const test = yield* campaigning(() => ending("completed", 10))
  put(test, { put: "agent", row: sampleAgent(organizationId, { agent_id: "agt_away", status: "INACTIVE" }) })
  const gone = samplePhoneNumber(organizationId, "+15550009999")
  put(test, { put: "phone_number", row: gone })
  const { campaign_id } = yield* test.create([], { max_concurrent_calls: 1 })
  const { batch_id } = yield* test.batches((batches) =>
    batches.create(
      caller,
      { agent_id: "agt_test", ...ofBatch, campaign_id },
      { contacts: contactsOf(30), file_name: null },
    ),
  )
  put(test, {
    put: "removal",
    organization_id: organizationId,
    kind: "phone_number",
    id: gone.phone_number_id,
    revision: 1,
  })
  yield* test.campaigns((campaigns) =>
    campaigns.append(caller, campaign_id, { contacts: contactsOf(10, 100), file_name: null }),
  )
  return { test, campaign_id, batch_id }
})

const held = (test: Campaigning, batchId: string): number =>
  test.world.tables.contacts
    .rows(batchId, 0, 100)
    .filter(({ contact }) => contact !== null && contact.holds > 0 && isWaiting(contact.status)).length

describe("a batch that cannot call anybody", () => {
  for (const [why, ofBatch] of [
    ["its own agent is away", { agent_id: "agt_away" }],
    ["its own caller ID was given up", { phone_numbers: ["+15550009999"] }],
  ] as const) {
    it.effect(`waits by itself, with few of its contacts held, and holds up no other batch: ${why}`, () =>
      Effect.gen(function* () {
        const { batch_id, campaign_id, test } = yield* twoBatches(ofBatch)
        yield* test.world.advance(3 * minute)
        assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 10)
        assert.isAtLeast(held(test, batch_id), 1)
        assert.isAtMost(held(test, batch_id), 3)
      }),
    )
  }

  it.effect("waits with all others that lack the same agent", () =>
    Effect.gen(function* () {
      const { batch_id, campaign_id, test } = yield* twoBatches({ agent_id: "agt_away" })
      const more = yield* Effect.forEach([1, 2, 3, 4, 5], (nth) =>
        test.batches((batches) =>
          batches.create(
            caller,
            { agent_id: "agt_away", campaign_id },
            { contacts: contactsOf(5, 200 + nth * 10), file_name: null },
          ),
        ),
      )
      yield* test.world.advance(3 * minute)
      const all = [batch_id, ...more.map((batch) => batch.batch_id)]
      assert.isAtMost(
        all.reduce((sum, id) => sum + held(test, id), 0),
        3,
      )
    }),
  )

  it.effect("goes on at once when its agent is back", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* twoBatches({ agent_id: "agt_away" })
      yield* test.world.advance(10 * minute)
      yield* test.world.run(Effect.flatMap(Agents, (agents) => agents.deploy(caller, "agt_away")))
      yield* test.world.advance(8 * minute)
      assert.isAbove((yield* test.stats(campaign_id)).outcome_counts.completed, 35)
    }),
  )
})
