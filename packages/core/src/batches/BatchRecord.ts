import type { CallStatus } from "../calls/CallStatus.ts"
import type { RetryPolicy } from "../dispatch/RetryPlan.ts"
import type { JsonObject } from "../Json.ts"
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
