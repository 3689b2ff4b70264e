import { type CallStatus, callStatuses } from "../../calls/rules/CallStatus.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { retryPolicyOf } from "../../contacts/rules/ContactProgress.ts"
import type { RetryPolicy } from "../../dispatch/rules/RetryPlan.ts"
import type { JsonObject } from "../../Json.ts"
import { callsBy, figure, type Tally } from "../../tallies/rules/Tally.ts"
import type { Batch } from "./Batch.ts"
import type { BatchStatus } from "./BatchStatus.ts"

/** A batch as it is answered (decisions.md, "Campaigns and batches"). Times are epoch milliseconds. */
export interface BatchRecord {
  readonly batch_id: string
  readonly organization_id: string
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly name: string | null
  readonly status: BatchStatus
  readonly phone_numbers: ReadonlyArray<string>
  readonly file_name: string | null
  readonly valid_contacts: number
  readonly total_contacts: number
  /** Waiting for a first dial, a retry or a follow-up. */
  readonly pending_contacts: number
  readonly in_progress_contacts: number
  readonly completed_contacts: number
  readonly failed_contacts: number
  readonly skipped_contacts: number
  /** Only statuses that some call of the batch has. */
  readonly execution_status: { readonly [status in CallStatus]?: number }
  readonly retry_policy: RetryPolicy
  readonly concurrency_limit: number | null
  readonly scheduled_at: number | null
  readonly started_at: number | null
  readonly completed_at: number | null
  readonly metadata: JsonObject
  readonly created_at: number
  readonly updated_at: number
}

/** A batch with what is counted of it. `registered` are the organization's numbers, for a batch that names none. */
export const batchRecord = (
  batch: Batch,
  campaign: Campaign | null,
  tally: Tally,
  registered: ReadonlyArray<string>,
): BatchRecord => {
  const { batch_id, organization_id, agent_id, campaign_id, name, status, file_name, total_contacts } = batch
  const { concurrency_limit, scheduled_at, started_at, completed_at, metadata, created_at, updated_at } = batch
  const in_progress_contacts = figure(tally, "in_flight")
  const completed_contacts = figure(tally, "reached")
  const failed_contacts = figure(tally, "contact:failed")
  const waiting = total_contacts - in_progress_contacts - completed_contacts - failed_contacts
  const skipped = status === "cancelled" ? waiting : figure(tally, "skipped")
  const execution_status: { [status in CallStatus]?: number } = {}
  for (const each of callStatuses) {
    const calls = callsBy(tally, each)
    if (calls > 0) execution_status[each] = calls
  }
  return {
    batch_id,
    organization_id,
    agent_id,
    campaign_id,
    name,
    status,
    phone_numbers: batch.phone_numbers ?? campaign?.phone_numbers ?? registered,
    file_name,
    valid_contacts: total_contacts,
    total_contacts,
    pending_contacts: waiting - skipped,
    in_progress_contacts,
    completed_contacts,
    failed_contacts,
    skipped_contacts: skipped,
    execution_status,
    retry_policy: retryPolicyOf(batch, campaign),
    concurrency_limit,
    scheduled_at,
    started_at,
    completed_at,
    metadata,
    created_at,
    updated_at,
  }
}
