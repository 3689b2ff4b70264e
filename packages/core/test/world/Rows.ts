import {
  type Agent,
  type ApiKey,
  type Caller,
  defaultSettings,
  type Organization,
  type PlaceCall,
} from "@carillon/core"

export const epoch = Date.UTC(2026, 0, 5, 9)
export const organizationId = "org_test"
export const agentId = "agt_test"

export const organization: Organization = {
  organization_id: organizationId,
  revision: 1,
  name: "Test",
  plan: "standard",
  rate_limit_tier: "standard",
  wallet: { balance: 100, currency: "USD" },
  concurrency: { organization: null, per_agent: null, enforced: true },
  webhook_secret: null,
  created_at: epoch,
}

export const agent: Agent = {
  ...defaultSettings,
  display_name: "Test",
  agent_id: agentId,
  organization_id: organizationId,
  revision: 1,
  status: "ACTIVE",
  version: 2,
  created_at: epoch,
  updated_at: epoch,
}

export const key: ApiKey = {
  key_id: "key_test",
  revision: 1,
  hash: "00",
  key_preview: "gat_",
  organization_id: organizationId,
  developer: { id: "dev_test", name: "Test", email: "test@example.com" },
  plan: "standard",
  rate_limit_tier: "standard",
  token_type: "partner",
  status: "active",
  description: "Test",
  scopes: null,
  scopes_source: "grandfathered",
  keys_write_enabled: false,
  created_at: epoch,
  revoked_at: null,
}

export const caller: Caller = { organization_id: organizationId, key, request_id: "req_test" }

export const request = (changes: Partial<PlaceCall> = {}): PlaceCall => ({
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
