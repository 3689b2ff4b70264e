import { type BatchStatus, batchStatuses, finishedBatchStatuses } from "../../batches/rules/BatchStatus.ts"
import { type CallStatus, callStatuses, inFlightStatuses } from "../../calls/rules/CallStatus.ts"

/**
 * What is counted of a campaign or a batch, by the name of the figure; a figure that is left out is zero. Tallies change relatively,
 * in the commit that changes what they count: each row stands in them with its own figures, so a change adds the difference.
 */
export type Tally = { readonly [figure: string]: number }

/** What a commit adds to the tally of a campaign or a batch. */
export interface TallyChange {
  readonly put: "tally"
  readonly subject: string
  readonly add: Tally
}

/** Figures that no row stands for: where a lane has come to with its caller IDs. All others are differences of rows. */
export const figuresWithoutRows = ["phone_number_index"] as const

/** The count under a name. */
export const figure = (tally: Tally, name: string): number => tally[name] ?? 0

const sum = (tally: Tally, names: ReadonlyArray<string>): number =>
  names.reduce((total, name) => total + figure(tally, name), 0)

/** Calls by the status that they have. */
export const callsBy = (tally: Tally, ...statuses: ReadonlyArray<CallStatus>): number =>
  sum(
    tally,
    statuses.map((status) => `call:${status}`),
  )

export const liveCalls = (tally: Tally): number => callsBy(tally, ...inFlightStatuses)

export const allCalls = (tally: Tally): number => callsBy(tally, ...callStatuses)

/** Batches of a campaign by the status that they have. */
export const batchesBy = (tally: Tally, ...statuses: ReadonlyArray<BatchStatus>): number =>
  sum(
    tally,
    statuses.map((status) => `batch:${status}`),
  )

export const allBatches = (tally: Tally): number => batchesBy(tally, ...batchStatuses)

export const finishedBatches = (tally: Tally): number => batchesBy(tally, ...finishedBatchStatuses)

/** The retry depths that have calls, ascending. */
export const depths = (tally: Tally): ReadonlyArray<readonly [depth: number, calls: number]> => {
  const found: Array<readonly [number, number]> = []
  for (const name in tally) {
    const calls = tally[name] ?? 0
    if (name.startsWith("depth:") && calls > 0) found.push([Number(name.slice("depth:".length)), calls])
  }
  return found.sort(([a], [b]) => a - b)
}
