import { type BatchRecord, Timestamp } from "@carillon/core/domain"
import type { Batch } from "../Batches.ts"
import { optionalUtc } from "./Time.ts"

/** A batch as it is answered. */
export const toWireBatch = (batch: BatchRecord): Batch => ({
  batch_id: batch.batch_id,
  organization_id: batch.organization_id,
  agent_id: batch.agent_id,
  campaign_id: batch.campaign_id,
  name: batch.name,
  status: batch.status,
  phone_numbers: batch.phone_numbers,
  file_name: batch.file_name,
  valid_contacts: batch.valid_contacts,
  total_contacts: batch.total_contacts,
  pending_contacts: batch.pending_contacts,
  in_progress_contacts: batch.in_progress_contacts,
  completed_contacts: batch.completed_contacts,
  failed_contacts: batch.failed_contacts,
  skipped_contacts: batch.skipped_contacts,
  execution_status: batch.execution_status,
  retry_policy: batch.retry_policy,
  concurrency_limit: batch.concurrency_limit,
  scheduled_at: optionalUtc(batch.scheduled_at),
  started_at: optionalUtc(batch.started_at),
  completed_at: optionalUtc(batch.completed_at),
  metadata: batch.metadata,
  created_at: Timestamp.formatUtc(batch.created_at),
  updated_at: Timestamp.formatUtc(batch.updated_at),
})
