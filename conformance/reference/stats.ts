import type { Campaign } from "./campaigns.ts"
import type { Contact } from "./contacts.ts"
import { isoOrNull } from "./fields.ts"
import type { Organization } from "./organization.ts"

/** The four buckets: each contact is in exactly one. */
const bucketOf = ({ live, reached, status }: Contact): "completed" | "in_flight" | "failed" | "pending" => {
  if (reached) return "completed"
  if (live !== null) return "in_flight"
  return status === "failed" ? "failed" : "pending"
}

const countBy = <T>(rows: ReadonlyArray<T>, keyOf: (row: T) => string, start: Record<string, number> = {}) => {
  const counts = { ...start }
  for (const row of rows) counts[keyOf(row)] = (counts[keyOf(row)] ?? 0) + 1
  return counts
}

const statusWord = ({ status }: Contact): string =>
  status === "in_progress" || status === "completed" || status === "failed" ? status : "pending"

/** The live figures of a campaign, computed from its rows. */
export const stats = ({ calls }: Organization, campaign: Campaign) => {
  const contacts = campaign.batches.flatMap((batch) => batch.contacts)
  const own = calls.filter(({ campaign_id }) => campaign_id === campaign.campaign_id)
  const direct = own.filter(({ source }) => source !== "follow-up")
  const { completed, failed, follow_up, busy, no_answer, voicemail } = campaign.counters
  const buckets = countBy(contacts, bucketOf, { completed: 0, failed: 0, in_flight: 0, pending: 0 })
  return {
    campaign_id: campaign.campaign_id,
    status: campaign.status,
    timezone: campaign.timezone,
    working_hours_enforced: campaign.working_hours_enforced,
    start_time: isoOrNull(campaign.start_time),
    end_time: isoOrNull(campaign.end_time),
    total_contacts: contacts.length,
    contacts_dialled: contacts.filter(({ first }) => first !== null).length,
    in_flight_contacts: contacts.filter(({ live }) => live !== null).length,
    outcome_counts: { ...buckets, total: contacts.length },
    contact_counts: countBy(contacts, statusWord, { pending: 0, in_progress: 0, completed: 0, failed: 0 }),
    batch_counts: countBy(campaign.batches, ({ status }) => status),
    call_counters: {
      completed_calls: completed,
      failed_calls: failed,
      busy_calls: busy,
      no_answer_calls: no_answer,
      voicemail_calls: voicemail,
      follow_up_calls: follow_up,
    },
    retry_breakdown: countBy(direct, ({ retry_count }) => String(retry_count)),
    follow_up_attempts: own.length - direct.length,
    total_call_attempts: own.length,
    retry_policy: campaign.retry_policy,
  }
}
