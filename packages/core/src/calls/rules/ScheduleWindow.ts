import { limits } from "../../Limits.ts"

/** How a requested time lies outside what may be booked; the text is the reason of a 1001. */
export const scheduleFaults = {
  too_soon: "must be at least 2 minutes ahead",
  too_far: "must be at most 30 days ahead",
} as const

export type ScheduleFault = keyof typeof scheduleFaults

/**
 * Judges a requested `scheduled_at` against the bounds, both included. It is the requested time that is judged: a calling window may
 * move the call further (specification, "POST /v2/calls").
 */
export const scheduleFault = (scheduledAt: number, now: number): ScheduleFault | null => {
  const ahead = scheduledAt - now
  if (ahead < limits.scheduleMinMs) return "too_soon"
  return ahead > limits.scheduleMaxMs ? "too_far" : null
}
