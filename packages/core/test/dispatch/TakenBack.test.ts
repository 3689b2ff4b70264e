import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { organizationId, type Script } from "../../src/testing/world/World.ts"

const minute = 60_000

const refusal: Script = { outcome: { _tag: "Refused", kind: "unreachable" } }

describe("a dial that is taken back", () => {
  it.effect("leaves its batch with somebody who waits for a first dial", () =>
    Effect.gen(function* () {
      let isAway = true
      const test = yield* campaigning(() => (isAway ? refusal : ending("busy", 20)))
      const { batch_id, campaign_id } = yield* test.create(contactsOf(2))
      const batch = test.batches((batches) => batches.find(organizationId, batch_id ?? ""))
      yield* test.world.advance(1_000)
      assert.deepInclude(yield* batch, { status: "in_progress", pending_contacts: 2 })
      assert.deepInclude(yield* test.stats(campaign_id), { contacts_dialled: 0, total_call_attempts: 0 })
      isAway = false
      yield* test.world.advance(minute)
      assert.deepInclude(yield* batch, { status: "dispatched", pending_contacts: 2 })
    }),
  )

  it.effect("is not the contact's last call: the one before it is", () =>
    Effect.gen(function* () {
      let isAway = false
      const test = yield* campaigning(() => (isAway ? refusal : ending("busy", 20)))
      const { campaign_id } = yield* test.create(contactsOf(1), {
        retry_policy: { max_retries: 3, base_delay_minutes: 5 },
      })
      yield* test.world.advance(7 * minute)
      const [, second] = test.calls()
      isAway = true
      yield* test.world.advance(5 * minute)
      const [contact] = yield* test.contacts(campaign_id)
      assert.lengthOf(test.calls(), 2)
      assert(second !== undefined)
      assert.isAbove(test.world.dials.length, 2)
      assert.deepInclude(contact, {
        status: "retry_scheduled",
        last_execution_id: second.execution_id,
        last_status: "busy",
      })
    }),
  )
})
