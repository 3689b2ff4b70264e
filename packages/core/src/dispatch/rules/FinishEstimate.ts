import { calleeOpenings } from "../../callees/rules/CalleeHours.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import type { BlockingReason, NoEstimateReason } from "../../campaigns/rules/CampaignRecords.ts"
import { hoursOf } from "../../campaigns/rules/CampaignSettings.ts"
import { followUpAgentOf, followUpPolicyOf } from "../../contacts/rules/ContactProgress.ts"
import type { ContactTimes } from "../../contacts/rules/ContactTimes.ts"
import { allCalls, figure, type Tally } from "../../tallies/rules/Tally.ts"
import {
  type CampaignHours,
  currentWindow,
  firstOpen,
  isGiven,
  localDay,
  nextWindow,
  openingsOf,
  startOfNextDay,
} from "./CallingWindow.ts"
import { type CountedBatch, followUpsOf, undone } from "./CountedBatch.ts"
import { onWorkingDay } from "./FollowUpPlan.ts"
import { type Beside, linesBeside } from "./FairShare.ts"
import { least } from "./Lane.ts"
import { firstCommon } from "./Openings.ts"
import type { MarkHours } from "./OpenMarks.ts"

const minuteMs = 60_000
/** Fewer ended calls say nothing about the pace. */
const callsForEstimate = 10
/** Openings that an estimate looks ahead before it gives up. */
const openingsForEstimate = 366

/** How far an estimate has come, and how many openings it has looked at. */
interface Reached {
  readonly at: number
  readonly openings: number
}

/** When so much time of dialling will have passed from a time on, in enforced hours only; null when that lies too far ahead. */
const after = (workMs: number, hours: CampaignHours, from: Reached): Reached | null => {
  let { at, openings } = from
  if (!hours.enforced) return { at: at + workMs, openings }
  let left = workMs
  for (; openings < openingsForEstimate; openings++) {
    const window = currentWindow(hours.window, at) ?? nextWindow(hours.window, at)
    if (window === null) return null
    const begins = Math.max(at, window.opens)
    if (begins + left <= window.closes) return { at: begins + left, openings }
    left -= window.closes - begins
    at = window.closes
  }
  return null
}

const isPaused = ({ batch }: CountedBatch): boolean => batch.status === "paused"

/** The batches that an estimate is about: nobody dials a paused one before it is resumed. */
export const batchesToFinish = (unfinished: ReadonlyArray<CountedBatch>): ReadonlyArray<CountedBatch> =>
  unfinished.filter((each) => !isPaused(each) && undone(each) > 0)

/** The agents that make the calls which are left, as far as they are planned. */
export const agentsToFinish = (campaign: Campaign, toFinish: ReadonlyArray<CountedBatch>): ReadonlyArray<string> => {
  const agents = toFinish.flatMap((each): ReadonlyArray<string> => {
    const { batch } = each
    const { enabled } = followUpPolicyOf(batch, campaign)
    // What is not followed up any more needs nobody.
    const followsUp = followUpsOf(each) > 0 && enabled ? [followUpAgentOf(batch, campaign) ?? batch.agent_id] : []
    return undone(each) > followUpsOf(each) ? [batch.agent_id, ...followsUp] : followsUp
  })
  return [...new Set(agents)]
}

/** How many contacts each agent is to call, as far as that is planned. */
const contactsByAgent = (campaign: Campaign, toFinish: ReadonlyArray<CountedBatch>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const each of toFinish) {
    const [first, ofFollowUps] = agentsToFinish(campaign, [each])
    const later = ofFollowUps === undefined ? 0 : followUpsOf(each)
    if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + undone(each) - later)
    if (ofFollowUps !== undefined) counts.set(ofFollowUps, (counts.get(ofFollowUps) ?? 0) + later)
  }
  return counts
}

/** The ceilings above a campaign's lines; null: none that refuses. */
export interface Ceilings {
  /** The platform's without the lines that other organizations hold. */
  readonly platform: number | null
  readonly organization: number | null
  readonly agent: number | null
}

const noLine = (campaign: Campaign, { agent, organization, platform }: Ceilings): BlockingReason | null => {
  if (organization !== null && organization < 1) return "organization_lines_full"
  if (platform !== null && platform < 1) return "platform_lines_full"
  if (agent !== null && agent < 1) return "agent_ceiling"
  return campaign.max_concurrent_calls !== null && campaign.max_concurrent_calls < 1 ? "campaign_ceiling" : null
}

/** What an estimate rests on. */
export interface EstimateFacts {
  readonly campaign: Campaign
  readonly tally: Tally
  /** All of its unfinished batches. */
  readonly unfinished: ReadonlyArray<CountedBatch>
  /** When the contacts of the batches to finish are due. */
  readonly times: ContactTimes
  /** From when on all who wait for the hours of their callees may have been called (`allCallable`). */
  readonly callable: number | null
  readonly ceilings: Ceilings
  readonly beside: Beside
  /** What keeps all of them, or some, from being dialled until somebody acts; null where nothing does. */
  readonly stop: BlockingReason | null
}

/** When a campaign will be done, or why nobody can say. */
export type Estimate =
  | { readonly at: number; readonly because: null }
  | { readonly at: null; readonly because: NoEstimateReason }

const beginOf = ({ campaign }: Pick<EstimateFacts, "campaign">, now: number): number =>
  Math.max(now, campaign.start_time ?? now)

/** From when on those who wait with each of some marks may be called first, in the campaign's hours; null for marks that never open in sight. */
export const callableOfMarks = (
  campaign: Campaign,
  callees: ReadonlyArray<MarkHours>,
  now: number,
): ReadonlyArray<number | null> => {
  const begin = beginOf({ campaign }, now)
  const { enforced, window } = hoursOf(campaign)
  const own = enforced ? [openingsOf(window)] : []
  return callees.map((mark) =>
    least(
      ...mark.map((binding) => {
        const { openings, searchMs } = calleeOpenings(binding)
        return firstCommon([...own, ...openings], begin, begin + searchMs)
      }),
    ),
  )
}

/**
 * From when on all who wait for the hours of their callees may have been called: the first opening of the last of their marks, in the campaign's
 * hours. Null where one of them never opens in sight.
 */
export const allCallable = (campaign: Campaign, callees: ReadonlyArray<MarkHours>, now: number): number | null => {
  let last = beginOf({ campaign }, now)
  for (const first of callableOfMarks(campaign, callees, now)) {
    if (first === null) return null
    last = Math.max(last, first)
  }
  return last
}

/** What keeps an estimate from being made before any time is looked at. */
export const unsaid = (facts: Omit<EstimateFacts, "beside">, now: number): NoEstimateReason | null => {
  const { campaign, ceilings, stop, tally, unfinished } = facts
  const toFinish = batchesToFinish(unfinished)
  if (campaign.status === "paused") return "paused"
  if (campaign.status !== "created" && campaign.status !== "active") return "finished"
  if (campaign.end_time !== null && campaign.end_time <= now) return "after_end"
  if (toFinish.length === 0) return unfinished.some((each) => undone(each) > 0) ? "batch_paused" : "nothing_left"
  const blocked = stop ?? noLine(campaign, ceilings) ?? (facts.callable === null ? "callee_hours" : null)
  if (blocked !== null) return blocked
  const isKnown = figure(tally, "line_calls") >= callsForEstimate && figure(tally, "dialled") > 0
  return isKnown && campaign.status === "active" ? null : "too_few_calls"
}

/** Contacts that are to be dialled from a time on. */
interface Stretch {
  readonly from: number
  readonly contacts: number
}

/** What is left, by when it can begin at the earliest. */
const stretchesOf = (
  toFinish: ReadonlyArray<CountedBatch>,
  { held, planned }: ContactTimes,
  begin: number,
): ReadonlyArray<Stretch> => {
  const booked = toFinish.flatMap((each): ReadonlyArray<Stretch> => {
    const { scheduled_at, status } = each.batch
    const isBooked = status === "scheduled" && scheduled_at !== null && scheduled_at > begin
    return isBooked ? [{ from: scheduled_at, contacts: undone(each) }] : []
  })
  const sum = (some: ReadonlyArray<{ readonly contacts: number }>) =>
    some.reduce((total, { contacts }) => total + contacts, 0)
  const running = toFinish.reduce((total, each) => total + undone(each), 0) - sum(booked)
  const waiting = Math.min(running, held.contacts + planned.contacts)
  const due = Math.max(begin, least(held.next_due, planned.next_due) ?? begin)
  return [{ from: begin, contacts: running - waiting }, { from: due, contacts: waiting }, ...booked]
    .filter(({ contacts }) => contacts > 0)
    .toSorted((one, other) => one.from - other.from)
}

/**
 * A time by which a follow-up that waits for a working day may ring at the latest, in a campaign that gives no hours: it keeps its time of day,
 * and its day goes by the cooldown as it is now (`NextAttempt.ts`).
 */
const workingDayBy = (
  { campaign, times }: EstimateFacts,
  toFinish: ReadonlyArray<CountedBatch>,
  begin: number,
): number | null => {
  const cooldowns = toFinish.flatMap((each) => {
    const { cooldown_minutes, enabled } = followUpPolicyOf(each.batch, campaign)
    return enabled && followUpsOf(each) > 0 ? [cooldown_minutes * minuteMs] : []
  })
  if (times.last.in_hours === null || cooldowns.length === 0) return null
  const { timezone } = hoursOf(campaign).window
  const latest = Math.max(times.last.in_hours, begin + Math.max(...cooldowns))
  return startOfNextDay(timezone, onWorkingDay(timezone, latest, localDay(timezone, begin) + 1))
}

/** When the last contact that waits for a time is dialled at the earliest, hours looked at; null when that lies too far ahead. */
const lastDialled = (
  facts: EstimateFacts,
  toFinish: ReadonlyArray<CountedBatch>,
  begin: number,
): { readonly at: number } | null => {
  const { anytime, in_hours } = facts.times.last
  const hours = hoursOf(facts.campaign)
  const inHours = isGiven(hours) ? in_hours : workingDayBy(facts, toFinish, begin)
  const anyHour = Math.max(begin, anytime ?? begin, isGiven(hours) ? begin : (in_hours ?? begin))
  const opened = hours.enforced ? firstOpen(hours.window, anyHour) : anyHour
  if (opened === null || inHours === null) return opened === null ? null : { at: opened }
  const within = isGiven(hours) ? firstOpen(hours.window, Math.max(begin, inHours)) : inHours
  return within === null ? null : { at: Math.max(opened, within) }
}

/** The lines that the campaign can have on average until it is done. */
const linesOf = ({ beside, campaign, ceilings }: EstimateFacts, toFinish: ReadonlyArray<CountedBatch>): number => {
  const { agent, organization, platform } = ceilings
  const contacts = toFinish.reduce((sum, each) => sum + undone(each), 0)
  const most = Math.min(organization ?? Infinity, platform ?? Infinity)
  // A line that is freed goes to direct calls and to contacts by turns.
  const shared = Math.max(most - beside.direct, most / 2)
  const others = beside.others.map((other) => ({
    ...other,
    ceiling: least(other.ceiling, agent === null ? null : agent * Math.max(1, other.agent_ids.size)),
  }))
  const lines = Math.min(linesBeside(shared, contacts, others), campaign.max_concurrent_calls ?? Infinity)
  if (agent === null) return lines
  // The agent with the most to do is done last; while it goes on the others have less than they could.
  const byAgents = [...contactsByAgent(campaign, toFinish)].map(([agentId, its]) => {
    const askingToo = others.filter(({ agent_ids }) => agent_ids.has(agentId))
    return (linesBeside(agent, its, askingToo) * contacts) / its
  })
  return Math.min(lines, ...byAgents)
}

/**
 * When the campaign will be done if calls go on to hold their lines as long, and contacts to need as many calls, as so far, on the lines that it
 * can have beside others; never before the last call that is planned. None where too little is known, where somebody has to act first, or the end of the campaign comes first.
 */
export const finishEstimate = (facts: EstimateFacts, now: number): Estimate => {
  const { campaign, tally, times, unfinished } = facts
  const toFinish = batchesToFinish(unfinished)
  const because = unsaid(facts, now)
  if (because !== null) return { at: null, because }
  const msPerCall = figure(tally, "line_ms") / figure(tally, "line_calls")
  const msPerContact = ((allCalls(tally) / figure(tally, "dialled")) * msPerCall) / linesOf(facts, toFinish)
  const begin = beginOf(facts, now)
  let done: Reached | null = { at: begin, openings: 0 }
  for (const { contacts, from } of stretchesOf(toFinish, times, begin)) {
    // Of hundreds of batches that are booked each may take all the openings that are looked at: they have them together.
    done = after(contacts * msPerContact, hoursOf(campaign), { ...done, at: Math.max(done.at, from) })
    if (done === null) return { at: null, because: "outside_hours" }
  }
  const last = lastDialled(facts, toFinish, begin)
  if (last === null) return { at: null, because: "outside_hours" }
  const called = Math.max(last.at, facts.callable ?? begin)
  const at = Math.ceil(Math.max(done.at, called + msPerCall))
  return campaign.end_time !== null && at > campaign.end_time
    ? { at: null, because: "end_comes_first" }
    : { at, because: null }
}
