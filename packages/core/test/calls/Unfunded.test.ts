import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"

const hour = 3_600_000
const withoutFunds = { outcome: { _tag: "Refused", kind: "insufficient_funds" } } as const

describe("a call that the carrier refuses for lack of funds", () => {
  it.effect("is 402 where it was dialled directly: its record stays, and no webhook tells of it", () =>
    Effect.gen(function* () {
      const { world } = yield* campaigning(() => withoutFunds)
      const refused = yield* Effect.flip(world.placed())
      assert.strictEqual(refused._tag, "InsufficientCredits")
      assert.deepInclude(world.calls()[0], {
        status: "balance-low",
        hangup_reason: "balance_low",
        error: null,
        dial: "refused",
      })
      assert.deepStrictEqual(
        world.commits.flatMap(({ events }) => events),
        [],
      )
      const [entry] = world.commits.flatMap(({ audit }) => audit.filter(({ action }) => action === "call.create"))
      assert.deepInclude(entry, { outcome: "allowed", http_status: 402, error_code: 1400 })
    }),
  )

  it.effect("ends its contact once, without a retry, and the others are dialled", () =>
    Effect.gen(function* () {
      let first: string | null = null
      const test = yield* campaigning(({ to_number }) => {
        first ??= to_number
        return to_number === first ? withoutFunds : ending("completed")
      })
      const policy = { retry_policy: { max_retries: 3, base_delay_minutes: 1 } }
      const { campaign_id } = yield* test.create(contactsOf(3), policy)
      yield* test.world.advance(hour)
      const contacts = yield* test.contacts(campaign_id)
      assert.deepStrictEqual(
        contacts.map(({ attempts, last_status, status }) => ({ attempts, last_status, status })),
        [
          { attempts: 1, last_status: "balance-low", status: "failed" },
          { attempts: 1, last_status: "completed", status: "completed" },
          { attempts: 1, last_status: "completed", status: "completed" },
        ],
      )
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      const told = test.world.commits.flatMap(({ events }) => events).filter(({ type }) => type === "call_completed")
      assert.strictEqual(told.length, 3)
    }),
  )
})
