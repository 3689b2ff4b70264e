import type { DialCommand } from "@carillon/core"

export const commandFor = (to_number: string, changes: Partial<DialCommand> = {}): DialCommand => ({
  execution_id: `exec_${crypto.randomUUID()}`,
  organization_id: "org_carriers",
  agent_id: "agt_carriers",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number,
  from_number: null,
  timeout_seconds: 60,
  record: false,
  variables: {},
  ...changes,
})
