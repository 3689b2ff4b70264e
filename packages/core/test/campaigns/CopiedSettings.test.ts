import { assert, describe, it } from "@effect/vitest"
import { Campaigns, Calls, type EngineError, type JsonObject, limits } from "@carillon/core"
import type { CampaignBody } from "@carillon/core/domain"
import { Effect } from "effect"
import { campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, request } from "../../src/testing/world/World.ts"

/** An object whose JSON takes exactly so many bytes. */
const sized = (name: string, bytes: number): JsonObject => ({ [name]: "x".repeat(bytes - `{"${name}":""}`.length) })

/** A text whose place among the settings takes exactly so many bytes. */
const prompt = (bytes: number): string => "x".repeat(bytes - `{"prompt":""}`.length)

const fieldOf = <A, R>(effect: Effect.Effect<A, EngineError, R>) =>
  Effect.match(effect, {
    onFailure: (error) => (error._tag === "InvalidField" ? error.field : error._tag),
    onSuccess: () => null,
  })

const { callVariablesBytes, contactBytes, copiedBytes } = limits

describe("what a campaign or a batch copies into its calls", () => {
  it.effect("is bounded where it is written, and the field is named", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy"))
      const { campaign_id } = yield* test.create([])
      const cases: ReadonlyArray<readonly [CampaignBody, CampaignBody, string]> = [
        [
          { default_call_variables: sized("a", copiedBytes) },
          { default_call_variables: sized("a", copiedBytes + 1) },
          "default_call_variables",
        ],
        [
          { follow_up_policy: { enabled: true, follow_up_prompt: prompt(copiedBytes) } },
          { follow_up_policy: { follow_up_prompt: prompt(copiedBytes + 1) } },
          "follow_up_policy.follow_up_prompt",
        ],
      ]
      for (const [fits, exceeds, field] of cases) {
        const created = (body: CampaignBody) => test.create(contactsOf(1), body)
        const patched = (body: CampaignBody) =>
          test.campaigns((campaigns: Campaigns["Service"]) => campaigns.patch(caller, campaign_id, body))
        const batched = ({ default_call_variables = null, follow_up_policy = null }: CampaignBody) =>
          test.batches((batches) =>
            batches.create(
              caller,
              { agent_id: agentId, default_call_variables, follow_up_policy },
              { contacts: contactsOf(1), file_name: null },
            ),
          )
        for (const write of [created, patched, batched]) {
          assert.strictEqual(yield* fieldOf<unknown, never>(write(exceeds)), field)
          assert.isNull(yield* fieldOf<unknown, never>(write(fits)))
        }
      }
    }),
  )

  it.effect("keeps the rows of its calls small, whatever is written at every bound", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy"))
      const { campaign_id } = yield* test.create([], {
        default_call_variables: sized("campaign", copiedBytes),
        follow_up_policy: { enabled: true, cooldown_minutes: 1, follow_up_prompt: prompt(copiedBytes) },
        retry_policy: { max_retries: 0 },
      })
      const contacts = [{ to_number: "+15551000000", variables: sized("contact", contactBytes) }]
      yield* test.batches((batches) =>
        batches.create(
          caller,
          { agent_id: agentId, campaign_id, default_call_variables: sized("batch", copiedBytes) },
          { contacts, file_name: null },
        ),
      )
      yield* test.world.advance(600_000)
      const calls = test.calls()
      assert.deepStrictEqual(
        calls.map(({ is_follow_up }) => is_follow_up),
        [false, true],
      )
      for (const call of calls) assert.isBelow(JSON.stringify(call).length, contactBytes + 3 * copiedBytes + 4_096)
    }),
  )
})

describe("the variables of a direct dial", () => {
  it.effect("are bounded together with its metadata", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const placed = (variables: JsonObject, metadata: JsonObject) =>
        test.world.run(fieldOf(Effect.flatMap(Calls, (calls) => calls.place(caller, request({ variables, metadata })))))
      const half = callVariablesBytes / 2
      assert.isNull(yield* placed(sized("a", half - 50), sized("b", half - 50)))
      assert.strictEqual(yield* placed(sized("a", half + 50), sized("b", half)), "variables")
      assert.strictEqual(yield* placed(sized("a", half), sized("b", half + 50)), "metadata")
    }),
  )
})
