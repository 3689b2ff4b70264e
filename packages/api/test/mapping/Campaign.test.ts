import type { CampaignExplanation as Explanation } from "@carillon/core"
import {
  agentStatuses,
  type BatchRecord,
  blockingReasons,
  noEstimateReasons,
  callStatuses,
  campaignDefaults,
  type CampaignRecord,
  type CampaignStats as Stats,
  type ContactRecord,
  RetryPlan,
} from "@carillon/core/domain"
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { Batch } from "../../src/Batches.ts"
import { Campaign, CampaignExplanation, CampaignStats } from "../../src/Campaigns.ts"
import { ContactEntry } from "../../src/Contacts.ts"
import { toWireBatch } from "../../src/mapping/Batch.ts"
import { toWireCampaign, toWireExplanation, toWireStats } from "../../src/mapping/Campaign.ts"
import { toWireContact } from "../../src/mapping/Contact.ts"
import { assertReads } from "./Arbitraries.ts"

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
const optionalInstant = fc.option(instant, { nil: null })
const optionalText = fc.option(fc.string(), { nil: null })
const count = fc.nat()

const record: fc.Arbitrary<CampaignRecord> = fc
  .record({
    start_time: optionalInstant,
    end_time: optionalInstant,
    created_at: instant,
    updated_at: instant,
    batch_id: optionalText,
    total_contacts: count,
    completed_calls: count,
  })
  .map((some) => ({
    ...campaignDefaults("Spring", "agt_1"),
    phone_numbers: ["+15555550199"],
    campaign_id: "cmp_1",
    organization_id: "org_1",
    revision: 2,
    status: "active",
    phone_number_index: 3,
    total_batches: 1,
    active_batches: 1,
    completed_contacts: 1,
    failed_calls: 1,
    busy_calls: 1,
    no_answer_calls: 2,
    voicemail_calls: 1,
    in_progress_calls: 1,
    follow_up_calls: 1,
    follow_up_exhausted: 0,
    ...some,
  }))

const stats: fc.Arbitrary<Stats> = fc
  .record({ start_time: optionalInstant, end_time: optionalInstant })
  .map((some) => ({
    campaign_id: "cmp_1",
    status: "paused",
    timezone: "UTC",
    working_hours_enforced: false,
    total_contacts: 4,
    contacts_dialled: 3,
    in_flight_contacts: 1,
    outcome_counts: { completed: 1, failed: 1, in_flight: 1, pending: 1, total: 4 },
    contact_counts: { pending: 1, in_progress: 1, completed: 1, failed: 1 },
    batch_counts: { in_progress: 1, cancelled: 2 },
    call_counters: {
      completed_calls: 1,
      failed_calls: 1,
      busy_calls: 0,
      no_answer_calls: 0,
      voicemail_calls: 0,
      follow_up_calls: 0,
    },
    retry_breakdown: { 0: 3, 1: 1 },
    follow_up_attempts: 0,
    total_call_attempts: 4,
    retry_policy: RetryPlan.retryPolicyDefaults,
    ...some,
  }))

const batch: fc.Arbitrary<BatchRecord> = fc
  .record({
    name: optionalText,
    campaign_id: optionalText,
    scheduled_at: optionalInstant,
    started_at: optionalInstant,
    completed_at: optionalInstant,
    created_at: instant,
    execution_status: fc.dictionary(fc.constantFrom(...callStatuses), count),
  })
  .map((some) => ({
    batch_id: "bat_1",
    organization_id: "org_1",
    agent_id: "agt_1",
    status: "dispatched",
    phone_numbers: [],
    file_name: "contacts.csv",
    valid_contacts: 4,
    total_contacts: 4,
    pending_contacts: 1,
    in_progress_contacts: 1,
    completed_contacts: 1,
    failed_contacts: 1,
    skipped_contacts: 0,
    retry_policy: RetryPlan.retryPolicyDefaults,
    concurrency_limit: 3,
    metadata: { a: [1] },
    updated_at: 1,
    ...some,
  }))

const contact: fc.Arbitrary<ContactRecord> = fc
  .record({ next_attempt_at: optionalInstant, campaign_id: optionalText, last_execution_id: optionalText })
  .map((some) => ({
    contact_id: "con_1_0",
    batch_id: "bat_1",
    to_number: "+15555550100",
    variables: { name: "Ada" },
    status: "retry_scheduled",
    attempts: 2,
    retry_count: 1,
    follow_up_count: 0,
    skip_reason: null,
    last_status: "busy",
    ...some,
  }))

const explanation: fc.Arbitrary<Explanation> = fc
  .record({
    at: instant,
    estimated_finish_at: optionalInstant,
    no_estimate_reason: fc.option(fc.constantFrom(...noEstimateReasons)),
    blocking: fc.array(
      fc.record({ reason: fc.constantFrom(...blockingReasons), contacts: count, until: optionalInstant }),
    ),
    inactive_agents: fc.array(
      fc.record({ agent_id: fc.constant("agt_1"), status: fc.option(fc.constantFrom(...agentStatuses)) }),
    ),
    waiting_for_number: fc.array(
      fc.record({
        contact_id: fc.constant("con_1_0"),
        batch_id: fc.constant("bat_1"),
        to_number: fc.constant("+15555550100"),
        waits_since: optionalInstant,
        execution_id: fc.option(fc.constant("exec_1")),
      }),
    ),
  })
  .map((some) => ({ campaign_id: "cmp_1", status: "active", in_flight: 1, dialable: 2, ...some }))

describe("campaigns, batches and contacts on the wire", () => {
  it("are read by their schemas, with no field too many and none too few", () => {
    fc.assert(fc.property(record, (row) => assertReads(Campaign, toWireCampaign(row))))
    fc.assert(fc.property(stats, (row) => assertReads(CampaignStats, toWireStats(row))))
    fc.assert(fc.property(batch, (row) => assertReads(Batch, toWireBatch(row))))
    fc.assert(fc.property(contact, (row) => assertReads(ContactEntry, toWireContact(row))))
    fc.assert(fc.property(explanation, (row) => assertReads(CampaignExplanation, toWireExplanation(row))))
  })
})
