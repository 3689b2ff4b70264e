import { callStatuses, isTerminal } from "../../calls/rules/CallStatus.ts"
import type { Purge } from "../../retention/rules/PurgeRow.ts"
import { figure, type Tally } from "../../tallies/rules/Tally.ts"
import { rowsOfFigure } from "../../tallies/rules/TallyChanges.ts"

/** Of which rows of a campaign or a batch some may be gone that were kept for their time. They are counted still. */
export interface MayBeGone {
  readonly calls: boolean
  readonly contacts: boolean
}

/** Whether calls that were created at a moment may be gone. */
export const mayCallsBeGone = (purge: Purge | null, createdAt: number): boolean =>
  createdAt < (purge?.calls_before ?? -Infinity)

const underWay: ReadonlySet<string> = new Set([
  "contact:in_progress",
  "in_flight",
  ...callStatuses.filter((status) => !isTerminal(status)).map((status) => `call:${status}`),
])

/** Whether rows that are gone may be why so many more are kept of a figure than count. Whatever is under way stays. */
const isExcused = (name: string, more: number, { calls, contacts }: MayBeGone): boolean => {
  const rows = rowsOfFigure(name)
  return more > 0 && !underWay.has(name) && ((calls && rows === "call") || (contacts && rows === "contact"))
}

const sumOf = (figures: Tally, isMeant: (name: string) => boolean): number =>
  Object.keys(figures).reduce((sum, name) => (isMeant(name) ? sum + figure(figures, name) : sum), 0)

/**
 * What is wrong with a tally that keeps so much more than its rows count, in words. Each call that is gone counts under one status, and as one
 * attempt.
 */
export const tallyFaults = (more: Tally, kept: Tally, mayBeGone: MayBeGone): ReadonlyArray<string> => {
  const wrong = Object.entries(more)
    .filter(([name, by]) => !isExcused(name, by, mayBeGone))
    .map(([name, by]) => `${name} is kept as ${figure(kept, name)}, and counts ${figure(kept, name) - by}`)
  if (wrong.length > 0) return wrong
  const statuses = sumOf(more, (name) => name.startsWith("call:"))
  const attempts = sumOf(more, (name) => name.startsWith("depth:") || name === "follow_up_calls")
  const lines = figure(more, "line_calls")
  return statuses === attempts && lines <= statuses
    ? []
    : [`${statuses} calls are gone by their status, ${attempts} by their attempt, and ${lines} by their line`]
}
