import type { Call, CostBreakdown } from "../../calls/rules/Call.ts"
import { type CallStatus, callStatuses } from "../../calls/rules/CallStatus.ts"

/** What calls add up to. */
export interface UsageFigures {
  readonly calls: number
  readonly connected_calls: number
  readonly duration_seconds: number
  readonly cost: number
  readonly cost_breakdown: CostBreakdown
  readonly status_counts: { readonly [status in CallStatus]?: number }
}

/** Of which minute, agent and campaign a tally is. */
export interface UsagePlace {
  /** Epoch milliseconds, anywhere in the minute. */
  readonly at: number
  readonly agent_id: string
  readonly campaign_id: string | null
}

/**
 * A relative change of the tally of one minute, agent and campaign: a call counts where the lists show it, by when it was created, however late it
 * ends. Like a debit it conflicts with nothing, so that calls that end
 * together do not wait for one another.
 */
export interface UsageDelta extends UsagePlace {
  readonly organization_id: string
  readonly calls: number
  readonly connected_calls: number
  readonly duration_seconds: number
  readonly cost: number
  /** Null: no part of the cost has changed. */
  readonly cost_breakdown: CostBreakdown | null
  /** By how much the counts of statuses fall and rise. */
  readonly status_counts: UsageFigures["status_counts"]
}

/** What a commit adds to usage. */
export interface UsageChange {
  readonly put: "usage"
  readonly delta: UsageDelta
}

/** The grain of the tallies; what a range holds of the minutes at its ends is counted call by call. */
export const usageMinuteMs = 60_000
export const usageDayMs = 24 * 60 * usageMinuteMs

const free: CostBreakdown = { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }

/** The sum of no calls. */
export const noUsage: UsageFigures = {
  calls: 0,
  connected_calls: 0,
  duration_seconds: 0,
  cost: 0,
  cost_breakdown: free,
  status_counts: {},
}

const costPlus = (a: CostBreakdown, b: CostBreakdown, sign: 1 | -1 = 1): CostBreakdown => ({
  llm: a.llm + sign * b.llm,
  network: a.network + sign * b.network,
  platform: a.platform + sign * b.platform,
  synthesizer: a.synthesizer + sign * b.synthesizer,
  telephony: a.telephony + sign * b.telephony,
  transcriber: a.transcriber + sign * b.transcriber,
})

const isConnected = (call: Call | null): boolean =>
  call !== null && (call.answered_at !== null || call.status === "completed")

/** The statuses whose counts a call changes that goes from one to another. */
const moved = (left: CallStatus | null, entered: CallStatus): UsageFigures["status_counts"] =>
  left === null ? { [entered]: 1 } : left === entered ? {} : { [left]: -1, [entered]: 1 }

/** What a change of a call (from null: its creation) adds to the tallies; null when nothing. */
export const usageDelta = (was: Call | null, is: Call): UsageDelta | null => {
  const sameCost = (was?.cost ?? null) === is.cost
  const delta: UsageDelta = {
    organization_id: is.organization_id,
    agent_id: is.agent_id,
    campaign_id: is.campaign_id,
    at: is.created_at,
    calls: was === null ? 1 : 0,
    connected_calls: (isConnected(is) ? 1 : 0) - (isConnected(was) ? 1 : 0),
    duration_seconds: (is.duration_seconds ?? 0) - (was?.duration_seconds ?? 0),
    cost: (is.cost?.total ?? 0) - (was?.cost?.total ?? 0),
    cost_breakdown: sameCost ? null : costPlus(is.cost?.breakdown ?? free, was?.cost?.breakdown ?? free, -1),
    status_counts: moved(was?.status ?? null, is.status),
  }
  const nothing = sameCost && delta.duration_seconds === 0 && delta.connected_calls === 0
  return nothing && was?.status === is.status ? null : delta
}

/** What takes a call out of the tallies again. */
const erasedUsage = (call: Call): UsageDelta => ({
  organization_id: call.organization_id,
  agent_id: call.agent_id,
  campaign_id: call.campaign_id,
  at: call.created_at,
  calls: -1,
  connected_calls: isConnected(call) ? -1 : 0,
  duration_seconds: -(call.duration_seconds ?? 0),
  cost: -(call.cost?.total ?? 0),
  cost_breakdown: call.cost === null ? null : costPlus(free, call.cost.breakdown, -1),
  status_counts: { [call.status]: -1 },
})

/** A record that is folded into another counts as that one. */
const counted = (call: Call | null): Call | null => (call === null || call.folded_into !== null ? null : call)

/**
 * What goes with a change of a call, null being a record that does not exist. Where another agent makes the call than the one that was asked, it
 * counts for that one alone.
 */
export const callUsage = (before: Call | null, after: Call | null): ReadonlyArray<UsageChange> => {
  const was = counted(before)
  const is = counted(after)
  const isLeft = was !== null && was.agent_id !== is?.agent_id
  const changes: Array<UsageChange> = []
  if (isLeft) changes.push({ put: "usage", delta: erasedUsage(was) })
  const delta = is === null ? null : usageDelta(isLeft ? null : was, is)
  if (delta !== null) changes.push({ put: "usage", delta })
  return changes
}

const counts = (
  status_counts: UsageFigures["status_counts"],
  status: CallStatus,
  by: number,
): UsageFigures["status_counts"] => {
  if (by === 0) return status_counts
  const count = (status_counts[status] ?? 0) + by
  if (count !== 0) return { ...status_counts, [status]: count }
  const { [status]: _, ...others } = status_counts
  return others
}

const countsPlus = (
  a: UsageFigures["status_counts"],
  b: UsageFigures["status_counts"],
  sign: 1 | -1 = 1,
): UsageFigures["status_counts"] =>
  callStatuses.reduce((sum, status) => counts(sum, status, sign * (b[status] ?? 0)), a)

/** The figures after a change. */
export const addUsage = (figures: UsageFigures, delta: UsageDelta): UsageFigures => ({
  calls: figures.calls + delta.calls,
  connected_calls: figures.connected_calls + delta.connected_calls,
  duration_seconds: figures.duration_seconds + delta.duration_seconds,
  cost: figures.cost + delta.cost,
  cost_breakdown:
    delta.cost_breakdown === null ? figures.cost_breakdown : costPlus(figures.cost_breakdown, delta.cost_breakdown),
  status_counts: countsPlus(figures.status_counts, delta.status_counts),
})

/** Two sums as one. */
export const sumUsage = (a: UsageFigures, b: UsageFigures): UsageFigures => ({
  calls: a.calls + b.calls,
  connected_calls: a.connected_calls + b.connected_calls,
  duration_seconds: a.duration_seconds + b.duration_seconds,
  cost: a.cost + b.cost,
  cost_breakdown: costPlus(a.cost_breakdown, b.cost_breakdown),
  status_counts: countsPlus(a.status_counts, b.status_counts),
})

/** What one sum has more than another. */
export const lessUsage = (a: UsageFigures, b: UsageFigures): UsageFigures => ({
  calls: a.calls - b.calls,
  connected_calls: a.connected_calls - b.connected_calls,
  duration_seconds: a.duration_seconds - b.duration_seconds,
  cost: a.cost - b.cost,
  cost_breakdown: costPlus(a.cost_breakdown, b.cost_breakdown, -1),
  status_counts: countsPlus(a.status_counts, b.status_counts, -1),
})
