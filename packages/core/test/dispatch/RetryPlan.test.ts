import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { callStatuses, isTerminal, type TerminalCallStatus } from "../../src/calls/rules/CallStatus.ts"
import { firstOpen, isOpen, type CampaignHours, type WeeklyWindow } from "../../src/dispatch/rules/CallingWindow.ts"
import {
  planRetry,
  retryDelayMinutes,
  retryPolicyDefaults,
  type EndedAttempt,
  type RetryPolicy,
} from "../../src/dispatch/rules/RetryPlan.ts"

const minute = 60_000
const weekdaysNineToFive = (timezone: string): WeeklyWindow => ({
  timezone,
  days: [0, 1, 2, 3, 4, 5, 6].map((day) => (day < 5 ? { start: 540, end: 1020 } : null)),
})
const closed: WeeklyWindow = { timezone: "UTC", days: [] }
const noHours: CampaignHours = { window: closed, enforced: false }

const terminal = callStatuses.filter(isTerminal)
const triggers = ["failed", "busy", "no-answer", "error", "call-disconnected"]
const status = fc.constantFrom(...terminal)

const policy: fc.Arbitrary<RetryPolicy> = fc.record({
  max_retries: fc.integer({ min: 0, max: 10 }),
  strategy: fc.constantFrom("fixed_delay" as const, "linear_backoff" as const, "exponential_backoff" as const),
  cooldown_minutes: fc.nat(300),
  base_delay_minutes: fc.nat(300),
  max_delay_minutes: fc.option(fc.nat(2000)),
  respect_working_hours: fc.boolean(),
})

const ended: fc.Arbitrary<EndedAttempt> = fc.record({
  status,
  ended_at: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 1) }),
  retries_used: fc.nat(11),
  is_follow_up: fc.boolean(),
  unknown_outcome: fc.boolean(),
})

const hours: fc.Arbitrary<CampaignHours> = fc.record({
  window: fc.constantFrom(weekdaysNineToFive("America/New_York"), weekdaysNineToFive("Asia/Kolkata"), closed),
  enforced: fc.boolean(),
})

const failed = (retries_used: number, given: Partial<EndedAttempt> = {}): EndedAttempt => ({
  status: "no-answer",
  ended_at: Date.parse("2026-01-05T09:00:00Z"),
  retries_used,
  is_follow_up: false,
  unknown_outcome: false,
  ...given,
})

describe("planRetry", () => {
  it("retries three times, fifteen minutes after each end, by default", () => {
    for (const retries_used of [0, 1, 2]) {
      const due = Date.parse("2026-01-05T09:15:00Z")
      expect(planRetry(retryPolicyDefaults, failed(retries_used), noHours)).toEqual({
        retry: true,
        retry_number: retries_used + 1,
        earliest_at: due,
        due_at: due,
      })
    }
    expect(planRetry(retryPolicyDefaults, failed(3), noHours)).toEqual({ retry: false, because: "exhausted" })
  })

  it("retries exactly the five failures, within one budget, and neither follow-ups nor dials of unknown outcome", () => {
    fc.assert(
      fc.property(policy, ended, hours, (given, attempt, when) => {
        const plan = planRetry(given, attempt, when)
        const expected =
          triggers.includes(attempt.status) &&
          attempt.retries_used < given.max_retries &&
          !attempt.is_follow_up &&
          !attempt.unknown_outcome
        expect(plan.retry).toBe(expected)
        if (plan.retry) expect(plan.retry_number).toBe(attempt.retries_used + 1)
      }),
      { numRuns: 1000 },
    )
  })

  it("makes at most 1 + max_retries attempts whatever the mix of outcomes", () => {
    fc.assert(
      fc.property(policy, fc.array(status, { minLength: 12, maxLength: 12 }), (given, outcomes) => {
        let attempts = 0
        for (const outcome of outcomes) {
          attempts += 1
          if (!planRetry(given, failed(attempts - 1, { status: outcome }), noHours).retry) break
        }
        expect(attempts).toBeLessThanOrEqual(1 + given.max_retries)
      }),
    )
  })

  it("says why there is no retry", () => {
    const because = (attempt: EndedAttempt): string | null => {
      const plan = planRetry(retryPolicyDefaults, attempt, noHours)
      return plan.retry ? null : plan.because
    }
    const reached: ReadonlyArray<TerminalCallStatus> = ["completed", "stopped", "canceled", "balance-low"]
    for (const each of reached) expect(because(failed(0, { status: each }))).toBe("not_a_trigger")
    expect(because(failed(0, { status: "error", unknown_outcome: true }))).toBe("unknown_outcome")
    expect(because(failed(0, { is_follow_up: true }))).toBe("follow_up")
  })

  it("is due after the longer of cooldown and delay, and then in hours that bind", () => {
    fc.assert(
      fc.property(policy, ended, hours, (given, attempt, when) => {
        const plan = planRetry(given, attempt, when)
        if (!plan.retry) return
        const delay = Math.max(given.cooldown_minutes, retryDelayMinutes(given, plan.retry_number))
        expect(plan.earliest_at).toBe(attempt.ended_at + delay * minute)
        const hasHours = when.window !== closed
        if (when.enforced && !hasHours) expect(plan.due_at).toBeNull()
        else if (when.enforced || (hasHours && given.respect_working_hours)) {
          expect(plan.due_at).toBe(firstOpen(when.window, plan.earliest_at))
          expect(isOpen(when.window, plan.due_at!)).toBe(true)
        } else expect(plan.due_at).toBe(plan.earliest_at)
      }),
      { numRuns: 1000 },
    )
  })

  it("waits over a weekend for hours that bind, and only for those", () => {
    const friday = failed(0, { ended_at: Date.parse("2026-01-09T21:50:00Z") })
    const dueIn = (respect_working_hours: boolean, enforced: boolean): string => {
      const window = weekdaysNineToFive("America/New_York")
      const plan = planRetry({ ...retryPolicyDefaults, respect_working_hours }, friday, { window, enforced })
      return plan.retry && plan.due_at !== null ? new Date(plan.due_at).toISOString() : "never"
    }
    expect(dueIn(true, true)).toBe("2026-01-12T14:00:00.000Z")
    expect(dueIn(false, true)).toBe("2026-01-12T14:00:00.000Z")
    expect(dueIn(true, false)).toBe("2026-01-12T14:00:00.000Z")
    expect(dueIn(false, false)).toBe("2026-01-09T22:05:00.000Z")
  })
})

describe("retryDelayMinutes", () => {
  const delays = (given: Partial<RetryPolicy>): ReadonlyArray<number> =>
    [1, 2, 3, 4, 5].map((n) => retryDelayMinutes({ ...retryPolicyDefaults, ...given }, n))

  it("is fixed, grows linearly or doubles, up to the cap", () => {
    expect(delays({})).toEqual([15, 15, 15, 15, 15])
    expect(delays({ strategy: "linear_backoff" })).toEqual([15, 30, 45, 60, 75])
    expect(delays({ strategy: "exponential_backoff" })).toEqual([15, 30, 60, 120, 240])
    expect(delays({ strategy: "linear_backoff", max_delay_minutes: 40 })).toEqual([15, 30, 40, 40, 40])
    expect(delays({ strategy: "exponential_backoff", max_delay_minutes: 100 })).toEqual([15, 30, 60, 100, 100])
    expect(delays({ max_delay_minutes: 10 })).toEqual([10, 10, 10, 10, 10])
  })

  it("never shrinks from one retry to the next", () => {
    fc.assert(
      fc.property(policy, fc.integer({ min: 1, max: 9 }), (given, n) => {
        expect(retryDelayMinutes(given, n + 1)).toBeGreaterThanOrEqual(retryDelayMinutes(given, n))
      }),
    )
  })
})
