import type { Batch } from "../../batches/rules/Batch.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import type { BlockingReason } from "../../campaigns/rules/CampaignRecords.ts"
import { campaignHoursOf } from "../../contacts/rules/ContactProgress.ts"
import { type CampaignHours, currentWindow, isGiven, nextWindow } from "./CallingWindow.ts"

/** What has one fair share: a campaign with its unfinished batches, or one batch for itself. */
export interface Lane {
  readonly lane_id: string
  readonly campaign: Campaign | null
  readonly batches: ReadonlyArray<Batch>
}

/** Whether a lane may dial at a moment, and when that can change by the clock alone. */
export interface LaneGate {
  /** What keeps the whole lane from dialling, or null. */
  readonly closed: { readonly reason: BlockingReason; readonly until: number | null } | null
  /** The batches that may dial. */
  readonly open: ReadonlyArray<Batch>
  /** Whether the campaign's hours are on, enforced or not; true where it has none. */
  readonly in_hours: boolean
  /** The next moment at which the clock changes any of this, or null. */
  readonly next: number | null
}

/** The earliest of the times that there are. */
export const least = (...times: ReadonlyArray<number | null>): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

const closedBy = (
  campaign: Campaign | null,
  hours: CampaignHours,
  inHours: boolean,
  opens: number | null,
  now: number,
): LaneGate["closed"] => {
  if (campaign === null) return null
  if (campaign.status === "paused") return { reason: "paused", until: null }
  if (campaign.status !== "created" && campaign.status !== "active") return { reason: "finished", until: null }
  if (campaign.end_time !== null && campaign.end_time <= now) return { reason: "after_end", until: null }
  if (campaign.start_time !== null && campaign.start_time > now) {
    return { reason: "before_start", until: campaign.start_time }
  }
  return hours.enforced && !inHours ? { reason: "outside_hours", until: opens } : null
}

const mayDial = (batch: Batch, now: number): boolean =>
  batch.status === "created" ||
  batch.status === "in_progress" ||
  batch.status === "dispatched" ||
  (batch.status === "scheduled" && (batch.scheduled_at === null || batch.scheduled_at <= now))

/** Judges a lane at a moment (specification, "Campaign"; decisions.md, "Calling windows"). */
export const gateOf = ({ campaign, batches }: Lane, now: number): LaneGate => {
  const hours = campaignHoursOf(campaign)
  const hasHours = isGiven(hours)
  const window = hasHours ? currentWindow(hours.window, now) : null
  const opens = hasHours && window === null ? (nextWindow(hours.window, now)?.opens ?? null) : null
  const inHours = !hasHours || window !== null
  const closed = closedBy(campaign, hours, inHours, opens, now)
  const start = campaign?.start_time ?? null
  const end = campaign?.end_time ?? null
  const booked = batches.flatMap((batch) =>
    batch.status === "scheduled" && batch.scheduled_at !== null && batch.scheduled_at > now ? [batch.scheduled_at] : [],
  )
  // Without a batch to dial, or once it is over or paused, a lane is opened by whoever changes it and never by the clock.
  const isStill =
    batches.length === 0 ||
    closed?.reason === "paused" ||
    closed?.reason === "finished" ||
    closed?.reason === "after_end"
  return {
    closed,
    open: closed === null ? batches.filter((batch) => mayDial(batch, now)) : [],
    in_hours: inHours,
    next: isStill
      ? null
      : least(
          start !== null && start > now ? start : null,
          end !== null && end > now ? end : null,
          opens,
          window?.closes ?? null,
          ...booked,
        ),
  }
}
