import { Result } from "effect"
import type { Agent } from "../../agents/rules/Agent.ts"
import { knownAgent } from "../../agents/steps/AgentReads.ts"
import { byKey, each, refuse, row } from "../../engine/steps/Reading.ts"
import { Malformed, NotFound } from "../../Errors.ts"
import { asksForActive, type ExperimentBody } from "../rules/ExperimentEdit.ts"

/** An experiment of a control agent. */
export function* experimentOf(organizationId: string, mainAgentId: string, versionId: string) {
  const experiment = yield* row("experiment", versionId, { of: organizationId })
  if (experiment?.main_agent_id === mainAgentId) return experiment
  return yield* refuse(new NotFound({ message: "Version not found." }))
}

/** The experiment of a control agent that is active, where an edit asks for it. */
export function* activeFor(organizationId: string, mainAgentId: string, body: ExperimentBody) {
  return asksForActive(body) ? yield* byKey("experiment", organizationId, mainAgentId) : null
}

/** The challenger that a body names: none where it names none. */
export const challengerFor = (organizationId: string, { variant_agent_id }: ExperimentBody) =>
  each(variant_agent_id === undefined ? [] : [knownAgent(organizationId, variant_agent_id)])

/** What is wrong with the challenger that a body names. One of another organization is as unknown as one that does not exist. */
export const judgedChallenger = (
  mainAgentId: string,
  { variant_agent_id }: ExperimentBody,
  found: ReadonlyArray<Agent | null>,
): Result.Result<void, Malformed> => {
  if (variant_agent_id === mainAgentId) {
    return Result.fail(new Malformed({ message: "The variant_agent_id names the control agent itself." }))
  }
  return found.includes(null)
    ? Result.fail(new Malformed({ message: "The variant_agent_id names no agent of this organization." }))
    : Result.void
}
