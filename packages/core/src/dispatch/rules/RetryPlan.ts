import { isRetryTrigger, type TerminalCallStatus } from "../../calls/rules/CallStatus.ts"
import { type CampaignHours, everOpens, firstOpen } from "./CallingWindow.ts"

const minuteMs = 60_000

/** How the delay grows with the number of the retry. */
export type RetryStrategy = "fixed_delay" | "linear_backoff" | "exponential_backoff"

/** A campaign's or batch's `retry_policy`. `max_delay_minutes` null is no cap. */
export interface RetryPolicy {
  /** Attempts after the first, per contact. */
  readonly max_retries: number
  readonly strategy: RetryStrategy
  readonly cooldown_minutes: number
  readonly base_delay_minutes: number
  readonly max_delay_minutes: number | null
  readonly respect_working_hours: boolean
}

/** Three retries, fifteen minutes apart, in working hours (specification, "Campaign"). */
export const retryPolicyDefaults: RetryPolicy = {
  max_retries: 3,
  strategy: "fixed_delay",
  cooldown_minutes: 0,
  base_delay_minutes: 15,
  max_delay_minutes: null,
  respect_working_hours: true,
}

/** What `max_retries` may be. */
export const maxRetriesBounds = { min: 0, max: 10 } as const

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly status: TerminalCallStatus
  readonly ended_at: number
  /** Retries that the contact has had, this attempt included: the one budget of the contact, whatever the mix of outcomes. */
  readonly retries_used: number
  readonly is_follow_up: boolean
  /** The carrier's word on the dial never came, and the reconciler ended the call `error`: it may have rung and is never redialled. */
  readonly unknown_outcome: boolean
}

/**
 * What becomes of the contact. `earliest_at` is due before hours are looked at, so that edited hours can be applied anew;
 * `due_at` is null when enforced hours never open.
 */
export type RetryPlan =
  | {
      readonly retry: true
      readonly retry_number: number
      readonly earliest_at: number
      readonly due_at: number | null
    }
  | { readonly retry: false; readonly because: "not_a_trigger" | "unknown_outcome" | "follow_up" | "exhausted" }

/** Minutes from the end of an attempt to the n-th retry (n from 1), without the cooldown. */
export const retryDelayMinutes = (policy: RetryPolicy, n: number): number => {
  const growth = { fixed_delay: 1, linear_backoff: n, exponential_backoff: 2 ** (n - 1) }[policy.strategy]
  return Math.min(policy.base_delay_minutes * growth, policy.max_delay_minutes ?? Infinity)
}

/**
 * Moves a retry into the campaign's hours. Enforced hours bind whatever the policy says; hours that are given and not enforced are
 * respected when the policy asks for it.
 */
export const retryDue = (
  policy: Pick<RetryPolicy, "respect_working_hours">,
  earliestAt: number,
  { window, enforced }: CampaignHours,
): number | null =>
  enforced || (policy.respect_working_hours && everOpens(window)) ? firstOpen(window, earliestAt) : earliestAt

/** Decides over a retry after an attempt. */
export const planRetry = (policy: RetryPolicy, attempt: EndedAttempt, hours: CampaignHours): RetryPlan => {
  if (attempt.unknown_outcome) return { retry: false, because: "unknown_outcome" }
  if (attempt.is_follow_up) return { retry: false, because: "follow_up" }
  if (!isRetryTrigger(attempt.status)) return { retry: false, because: "not_a_trigger" }
  if (attempt.retries_used >= policy.max_retries) return { retry: false, because: "exhausted" }
  const retry_number = attempt.retries_used + 1
  const delayMinutes = Math.max(policy.cooldown_minutes, retryDelayMinutes(policy, retry_number))
  const earliest_at = attempt.ended_at + delayMinutes * minuteMs
  return { retry: true, retry_number, earliest_at, due_at: retryDue(policy, earliest_at, hours) }
}
