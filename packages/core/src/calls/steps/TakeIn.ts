import type { Agent } from "../../agents/rules/Agent.ts"
import { agentOf } from "../../agents/steps/AgentReads.ts"
import { canPlaceCalls } from "../../agents/rules/AgentStatus.ts"
import type { CallLimits } from "../../CallLimits.ts"
import { type Outcome, refused, write } from "../../engine/rules/Outcome.ts"
import { byKey, glance, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { NotFound, type StateConflict } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { agentFacts, agentNotActive, directDial, newCall } from "../rules/PlaceCall.ts"
import type { InboundCall } from "../rules/InboundCall.ts"

/** The record of a call that arrives: it has a leg from the start, takes no line, and goes on by the carrier's reports. */
const arriving = (
  inbound: InboundCall,
  agent: Agent,
  executionId: string,
  now: number,
  { ringGraceMs }: CallLimits,
): Call => {
  const call = newCall(
    inbound.organization_id,
    executionId,
    {
      agent_id: agent.agent_id,
      to_number: inbound.to_number,
      from_number: inbound.from_number,
      variables: {},
      metadata: {},
      scheduled_at: null,
      record: true,
      timeout_seconds: limits.ringTimeoutSeconds.default,
    },
    directDial,
    now,
  )
  return {
    ...call,
    ...agentFacts(agent),
    direction: "inbound",
    status: "initiated",
    dial: "accepted",
    call_sid: inbound.call_sid,
    due_at: now + call.timeout_seconds * 1000 + ringGraceMs,
  }
}

/** The agent that a call is for: the one that it names, or the one that is bound to its number. */
function* answering({ agent_id, organization_id, to_number }: InboundCall) {
  if (typeof agent_id === "string") return yield* agentOf(organization_id, agent_id)
  const number = yield* byKey("phone_number", organization_id, to_number)
  const binding = number === null ? null : yield* byKey("inbound_agent", organization_id, number.phone_number_id)
  if (binding !== null && binding.enabled) return yield* agentOf(organization_id, binding.agent_id)
  return yield* refuse(new NotFound({ message: "No agent answers this phone number." }))
}

/** A call arrives, for an agent that is ACTIVE. */
export const takeIn = step({
  name: "call.arrive",
  reads: (inbound: InboundCall & { readonly times: CallLimits }) =>
    glance("earlier", "As if the call had come before the agent or its number was changed.", answering(inbound)),
  decide({ times, ...inbound }, agent, { mint, nth, now }): Outcome<Call, StateConflict> {
    if (!canPlaceCalls(agent.status)) return refused(agentNotActive(agent.status))
    const { from_number, organization_id, to_number } = inbound
    const id = mint("execution", organization_id, "inbound", from_number, to_number, nth("execution"))
    const { call, changes, said } = callChange(null, arriving(inbound, agent, id, now, times))
    return write(changes, { ...said, reply: call })
  },
})
