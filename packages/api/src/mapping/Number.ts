import { type NumberStanding, Timestamp } from "@carillon/core/domain"
import type { InboundAgent as DomainInboundAgent } from "@carillon/core/ports"
import type { InboundAgent, PhoneNumber } from "../Numbers.ts"

/** A number as it is answered. */
export const toWireNumber = ({ calls_in_progress, inbound_agent_id, number }: NumberStanding): PhoneNumber => ({
  phone_number_id: number.phone_number_id,
  phone_number: number.phone_number,
  label: number.label,
  country: number.country,
  provider: "custom",
  status: "active",
  capabilities: ["voice"],
  inbound_agent_id,
  calls_in_progress,
  created_at: Timestamp.formatUtc(number.created_at),
  updated_at: Timestamp.formatUtc(number.updated_at),
})

/** The binding of a number as it is answered. */
export const toWireInboundAgent = (binding: DomainInboundAgent): InboundAgent => ({
  inbound_agent_id: binding.inbound_agent_id,
  agent_id: binding.agent_id,
  phone_number_id: binding.phone_number_id,
  phone_number: binding.phone_number,
  enabled: binding.enabled,
  created_at: Timestamp.formatUtc(binding.created_at),
  updated_at: Timestamp.formatUtc(binding.updated_at),
})
