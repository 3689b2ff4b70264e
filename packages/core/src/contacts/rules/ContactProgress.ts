import type { Batch } from "../../batches/rules/Batch.ts"
import { untilWorkingDay } from "../../callees/rules/Marks.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { isTerminal, type TerminalCallStatus } from "../../calls/rules/CallStatus.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { hoursOf, noHours } from "../../campaigns/rules/CampaignSettings.ts"
import { type CampaignHours, startOfNextDay } from "../../dispatch/rules/CallingWindow.ts"
import { type FollowUpPolicy, followUpPolicyDefaults, planFollowUp } from "../../dispatch/rules/FollowUpPlan.ts"
import { planRetry, type RetryPolicy, retryPolicyDefaults } from "../../dispatch/rules/RetryPlan.ts"
import { limits } from "../../Limits.ts"
import type { Contact, HeldBecause, OwnSkipReason, StoredContactStatus } from "./Contact.ts"

/** A contact with what decides over its attempt. */
export interface AttemptContext {
  readonly contact: Contact
  readonly batch: Batch
  readonly campaign: Campaign | null
}

/** A contact with all that decides over it. */
export interface ContactContext extends AttemptContext {
  /** Who is next of the lane's contacts that wait for the same number. */
  readonly heirs: ReadonlyArray<Contact>
}

export const retryPolicyOf = (batch: Batch, campaign: Campaign | null): RetryPolicy =>
  batch.retry_policy ?? campaign?.retry_policy ?? retryPolicyDefaults

export const followUpPolicyOf = (batch: Batch, campaign: Campaign | null): FollowUpPolicy =>
  batch.follow_up_policy ?? campaign?.follow_up_policy ?? followUpPolicyDefaults

/** The agent that makes the follow-ups of a batch where it is not the batch's: the one that is named, else the campaign's (decisions.md, "Campaigns and batches"). */
export const followUpAgentOf = (batch: Batch, campaign: Campaign | null): string | null =>
  followUpPolicyOf(batch, campaign).follow_up_agent_id ??
  (campaign === null || campaign.agent_id === batch.agent_id ? null : campaign.agent_id)

export const campaignHoursOf = (campaign: Campaign | null): CampaignHours =>
  campaign === null ? noHours : hoursOf(campaign)

/** A contact that was never touched. */
export const untouched = (batch: Batch, contactId: string, row: number): Contact => ({
  contact_id: contactId,
  organization_id: batch.organization_id,
  batch_id: batch.batch_id,
  campaign_id: batch.campaign_id,
  row,
  revision: 0,
  status: "pending",
  attempts: 0,
  retries_used: 0,
  follow_ups_used: 0,
  reached: false,
  follow_ups_exhausted: false,
  eligible_at: null,
  in_hours_only: false,
  waits_for_number: false,
  holds: 0,
  first_execution_id: null,
  last_execution_id: null,
  last_status: null,
})

/** The contact as it is dialled: an attempt is counted from here on. */
export const dialled = (contact: Contact, executionId: string): Contact => ({
  ...contact,
  status: "in_progress",
  attempts: contact.attempts + 1,
  retries_used: contact.retries_used + (contact.status === "retry_scheduled" ? 1 : 0),
  follow_ups_used: contact.follow_ups_used + (contact.status === "follow_up_scheduled" ? 1 : 0),
  eligible_at: null,
  waits_for_number: false,
  waits_since: null,
  first_execution_id: contact.first_execution_id ?? executionId,
  last_execution_id: executionId,
  ...(contact.last_execution_id === null ? {} : { previous_execution_id: contact.last_execution_id }),
})

/** How long the n-th hold in a row lasts: 5 s doubling to 5 min. */
const holdMs = (holds: number): number => Math.min(limits.holdMs * 2 ** (holds - 1), limits.holdMaxMs)

/** Whether one more hold would be the last of a row, which counts as an `error` attempt. */
export const isLastHold = (contact: Contact): boolean => contact.holds + 1 >= limits.holdsPerAttempt

/** The contact held back before it was dialled, its place in the queue kept for when the hold is over. */
export const held = (contact: Contact, held_because: HeldBecause, now: number): Contact => {
  const holds = contact.holds + 1
  return {
    ...contact,
    holds,
    held_because,
    eligible_at: now + holdMs(holds),
    waits_for_number: false,
  }
}

/** The contact after a dial that was certainly not made: as if it had never been meant to be. Its time has come. */
export const undialled = (contact: Contact, call: Call, now: number): Contact => {
  const isRetry = !call.is_follow_up && call.retry_count > 0
  const status: StoredContactStatus = call.is_follow_up
    ? "follow_up_scheduled"
    : isRetry
      ? "retry_scheduled"
      : "pending"
  return {
    ...contact,
    status,
    attempts: contact.attempts - 1,
    retries_used: contact.retries_used - (isRetry ? 1 : 0),
    follow_ups_used: contact.follow_ups_used - (call.is_follow_up ? 1 : 0),
    eligible_at: now,
    waits_for_number: false,
    first_execution_id: contact.first_execution_id === call.execution_id ? null : contact.first_execution_id,
    last_execution_id:
      contact.last_execution_id === call.execution_id
        ? (contact.previous_execution_id ?? null)
        : contact.last_execution_id,
  }
}

/** The contact after a dial that was definitely refused for what is not its fault: as if it had never been made, but held. */
export const withdrawn = (contact: Contact, call: Call, now: number): Contact =>
  held(undialled(contact, call, now), "carrier", now)

/** The contact set aside until the call to its number is over; one whose turn another one took has waited since before. */
export const waitingForNumber = (contact: Contact, now: number): Contact => ({
  ...contact,
  eligible_at: null,
  waits_for_number: true,
  waits_since: contact.waits_since ?? now,
})

/** Whether a contact waits longer for a number that nobody is in a call with than whoever has the turn before it can be held. */
export const isForgotten = ({ waits_since }: Contact, now: number): boolean =>
  (waits_since ?? 0) + limits.forgottenAfterMs <= now

/** A contact that nobody has touched, passed over because its agent has no line: it stands among those that are due from now on. */
export const passedOver = (contact: Contact, now: number): Contact => ({
  ...contact,
  eligible_at: now,
})

/** The contact that may be dialled again, its number being free. Of several the one is first that has waited the longest. */
export const numberFree = (contact: Contact, now: number): Contact => ({
  ...contact,
  eligible_at: Math.min(contact.waits_since ?? now, now),
  waits_for_number: false,
})

type Outcome = Pick<Contact, "status" | "eligible_at" | "in_hours_only" | "follow_ups_exhausted">

const over = (reached: boolean, exhausted: boolean): Outcome => ({
  status: reached ? "completed" : "failed",
  eligible_at: null,
  in_hours_only: false,
  follow_ups_exhausted: exhausted,
})

/**
 * What follows an ended attempt. Times are kept as they are before hours are looked at, with a mark where the campaign's hours bind
 * although they are not enforced: edited hours thus apply at once to everything that waits, without a row being touched.
 */
const outcomeOf = (
  { contact, batch, campaign }: AttemptContext,
  call: Call,
  status: TerminalCallStatus,
  endedAt: number,
): Outcome => {
  const reached = contact.reached || status === "completed"
  const unknown_outcome = call.dial === "unconfirmed" || call.dial === "intended"
  const hours = campaignHoursOf(campaign)
  const followUps = followUpPolicyOf(batch, campaign)
  // However the last one ended, and whatever keeps another one from following it.
  const isSpent = !reached && contact.follow_ups_used >= followUps.max_attempts
  // Calls that outlive a cancelled batch count, and nothing follows them.
  if (batch.status === "cancelled") return over(reached, isSpent)
  const policy = retryPolicyOf(batch, campaign)
  const retry = planRetry(
    policy,
    { status, ended_at: endedAt, retries_used: contact.retries_used, is_follow_up: call.is_follow_up, unknown_outcome },
    hours,
  )
  if (retry.retry) {
    return {
      status: "retry_scheduled",
      eligible_at: retry.earliest_at,
      in_hours_only: policy.respect_working_hours,
      follow_ups_exhausted: false,
    }
  }
  const followUp = planFollowUp(
    followUps,
    {
      status,
      answered_by_voicemail: call.answered_by_voicemail === true,
      ended_at: endedAt,
      follow_ups_used: contact.follow_ups_used,
      is_follow_up: call.is_follow_up,
      unknown_outcome,
    },
    hours,
  )
  if (!followUp.follow_up) return over(reached, isSpent)
  const nextDay = followUps.next_working_day_only
  const tomorrow = startOfNextDay(hours.window.timezone, endedAt)
  return {
    status: "follow_up_scheduled",
    eligible_at: nextDay ? Math.max(followUp.earliest_at, tomorrow) : followUp.earliest_at,
    in_hours_only: nextDay,
    follow_ups_exhausted: false,
  }
}

/** Whether the contact waits for the end of this attempt. A record that was folded into another goes on under the other's id. */
export const isInAttempt = ({ last_execution_id, status }: Contact, attempt: string): boolean =>
  status === "in_progress" && last_execution_id === attempt

/** The contact after its call ended, or null where this change of the call does not end the contact's attempt. */
export const afterCall = (context: AttemptContext, before: Call, after: Call, now: number): Contact | null => {
  const { contact } = context
  if (isTerminal(before.status) || !isTerminal(after.status)) return null
  // The line keeps the first id.
  const attempt = after.slot?.member ?? after.execution_id
  if (!isInAttempt(contact, attempt)) return null
  return {
    ...contact,
    ...outcomeOf(context, after, after.status, after.completed_at ?? now),
    reached: contact.reached || after.status === "completed",
    holds: 0,
    first_execution_id: contact.first_execution_id === attempt ? after.execution_id : contact.first_execution_id,
    last_execution_id: after.execution_id,
    last_status: after.status,
    last_ended_at: after.completed_at ?? now,
  }
}

/** The contact whose follow-up was switched off before it was made. */
export const notFollowedUp = (contact: Contact): Contact => ({
  ...contact,
  ...over(contact.reached, false),
  waits_for_number: false,
})

/** The contact that is not dialled any more for what it is itself: nothing of its attempts changes. */
export const skipped = (contact: Contact, skip_reason: OwnSkipReason): Contact => ({
  ...contact,
  status: "skipped",
  skip_reason,
  eligible_at: null,
  in_hours_only: false,
  waits_for_number: false,
  holds: 0,
})

/** The contact whose callee may not be called now: it keeps its time, and waits among those with the same hours. */
export const outOfHours = (contact: Contact, hours_of: string, now: number): Contact => ({
  ...contact,
  hours_of,
  eligible_at: contact.eligible_at ?? now,
})

/** The contact that stands behind many others, though its own time has come: it is as it was, a little later. */
export const crowded = (contact: Contact, until: number): Contact => ({
  ...contact,
  eligible_at: until,
})

/** The contact that may not be dialled before a time, though its own has come. It waits for that time and for nothing that held it before: another hold is the first of a new row. */
export const putOff = (contact: Contact, until: number): Contact => ({
  ...contact,
  holds: 0,
  eligible_at: until,
})

/** The follow-up that is put off for a working day, because its campaign gives no hours. It can be found, should some be given. */
export const putOffForDay = (contact: Contact, until: number): Contact => ({
  ...putOff(contact, until),
  hours_of: untilWorkingDay,
})
