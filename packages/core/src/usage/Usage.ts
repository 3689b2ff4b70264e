import type { Call, CostBreakdown } from "../calls/Call.ts"
import { type CallStatus, callStatuses } from "../calls/CallStatus.ts"

/** What calls add up to. */
export interface UsageFigures {
  readonly calls: number
  readonly connected_calls: number
  readonly duration_seconds: number
  readonly cost: number
  readonly cost_breakdown: CostBreakdown
  readonly status_counts: { readonly [status in CallStatus]?: number }
}

/**
 * A relative change of the tally of one minute, agent and campaign. Like a debit it conflicts with nothing, so that calls that end
 * together do not wait for one another.
 */
export interface UsageDelta {
  readonly organization_id: string
  readonly agent_id: string
  readonly campaign_id: string | null
  /** When the call was created, epoch milliseconds: a call counts where the lists show it, however late it ends. */
  readonly at: number
  readonly calls: number
  readonly connected_calls: number
  readonly duration_seconds: number
  readonly cost: number
  /** Null: no part of the cost has changed. */
  readonly cost_breakdown: CostBreakdown | null
  /** The statuses whose counts fall and rise by one; both null where the status stays. */
  readonly left: CallStatus | null
  readonly entered: CallStatus | null
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
    left: was === null || was.status === is.status ? null : was.status,
    entered: was !== null && was.status === is.status ? null : is.status,
  }
  const nothing = sameCost && delta.duration_seconds === 0 && delta.connected_calls === 0
  return nothing && delta.entered === null ? null : delta
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
  left: call.status,
  entered: null,
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
  const deltas = [isLeft ? erasedUsage(was) : null, is === null ? null : usageDelta(isLeft ? null : was, is)]
  return deltas.flatMap((delta) => (delta === null ? [] : [{ put: "usage", delta }]))
}

const counts = (
  status_counts: UsageFigures["status_counts"],
  status: CallStatus | null,
  by: number,
): UsageFigures["status_counts"] => {
  if (status === null || by === 0) return status_counts
  const count = (status_counts[status] ?? 0) + by
  if (count !== 0) return { ...status_counts, [status]: count }
  const { [status]: _, ...others } = status_counts
  return others
}

/** The figures after a change. */
export const addUsage = (figures: UsageFigures, delta: UsageDelta): UsageFigures => ({
  calls: figures.calls + delta.calls,
  connected_calls: figures.connected_calls + delta.connected_calls,
  duration_seconds: figures.duration_seconds + delta.duration_seconds,
  cost: figures.cost + delta.cost,
  cost_breakdown:
    delta.cost_breakdown === null ? figures.cost_breakdown : costPlus(figures.cost_breakdown, delta.cost_breakdown),
  status_counts: counts(counts(figures.status_counts, delta.left, -1), delta.entered, 1),
})

/** Two sums as one. */
export const sumUsage = (a: UsageFigures, b: UsageFigures): UsageFigures => ({
  calls: a.calls + b.calls,
  connected_calls: a.connected_calls + b.connected_calls,
  duration_seconds: a.duration_seconds + b.duration_seconds,
  cost: a.cost + b.cost,
  cost_breakdown: costPlus(a.cost_breakdown, b.cost_breakdown),
  status_counts: callStatuses.reduce(
    (sum, status) => counts(sum, status, b.status_counts[status] ?? 0),
    a.status_counts,
  ),
})
