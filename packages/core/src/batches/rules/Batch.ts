import type { FollowUpPolicy } from "../../dispatch/rules/FollowUpPlan.ts"
import type { RetryPolicy } from "../../dispatch/rules/RetryPlan.ts"
import type { JsonObject } from "../../Json.ts"
import type { BatchState } from "./BatchStatus.ts"

/** A list of contacts that is dialled together. Times are epoch milliseconds; what is counted of it is in its tally. */
export interface Batch extends BatchState {
  readonly batch_id: string
  readonly organization_id: string
  readonly revision: number
  /** Null: the batch is dialled for itself and has a fair share of its own. */
  readonly campaign_id: string | null
  readonly agent_id: string
  readonly name: string | null
  readonly file_name: string | null
  /** Null: the campaign's caller IDs, or all registered ones. */
  readonly phone_numbers: ReadonlyArray<string> | null
  /** Null: the campaign's policy, or the defaults. */
  readonly retry_policy: RetryPolicy | null
  readonly follow_up_policy: FollowUpPolicy | null
  readonly default_call_variables: JsonObject
  readonly metadata: JsonObject
  /** Stored, without any effect (specification, "Batches"). */
  readonly concurrency_limit: number | null
  readonly total_contacts: number
  readonly scheduled_at: number | null
  readonly started_at: number | null
  readonly completed_at: number | null
  readonly created_at: number
  readonly updated_at: number
  /** When the last of its contacts was gone that were kept for their time. */
  readonly purged_at?: number
}

/** How many of its contacts are listed: none while those go, and once they have gone, that were kept for their time. */
export const listedContacts = ({ purging_since, total_contacts }: Batch): number =>
  purging_since === undefined ? total_contacts : 0

/** Whose lines a batch's calls are counted with: its campaign's, or its own. */
export const laneOf = (batch: Pick<Batch, "batch_id" | "campaign_id">): string => batch.campaign_id ?? batch.batch_id
