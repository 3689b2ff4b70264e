import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import type { Trial } from "./Trial.ts"

/** A name that no other agent has. */
export const agentName = (trial: Trial): string => `Conformance ${trial.fresh()}`

/** Every day, whichever of them a server counts from; what a calling window without days means is not shown. */
export const everyDay: ReadonlyArray<number> = [0, 1, 2, 3, 4, 5, 6]

/**
 * The agent after an update, or the update's refusal. What an update answers is not shown: where it is an agent with all that a read has,
 * it is judged as one, and otherwise the agent that is read.
 */
export const updateAgent = async (
  client: Client,
  path: string,
  body: unknown,
  method: "patch" | "put" = "patch",
): Promise<Answer> => {
  const answer = await client[method](path, body)
  if (answer.status !== 200) return answer
  const read = await client.get(path)
  return Object.keys(Object(read.json)).every((name) => answer.at(name) !== undefined) ? answer : read
}

/** Sets an agent's status through the update route. */
export const moveAgent = (client: Client, agentId: string, status: string): Promise<Answer> =>
  client.patch(`/v2/agents/${agentId}`, { status })

/** The answer to a new agent; one that was made is archived again where the organization is not the case's own. */
export const postAgent = async (
  trial: Trial,
  client: Client,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer> => {
  const answer = await client.post("/v2/agents", body)
  const agentId = answer.string("agent_id")
  if (!trial.hasFixtures && agentId !== "") {
    trial.defer(async () => {
      await moveAgent(client, agentId, "INACTIVE")
      await client.delete(`/v2/agents/${agentId}`)
    })
  }
  return answer
}

/** Makes an agent; it is archived again where the organization is not the case's own. */
export const makeAgent = async (
  trial: Trial,
  client: Client,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer> => trial.made(await postAgent(trial, client, { display_name: agentName(trial), ...body }), 201)

/** The id of a new agent that may place calls. */
export const activeAgent = async (
  trial: Trial,
  client: Client,
  body: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const agentId = (await makeAgent(trial, client, body)).string("agent_id")
  trial.made(await moveAgent(client, agentId, "ACTIVE"), 200)
  return agentId
}
