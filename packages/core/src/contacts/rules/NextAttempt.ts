import { Struct } from "effect"
import type { Batch } from "../../batches/rules/Batch.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { calleeOpenings, type ZoneHours } from "../../callees/rules/CalleeHours.ts"
import {
  type CampaignHours,
  currentWindow,
  isGiven,
  localDay,
  openingsOf,
  startOfNextDay,
} from "../../dispatch/rules/CallingWindow.ts"
import { type FollowUpPolicy, onWorkingDay } from "../../dispatch/rules/FollowUpPlan.ts"
import { firstCommon, type Openings } from "../../dispatch/rules/Openings.ts"
import { type Contact, isWaiting } from "./Contact.ts"
import { campaignHoursOf, type ContactContext, followUpPolicyOf } from "./ContactProgress.ts"

const minuteMs = 60_000

type Standing = Pick<ContactContext, "contact" | "batch" | "campaign">

/** What becomes of a contact whose turn has come, as things stand: it is dialled, is due at a later time, or is not to be dialled at all. */
export type Turn =
  | { readonly _tag: "Now" }
  | { readonly _tag: "Later"; readonly at: number }
  | { readonly _tag: "Never" }

/** When a follow-up that waits for a working day may ring from a moment on, in a campaign that gives no hours. */
const workingDayOf = (
  { eligible_at, last_ended_at }: Contact,
  { cooldown_minutes }: FollowUpPolicy,
  { window: { timezone } }: CampaignHours,
  from: number,
): number => {
  const ended = last_ended_at ?? null
  const planned =
    ended === null
      ? (eligible_at ?? from)
      : onWorkingDay(timezone, ended + cooldown_minutes * minuteMs, localDay(timezone, ended) + 1)
  // One that was held, or whose campaign was paused over its day, waits for the next one.
  return onWorkingDay(timezone, Math.max(from, planned))
}

/**
 * Judges a contact whose turn has come. A follow-up that was planned is made only while follow-ups are on; and where there are no hours,
 * the queue cannot know what a working day is, so that is looked at here.
 */
export const turnOf = ({ contact, batch, campaign }: Standing, now: number): Turn => {
  if (contact.status !== "follow_up_scheduled") return { _tag: "Now" }
  const policy = followUpPolicyOf(batch, campaign)
  if (!policy.enabled) return { _tag: "Never" }
  const hours = campaignHoursOf(campaign)
  if (!contact.in_hours_only || isGiven(hours)) return { _tag: "Now" }
  const at = workingDayOf(contact, policy, hours, now)
  return at > now ? { _tag: "Later", at } : { _tag: "Now" }
}

/**
 * From when on a contact may not be dialled any more that may be now, as its campaign stands: the campaign ends, the hours that bind it close, or
 * the working day of its follow-up is over. Infinity: the clock brings nothing of it. A time that is past: they are closed already.
 */
export const dialledUntil = (
  { campaign, contact: { in_hours_only, status } }: Pick<Standing, "campaign" | "contact">,
  now: number,
): number => {
  const end = campaign?.end_time ?? Infinity
  const hours = campaignHoursOf(campaign)
  if (hours.enforced || (in_hours_only && isGiven(hours))) {
    return Math.min(end, currentWindow(hours.window, now)?.closes ?? -Infinity)
  }
  const isOfOneDay = in_hours_only && status === "follow_up_scheduled"
  return isOfOneDay ? Math.min(end, startOfNextDay(hours.window.timezone, now)) : end
}

/**
 * The contact that was put off for a working day, as it was planned: from when on it may ring before days and hours are looked at. What was put off by other
 * hours, or in another zone, waits no longer for that day.
 */
export const plannedAnew = ({ batch, campaign, contact }: Standing): Contact => {
  const unmarked = Struct.omit(contact, ["hours_of"])
  const { eligible_at, last_ended_at = null, status } = contact
  if (status !== "follow_up_scheduled" || eligible_at === null || last_ended_at === null) return unmarked
  const { cooldown_minutes } = followUpPolicyOf(batch, campaign)
  const tomorrow = startOfNextDay(campaignHoursOf(campaign).window.timezone, last_ended_at)
  const planned = Math.max(last_ended_at + cooldown_minutes * minuteMs, tomorrow)
  return { ...unmarked, eligible_at: Math.min(eligible_at, planned) }
}

const isDialling = ({ status }: Campaign): boolean => status === "created" || status === "active"

const isDialled = ({ status }: Batch): boolean =>
  status === "created" || status === "scheduled" || status === "in_progress" || status === "dispatched"

/** The first moment from `from` on at which all are open and the contact's turn has come; null where it never does. */
const firstTurn = (standing: Standing, all: ReadonlyArray<Openings>, from: number, searchMs: number): number | null => {
  let until = Infinity
  let at = firstCommon(all, from, from + searchMs)
  while (at !== null) {
    const turn = turnOf(standing, at)
    if (turn._tag === "Never") return null
    if (turn._tag === "Now") return at
    // Its day may be one on which its callee is not called: then it is a later one, but not for ever.
    until = Math.min(until, turn.at + searchMs)
    at = turn.at <= until ? firstCommon(all, turn.at, until) : null
  }
  return null
}

/**
 * When a waiting contact may be dialled next as its campaign and batch stand, hours looked at, its callee's among them, and never in the past:
 * who waits for nothing but a line is due now. Null for one that waits for no time but for something to happen, or that can never be due.
 */
export const nextAttemptAt = (
  standing: Standing,
  now: number,
  callee: ReadonlyArray<ZoneHours> = [],
): number | null => {
  const { batch, campaign, contact } = standing
  if (contact.eligible_at === null || !isWaiting(contact.status) || !isDialled(batch)) return null
  if (campaign !== null && !isDialling(campaign)) return null
  const booked = batch.status === "scheduled" ? (batch.scheduled_at ?? 0) : 0
  const earliest = Math.max(now, contact.eligible_at, campaign?.start_time ?? 0, booked)
  const hours = campaignHoursOf(campaign)
  const bind = hours.enforced || (contact.in_hours_only && isGiven(hours))
  const { openings, searchMs } = calleeOpenings(callee)
  const at = firstTurn(standing, bind ? [openingsOf(hours.window), ...openings] : openings, earliest, searchMs)
  const end = campaign?.end_time ?? null
  return at === null || (end !== null && at >= end) ? null : at
}
