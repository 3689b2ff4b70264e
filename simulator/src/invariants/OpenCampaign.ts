import { hoursOf } from "@carillon/core/domain"
import type { Batch, Campaign } from "@carillon/core/ports"
import { isWithin } from "./Hours.ts"

/** Whether a campaign dials at an instant, by its own status, times and hours (specification, "Campaign"). */
export const isOpen = (campaign: Campaign, at: number): boolean => {
  const hours = hoursOf(campaign)
  return (
    (campaign.status === "created" || campaign.status === "active") &&
    (campaign.start_time === null || campaign.start_time <= at) &&
    (campaign.end_time === null || campaign.end_time > at) &&
    (!hours.enforced || isWithin(hours.window, at))
  )
}

/** Whether a batch is handed out at an instant, its campaign aside. */
export const isHandedOut = ({ scheduled_at, status }: Batch, at: number): boolean =>
  status === "created" ||
  status === "in_progress" ||
  status === "dispatched" ||
  (status === "scheduled" && (scheduled_at === null || scheduled_at <= at))
