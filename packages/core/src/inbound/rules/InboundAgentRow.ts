import { callersFrom } from "../../engine/rules/Guards.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { InboundAgent } from "./InboundAgent.ts"

/** A number is answered by one agent at most. */
export const inboundAgentRow: RowDescription<InboundAgent> = {
  id: (binding) => binding.inbound_agent_id,
  dependency: "account_service",
  unique: (binding) => binding.phone_number_id,
  joins: (before, { phone_number_id }) => (before === null ? [callersFrom(phone_number_id)] : []),
}
