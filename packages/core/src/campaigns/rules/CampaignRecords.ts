import type { AgentStatus } from "../../agents/rules/AgentStatus.ts"
import type { Batch } from "../../batches/rules/Batch.ts"
import { type BatchStatus, batchStatuses } from "../../batches/rules/BatchStatus.ts"
import {
  type Contact,
  contactId,
  type ContactStatus,
  isWaiting,
  type SkipReason,
} from "../../contacts/rules/Contact.ts"
import type { ZoneHours } from "../../callees/rules/CalleeHours.ts"
import { bindingOf, type HoursSetting } from "../../callees/rules/HoursRow.ts"
import { agentOfDial, type ContactDial } from "../../dispatch/rules/ContactCall.ts"
import { nextAttemptAt } from "../../contacts/rules/NextAttempt.ts"
import type { ContactRow } from "../../contacts/rules/PlacedContact.ts"
import type { RetryPolicy } from "../../dispatch/rules/RetryPlan.ts"
import {
  allBatches,
  allCalls,
  batchesBy,
  callsBy,
  depths,
  figure,
  finishedBatches,
  liveCalls,
  type Tally,
} from "../../tallies/rules/Tally.ts"
import type { Campaign } from "./Campaign.ts"
import type { CampaignStatus } from "./CampaignStatus.ts"

/** The counters of a campaign (specification, "Campaign"). */
export interface CampaignCounters {
  readonly phone_number_index: number
  readonly total_contacts: number
  readonly total_batches: number
  /** Batches that are neither finished nor paused. */
  readonly active_batches: number
  /** Contacts that reached a completed call, counted once. */
  readonly completed_contacts: number
  readonly completed_calls: number
  readonly failed_calls: number
  readonly busy_calls: number
  /** Voicemail included. */
  readonly no_answer_calls: number
  readonly voicemail_calls: number
  readonly in_progress_calls: number
  readonly follow_up_calls: number
  readonly follow_up_exhausted: number
}

/** A campaign as it is answered: caller IDs resolved, counters beside the settings. */
export interface CampaignRecord extends Omit<Campaign, "phone_numbers">, CampaignCounters {
  readonly phone_numbers: ReadonlyArray<string>
  /** The batch that the request made; null on every other read. */
  readonly batch_id: string | null
}

/** Four buckets that exclude one another and sum to `total`; `completed` only grows. */
export interface OutcomeCounts {
  readonly completed: number
  readonly failed: number
  readonly in_flight: number
  readonly pending: number
  readonly total: number
}

/** The live statistics of a campaign (specification, "Campaign stats"). */
export interface CampaignStats {
  readonly campaign_id: string
  readonly status: CampaignStatus
  readonly timezone: string
  readonly working_hours_enforced: boolean
  readonly start_time: number | null
  readonly end_time: number | null
  readonly total_contacts: number
  readonly contacts_dialled: number
  readonly in_flight_contacts: number
  readonly outcome_counts: OutcomeCounts
  readonly contact_counts: {
    readonly pending: number
    readonly in_progress: number
    readonly completed: number
    readonly failed: number
  }
  /** Only statuses that some batch has. */
  readonly batch_counts: { readonly [status in BatchStatus]?: number }
  readonly call_counters: {
    readonly completed_calls: number
    readonly failed_calls: number
    readonly busy_calls: number
    readonly no_answer_calls: number
    readonly voicemail_calls: number
    readonly follow_up_calls: number
  }
  /** From retry depth ("0", "1", …) to calls, follow-ups left out. */
  readonly retry_breakdown: { readonly [depth: string]: number }
  readonly follow_up_attempts: number
  readonly total_call_attempts: number
  readonly retry_policy: RetryPolicy
}

/** A contact as it is listed (decisions.md, "Campaigns and batches", the extensions). Times are epoch milliseconds. */
export interface ContactRecord {
  readonly contact_id: string
  readonly batch_id: string
  readonly campaign_id: string | null
  readonly to_number: string
  readonly variables: Campaign["default_call_variables"]
  /** How early it is called for the first time; left out where none was given. */
  readonly priority?: number
  readonly status: ContactStatus
  readonly attempts: number
  readonly retry_count: number
  readonly follow_up_count: number
  /** When it may be dialled next as things stand, hours looked at and never in the past; null where it waits for no time or can never be due. */
  readonly next_attempt_at: number | null
  readonly skip_reason: SkipReason | null
  readonly last_execution_id: string | null
  readonly last_status: string | null
}

/** Why a campaign dials nothing, or not more, at this moment. */
export const blockingReasons = [
  "paused",
  "finished",
  "before_start",
  "after_end",
  "outside_hours",
  "callee_hours",
  "batch_not_due",
  "batch_paused",
  "agent_inactive",
  "wallet",
  "caller_id",
  "carrier",
  "cooldown",
  "number_busy",
  "campaign_ceiling",
  "agent_ceiling",
  "organization_lines_full",
  "platform_lines_full",
  "fair_share",
] as const

export type BlockingReason = (typeof blockingReasons)[number]

/** Why nobody can say when a campaign will be done: what somebody has to end first, or what is not known. */
export const noEstimateReasons = [...blockingReasons, "too_few_calls", "nothing_left", "end_comes_first"] as const

export type NoEstimateReason = (typeof noEstimateReasons)[number]

/** One reason, how many contacts it holds back, and until when where that is known. */
export interface Blocking {
  readonly reason: BlockingReason
  readonly contacts: number
  readonly until: number | null
}

/** An agent that may place no calls; without a status where there is no such agent. */
export interface InactiveAgent {
  readonly agent_id: string
  readonly status: AgentStatus | null
}

/** A contact that waits until its number is free. */
export interface WaitingForNumber {
  readonly contact_id: string
  readonly batch_id: string
  readonly to_number: string
  /** Since when it waits; null where that was not kept. */
  readonly waits_since: number | null
  /** The live call of the campaign to the number; null where it is over, and another contact with the number has the turn. */
  readonly execution_id: string | null
}

/** The answer to "why is nothing, or not more, dialling now?". */
export interface CampaignExplanation {
  readonly campaign_id: string
  readonly status: CampaignStatus
  readonly at: number
  readonly in_flight: number
  /** Contacts that lack nothing but a line to be dialled at this moment. */
  readonly dialable: number
  readonly blocking: ReadonlyArray<Blocking>
  /** The agents behind `agent_inactive`: those of batches, or those of follow-ups. */
  readonly inactive_agents: ReadonlyArray<InactiveAgent>
  /** Some of the contacts behind `number_busy`, the longest wait first. */
  readonly waiting_for_number: ReadonlyArray<WaitingForNumber>
  /** When the last contact will be done at the pace so far, never before the last call that is planned; null where nothing can be said honestly. */
  readonly estimated_finish_at: number | null
  /** Why there is no estimate; null where there is one. */
  readonly no_estimate_reason: NoEstimateReason | null
}

const failedCalls = (tally: Tally): number => callsBy(tally, "failed", "error", "call-disconnected")

/** A campaign with what is counted of it. `registered` are the organization's numbers, for a campaign that names none. */
export const campaignRecord = (
  campaign: Campaign,
  tally: Tally,
  registered: ReadonlyArray<string>,
  batchId: string | null,
): CampaignRecord => ({
  ...campaign,
  phone_numbers: campaign.phone_numbers ?? registered,
  phone_number_index: figure(tally, "phone_number_index"),
  batch_id: batchId,
  total_contacts: figure(tally, "contacts"),
  total_batches: allBatches(tally),
  active_batches: allBatches(tally) - finishedBatches(tally) - batchesBy(tally, "paused"),
  completed_contacts: figure(tally, "reached"),
  completed_calls: callsBy(tally, "completed"),
  failed_calls: failedCalls(tally),
  busy_calls: callsBy(tally, "busy"),
  no_answer_calls: callsBy(tally, "no-answer"),
  voicemail_calls: figure(tally, "voicemail_calls"),
  in_progress_calls: liveCalls(tally),
  follow_up_calls: figure(tally, "follow_up_calls"),
  follow_up_exhausted: figure(tally, "follow_up_exhausted"),
})

/** The four buckets: what was reached stays so, whatever is under way for it. */
export const outcomeCounts = (tally: Tally): OutcomeCounts => {
  const total = figure(tally, "contacts")
  const completed = figure(tally, "reached")
  const failed = figure(tally, "contact:failed")
  const in_flight = figure(tally, "in_flight")
  return { completed, failed, in_flight, pending: total - completed - failed - in_flight, total }
}

/** The statistics of a campaign, from what is counted of it. */
export const campaignStats = (campaign: Campaign, tally: Tally): CampaignStats => {
  const { campaign_id, status, timezone, working_hours_enforced, start_time, end_time, retry_policy } = campaign
  const total = figure(tally, "contacts")
  const in_progress = figure(tally, "contact:in_progress")
  const completed = figure(tally, "contact:completed")
  const failed = figure(tally, "contact:failed")
  const batch_counts: { [status in BatchStatus]?: number } = {}
  for (const each of batchStatuses) {
    const count = batchesBy(tally, each)
    if (count > 0) batch_counts[each] = count
  }
  const follow_up_calls = figure(tally, "follow_up_calls")
  return {
    campaign_id,
    status,
    timezone,
    working_hours_enforced,
    start_time,
    end_time,
    total_contacts: total,
    contacts_dialled: figure(tally, "dialled"),
    in_flight_contacts: in_progress,
    outcome_counts: outcomeCounts(tally),
    contact_counts: { pending: total - in_progress - completed - failed, in_progress, completed, failed },
    batch_counts,
    call_counters: {
      completed_calls: callsBy(tally, "completed"),
      failed_calls: failedCalls(tally),
      busy_calls: callsBy(tally, "busy"),
      no_answer_calls: callsBy(tally, "no-answer"),
      voicemail_calls: figure(tally, "voicemail_calls"),
      follow_up_calls,
    },
    retry_breakdown: Object.fromEntries(depths(tally)),
    follow_up_attempts: follow_up_calls,
    total_call_attempts: allCalls(tally),
    retry_policy,
  }
}

/** Why a contact is skipped: for itself, or because its batch was cancelled while it waited. Null where it is not. */
const skipReasonOf = (contact: Contact | null, batch: Batch): SkipReason | null => {
  if (contact?.status === "skipped") return contact.skip_reason ?? null
  if (batch.status !== "cancelled" || !isWaiting(contact?.status ?? "pending")) return null
  return batch.cancelled_by === "campaign" ? "campaign_cancelled" : "batch_stopped"
}

/** The hours that bind the next call of a contact. */
const hoursFor = (dial: ContactDial, setting: HoursSetting | null): ReadonlyArray<ZoneHours> =>
  bindingOf(setting, { campaign_id: dial.batch.campaign_id, agent_id: agentOfDial(dial) }, dial.entry)

/** A contact as it is listed; one that waits in a cancelled batch is skipped. */
export const contactRecord = (
  row: ContactRow,
  batch: Batch,
  campaign: Campaign | null,
  now: number,
  /** The callee hours of the organization; null where it has none. */
  setting: HoursSetting | null = null,
): ContactRecord => {
  const { contact, entry } = row
  const skip_reason = skipReasonOf(contact, batch)
  return {
    contact_id: contactId(row.batch_id, row.row),
    batch_id: row.batch_id,
    campaign_id: batch.campaign_id,
    to_number: entry.to_number,
    variables: entry.variables,
    ...(entry.priority === undefined ? {} : { priority: entry.priority }),
    status: skip_reason === null ? (contact?.status ?? "pending") : "skipped",
    attempts: contact?.attempts ?? 0,
    retry_count: contact?.retries_used ?? 0,
    follow_up_count: contact?.follow_ups_used ?? 0,
    next_attempt_at:
      contact === null
        ? null
        : nextAttemptAt({ contact, batch, campaign }, now, hoursFor({ contact, entry, batch, campaign }, setting)),
    skip_reason,
    last_execution_id: contact?.last_execution_id ?? null,
    last_status: contact?.last_status ?? null,
  }
}
