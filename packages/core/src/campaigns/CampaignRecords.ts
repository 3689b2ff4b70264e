import type { BatchStatus } from "../batches/BatchStatus.ts"
import type { ContactStatus, SkipReason } from "../contacts/Contact.ts"
import type { RetryPolicy } from "../dispatch/RetryPlan.ts"
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
export interface CampaignRecord extends Omit<Campaign, "revision" | "phone_numbers">, CampaignCounters {
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
  readonly status: ContactStatus
  readonly attempts: number
  readonly retry_count: number
  readonly follow_up_count: number
  /** When it is due next as things stand, hours looked at; null when it is not waiting for a time or can never be due. */
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
  "batch_not_due",
  "batch_paused",
  "agent_inactive",
  "wallet",
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

/** One reason, how many contacts it holds back, and until when where that is known. */
export interface Blocking {
  readonly reason: BlockingReason
  readonly contacts: number
  readonly until: number | null
}

/** The answer to "why is nothing, or not more, dialling now?". */
export interface CampaignExplanation {
  readonly campaign_id: string
  readonly status: CampaignStatus
  readonly at: number
  readonly in_flight: number
  /** Contacts that could be dialled at this moment if there were lines enough. */
  readonly dialable: number
  readonly blocking: ReadonlyArray<Blocking>
  /** When the last contact will be done at the pace so far, or null where nothing can be said honestly. */
  readonly estimated_finish_at: number | null
}
