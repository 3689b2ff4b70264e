import { isRetryTrigger, type TerminalCallStatus } from "../../calls/rules/CallStatus.ts"
import type { JsonObject } from "../../Json.ts"
import { type CampaignHours, everOpens, firstOpen, localDay, weekdayOf } from "./CallingWindow.ts"
import { firstInstant, wallTime } from "./ZoneOffsets.ts"

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** Monday to Friday, where no hours say what a working day is. */
const firstWeekendDay = 5

/** The outcomes after which a contact may be followed up. */
export const followUpTriggers = [
  "after_retries_exhausted",
  "completed",
  "no_answer",
  "busy",
  "voicemail",
  "failed",
] as const

export type FollowUpTrigger = (typeof followUpTriggers)[number]

/** A campaign's or batch's `follow_up_policy`. */
export interface FollowUpPolicy {
  readonly enabled: boolean
  readonly max_attempts: number
  readonly cooldown_minutes: number
  readonly triggers: ReadonlyArray<FollowUpTrigger>
  /** Never on the day of the attempt before, nor on a day off. */
  readonly next_working_day_only: boolean
  /** Null: the campaign's agent. */
  readonly follow_up_agent_id: string | null
  readonly follow_up_prompt: string | null
  readonly follow_up_extra_logic: JsonObject | null
}

/** Disabled; once enabled, one follow-up a day after the retries are spent. */
export const followUpPolicyDefaults: FollowUpPolicy = {
  enabled: false,
  max_attempts: 1,
  cooldown_minutes: 1440,
  triggers: ["after_retries_exhausted"],
  next_working_day_only: false,
  follow_up_agent_id: null,
  follow_up_prompt: null,
  follow_up_extra_logic: null,
}

/** What `max_attempts` may be. */
export const followUpAttemptsBounds = { min: 1, max: 10 } as const

/** An attempt that has ended and that no retry follows. */
export interface ClosingAttempt {
  readonly status: TerminalCallStatus
  readonly answered_by_voicemail: boolean
  readonly ended_at: number
  /** Follow-ups that the contact has had, this attempt included when it was one. */
  readonly follow_ups_used: number
  readonly is_follow_up: boolean
  /** As in `EndedAttempt`: such a dial is never followed up either. */
  readonly unknown_outcome: boolean
}

/**
 * What becomes of the contact. `trigger` is null on a further follow-up, which needs none; `earliest_at` is due before days and hours
 * are looked at; `due_at` is null when enforced hours never open.
 */
export type FollowUpPlan =
  | {
      readonly follow_up: true
      readonly attempt_number: number
      readonly trigger: FollowUpTrigger | null
      readonly earliest_at: number
      readonly due_at: number | null
    }
  | { readonly follow_up: false; readonly because: "disabled" | "unknown_outcome" | "not_a_trigger" | "exhausted" }

const matches = (trigger: FollowUpTrigger, attempt: ClosingAttempt): boolean => {
  switch (trigger) {
    case "after_retries_exhausted":
      return isRetryTrigger(attempt.status)
    case "completed":
      return attempt.status === "completed"
    case "no_answer":
      return attempt.status === "no-answer"
    case "busy":
      return attempt.status === "busy"
    case "voicemail":
      return attempt.status === "no-answer" && attempt.answered_by_voicemail
    case "failed":
      // The three statuses that `failed_calls` counts.
      return attempt.status === "failed" || attempt.status === "error" || attempt.status === "call-disconnected"
  }
}

const isWeekend = (day: number): boolean => weekdayOf(day) >= firstWeekendDay

/** The moment itself, or the same time of day on the first day after it that is from Monday to Friday and no earlier than `fromDay`. */
export const onWorkingDay = (timezone: string, at: number, fromDay = -Infinity): number => {
  const wall = wallTime(timezone, at)
  const day = Math.floor(wall / dayMs)
  let workingDay = Math.max(day, fromDay)
  while (isWeekend(workingDay)) workingDay++
  return workingDay === day ? at : firstInstant(timezone, wall + (workingDay - day) * dayMs)
}

/**
 * Moves a follow-up to a day and hour on which it may ring. Enforced hours always bind. A working day is one with hours, or Monday to
 * Friday in a campaign that gives none; there the time of day is kept.
 */
export const followUpDue = (
  policy: Pick<FollowUpPolicy, "next_working_day_only">,
  earliestAt: number,
  endedAt: number,
  hours: CampaignHours,
): number | null => {
  const { window, enforced } = hours
  if (!policy.next_working_day_only) return enforced ? firstOpen(window, earliestAt) : earliestAt
  const tomorrow = localDay(window.timezone, endedAt) + 1
  if (enforced || everOpens(window)) {
    return firstOpen(window, Math.max(earliestAt, firstInstant(window.timezone, tomorrow * dayMs)))
  }
  return onWorkingDay(window.timezone, earliestAt, tomorrow)
}

/**
 * Decides over a follow-up after an attempt that no retry follows. A further one needs only that the one before failed to reach the
 * contact; one that was stopped, canceled or could not be paid ends the series.
 */
export const planFollowUp = (policy: FollowUpPolicy, attempt: ClosingAttempt, hours: CampaignHours): FollowUpPlan => {
  if (!policy.enabled) return { follow_up: false, because: "disabled" }
  if (attempt.unknown_outcome) return { follow_up: false, because: "unknown_outcome" }
  const trigger = attempt.is_follow_up ? null : (policy.triggers.find((each) => matches(each, attempt)) ?? null)
  const triggered = attempt.is_follow_up ? isRetryTrigger(attempt.status) : trigger !== null
  if (!triggered) return { follow_up: false, because: "not_a_trigger" }
  if (attempt.follow_ups_used >= policy.max_attempts) return { follow_up: false, because: "exhausted" }
  const earliest_at = attempt.ended_at + policy.cooldown_minutes * minuteMs
  return {
    follow_up: true,
    attempt_number: attempt.follow_ups_used + 1,
    trigger,
    earliest_at,
    due_at: followUpDue(policy, earliest_at, attempt.ended_at, hours),
  }
}
