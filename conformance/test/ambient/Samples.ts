/** Answers that keep every ambient rule, one for each place where a resource appears. */

export interface Sample {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
}

const moment = "2026-01-05T09:00:00.000Z"

const pagination = { page: 1, page_size: 20, total: 1, total_pages: 1, has_more: false }

const list = (row: unknown) => ({ data: [row], pagination })

export const call = {
  execution_id: "exec_1",
  status: "completed",
  is_terminal: true,
  direction: "outbound",
  agent_id: "agt_1",
  batch_id: null,
  campaign_id: null,
  contact_id: null,
  parent_execution_id: null,
  retry_count: 0,
  to_number: "+15555550100",
  from_number: "+15555550101",
  provider: "custom",
  duration_seconds: 12.5,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: "user_hangup",
  recording_url: null,
  cost: {
    total: 0.1,
    currency: "USD",
    breakdown: { llm: 0.01, network: 0, platform: 0.02, synthesizer: 0.03, telephony: 0.02, transcriber: 0.02 },
  },
  summary: null,
  sentiment: "neutral",
  extracted_data: null,
  custom_analytics: null,
  variables: {},
  scheduled_at: null,
  created_at: moment,
  updated_at: moment,
  completed_at: moment,
  transcript: [{ role: "agent", content: "Hello" }],
}

const agent = {
  agent_id: "agt_1",
  org_id: "org_1",
  timestamps: { created_at: moment, updated_at: moment },
  version: 2,
  display_name: "Reception",
  summary: null,
  greeting_message: null,
  status: "DRAFT",
  category: null,
  labels: ["a"],
  knowledge_base: null,
  calling_guard: null,
  dropped_languages: [],
}

const retryPolicy = {
  max_retries: 3,
  strategy: "fixed_delay",
  cooldown_minutes: 0,
  base_delay_minutes: 15,
  max_delay_minutes: null,
  respect_working_hours: true,
}

const campaign = {
  campaign_id: "cmp_1",
  organization_id: "org_1",
  name: "Spring",
  agent_id: "agt_1",
  phone_numbers: ["+15555550100"],
  phone_number_strategy: "round_robin",
  phone_number_index: 0,
  timezone: "UTC",
  working_hours_enforced: false,
  working_hours: {},
  max_concurrent_calls: null,
  retry_policy: retryPolicy,
  follow_up_policy: { enabled: false, triggers: ["after_retries_exhausted"] },
  transliteration: { enabled: false, fields: [] },
  start_time: null,
  end_time: "2026-02-01T00:00:00Z",
  default_call_variables: {},
  default_call_context: {},
  status: "created",
  metadata: {},
  batch_id: null,
  total_contacts: 0,
  total_batches: 0,
  active_batches: 0,
  completed_contacts: 0,
  completed_calls: 0,
  failed_calls: 0,
  busy_calls: 0,
  no_answer_calls: 0,
  voicemail_calls: 0,
  in_progress_calls: 0,
  follow_up_calls: 0,
  follow_up_exhausted: 0,
  created_at: "2026-01-05T09:00:00Z",
  updated_at: "2026-01-05T09:00:00Z",
}

const campaignStats = {
  campaign_id: "cmp_1",
  status: "active",
  timezone: "UTC",
  working_hours_enforced: false,
  start_time: null,
  end_time: null,
  total_contacts: 1,
  contacts_dialled: 1,
  in_flight_contacts: 1,
  outcome_counts: { completed: 0, failed: 0, in_flight: 1, pending: 0, total: 1 },
  contact_counts: { pending: 0, in_progress: 1, completed: 0, failed: 0 },
  batch_counts: { in_progress: 1 },
  call_counters: {
    completed_calls: 0,
    failed_calls: 0,
    busy_calls: 0,
    no_answer_calls: 0,
    voicemail_calls: 0,
    follow_up_calls: 0,
  },
  retry_breakdown: { 0: 1 },
  follow_up_attempts: 0,
  total_call_attempts: 1,
  retry_policy: retryPolicy,
}

const batch = {
  batch_id: "bat_1",
  organization_id: "org_1",
  agent_id: "agt_1",
  campaign_id: null,
  name: null,
  status: "in_progress",
  phone_numbers: ["+15555550100"],
  file_name: null,
  valid_contacts: 1,
  total_contacts: 1,
  pending_contacts: 1,
  in_progress_contacts: 0,
  completed_contacts: 0,
  failed_contacts: 0,
  skipped_contacts: 0,
  execution_status: {},
  retry_policy: retryPolicy,
  concurrency_limit: null,
  scheduled_at: null,
  started_at: "2026-01-05T09:00:00Z",
  completed_at: null,
  metadata: {},
  created_at: "2026-01-05T09:00:00Z",
  updated_at: "2026-01-05T09:00:00Z",
}

const keyRecord = {
  key_id: "key_0123456789abcdef",
  key_preview: "gat_abcdefgh...wxyz",
  developer_id: "dev_1",
  developer_name: "Ada",
  developer_email: "ada@example.com",
  plan: "standard",
  rate_limit_tier: "standard",
  token_type: "partner",
  status: "active",
  description: "first",
  created_at: moment,
  is_current: true,
}

const identity = {
  organization_id: "org_1",
  developer: { id: "dev_1", name: "Ada", key_id: "key_0123456789abcdef", key_preview: "gat_abcdefgh...wxyz" },
  plan: "standard",
  rate_limit_tier: "standard",
  rate_limits: { default: { limit: 1000 } },
  concurrency: { max: 20, enforced: true },
}

const scopes = {
  scopes: [{ scope: "calls:read", description: "Read calls", granted: true, routes: ["GET /v2/calls"] }],
  key: {
    key_id: "key_0123456789abcdef",
    organization_id: "org_1",
    scopes_source: "explicit",
    grandfathered: false,
    granted: ["calls:read"],
  },
  note: "Scopes of this key.",
}

const timing = {
  execution_id: "exec_1",
  measured: true,
  not_measured_reason: null,
  setup: null,
  turns: [{ heard: {}, thought: {}, spoke: {}, round_trip_ms: null, round_trip_missing: ["heard"] }],
  summary: {},
}

export const samples: ReadonlyArray<Sample> = [
  { method: "GET", path: "/v2/user/me", status: 200, body: identity },
  { method: "GET", path: "/v2/scopes", status: 200, body: scopes },
  { method: "GET", path: "/v2/api-keys", status: 200, body: list(keyRecord) },
  { method: "POST", path: "/v2/agents", status: 201, body: agent },
  { method: "POST", path: "/v2/campaigns", status: 201, body: campaign },
  { method: "GET", path: "/v2/campaigns", status: 200, body: list(campaign) },
  { method: "POST", path: "/v2/campaigns/cmp_1/pause", status: 200, body: campaign },
  { method: "GET", path: "/v2/campaigns/cmp_1/stats", status: 200, body: campaignStats },
  { method: "POST", path: "/v2/batches/upload", status: 201, body: batch },
  { method: "GET", path: "/v2/campaigns/cmp_1/batches", status: 200, body: list(batch) },
  { method: "POST", path: "/v2/batches/bat_1/resume", status: 202, body: batch },
  { method: "GET", path: "/v2/agents", status: 200, body: list(agent) },
  { method: "PATCH", path: "/v2/agents/agt_1", status: 200, body: agent },
  {
    method: "POST",
    path: "/v2/knowledge-bases/docs/documents",
    status: 201,
    body: {
      collection: "docs",
      retrieval_id: "kb_1",
      files_accepted: ["a.pdf"],
      chunks_indexed: 1,
      metadata_recorded: true,
      warnings: [],
    },
  },
  {
    method: "GET",
    path: "/v2/knowledge-bases/docs/documents",
    status: 200,
    body: list({
      document_id: "doc_1",
      collection: "docs",
      files: ["a.pdf"],
      chunks_indexed: 1,
      status: "processed",
      created_at: moment,
      updated_at: moment,
    }),
  },
  {
    method: "DELETE",
    path: "/v2/knowledge-bases/docs/documents/doc_1",
    status: 200,
    body: { deleted: true, collection: "docs", record_id: "doc_1", vectors_removed: 1 },
  },
  { method: "GET", path: "/v2/calls/exec_1", status: 200, body: call },
  {
    method: "GET",
    path: "/v2/calls/exec_1",
    status: 200,
    body: { ...call, status: "failed", error: { message: "The line failed." } },
  },
  { method: "GET", path: "/v2/calls", status: 200, body: list(call) },
  { method: "GET", path: "/v2/agents/agt_1/executions", status: 200, body: list(call) },
  {
    method: "POST",
    path: "/v2/calls",
    status: 201,
    body: {
      execution_id: "exec_1",
      status: "queued",
      call_sid: null,
      agent_id: "agt_1",
      to_number: "+15555550100",
      from_number: null,
      created_at: moment,
    },
  },
  {
    method: "POST",
    path: "/v2/calls",
    status: 202,
    body: { execution_id: "exec_1", status: "scheduled", scheduled_at: moment },
  },
  {
    method: "POST",
    path: "/v2/calls",
    status: 202,
    body: { execution_id: "exec_1", status: "queued", dispatch: "pending_confirmation" },
  },
  {
    method: "POST",
    path: "/v2/calls/exec_1/stop",
    status: 200,
    body: { execution_id: "exec_1", status: "canceled", canceled_before_dial: true, scheduled_at: moment },
  },
  {
    method: "POST",
    path: "/v2/calls/exec_1/stop",
    status: 202,
    body: { execution_id: "exec_1", status: "stopped", requested_at: moment, reason: "user_request" },
  },
  {
    method: "GET",
    path: "/v2/calls/exec_1/recording",
    status: 200,
    body: {
      execution_id: "exec_1",
      recording_url: "https://audio.example.com/1.wav",
      content_type: "audio/wav",
      expires_at: null,
    },
  },
  { method: "GET", path: "/v2/calls/exec_1/timing", status: 200, body: timing },
  { method: "GET", path: "/v2/calls/exec_2", status: 404, body: { error: 1200, message: "Call not found." } },
]
