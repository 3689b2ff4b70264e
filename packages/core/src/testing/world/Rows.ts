import type { PlaceCall } from "../../calls/rules/PlaceCall.ts"
import { sampleAgent, sampleCaller, sampleEpoch, sampleOrganization, samplePlaceCall } from "../Samples.ts"

export const epoch = sampleEpoch
export const organizationId = "org_test"
export const agentId = "agt_test"

export const organization = sampleOrganization(organizationId, { name: "Test" })
export const agent = sampleAgent(organizationId, { agent_id: agentId, display_name: "Test" })
export const caller = sampleCaller(organizationId, {
  key_id: "key_test",
  hash: "00",
  key_preview: "gat_",
  developer: { id: "dev_test", name: "Test", email: "test@example.com" },
  description: "Test",
})
export const { key } = caller

export const request = (changes: Partial<PlaceCall> = {}): PlaceCall => samplePlaceCall(agentId, changes)
