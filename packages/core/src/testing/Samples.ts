import { bytesToHex, randomBytes } from "@noble/hashes/utils.js"
import type { Agent } from "../agents/rules/Agent.ts"
import { defaultSettings } from "../agents/rules/AgentSettings.ts"
import type { AuditEntry } from "../engine/rules/AuditEntry.ts"
import type { Batch } from "../batches/rules/Batch.ts"
import { newBatch } from "../batches/rules/BatchStatus.ts"
import type { Callee, Suppression } from "../callees/rules/Callee.ts"
import type { CallCaps } from "../callees/rules/CallCaps.ts"
import type { Call, HeldSlot } from "../calls/rules/Call.ts"
import { directDial, newCall, type PlaceCall } from "../calls/rules/PlaceCall.ts"
import type { Breaker } from "../campaigns/rules/BreakerSetting.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import type { CampaignEntry } from "../campaigns/rules/CampaignEntry.ts"
import { campaignDefaults } from "../campaigns/rules/CampaignSettings.ts"
import type { Commit } from "../engine/rules/Commit.ts"
import type { Experiment } from "../experiments/rules/Experiment.ts"
import type { InboundAgent } from "../inbound/rules/InboundAgent.ts"
import { hashKey, keyIdOfHash, keyPreview } from "../keys/rules/ApiKeyFormat.ts"
import type { ApiKey } from "../keys/rules/ApiKey.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { KnowledgeBase, KnowledgeUpload } from "../knowledge/rules/KnowledgeBase.ts"
import { newPhoneNumber, type PhoneNumber } from "../numbers/rules/PhoneNumber.ts"
import type { Organization } from "../organizations/rules/Organization.ts"
import type { Provider } from "../providers/rules/Provider.ts"
import type { HoursSetting } from "../callees/rules/HoursRow.ts"
import type { Purge } from "../retention/rules/PurgeRow.ts"
import { type Delivery, newDelivery } from "../webhooks/rules/Delivery.ts"
import { type Subscription, untriedEndpoint } from "../webhooks/rules/Subscription.ts"
import type { WebhookEvent } from "../webhooks/rules/WebhookEvent.ts"

/** An id that no test has used before, so that suites may share a database and see nothing of one another. */
export const fresh = (prefix: string): string => prefix + bytesToHex(randomBytes(9))

/** The moment at which sample rows are created. */
export const sampleEpoch = Date.UTC(2026, 0, 5, 9)

export const sampleCommit = (organizationId: string, parts: Partial<Omit<Commit, "organization_id">> = {}): Commit => ({
  id: fresh("cmt_"),
  organization_id: organizationId,
  expect: [],
  changes: [],
  wakeups: [],
  events: [],
  audit: [],
  ...parts,
})

export const sampleOrganization = (organizationId: string, changes: Partial<Organization> = {}): Organization => ({
  organization_id: organizationId,
  revision: 1,
  name: "Sample",
  plan: "standard",
  rate_limit_tier: "standard",
  wallet: { balance: 100, currency: "USD" },
  concurrency: { organization: null, per_agent: null, enforced: true },
  webhook_secret: null,
  created_at: sampleEpoch,
  ...changes,
})

/** How far the rows of an organization were purged, in the middle of a walk. */
export const samplePurge = (organizationId: string, changes: Partial<Purge> = {}): Purge => ({
  organization_id: organizationId,
  revision: 1,
  days: 30,
  began_at: sampleEpoch,
  before: sampleEpoch - 30 * 86_400_000,
  place: { of: "calls", after: { created_at: sampleEpoch - 31 * 86_400_000, sequence: 7 } },
  settled: null,
  calls_settled: null,
  calls_before: null,
  gone: { calls: 1, contacts: 2, events: 3, deliveries: 4 },
  ...changes,
})

export const samplePhoneNumber = (organizationId: string, phoneNumber: string): PhoneNumber =>
  newPhoneNumber({
    phone_number_id: fresh("pn_"),
    organization_id: organizationId,
    phone_number: phoneNumber,
    created_at: sampleEpoch,
  })

/** The row of a new key; its text is not kept. */
export const sampleKey = (organizationId: string | null, changes: Partial<ApiKey> = {}): ApiKey => {
  const text = fresh("gat_")
  const hash = hashKey(text)
  return {
    key_id: keyIdOfHash(hash),
    revision: 1,
    hash,
    key_preview: keyPreview(text),
    organization_id: organizationId,
    developer: { id: "dev_sample", name: "Sample", email: "sample@example.com" },
    plan: "standard",
    rate_limit_tier: "standard",
    token_type: "partner",
    status: "active",
    description: "Sample",
    scopes: ["calls:read", "calls:write"],
    scopes_source: "explicit",
    keys_write_enabled: false,
    created_at: sampleEpoch,
    revoked_at: null,
    ...changes,
  }
}

/** Who asks, with a key that may do everything. */
export const sampleCaller = (organizationId: string, key: Partial<ApiKey> = {}): Caller => ({
  organization_id: organizationId,
  key: sampleKey(organizationId, { scopes: null, scopes_source: "grandfathered", ...key }),
  request_id: "req_sample",
})

export const samplePlaceCall = (agentId: string, changes: Partial<PlaceCall> = {}): PlaceCall => ({
  agent_id: agentId,
  to_number: "+15555550100",
  from_number: null,
  variables: {},
  metadata: {},
  scheduled_at: null,
  record: true,
  timeout_seconds: 30,
  ...changes,
})

export const sampleAgent = (organizationId: string, changes: Partial<Agent> = {}): Agent => ({
  ...defaultSettings,
  display_name: "sample",
  agent_id: fresh("agt_"),
  organization_id: organizationId,
  revision: 1,
  status: "ACTIVE",
  version: 2,
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleExperiment = (organizationId: string, changes: Partial<Experiment> = {}): Experiment => ({
  version_id: fresh("ver_"),
  revision: 1,
  organization_id: organizationId,
  main_agent_id: "agt_control",
  variant_agent_id: "agt_challenger",
  version_name: "Sample",
  description: null,
  variable_tested: null,
  variant_traffic_pct: 50,
  status: "draft",
  winner: null,
  start_date: null,
  end_date: null,
  created_by: "dev_sample",
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleProvider = (organizationId: string, changes: Partial<Provider> = {}): Provider => ({
  provider_id: fresh("prv_"),
  revision: 1,
  organization_id: organizationId,
  provider_name: "sample",
  provider_value: "value",
  created_at: sampleEpoch,
  ...changes,
})

export const sampleInboundAgent = (number: PhoneNumber, changes: Partial<InboundAgent> = {}): InboundAgent => ({
  inbound_agent_id: fresh("inb_"),
  revision: 1,
  organization_id: number.organization_id,
  agent_id: "agt_sample",
  phone_number_id: number.phone_number_id,
  phone_number: number.phone_number,
  enabled: true,
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleCall = (organizationId: string, changes: Partial<Call> = {}): Call => ({
  ...newCall(
    organizationId,
    fresh("exec_"),
    {
      agent_id: "agt_sample",
      to_number: "+15555550100",
      from_number: null,
      variables: { name: "Ada" },
      metadata: {},
      scheduled_at: null,
      record: true,
      timeout_seconds: 30,
    },
    directDial,
    sampleEpoch,
  ),
  ...changes,
})

/** One that pauses its campaign where more than half of its last 20 calls failed. */
export const sampleBreaker: Breaker = {
  window_calls: 20,
  window_minutes: null,
  minimum_calls: 5,
  failed_percent: 50,
  error_percent: null,
  short_call_percent: null,
  short_call_seconds: 10,
  voicemail_percent: null,
  resume_after_minutes: null,
  updated_at: sampleEpoch,
  since: sampleEpoch,
  trip: null,
}

export const sampleCampaign = (organizationId: string, changes: Partial<Campaign> = {}): Campaign => ({
  ...campaignDefaults("Sample", "agt_sample"),
  campaign_id: fresh("cmp_"),
  organization_id: organizationId,
  revision: 1,
  status: "created",
  idle_with: null,
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleCampaignEntry = (organizationId: string, changes: Partial<CampaignEntry> = {}): CampaignEntry => ({
  campaign_id: fresh("cmp_"),
  organization_id: organizationId,
  revision: 1,
  number: 1,
  at: sampleEpoch,
  level: "info",
  event: "paused",
  message: "The campaign was paused.",
  details: { actor: { type: "api_key", key_id: "key_sample" }, was: "active", status: "paused" },
  ...changes,
})

export const sampleBatch = (organizationId: string, changes: Partial<Batch> = {}): Batch => ({
  ...newBatch,
  batch_id: fresh("bat_"),
  organization_id: organizationId,
  revision: 1,
  campaign_id: null,
  agent_id: "agt_sample",
  name: "Sample",
  file_name: null,
  phone_numbers: null,
  retry_policy: null,
  follow_up_policy: null,
  default_call_variables: {},
  metadata: {},
  concurrency_limit: null,
  total_contacts: 1,
  scheduled_at: null,
  started_at: null,
  completed_at: null,
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleKnowledgeBase = (organizationId: string, changes: Partial<KnowledgeBase> = {}): KnowledgeBase => ({
  retrieval_id: fresh("kb_"),
  organization_id: organizationId,
  revision: 1,
  collection: "sample",
  description: null,
  chunk_size: 512,
  overlapping: 128,
  documents: 0,
  chunks_indexed: 0,
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleKnowledgeUpload = (
  base: KnowledgeBase,
  changes: Partial<KnowledgeUpload> = {},
): KnowledgeUpload => ({
  document_id: fresh("doc_"),
  organization_id: base.organization_id,
  retrieval_id: base.retrieval_id,
  revision: 1,
  collection: base.collection,
  files: ["sample.pdf"],
  chunks_indexed: 3,
  status: "processed",
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

export const sampleSuppression = (changes: Partial<Suppression> = {}): Suppression => ({
  agent_id: null,
  campaign_id: null,
  reason: "opt_out",
  source: "sample",
  note: null,
  expires_at: null,
  created_at: sampleEpoch,
  ...changes,
})

const sampleNumbers = 10_000_000

export const sampleCallee = (organizationId: string, changes: Partial<Callee> = {}): Callee => ({
  organization_id: organizationId,
  to_number: `+1555${String(Number.parseInt(fresh("").slice(0, 12), 16) % sampleNumbers).padStart(7, "0")}`,
  revision: 1,
  suppressions: [sampleSuppression()],
  ...changes,
})

export const sampleCaps: CallCaps = {
  per_day: 3,
  per_week: null,
  per_thirty_days: 12,
  minimum_rest_seconds: 3_600,
  updated_at: sampleEpoch,
}

export const sampleHours = (organizationId: string, changes: Partial<HoursSetting> = {}): HoursSetting => ({
  organization_id: organizationId,
  revision: 1,
  entries: [
    {
      agent_id: null,
      campaign_id: null,
      enabled: true,
      timezone_column: "timezone",
      hours: {
        countries: { US: null },
        elsewhere: { days: Array.from({ length: 7 }, () => [{ start: 540, end: 1_200 }]), holidays: [] },
        unknown_timezone: null,
      },
      updated_at: sampleEpoch,
    },
  ],
  ...changes,
})

/** The line that a call holds at every level that applies to it. */
export const sampleSlot = (call: Call, fence: number | null): HeldSlot => ({
  member: call.execution_id,
  fence,
  levels: [
    { level: "platform", key: "platform" },
    { level: "organization", key: call.organization_id },
    { level: "agent", key: call.agent_id },
    ...(call.campaign_id === null ? [] : [{ level: "campaign" as const, key: call.campaign_id }]),
  ],
})

export const sampleAudit = (organizationId: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  event_id: fresh("aud_"),
  organization_id: organizationId,
  actor: { type: "api_key", key_id: "key_sample" },
  action: "call.create",
  resource: { type: "call", id: "exec_sample" },
  outcome: "allowed",
  error_code: null,
  http_status: null,
  request_id: "req_sample",
  details: { status: "queued" },
  created_at: sampleEpoch,
  ...changes,
})

/** A subscription of an agent, or with null of the organization. */
export const sampleSubscription = (
  organizationId: string,
  agentId: string | null,
  changes: Partial<Subscription> = {},
): Subscription => ({
  subscription_id: fresh("sub_"),
  organization_id: organizationId,
  revision: 1,
  agent_id: agentId,
  callback_url: "https://hooks.example.com/in",
  method_type: "POST",
  headers: [["authorization", "Bearer sample"]],
  secret: "whsec_sample",
  event_types: ["all_processing_completed"],
  enabled: true,
  description: null,
  health: untriedEndpoint,
  created_at: sampleEpoch,
  updated_at: sampleEpoch,
  ...changes,
})

/** An event that waits in the outbox. */
export const sampleEvent = (organizationId: string, changes: Partial<WebhookEvent> = {}): WebhookEvent => ({
  event_id: fresh("evt_"),
  organization_id: organizationId,
  revision: 1,
  event_type: "call_completed",
  execution_id: "exec_sample",
  agent_id: "agt_sample",
  body: '{"event_type":"call_completed","custom":"Zürich \u{1F4DE}"}',
  raised_at: sampleEpoch,
  routed_at: null,
  expires_at: sampleEpoch + 31 * 24 * 3_600_000,
  ...changes,
})

/** A delivery that was not attempted yet. */
export const sampleDelivery = (organizationId: string, changes: Partial<Delivery> = {}): Delivery => ({
  ...newDelivery(
    {
      delivery_id: fresh("dlv_"),
      organization_id: organizationId,
      event_id: "evt_sample",
      event_type: "call_completed",
      subscription_id: "sub_sample",
      subscription_revision: 1,
      agent_id: "agt_sample",
      execution_id: "exec_sample",
      body_bytes: 58,
    },
    sampleEpoch,
  ),
  ...changes,
})
