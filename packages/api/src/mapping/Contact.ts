import type { ContactRecord } from "@carillon/core/domain"
import type { ContactEntry } from "../Contacts.ts"
import { optionalUtc } from "./Time.ts"

/** A contact as it is listed. */
export const toWireContact = ({ next_attempt_at, ...contact }: ContactRecord): ContactEntry => ({
  contact_id: contact.contact_id,
  batch_id: contact.batch_id,
  campaign_id: contact.campaign_id,
  to_number: contact.to_number,
  variables: contact.variables,
  ...(contact.priority === undefined ? {} : { priority: contact.priority }),
  status: contact.status,
  attempts: contact.attempts,
  retry_count: contact.retry_count,
  follow_up_count: contact.follow_up_count,
  next_attempt_at: optionalUtc(next_attempt_at),
  skip_reason: contact.skip_reason,
  last_execution_id: contact.last_execution_id,
  last_status: contact.last_status,
})
