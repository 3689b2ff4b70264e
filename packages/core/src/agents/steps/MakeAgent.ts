import { Result } from "effect"
import { put, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { glance } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import type { Agent, AgentSettings } from "../rules/Agent.ts"
import { cloneName } from "../rules/AgentClone.ts"
import { edited, moving } from "./AgentEdit.ts"
import { agentOf, followedUp } from "./AgentReads.ts"
import { defaultSettings } from "../rules/AgentSettings.ts"
import type { AgentEdit } from "./EditAgent.ts"

interface NewAgent extends ByCaller {
  readonly agent_id: string
}

/** A new DRAFT of some settings. */
const draft = ({ agent_id, caller }: NewAgent, settings: AgentSettings, version: number, now: number): Agent => ({
  ...settings,
  agent_id,
  organization_id: caller.organization_id,
  revision: 1,
  status: "DRAFT",
  version,
  created_at: now,
  updated_at: now,
})

/** An agent as it is allocated, before it is configured for the first time. */
const allocatedVersion = 1

/**
 * Allocates an agent that has nothing but a name: the first half of its creation, which nobody records. What the second half would refuse of the body is
 * refused here, where nothing is written yet.
 */
export const allocateAgent = step({
  name: "agent.allocate",
  reads: ({ body, caller: { organization_id } }: AgentEdit) => followedUp(organization_id, body),
  decide(input, _, { now }) {
    const { display_name } = input.body
    const settings = { ...defaultSettings, display_name: typeof display_name === "string" ? display_name : "" }
    const agent = draft(input, settings, allocatedVersion, now)
    const whole = edited(agent, agent, input.body, input.allowed, now)
    if (Result.isFailure(whole)) return refused(whole.failure)
    const change = put("agent", null, agent)
    return write([change], { reply: change.row })
  },
})

/**
 * Archives an agent whose creation failed. Nobody records that where it was not configured; where it was and only the answer is lost, its creation was
 * recorded, and so is this, without a status: the request had another answer.
 */
export const abandonAgent = step({
  name: "agent.abandon",
  reads: ({ agent_id, caller }: NewAgent) => agentOf(caller.organization_id, agent_id),
  decide(_, agent, { now }) {
    if (agent.status === "ARCHIVED") return unchanged(agent)
    const resource = { type: "agent", id: agent.agent_id }
    const audit = agent.version === allocatedVersion ? [] : [{ action: "agent.archive", resource, http_status: null }]
    return moving(agent, { kind: "archive" }, now, audit)
  },
})

/** A caller makes a DRAFT of the settings of another agent, under a name or one that is derived from the copied agent's. */
export const cloneAgent = step({
  name: "agent.clone",
  reads: ({ caller, source_id }: NewAgent & { readonly source_id: string; readonly display_name: string | null }) =>
    glance("earlier", "A copy is of the agent as it was.", agentOf(caller.organization_id, source_id)),
  decide(input, source, { now }) {
    const settings = { ...source, display_name: input.display_name ?? cloneName(source.display_name) }
    const change = put("agent", null, draft(input, settings, allocatedVersion + 1, now))
    const resource = { type: "agent", id: change.row.agent_id }
    return write([change], { audit: [{ resource, details: { agent_id: source.agent_id } }], reply: change.row })
  },
})
