import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import { readCall } from "./Calls.ts"
import { minuteMs, secondMs } from "./Duration.ts"
import type { Trial } from "./Trial.ts"

/** Longest virtual time within which every ordinary call has ended. */
const endsWithinMs = 20 * minuteMs

/** Time in which the facts of an ended call (recording, cost) have landed. */
const factsWithinMs = 10 * secondMs

/** Lets time pass until a call has ended and its facts have landed; the call as it then stands. */
export const untilEnded = async (
  trial: Trial,
  client: Client,
  executionId: string,
  maxMs = endsWithinMs,
): Promise<Answer> => {
  let stepMs = secondMs
  for (let passedMs = 0; passedMs < maxMs; passedMs += stepMs) {
    const answer = await readCall(client, executionId)
    if (answer.at("is_terminal") === true || !answer.succeeded) break
    stepMs = passedMs < minuteMs ? secondMs : 10 * secondMs
    await trial.clock.advance(stepMs)
  }
  await trial.clock.advance(factsWithinMs)
  return readCall(client, executionId)
}

/** Lets time pass in small steps and gives the call at every change of its status, until it has ended. */
export const watch = async (
  trial: Trial,
  client: Client,
  executionId: string,
  stepMs = 200,
  maxMs = 2 * minuteMs,
): Promise<ReadonlyArray<Answer>> => {
  const seen: Array<Answer> = []
  for (let passedMs = 0; passedMs <= maxMs; passedMs += stepMs) {
    const answer = await readCall(client, executionId)
    if (seen.at(-1)?.at("status") !== answer.at("status")) seen.push(answer)
    if (answer.at("is_terminal") === true) break
    await trial.clock.advance(stepMs)
  }
  return seen
}

/** Lets time pass in small steps until a call has one of some statuses; undefined when it never does. */
export const untilStatus = async (
  trial: Trial,
  client: Client,
  executionId: string,
  statuses: ReadonlyArray<string>,
  maxMs = 5 * minuteMs,
): Promise<Answer | undefined> => {
  const stepMs = 250
  for (let passedMs = 0; passedMs <= maxMs; passedMs += stepMs) {
    const answer = await readCall(client, executionId)
    if (statuses.some((status) => status === answer.at("status"))) return answer
    if (answer.at("is_terminal") === true) return undefined
    await trial.clock.advance(stepMs)
  }
  return undefined
}
