import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { callStatuses, isTerminal } from "../../src/calls/rules/CallStatus.ts"
import {
  isOpen,
  localDay,
  weekdayOf,
  type CampaignHours,
  type WeeklyWindow,
} from "../../src/dispatch/rules/CallingWindow.ts"
import {
  followUpDue,
  followUpPolicyDefaults,
  followUpTriggers,
  planFollowUp,
  type ClosingAttempt,
  type FollowUpPolicy,
  type FollowUpTrigger,
} from "../../src/dispatch/rules/FollowUpPlan.ts"
import { wallTime } from "../../src/dispatch/rules/ZoneOffsets.ts"

const minute = 60_000
const day = 86_400_000

const nineToFive = (timezone: string, days: ReadonlyArray<number>): WeeklyWindow => ({
  timezone,
  days: [0, 1, 2, 3, 4, 5, 6].map((each) => (days.includes(each) ? { start: 540, end: 1020 } : null)),
})
const noHours = (timezone: string): CampaignHours => ({ window: { timezone, days: [] }, enforced: false })

const failureStatuses = ["failed", "busy", "no-answer", "error", "call-disconnected"]

const attempt: fc.Arbitrary<ClosingAttempt> = fc.record({
  status: fc.constantFrom(...callStatuses.filter(isTerminal)),
  answered_by_voicemail: fc.boolean(),
  ended_at: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 1) }),
  follow_ups_used: fc.nat(4),
  is_follow_up: fc.boolean(),
  unknown_outcome: fc.boolean(),
})

const enabled: fc.Arbitrary<FollowUpPolicy> = fc.record({
  enabled: fc.constant(true),
  max_attempts: fc.integer({ min: 1, max: 4 }),
  cooldown_minutes: fc.nat(5000),
  triggers: fc.uniqueArray(fc.constantFrom(...followUpTriggers)),
  next_working_day_only: fc.boolean(),
  follow_up_agent_id: fc.constant(null),
  follow_up_prompt: fc.constant(null),
  follow_up_extra_logic: fc.constant(null),
})

const timezone = fc.constantFrom("America/New_York", "Asia/Kolkata", "Pacific/Apia", "UTC")

const hours: fc.Arbitrary<CampaignHours> = fc.record({
  window: fc.tuple(timezone, fc.subarray([0, 1, 2, 3, 4, 5, 6])).map(([zone, days]) => nineToFive(zone, days)),
  enforced: fc.boolean(),
})

const closing = (given: Partial<ClosingAttempt> = {}): ClosingAttempt => ({
  status: "no-answer",
  answered_by_voicemail: false,
  ended_at: Date.parse("2026-01-09T15:00:00Z"),
  follow_ups_used: 0,
  is_follow_up: false,
  unknown_outcome: false,
  ...given,
})

const oneDayLater: FollowUpPolicy = { ...followUpPolicyDefaults, enabled: true }

describe("planFollowUp", () => {
  it("does nothing by default", () => {
    fc.assert(
      fc.property(attempt, hours, (ended, when) => {
        expect(planFollowUp(followUpPolicyDefaults, ended, when)).toEqual({ follow_up: false, because: "disabled" })
      }),
    )
  })

  it("follows up once, a day later, after the retries are spent, once enabled", () => {
    const due = Date.parse("2026-01-10T15:00:00Z")
    expect(planFollowUp(oneDayLater, closing(), noHours("UTC"))).toEqual({
      follow_up: true,
      attempt_number: 1,
      trigger: "after_retries_exhausted",
      earliest_at: due,
      due_at: due,
    })
    expect(planFollowUp(oneDayLater, closing({ follow_ups_used: 1, is_follow_up: true }), noHours("UTC"))).toEqual({
      follow_up: false,
      because: "exhausted",
    })
  })

  it("knows which outcome pulls which trigger", () => {
    const pulls = (trigger: FollowUpTrigger, given: Partial<ClosingAttempt>): boolean =>
      planFollowUp({ ...oneDayLater, triggers: [trigger] }, closing(given), noHours("UTC")).follow_up
    const pulled = (given: Partial<ClosingAttempt>): ReadonlyArray<FollowUpTrigger> =>
      followUpTriggers.filter((trigger) => pulls(trigger, given))
    expect(pulled({ status: "completed" })).toEqual(["completed"])
    expect(pulled({ status: "no-answer" })).toEqual(["after_retries_exhausted", "no_answer"])
    expect(pulled({ status: "no-answer", answered_by_voicemail: true })).toEqual([
      "after_retries_exhausted",
      "no_answer",
      "voicemail",
    ])
    expect(pulled({ status: "busy" })).toEqual(["after_retries_exhausted", "busy"])
    for (const status of ["failed", "error", "call-disconnected"] as const) {
      expect(pulled({ status })).toEqual(["after_retries_exhausted", "failed"])
    }
    for (const status of ["stopped", "canceled", "balance-low"] as const) expect(pulled({ status })).toEqual([])
  })

  it("names the first of the policy's triggers that matches", () => {
    const triggers: ReadonlyArray<FollowUpTrigger> = ["completed", "voicemail", "no_answer", "after_retries_exhausted"]
    const plan = planFollowUp({ ...oneDayLater, triggers }, closing({ answered_by_voicemail: true }), noHours("UTC"))
    expect(plan).toMatchObject({ trigger: "voicemail" })
  })

  it("never follows a dial of unknown outcome, exceeds max_attempts, or goes on after a completed follow-up", () => {
    fc.assert(
      fc.property(enabled, attempt, hours, (policy, ended, when) => {
        const plan = planFollowUp(policy, ended, when)
        if (!plan.follow_up) return
        expect(ended.unknown_outcome).toBe(false)
        expect(plan.attempt_number).toBe(ended.follow_ups_used + 1)
        expect(plan.attempt_number).toBeLessThanOrEqual(policy.max_attempts)
        expect(plan.earliest_at).toBe(ended.ended_at + policy.cooldown_minutes * minute)
        if (ended.is_follow_up) expect(failureStatuses).toContain(ended.status)
      }),
      { numRuns: 1000 },
    )
  })

  it("comes again, whatever the triggers, until one is completed or all are spent", () => {
    const policy: FollowUpPolicy = { ...oneDayLater, max_attempts: 3, triggers: ["completed"] }
    const after = (status: ClosingAttempt["status"], follow_ups_used: number) =>
      planFollowUp(policy, closing({ status, follow_ups_used, is_follow_up: follow_ups_used > 0 }), noHours("UTC"))
    expect(after("completed", 0)).toMatchObject({ follow_up: true, attempt_number: 1, trigger: "completed" })
    expect(after("busy", 1)).toMatchObject({ follow_up: true, attempt_number: 2, trigger: null })
    expect(after("error", 2)).toMatchObject({ follow_up: true, attempt_number: 3, trigger: null })
    expect(after("no-answer", 3)).toEqual({ follow_up: false, because: "exhausted" })
    expect(after("completed", 1)).toEqual({ follow_up: false, because: "not_a_trigger" })
    expect(after("stopped", 1)).toEqual({ follow_up: false, because: "not_a_trigger" })
  })
})

describe("followUpDue", () => {
  const nextDay = { next_working_day_only: true }
  const anyDay = { next_working_day_only: false }
  const shown = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString().slice(0, 16))
  const friday = Date.parse("2026-01-09T15:00:00Z")

  it("keeps the time of day and passes over the weekend where there are no hours", () => {
    const due = (earliest: number): string | null => shown(followUpDue(nextDay, earliest, friday, noHours("UTC")))
    expect(due(friday + day)).toBe("2026-01-12T15:00")
    expect(due(friday + 60 * minute)).toBe("2026-01-12T16:00")
    expect(due(friday + 4 * day)).toBe("2026-01-13T15:00")
  })

  it("counts days in the campaign's zone, across a change of the clocks too", () => {
    const fridayNight = Date.parse("2026-03-07T03:30:00Z")
    expect(shown(followUpDue(nextDay, fridayNight + day, fridayNight, noHours("America/New_York")))).toBe(
      "2026-03-10T02:30",
    )
    expect(shown(followUpDue(nextDay, fridayNight + day, fridayNight, noHours("UTC")))).toBe("2026-03-09T03:30")
  })

  it("takes the days with hours for working days", () => {
    const window = nineToFive("UTC", [4, 5])
    for (const enforced of [true, false]) {
      const due = (earliest: number): string | null =>
        shown(followUpDue(nextDay, earliest, friday, { window, enforced }))
      expect(due(friday + 10 * minute)).toBe("2026-01-10T09:00")
      expect(due(friday + day)).toBe("2026-01-10T15:00")
      expect(due(friday + 2 * day)).toBe("2026-01-16T09:00")
    }
  })

  it("binds to enforced hours without next_working_day_only, and to no others", () => {
    const window = nineToFive("UTC", [0, 1, 2, 3, 4])
    expect(shown(followUpDue(anyDay, friday + day, friday, { window, enforced: true }))).toBe("2026-01-12T09:00")
    expect(shown(followUpDue(anyDay, friday + 10 * minute, friday, { window, enforced: true }))).toBe(
      "2026-01-09T15:10",
    )
    expect(shown(followUpDue(anyDay, friday + day, friday, { window, enforced: false }))).toBe("2026-01-10T15:00")
    expect(followUpDue(anyDay, friday, friday, { window: { timezone: "UTC", days: [] }, enforced: true })).toBeNull()
  })

  it("is never early, in hours that bind, and with next_working_day_only on a later working day", () => {
    fc.assert(
      fc.property(hours, fc.boolean(), fc.nat(6000), attempt, (when, next_working_day_only, minutes, { ended_at }) => {
        const { window, enforced } = when
        const earliest = ended_at + minutes * minute
        const due = followUpDue({ next_working_day_only }, earliest, ended_at, when)
        const workingDays = window.days.flatMap((each, index) => (each === null ? [] : [index]))
        if (due === null) {
          expect(enforced && workingDays.length === 0).toBe(true)
          return
        }
        expect(due).toBeGreaterThanOrEqual(earliest)
        if (enforced) expect(isOpen(window, due)).toBe(true)
        if (!next_working_day_only) return
        expect(localDay(window.timezone, due)).toBeGreaterThan(localDay(window.timezone, ended_at))
        const working = workingDays.length > 0 ? workingDays : [0, 1, 2, 3, 4]
        expect(working).toContain(weekdayOf(localDay(window.timezone, due)))
        // Where the clocks change, a kept time of day may fall into what they skip.
        if (workingDays.length === 0 && window.timezone !== "America/New_York") {
          expect(wallTime(window.timezone, due) % day).toBe(wallTime(window.timezone, earliest) % day)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
