import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { addedWords, logged } from "../../src/campaigns/steps/CampaignLog.ts"
import { discard } from "../../src/engine/rules/Outcome.ts"
import { limits } from "../../src/Limits.ts"
import { sampleBatch } from "../../src/testing/Samples.ts"
import { campaigning, type Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000

const entries = (test: Campaigning, id: string) =>
  Effect.map(
    test.campaigns((campaigns) => campaigns.log(organizationId, id, { page: 1, page_size: 100 })),
    ({ items }) => items.toReversed(),
  )

const told = (test: Campaigning, id: string) =>
  Effect.map(entries(test, id), (all) => all.map(({ event, level }) => `${level} ${event}`))

describe("the log of a campaign", () => {
  it("has the next number, and lets the oldest entry go where there are as many as are kept", () => {
    const campaign = { campaign_id: "cmp_a", organization_id: "org_a" }
    const words = addedWords({ caller }, sampleBatch("org_a", { total_contacts: 1 }))
    fc.assert(
      fc.property(fc.nat(3 * limits.campaignLogEntries), fc.nat(), (last, now) => {
        const [entry, gone] = logged({ ...campaign, last }, words, now)
        assert.deepNestedInclude(entry, {
          put: "campaign_entry",
          before: null,
          row: { ...campaign, ...words, number: last + 1, at: now, revision: 1 },
        })
        const id = `cmp_a:${last + 1 - limits.campaignLogEntries}`
        const expected = discard("campaign_entry", id)
        assert.deepStrictEqual(gone, last < limits.campaignLogEntries ? undefined : expected)
      }),
    )
  })

  it.effect("tells what was asked for, by whom, without a word of those who are called", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create(contactsOf(2), { start_time: epoch + 60 * minute })
      const steer = (verb: "pause" | "resume" | "cancel" | "revive") =>
        test.campaigns((campaigns) => campaigns[verb](caller, campaign_id))
      const intake = { contacts: contactsOf(3, 10), file_name: "a.csv" }
      yield* test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake))
      yield* steer("pause")
      yield* steer("pause")
      yield* steer("resume")
      yield* steer("resume")
      yield* test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, { name: "Other", metadata: {} }))
      yield* test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, { name: "Other", timezone: "UTC" }))
      yield* steer("cancel")
      yield* Effect.flip(steer("cancel"))
      yield* steer("revive")
      yield* steer("cancel")
      yield* test.campaigns((campaigns) => campaigns.remove(caller, campaign_id))
      assert.deepStrictEqual(
        yield* told(test, campaign_id),
        ["created", "contacts_added", "contacts_added", "paused", "resumed"]
          .concat("edited", "stopped", "revived", "stopped", "archived")
          .map((event) => `info ${event}`),
      )
      const all = yield* entries(test, campaign_id)
      assert.deepStrictEqual(
        all.map(({ number }) => number),
        all.map((_, nth) => nth + 1),
      )
      const actor = { type: "api_key", key_id: caller.key.key_id }
      for (const { details } of all) assert.deepStrictEqual(details["actor"], actor)
      assert.deepInclude(all[2]?.details, { contacts: 3 })
      assert.deepInclude(all[3]?.details, { was: "created", status: "paused" })
      assert.deepInclude(all[5]?.details, { fields: ["name", "metadata"], was: "active", status: "active" })
      assert.notInclude(JSON.stringify(all), contactsOf(1)[0]?.to_number ?? "")
    }),
  )

  it.effect("tells how it ended by itself", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const done = yield* test.create(contactsOf(1))
      yield* test.world.advance(10 * minute)
      assert.deepStrictEqual((yield* told(test, done.campaign_id)).at(-1), "info completed")
      const late = yield* test.create(contactsOf(2), {
        start_time: epoch + 30 * 24 * 60 * minute,
        end_time: epoch + 31 * 24 * 60 * minute,
      })
      yield* test.campaigns((campaigns) => campaigns.pause(caller, late.campaign_id))
      yield* test.world.advance(32 * 24 * 60 * minute)
      yield* test.campaigns((campaigns) => campaigns.resume(caller, late.campaign_id))
      yield* test.world.advance(minute)
      assert.deepStrictEqual((yield* told(test, late.campaign_id)).slice(-2), ["info resumed", "warning expired"])
      const [last] = (yield* entries(test, late.campaign_id)).slice(-1)
      assert.deepStrictEqual(last?.details, {
        actor: { type: "system", key_id: null },
        was: "active",
        status: "expired",
        unfinished_batches: 1,
      })
    }),
  )

  it.effect("tells that it completed where it goes on and nothing is left to do", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 120))
      const goesOn = function* (id: string, event: string) {
        assert.strictEqual((yield* test.find(id)).status, "completed")
        const [moved, done] = (yield* entries(test, id)).slice(-2)
        assert.deepNestedInclude(moved, { event, "details.status": "active" })
        assert.deepInclude(done, {
          number: (moved?.number ?? 0) + 1,
          event: "completed",
          details: { actor: { type: "system", key_id: null }, was: "active", status: "completed" },
        })
      }
      const paused = yield* test.create(contactsOf(1))
      yield* test.world.advance(minute)
      yield* test.campaigns((campaigns) => campaigns.pause(caller, paused.campaign_id))
      yield* test.world.advance(10 * minute)
      yield* test.campaigns((campaigns) => campaigns.resume(caller, paused.campaign_id))
      yield* goesOn(paused.campaign_id, "resumed")
      const late = yield* test.create(contactsOf(1, 1), { end_time: test.world.now + minute })
      yield* test.world.advance(10 * minute)
      assert.strictEqual((yield* entries(test, late.campaign_id)).at(-1)?.event, "expired")
      yield* test.campaigns((campaigns) => campaigns.patch(caller, late.campaign_id, { end_time: null }))
      yield* goesOn(late.campaign_id, "edited")
    }),
  )

  it.effect("numbers what comes at the same moment, and is read by nobody else", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create([], { start_time: epoch + 60 * minute })
      const added = Array.from({ length: 8 }, (_, nth) =>
        test.campaigns((campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: contactsOf(1, nth), file_name: null }),
        ),
      )
      yield* Effect.all(added, { concurrency: "unbounded" })
      const numbers = (yield* entries(test, campaign_id)).map(({ number }) => number)
      assert.deepStrictEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9])
      const page = { page: 1, page_size: 1 }
      const others = test.campaigns((campaigns) => campaigns.log("org_other", campaign_id, page))
      assert.strictEqual((yield* Effect.flip(others))._tag, "NotFound")
    }),
  )
})
