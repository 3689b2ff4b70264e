import type { Answer } from "../../http/Answer.ts"
import type { Trial } from "../../trial/Trial.ts"
import { windowMs } from "./Window.ts"

/** Most requests that a case sends to find a ceiling; a plan with a higher one is not measured. */
export const maxMeasuredCeiling = 5_000

/** Moves the clock to so many milliseconds into a fresh minute. */
export const enterWindow = async (trial: Trial, intoMs: number): Promise<void> => {
  const into = (await trial.clock.now()) % windowMs
  await trial.clock.advance(windowMs - into + intoMs)
}

/**
 * How far the server's own minute had come when it answered, at so many milliseconds into a minute of the clock: where its minutes begin is not
 * said, and what it tells of their end is in whole seconds, rounded either way.
 */
export const intoOf = (answer: Answer, intoMs: number): number => {
  const told = windowMs - answer.integerHeader("x-ratelimit-reset") * 1_000
  return Math.abs(told - intoMs) > 1_000 ? told : intoMs
}

/** Sends a request again and again, some at a time, and gives the answers in the order in which they were sent. */
export const burst = async (ask: () => Promise<Answer>, count: number): Promise<ReadonlyArray<Answer>> => {
  const answers: Array<Answer> = []
  const atOnce = 20
  while (answers.length < count) {
    const size = Math.min(atOnce, count - answers.length)
    answers.push(...(await Promise.all(Array.from({ length: size }, ask))))
  }
  return answers
}

export const limitOf = (answer: Answer): number => answer.integerHeader("x-ratelimit-limit")

export const remainingOf = (answer: Answer): number => answer.integerHeader("x-ratelimit-remaining")

/** What may be left after so many requests: the one that tells it may or may not be counted already. */
export const leftAfter = (answer: Answer, requests: number): ReadonlyArray<number> =>
  [limitOf(answer) - requests, limitOf(answer) - requests + 1].map((left) => Math.max(0, left))

/** True for a refusal by the request rate. */
export const isRateRefusal = (answer: Answer): boolean => answer.status === 429
