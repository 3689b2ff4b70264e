import type { Batch } from "../batches/Batch.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { hoursOf } from "../campaigns/CampaignSettings.ts"
import { allCalls, figure, type Tally } from "../tallies/Tally.ts"
import { type CampaignHours, currentWindow, nextWindow } from "./CallingWindow.ts"

/** Fewer ended calls say nothing about the pace. */
const callsForEstimate = 10
/** Openings that an estimate looks ahead before it gives up. */
const openingsForEstimate = 366

/** When so much time of dialling will have passed, in enforced hours only; null when that lies too far ahead. */
const after = (workMs: number, hours: CampaignHours, from: number): number | null => {
  if (!hours.enforced) return from + workMs
  let left = workMs
  let at = from
  for (let opening = 0; opening < openingsForEstimate; opening++) {
    const window = currentWindow(hours.window, at) ?? nextWindow(hours.window, at)
    if (window === null) return null
    const begins = Math.max(at, window.opens)
    if (begins + left <= window.closes) return begins + left
    left -= window.closes - begins
    at = window.closes
  }
  return null
}

/** Contacts that are not done, without those that nobody dials: of a paused batch only what is in a call, of a stopped one nothing. */
export const contactsLeft = (unfinished: ReadonlyArray<{ readonly batch: Batch; readonly tally: Tally }>): number =>
  unfinished.reduce((sum, { batch, tally }) => {
    if (batch.status === "paused") return sum + figure(tally, "in_flight")
    return sum + batch.total_contacts - figure(tally, "reached") - figure(tally, "contact:failed")
  }, 0)

/** What an estimate rests on: the campaign with its tally, the contacts that are left, and the lines that it may use. */
export interface Pace {
  readonly campaign: Campaign
  readonly tally: Tally
  readonly left: number
  readonly lines: number
}

/**
 * When the campaign will be done if calls go on to hold their lines as long, and contacts to need as many calls, as so far. Null where
 * too little is known, nothing dials, or the end of the campaign comes first.
 */
export const estimatedFinish = ({ campaign, left, lines, tally }: Pace, now: number): number | null => {
  const ended = figure(tally, "line_calls")
  const dialled = figure(tally, "dialled")
  if (campaign.status !== "active" || ended < callsForEstimate || lines < 1 || dialled === 0 || left === 0) return null
  const msPerCall = figure(tally, "line_ms") / ended
  const callsPerContact = allCalls(tally) / dialled
  const begin = Math.max(now, campaign.start_time ?? now)
  const done = after((left * callsPerContact * msPerCall) / lines, hoursOf(campaign), begin)
  return done === null || (campaign.end_time !== null && done > campaign.end_time) ? null : Math.ceil(done)
}
