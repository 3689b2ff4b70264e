import { assert, describe, it } from "@effect/vitest"
import type { CampaignExplanation } from "@carillon/core"
import { type BlockingReason, CallingWindow, type CampaignBody } from "@carillon/core/domain"
import { Effect } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { Campaigning, campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { agent, agentId, caller, organization, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

const explained = (test: Campaigning, campaignId: string) =>
  test.campaigns((campaigns) => campaigns.explain(organizationId, campaignId))

/** The reason's entry: how many contacts, and until when. */
const blockedBy = ({ blocking }: CampaignExplanation, reason: BlockingReason) =>
  blocking.find((each) => each.reason === reason)

const emptyWallet = (world: World): void => world.setBalance(0)

const leave = (world: World, id: string): void => {
  const row = world.tables.agents.find(organizationId, id)
  assert(row !== undefined)
  world.write({ put: "agent", row: { ...row, status: "INACTIVE", revision: row.revision + 1 } })
}

/** Ten are reached, and two are busy. */
const mostlyReached = ({ contact_id }: { readonly contact_id: string | null }) =>
  ending(/_[ab]$/.test(contact_id ?? "") ? "busy" : "completed")

/** A campaign of which only planned calls are left. */
const onlyPlanned = Effect.fnUntraced(function* (body: CampaignBody) {
  const test = yield* campaigning(mostlyReached)
  test.world.write({ put: "agent", row: { ...agent, agent_id: "agt_closer", revision: 1 } })
  const { campaign_id } = yield* test.create(contactsOf(12), body)
  yield* test.world.advance(2 * minute)
  return { test, campaign_id }
})

const tomorrow: CampaignBody = { retry_policy: { max_retries: 1, base_delay_minutes: 24 * 60 } }

describe("an estimated finish", () => {
  it.effect("does not come before a retry that is planned for tomorrow", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* onlyPlanned(tomorrow)
      const { at, estimated_finish_at, no_estimate_reason } = yield* explained(test, campaign_id)
      const contacts = yield* test.contacts(campaign_id)
      const planned = contacts.flatMap(({ next_attempt_at }) => next_attempt_at ?? [])
      assert.lengthOf(planned, 2)
      assert.isAbove(Math.min(...planned), at + 23 * hour)
      assert.isAbove(estimated_finish_at ?? 0, Math.max(...planned))
      assert.isBelow(estimated_finish_at ?? 0, Math.max(...planned) + minute)
      assert.isNull(no_estimate_reason)
    }),
  )

  it.effect("counts who was reached already and is followed up tomorrow", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* onlyPlanned({
        retry_policy: { max_retries: 0 },
        follow_up_policy: { enabled: true, triggers: ["completed"], cooldown_minutes: 24 * 60 },
      })
      const { at, estimated_finish_at } = yield* explained(test, campaign_id)
      assert.isAbove(estimated_finish_at ?? 0, at + 23 * hour)
    }),
  )

  it.effect("does not come before a working day for which follow-ups wait in a campaign without hours", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* onlyPlanned({
        retry_policy: { max_retries: 0 },
        // From a Monday to a Saturday.
        follow_up_policy: {
          enabled: true,
          triggers: ["busy"],
          cooldown_minutes: 5 * 24 * 60,
          next_working_day_only: true,
        },
      })
      const { at, estimated_finish_at } = yield* explained(test, campaign_id)
      const planned = (yield* test.contacts(campaign_id)).flatMap(({ next_attempt_at }) => next_attempt_at ?? [])
      assert.isAbove(Math.min(...planned), at + 6 * 24 * hour)
      assert.isAbove(estimated_finish_at ?? 0, Math.max(...planned))
    }),
  )

  it.effect("is not told while somebody has to act first, whose contacts wait until tomorrow: the reason is", () =>
    Effect.gen(function* () {
      const follow_up_agent_id = "agt_closer"
      const cases: ReadonlyArray<readonly [BlockingReason, CampaignBody, (world: World) => void]> = [
        ["wallet", tomorrow, emptyWallet],
        ["agent_inactive", tomorrow, (world) => leave(world, agentId)],
        [
          "agent_inactive",
          {
            retry_policy: { max_retries: 0 },
            follow_up_policy: { enabled: true, triggers: ["busy"], cooldown_minutes: 24 * 60, follow_up_agent_id },
          },
          (world) => leave(world, follow_up_agent_id),
        ],
      ]
      for (const [reason, body, stop] of cases) {
        const { campaign_id, test } = yield* onlyPlanned(body)
        assert.isNotNull((yield* explained(test, campaign_id)).estimated_finish_at)
        stop(test.world)
        const { estimated_finish_at, no_estimate_reason } = yield* explained(test, campaign_id)
        assert.deepStrictEqual([estimated_finish_at, no_estimate_reason], [null, reason])
      }
    }),
  )

  it.effect("says why it is not told: too few calls, a pause, the campaign's end, nothing left", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create(contactsOf(100), { max_concurrent_calls: 2 })
      const reason = Effect.map(explained(test, campaign_id), ({ no_estimate_reason }) => no_estimate_reason)
      assert.strictEqual(yield* reason, "too_few_calls")
      yield* test.world.advance(2 * minute)
      assert.isNull(yield* reason)
      const patch = (end_time: number | null) =>
        test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, { end_time }))
      yield* patch(test.world.now + minute)
      assert.strictEqual(yield* reason, "end_comes_first")
      yield* patch(null)
      yield* test.campaigns((campaigns) => campaigns.pause(caller, campaign_id))
      assert.strictEqual(yield* reason, "paused")
      yield* test.campaigns((campaigns) => campaigns.cancel(caller, campaign_id))
      assert.strictEqual(yield* reason, "finished")
    }),
  )

  const enforced = (of: number, per_agent: number | null) => ({ organization: of, per_agent, enforced: true })
  const other = "agt_other"

  for (const [what, lines, campaigns] of [
    ["an agent that has one of ten", enforced(10, 1), [{ contacts: 40 }]],
    ["an agent that two campaigns ask for", enforced(10, 2), [{ contacts: 40 }, { contacts: 40 }]],
    ["its share beside three alike", enforced(4, null), [60, 60, 60, 60].map((contacts) => ({ contacts }))],
    [
      "its share beside three that are done soon",
      enforced(4, null),
      [120, 12, 12, 12].map((contacts) => ({ contacts })),
    ],
    ["its share beside a longer one", enforced(6, null), [{ contacts: 40 }, { contacts: 200 }]],
    [
      "what a campaign with a ceiling of its own leaves",
      enforced(6, null),
      [{ contacts: 100 }, { contacts: 100, most: 1 }],
    ],
    ["what an agent of others leaves", enforced(6, 4), [{ contacts: 100 }, { contacts: 100, agent_id: other }]],
  ] as const) {
    it.effect(`goes by the lines that the campaign can have: ${what}`, () =>
      Effect.gen(function* () {
        const world = new World({
          organization: { concurrency: lines },
          rows: [{ put: "agent", row: { ...agent, agent_id: other, revision: 1 } }],
          script: () => ending("completed", 60),
        })
        yield* world.start()
        const test = new Campaigning(world)
        const made: Array<string> = []
        for (const [nth, { contacts, ...of }] of campaigns.entries()) {
          const { agent_id = agentId, most }: { readonly agent_id?: string; readonly most?: number } = of
          const body = { agent_id, ...(most === undefined ? {} : { max_concurrent_calls: most }) }
          made.push((yield* test.create(contactsOf(contacts, 1_000 * nth), body)).campaign_id)
        }
        const [campaignId = ""] = made
        while ((yield* explained(test, campaignId)).no_estimate_reason === "too_few_calls") yield* world.advance(minute)
        const { at, estimated_finish_at } = yield* explained(test, campaignId)
        while ((yield* test.find(campaignId)).status !== "completed") yield* world.advance(minute)
        const real = world.now - at
        assert.approximately((estimated_finish_at ?? 0) - at, real, 0.1 * real + 2 * minute)
      }),
    )
  }

  it.effect("is not told while other tenants have all lines of the platform", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* onlyPlanned(tomorrow)
      assert.isNotNull((yield* explained(test, campaign_id)).estimated_finish_at)
      test.world.write({ put: "platform", row: { platform_id: "platform", revision: 1, concurrency: 1 } })
      const stranger = { ...caller, organization_id: "org_stranger" }
      test.world.write({
        put: "organization",
        row: { ...organization, organization_id: stranger.organization_id, revision: 1 },
      })
      test.world.write({
        put: "agent",
        row: { ...agent, organization_id: stranger.organization_id, agent_id: other, revision: 1 },
      })
      yield* test.world.advance(2 * minute)
      yield* test.campaigns((campaigns) =>
        campaigns.create(stranger, { name: "Strange", agent_id: other }, { contacts: contactsOf(9), file_name: null }),
      )
      yield* test.world.advance(1_500)
      const { estimated_finish_at, no_estimate_reason } = yield* explained(test, campaign_id)
      assert.deepStrictEqual([estimated_finish_at, no_estimate_reason], [null, "platform_lines_full"])
    }),
  )

  /** How a small campaign is made, and what becomes of it. */
  const campaign = fc.record({
    contacts: fc.integer({ min: 10, max: 18 }),
    ends: fc.array(fc.constantFrom("completed", "busy", "no-answer"), { minLength: 1, maxLength: 4 }),
    lines: fc.integer({ min: 1, max: 4 }),
    hours: fc.constantFrom("none", "given", "enforced"),
    retry_policy: fc.record({
      max_retries: fc.nat(2),
      base_delay_minutes: fc.integer({ min: 1, max: 3_000 }),
      respect_working_hours: fc.boolean(),
    }),
    follow_up_policy: fc.record({
      enabled: fc.boolean(),
      triggers: fc.constant(["completed", "after_retries_exhausted"] as const),
      cooldown_minutes: fc.integer({ min: 0, max: 3_000 }),
      next_working_day_only: fc.boolean(),
    }),
    booked: fc.option(fc.integer({ min: 5, max: 5_000 })),
    stop: fc.constantFrom(null, null, emptyWallet, (world: World) => leave(world, agentId)),
    minutes: fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 2, maxLength: 3 }),
  })

  const days = ["monday", "tuesday", "wednesday", "thursday", "friday"] as const
  const working_hours = Object.fromEntries(days.map((day) => [day, { start: "08:00", end: "18:00" }]))

  /** What must be so whenever anybody asks. */
  const judge = Effect.fnUntraced(function* (test: Campaigning, campaignId: string) {
    const { at, estimated_finish_at: finish, no_estimate_reason } = yield* explained(test, campaignId)
    if (finish === null) {
      assert.isString(no_estimate_reason)
      return false
    }
    const planned = (yield* test.contacts(campaignId)).flatMap(({ next_attempt_at }) => next_attempt_at ?? [])
    const booked = test.world.tables.batches
      .unfinished(campaignId)
      .flatMap(({ scheduled_at, status }) => (status === "scheduled" ? (scheduled_at ?? []) : []))
    assert.isAbove(finish, Math.max(at, ...planned, ...booked))
    const row = test.world.tables.campaigns.get(campaignId)
    if (row?.working_hours_enforced === true) {
      const hours = CallingWindow.fromWorkingHours(row.timezone, row.working_hours)
      // A call that is dialled before closing time ends after it.
      assert(hours._tag === "Success")
      assert(CallingWindow.isOpen(hours.success, finish - 1) || CallingWindow.isOpen(hours.success, finish - minute))
    }
    assert.isNull(no_estimate_reason)
    return Math.max(at, ...planned, ...booked) > at + hour
  })

  it.effect("is not told, with a reason, or comes after whatever is planned, in whatever campaign", () =>
    Effect.gen(function* () {
      let told = 0
      yield* law(
        campaign,
        Effect.fnUntraced(function* ({ booked, contacts, ends, hours, lines, minutes, stop, ...policies }) {
          const world = new World({
            organization: { concurrency: { ...organization.concurrency, organization: lines } },
            script: ({ to_number }) => ending(ends[Number(to_number.slice(-2)) % ends.length] ?? "completed"),
          })
          yield* world.start()
          const test = new Campaigning(world)
          const body = hours === "none" ? {} : { working_hours, working_hours_enforced: hours === "enforced" }
          const { campaign_id } = yield* test.create(contactsOf(contacts), { ...policies, ...body })
          if (booked !== null) {
            const scheduled_at = world.now + booked * minute
            const asked = { agent_id: agentId, campaign_id, scheduled_at }
            yield* test.batches((batches) =>
              batches.create(caller, asked, { contacts: contactsOf(3, 50), file_name: null }),
            )
          }
          for (const [nth, some] of minutes.entries()) {
            yield* world.advance(some * minute)
            if (yield* judge(test, campaign_id)) told += 1
            if (nth > 0 || stop === null) continue
            stop(world)
            assert.isNull((yield* explained(test, campaign_id)).estimated_finish_at)
          }
        }, Effect.scoped),
        { numRuns: 12 },
      )
      // Nothing is shown by campaigns that have no estimate.
      assert.isAbove(told, 3)
    }),
  )
})

describe("contacts that wait", () => {
  it.effect(
    "wait for the first of their own kind: those held back by the carrier, and those that are tried again later",
    () =>
      Effect.gen(function* () {
        const test = yield* campaigning(({ to_number }) =>
          to_number === numberOf(0)
            ? ending("busy")
            : { outcome: { _tag: "Refused", kind: "throttled", retryAfterSeconds: 3 } },
        )
        const { campaign_id } = yield* test.create(contactsOf(1), tomorrow)
        yield* test.world.advance(minute)
        yield* test.campaigns((campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: contactsOf(1, 1), file_name: null }),
        )
        yield* test.world.advance(1_000)
        const now = yield* explained(test, campaign_id)
        const untilOf = (reason: BlockingReason) => (blockedBy(now, reason)?.until ?? 0) - now.at
        assert.deepStrictEqual([blockedBy(now, "cooldown")?.contacts, blockedBy(now, "carrier")?.contacts], [1, 1])
        assert.isAbove(untilOf("cooldown"), 23 * hour)
        assert.isAtMost(untilOf("carrier"), minute)
        assert.isAbove(untilOf("carrier"), 0)
      }),
  )
})
