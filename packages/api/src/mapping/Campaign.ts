import type { CampaignExplanation as Explanation } from "@carillon/core"
import { type CampaignRecord, type CampaignStats as Stats, Timestamp } from "@carillon/core/domain"
import type { Campaign, CampaignExplanation, CampaignStats } from "../Campaigns.ts"
import { optionalUtc } from "./Time.ts"

/** A campaign as it is answered. */
export const toWireCampaign = (campaign: CampaignRecord): Campaign => ({
  campaign_id: campaign.campaign_id,
  organization_id: campaign.organization_id,
  name: campaign.name,
  agent_id: campaign.agent_id,
  phone_numbers: campaign.phone_numbers,
  phone_number_strategy: campaign.phone_number_strategy,
  phone_number_index: campaign.phone_number_index,
  timezone: campaign.timezone,
  working_hours_enforced: campaign.working_hours_enforced,
  working_hours: campaign.working_hours,
  max_concurrent_calls: campaign.max_concurrent_calls,
  retry_policy: campaign.retry_policy,
  follow_up_policy: campaign.follow_up_policy,
  transliteration: campaign.transliteration,
  start_time: optionalUtc(campaign.start_time),
  end_time: optionalUtc(campaign.end_time),
  default_call_variables: campaign.default_call_variables,
  default_call_context: campaign.default_call_context,
  status: campaign.status,
  metadata: campaign.metadata,
  batch_id: campaign.batch_id,
  total_contacts: campaign.total_contacts,
  total_batches: campaign.total_batches,
  active_batches: campaign.active_batches,
  completed_contacts: campaign.completed_contacts,
  completed_calls: campaign.completed_calls,
  failed_calls: campaign.failed_calls,
  busy_calls: campaign.busy_calls,
  no_answer_calls: campaign.no_answer_calls,
  voicemail_calls: campaign.voicemail_calls,
  in_progress_calls: campaign.in_progress_calls,
  follow_up_calls: campaign.follow_up_calls,
  follow_up_exhausted: campaign.follow_up_exhausted,
  created_at: Timestamp.formatUtc(campaign.created_at),
  updated_at: Timestamp.formatUtc(campaign.updated_at),
})

/** A campaign's statistics as they are answered. */
export const toWireStats = ({ start_time, end_time, ...stats }: Stats): CampaignStats => ({
  ...stats,
  start_time: optionalUtc(start_time),
  end_time: optionalUtc(end_time),
})

/** An explanation as it is answered. */
export const toWireExplanation = ({
  at,
  blocking,
  waiting_for_number,
  estimated_finish_at,
  ...explanation
}: Explanation): CampaignExplanation => ({
  ...explanation,
  at: Timestamp.formatUtc(at),
  blocking: blocking.map(({ reason, contacts, until }) => ({ reason, contacts, until: optionalUtc(until) })),
  waiting_for_number: waiting_for_number.map(({ waits_since, ...waiting }) => ({
    ...waiting,
    waits_since: optionalUtc(waits_since),
  })),
  estimated_finish_at: optionalUtc(estimated_finish_at),
})
