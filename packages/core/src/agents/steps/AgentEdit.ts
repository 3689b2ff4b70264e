import { Result } from "effect"
import type { Recorded } from "../../engine/rules/AuditEntry.ts"
import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { StateConflict } from "../../Errors.ts"
import type { Agent, AgentSettings } from "../rules/Agent.ts"
import { type AgentBody, type SettingsFault, writeSettings } from "../rules/AgentSettings.ts"
import {
  type AgentCommand,
  type AgentRefusal,
  type AgentStatus,
  agentStatuses,
  decideAgent,
} from "../rules/AgentStatus.ts"

/** An agent as a write left it, with the languages that could not be saved. */
export interface AgentWrite {
  readonly agent: Agent
  readonly dropped_languages: ReadonlyArray<string>
}

const refusals: { readonly [reason in AgentRefusal]: (status: AgentStatus) => string } = {
  active: () => "This agent is active and must be set to INACTIVE first.",
  archived: () => "This agent is archived and cannot be changed.",
  not_a_move: (status) => `This agent cannot move to that status (status=${status}).`,
}

/** The status to which a command brings an agent. */
const moved = (before: Agent, command: AgentCommand): Result.Result<AgentStatus, StateConflict> => {
  const move = decideAgent(before.status, command)
  return move.ok
    ? Result.succeed(move.to)
    : Result.fail(new StateConflict({ message: refusals[move.reason](move.status) }))
}

/** An agent as the next version of itself. */
const updated = (before: Agent, changes: Partial<Agent>, now: number): Agent => ({
  ...before,
  ...changes,
  version: before.version + 1,
  updated_at: now,
})

const statusOf = (body: AgentBody): AgentStatus | null =>
  agentStatuses.find((status) => status === body["status"]) ?? null

/** The agent after a body was applied to `base`: its own settings in a patch, the defaults in a replacement. */
export const edited = (
  before: Agent,
  base: AgentSettings,
  body: AgentBody,
  allowedDestinations: ReadonlyArray<string>,
  now: number,
): Result.Result<AgentWrite, SettingsFault | StateConflict> =>
  Result.gen(function* () {
    const status = yield* moved(before, { kind: "edit", fields: Object.keys(body), status: statusOf(body) })
    const { dropped_languages, settings } = yield* writeSettings(base, body, allowedDestinations)
    return { dropped_languages, agent: updated(before, { ...settings, status }, now) }
  })

/** Writes an agent that was edited. */
export const writing = (before: Agent, edit: Result.Result<AgentWrite, SettingsFault | StateConflict>) => {
  if (Result.isFailure(edit)) return refused(edit.failure)
  const { agent, dropped_languages } = edit.success
  const change = put("agent", before, agent)
  return write([change], {
    audit: [{ resource: { type: "agent", id: agent.agent_id } }],
    reply: { agent: change.row, dropped_languages },
  })
}

/** Writes an agent in the status to which a command brings it, and what is recorded of it. */
export const moving = (
  before: Agent,
  command: AgentCommand,
  now: number,
  audit: ReadonlyArray<Recorded> = [{ resource: { type: "agent", id: before.agent_id } }],
) => {
  const status = moved(before, command)
  if (Result.isFailure(status)) return refused(status.failure)
  const change = put("agent", before, updated(before, { status: status.success }, now))
  return write([change], { audit, reply: change.row })
}
