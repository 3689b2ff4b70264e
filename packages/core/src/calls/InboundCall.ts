import type { Agent } from "../agents/Agent.ts"
import type { CallLimits } from "../CallLimits.ts"
import { limits } from "../Limits.ts"
import type { Call } from "./Call.ts"
import { agentFacts, directDial, newCall } from "./PlaceCall.ts"

/** A call that arrives at one of the organization's numbers. */
export interface InboundCall {
  readonly organization_id: string
  /** Null: the agent that is bound to the number answers. */
  readonly agent_id: string | null
  readonly from_number: string
  readonly to_number: string
  readonly call_sid: string | null
}

/** The record of a call that arrives: it has a leg from the start, takes no line, and goes on by the carrier's reports. */
export const arriving = (
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
