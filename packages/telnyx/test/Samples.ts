import type { DialCommand } from "@carillon/core"

let ids = 0

/** A dial of a call that nobody else has. */
export const commandFor = (to_number: string, changes: Partial<DialCommand> = {}): DialCommand => ({
  execution_id: `exec_${(ids += 1)}`,
  organization_id: "org_1",
  agent_id: "agt_1",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number,
  from_number: null,
  timeout_seconds: 30,
  record: false,
  variables: {},
  ...changes,
})
