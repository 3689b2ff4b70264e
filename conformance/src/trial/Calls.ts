import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import type { Trial } from "./Trial.ts"

/** The body of a call to be placed. */
export type CallBody = Readonly<Record<string, unknown>>

/** Places a call and waits for the answer, letting time pass as far as the request waits for it. */
export const placeCall = (trial: Trial, client: Client, body: CallBody): Promise<Answer> =>
  trial.settle(client.post("/v2/calls", body))

/** The id of a call whose dial the carrier has accepted. */
export const dial = async (
  trial: Trial,
  client: Client,
  agentId: string,
  to: string,
  more: CallBody = {},
): Promise<string> => {
  const answer = await placeCall(trial, client, { agent_id: agentId, to_number: to, ...more })
  return trial.made(answer, 201).string("execution_id")
}

/** The answer to booking a call for later; it is cancelled again where the organization is not the case's own. */
export const bookCall = async (trial: Trial, client: Client, body: CallBody): Promise<Answer> => {
  const answer = await client.post("/v2/calls", body)
  const executionId = answer.string("execution_id")
  if (!trial.hasFixtures && executionId !== "") trial.defer(() => client.post(`/v2/calls/${executionId}/stop`))
  return answer
}

/** The id of a call booked for this many milliseconds from now; nobody is rung before. */
export const schedule = async (
  trial: Trial,
  client: Client,
  agentId: string,
  aheadMs: number,
  more: CallBody = {},
): Promise<string> => {
  const scheduled_at = new Date((await trial.now()) + aheadMs).toISOString()
  const to_number = trial.numbers.magic("completed", 1)
  const answer = await bookCall(trial, client, { agent_id: agentId, to_number, scheduled_at, ...more })
  return trial.made(answer, 202).string("execution_id")
}

/** The call as it stands. */
export const readCall = (
  client: Client,
  executionId: string,
  query: Readonly<Record<string, string | boolean>> = {},
): Promise<Answer> => client.get(`/v2/calls/${executionId}`, query)

/** Asks for a call to be stopped. */
export const stopCall = (client: Client, executionId: string, body?: unknown): Promise<Answer> =>
  client.post(`/v2/calls/${executionId}/stop`, body)

/** True for a transcript in one of its two forms: turns, or one text. */
export const isTranscript = (value: unknown): boolean =>
  (Array.isArray(value) || typeof value === "string") && value.length > 0

/** The execution ids of a page. */
export const idsOf = (answer: Answer): ReadonlyArray<string> =>
  answer.items().map((_row, index) => answer.string(`data.${index}.execution_id`))
