import { put, write } from "../engine/Outcome.ts"
import { each, glance } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByCaller } from "../keys/Caller.ts"
import type { Agent, AgentSettings } from "./Agent.ts"
import { cloneName } from "./AgentClone.ts"
import { agentOf } from "./AgentReads.ts"
import { defaultSettings } from "./AgentSettings.ts"

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

/** Allocates an agent that has nothing but a name: the first half of its creation, which nobody records. */
export const allocateAgent = step({
  name: "agent.allocate",
  reads: () => each([]),
  decide(input: NewAgent & { readonly display_name: string }, _, { now }) {
    const settings = { ...defaultSettings, display_name: input.display_name }
    const change = put("agent", null, draft(input, settings, allocatedVersion, now))
    return write([change], { reply: change.row })
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
