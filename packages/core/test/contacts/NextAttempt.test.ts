import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type CountryHours, isCallable, type ZoneHours } from "../../src/callees/rules/CalleeHours.ts"
import { untouched } from "../../src/contacts/rules/ContactProgress.ts"
import type { Contact } from "../../src/contacts/rules/Contact.ts"
import { nextAttemptAt } from "../../src/contacts/rules/NextAttempt.ts"
import { fromWorkingHours, isOpen, type WorkingHours, weekdays } from "../../src/dispatch/rules/CallingWindow.ts"
import { followUpPolicyDefaults } from "../../src/dispatch/rules/FollowUpPlan.ts"
import { sampleBatch, sampleCampaign } from "../../src/testing/Samples.ts"
import { Result } from "effect"

const minute = 60_000
const day = 24 * 60 * minute

const at = (text: string): number => Date.parse(text)

const organization = "org_hours"

const campaign = sampleCampaign(organization, {
  timezone: "UTC",
  status: "active",
  start_time: null,
  end_time: null,
  working_hours: {},
  working_hours_enforced: false,
  follow_up_policy: { ...followUpPolicyDefaults, enabled: true, next_working_day_only: true },
})

const batch = sampleBatch(organization, {
  campaign_id: campaign.campaign_id,
  status: "in_progress",
  follow_up_policy: null,
})

const waiting = (changes: Partial<Contact>): Contact => ({ ...untouched(batch, "con_hours_0", 0), ...changes })

const week = (weekday: ReadonlyArray<readonly [number, number]>, weekend = weekday): CountryHours => ({
  days: weekdays.map((_, nth) => (nth < 5 ? weekday : weekend).map(([start, end]) => ({ start, end }))),
  holidays: [{ kind: "yearly", month: 12, day: 25 }],
})

const inParis = (hours: CountryHours): ReadonlyArray<ZoneHours> => [{ timezone: "Europe/Paris", hours }]

describe("a retry in callee hours and campaign hours", () => {
  const window: fc.Arbitrary<readonly [number, number]> = fc
    .tuple(fc.integer({ min: 0, max: 1380 }), fc.integer({ min: 30, max: 900 }))
    .map(([start, length]) => [start, Math.min(1439, start + length)])
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
  const zone = fc.constantFrom("Europe/Paris", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")

  it("is due at the first minute at which both are open", () => {
    const moment = fc.integer({ min: 0, max: 5 * 1440 }).map((minutes) => at("2026-10-22T00:00:00Z") + minutes * minute)
    const facts = fc.record({
      window,
      own: fc.array(window, { minLength: 1, maxLength: 1 }),
      zones: fc.uniqueArray(zone, { minLength: 1, maxLength: 2 }),
      enforced: fc.boolean(),
      only: fc.boolean(),
      moment,
      timezone: zone,
    })
    fc.assert(
      fc.property(facts, ({ enforced, moment, only, own, timezone, window: [start, end], zones }) => {
        const working_hours: WorkingHours = Object.fromEntries(
          weekdays.slice(0, 6).map((each) => [each, { start: clock(start), end: clock(end) }]),
        )
        const ours = { ...campaign, timezone, working_hours, working_hours_enforced: enforced }
        const callee = zones.map((each) => ({ timezone: each, hours: week(own, []) }))
        const contact = waiting({ status: "retry_scheduled", eligible_at: moment, in_hours_only: only })
        const hours = Result.getOrThrow(fromWorkingHours(timezone, working_hours))
        const isDue = (time: number) => isCallable(callee, time) && (!(enforced || only) || isOpen(hours, time))
        const first = Array.from({ length: 8 * 1440 }, (_, nth) => moment + nth * minute).find(isDue)
        const found = nextAttemptAt({ contact, batch, campaign: ours }, moment - 5 * minute, callee)
        if (first !== undefined) expect(found).toBe(first)
        else expect(found === null || found >= moment + 8 * day).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it("is due as it was where nothing binds its callee", () => {
    const contact = waiting({ status: "retry_scheduled", eligible_at: at("2026-11-28T03:00:00Z") })
    expect(nextAttemptAt({ contact, batch, campaign }, 0)).toBe(at("2026-11-28T03:00:00Z"))
    expect(nextAttemptAt({ contact, batch, campaign }, 0, [])).toBe(at("2026-11-28T03:00:00Z"))
  })
})

describe("a follow-up on the next working day", () => {
  const followUp = (ended: string) =>
    waiting({
      status: "follow_up_scheduled",
      in_hours_only: true,
      last_ended_at: at(ended),
      eligible_at: at(ended) + day,
    })
  const due = (ended: string, callee: ReadonlyArray<ZoneHours>) => {
    const found = nextAttemptAt({ contact: followUp(ended), batch, campaign }, at(ended), callee)
    return found === null ? null : new Date(found).toISOString().slice(0, 16)
  }
  const daily: ReadonlyArray<readonly [number, number]> = [[600, 1200]]

  it("is not on a holiday of its callee", () => {
    expect(due("2026-12-24T12:00:00Z", inParis(week(daily, [])))).toBe("2026-12-28T09:00")
    expect(due("2026-12-24T12:00:00Z", [])).toBe("2026-12-25T12:00")
  })

  it("is not on a weekend either, where its callee may be called then", () => {
    // The callee's next opening is on Saturday at nine; on Monday it is open at that time as well.
    expect(due("2026-12-24T12:00:00Z", inParis(week(daily)))).toBe("2026-12-28T09:00")
    expect(due("2026-12-24T12:00:00Z", inParis(week([[900, 1200]], daily)))).toBe("2026-12-28T14:00")
  })

  it("is never, and that is soon said, where its callee may be called on weekends only", () => {
    expect(due("2026-12-24T12:00:00Z", inParis(week([], daily)))).toBeNull()
  })

  it("may lie further ahead than callee hours are looked for", () => {
    const cooldown_minutes = 90 * 1440
    const ours = { ...campaign, follow_up_policy: { ...campaign.follow_up_policy, cooldown_minutes } }
    const contact = followUp("2026-06-01T12:00:00Z")
    const found = nextAttemptAt(
      { contact, batch, campaign: ours },
      at("2026-06-01T12:00:00Z"),
      inParis(week(daily, [])),
    )
    // Ninety days later is Sunday, 30 August.
    expect(new Date(found ?? 0).toISOString()).toBe("2026-08-31T12:00:00.000Z")
  })
})
