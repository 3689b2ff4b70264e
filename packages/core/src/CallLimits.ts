import { Data } from "effect"
import { limits } from "./Limits.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The times of calls that a host may set, each with the least and the most that it may be, in milliseconds. */
export const callLimitBounds = {
  ringGraceMs: { min: second, max: 10 * minute },
  answeredSilenceMs: { min: 5 * second, max: 4 * hour },
  carrierAnswerMs: { min: second, max: minute },
  drainFinishMs: { min: 0, max: 10 * minute },
  drainEndMs: { min: second, max: 10 * minute },
  drainCloseMs: { min: second, max: 10 * minute },
} as const satisfies { readonly [name in keyof typeof limits]?: { readonly min: number; readonly max: number } }

type Name = keyof typeof callLimitBounds

/** The times of calls as an engine keeps them, in milliseconds. `limits` has their defaults. */
export type CallLimits = { readonly [name in Name]: number }

/** A time that may not be set like that. The message names the limit, what it was set to, and its bounds. */
export class WrongLimit extends Data.TaggedError("WrongLimit")<{
  readonly limit: string
  readonly value: unknown
  readonly message: string
}> {}

const isName = (name: string): name is Name => Object.hasOwn(callLimitBounds, name)

/** A text cannot be taken for a number, nor a long value fill the log. */
const shownCharacters = 40
const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, shownCharacters)) : String(value).slice(0, shownCharacters)

const checked = ([limit, value]: readonly [string, unknown]): void => {
  if (!isName(limit)) {
    const names = Object.keys(callLimitBounds).join(", ")
    const message = `limits.${limit.slice(0, shownCharacters)} cannot be set; what can be: ${names}.`
    throw new WrongLimit({ limit, value, message })
  }
  const { max, min } = callLimitBounds[limit]
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return
  const message = `limits.${limit} is ${shown(value)}; it must be a whole number of milliseconds from ${min} to ${max}.`
  throw new WrongLimit({ limit, value, message })
}

const { answeredSilenceMs, carrierAnswerMs, drainCloseMs, drainEndMs, drainFinishMs, ringGraceMs } = limits
const standard: CallLimits = {
  answeredSilenceMs,
  carrierAnswerMs,
  drainCloseMs,
  drainEndMs,
  drainFinishMs,
  ringGraceMs,
}

/** All times of calls where some are set. Throws `WrongLimit` for the first one that is out of its bounds, or may not be set. */
export const callLimits = (set: Partial<CallLimits> = {}): CallLimits => {
  for (const entry of Object.entries(set)) checked(entry)
  return { ...standard, ...set }
}
