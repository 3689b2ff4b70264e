import type { Call } from "@carillon/core"
import type { MemoryTables } from "@carillon/core/memory"
import type { Campaign, Commit } from "@carillon/core/ports"
import type { Invariants } from "./Invariants.ts"

export interface BreakerLaws {
  readonly observe: (commit: Pick<Commit, "changes">) => void
  /** Judges a world in which nothing is due any more: what has not been paused by now never is. */
  readonly lookAtRest: () => void
}

export interface BreakerLawsTables {
  readonly calls: Pick<MemoryTables["calls"], "page">
  readonly campaigns: Pick<MemoryTables["campaigns"], "get">
}

const minuteMs = 60_000

const failures: ReadonlySet<string> = new Set(["failed", "busy", "no-answer", "error", "call-disconnected"])

/** Which calls a rate counts, and of how many of a hundred there may not be more. */
const ratesOf = ({ breaker }: Campaign): ReadonlyArray<readonly [number | null, (call: Call) => boolean]> => {
  if (breaker === undefined) return []
  const { error_percent, failed_percent, short_call_percent, short_call_seconds, voicemail_percent } = breaker
  return [
    [failed_percent, ({ status }) => failures.has(status)],
    [error_percent, ({ status }) => status === "failed" || status === "error"],
    [voicemail_percent, ({ answered_by_voicemail }) => answered_by_voicemail === true],
    [
      short_call_percent,
      ({ answered_by_voicemail, duration_seconds, status }) =>
        status === "completed" && answered_by_voicemail !== true && (duration_seconds ?? Infinity) < short_call_seconds,
    ],
  ]
}

/** The law of campaigns that pause themselves: by a count of its own over the calls as lists have them. */
export const breakerLaws = (invariants: Invariants, { calls, campaigns }: BreakerLawsTables): BreakerLaws => {
  const s26 = invariants.open({
    name: "S26",
    description:
      "No campaign is left running whose last calls went as its breaker does not allow, and one that has paused itself says why.",
  })

  /** The calls of the window that the breaker of a campaign has now. */
  const windowOf = ({ breaker, campaign_id, organization_id }: Campaign): ReadonlyArray<Call> => {
    if (breaker === undefined) return []
    const { items } = calls.page(organization_id, { campaign_id }, { page: 1, page_size: Infinity })
    const endOf = (call: Call) => call.completed_at ?? 0
    const ended = items
      .filter(({ status, watched }) => watched === true && (status === "completed" || failures.has(status)))
      .filter((call) => endOf(call) >= breaker.since)
      .sort((one, other) => endOf(other) - endOf(one))
    const from = breaker.window_minutes === null ? 0 : (ended[0]?.completed_at ?? 0) - breaker.window_minutes * minuteMs
    return ended.filter((call) => endOf(call) >= from).slice(0, breaker.window_calls)
  }

  const isOver = (campaign: Campaign): boolean => {
    const window = windowOf(campaign)
    if (window.length < (campaign.breaker?.minimum_calls ?? 0)) return false
    return ratesOf(campaign).some(
      ([percent, isLike]) => percent !== null && window.filter(isLike).length * 100 > percent * window.length,
    )
  }

  /** Those that have a breaker and may be running. */
  const watched = new Set<string>()

  return {
    observe: ({ changes }) => {
      for (const change of changes) {
        if (change.put !== "campaign") continue
        const { breaker, campaign_id, status, updated_at } = change.row
        if (breaker === undefined) watched.delete(campaign_id)
        else watched.add(campaign_id)
        const trip = breaker?.trip ?? null
        // A breaker that is written anew keeps why it has paused the campaign, which is not written by that.
        const isNew = trip !== null && trip.at === updated_at && (breaker?.updated_at ?? 0) < trip.at
        const told = changes.some(
          (each) =>
            each.put === "campaign_entry" &&
            each.row.campaign_id === campaign_id &&
            each.row.event === "paused" &&
            each.row.details["reason"] === "breaker",
        )
        s26(
          trip === null || (status === "paused" && (!isNew || told)),
          () => `${campaign_id} is ${status} and ${told ? "" : "not "}told to have paused itself`,
        )
      }
    },
    lookAtRest: () => {
      for (const campaignId of watched) {
        const campaign = campaigns.get(campaignId)
        if (campaign?.status !== "active") continue
        s26(!isOver(campaign), () => `${campaignId} is active, and its last calls went as its breaker does not allow`)
      }
    },
  }
}
