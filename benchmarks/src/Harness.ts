import { cpus } from "node:os"

/** What one contender did in one round. `errors` counts work that was done wrongly; it must stay 0 for a figure to count. */
export interface Round {
  readonly operations: number
  readonly wallMs: number
  readonly cpuMs: number
  readonly errors: number
  /** What the work left on the heap, where that is what is measured. */
  readonly bytes?: number
}

/** One way to do the work of a scenario. `round` is called several times, alternating with the others. */
export interface Contender {
  readonly name: string
  readonly round: () => Promise<Round>
  readonly close?: () => Promise<void>
}

/** Work that several contenders do side by side; ratios are against the first that is named `reference`. */
export interface Comparison {
  readonly title: string
  readonly reference: string
  readonly contenders: ReadonlyArray<Contender>
  /** What else is measured of them once the rounds are over, a sentence each. */
  readonly notes?: () => Promise<ReadonlyArray<string>>
}

/** A scenario of `npm run bench`. */
export interface Scenario {
  readonly name: string
  /** The question that it answers, in one sentence. */
  readonly question: string
  readonly comparisons: () => AsyncIterable<Comparison> | Iterable<Comparison>
}

/** How a run is set up. */
export interface RunOptions {
  readonly seed: number
  readonly kills: number
  readonly lines: number
}

/** What a run has shown, as lines for the terminal and as data. */
export interface Measured {
  readonly lines: ReadonlyArray<string>
  readonly data: object
  readonly picture: string
  /** What was done wrongly; 0 for the run to count. */
  readonly errors: number
}

/** Something of `npm run bench` that takes its time and has no rounds: it runs only where it is named. */
export interface Run {
  readonly name: string
  /** The question that it answers, in one sentence. */
  readonly question: string
  /** Runs it, or says what cannot be had here. */
  readonly run: (options: RunOptions) => Promise<Measured | string>
}

/** The figures of one contender: medians over the rounds. */
export interface Figure {
  readonly contender: string
  readonly operationsPerSecond: number
  readonly operationsPerCpuSecond: number
  /** Bytes left on the heap by an operation; null where it is speed that is measured. */
  readonly bytesPerOperation: number | null
  /** Operations per second, or bytes, against the reference, round by round, median. */
  readonly ratio: number
  readonly rounds: number
  readonly errors: number
}

export interface Result {
  readonly scenario: string
  readonly title: string
  readonly reference: string
  readonly figures: ReadonlyArray<Figure>
  readonly notes: ReadonlyArray<string>
}

/** Where and with what the figures were taken. */
export interface Conditions {
  readonly node: string
  readonly platform: string
  readonly cpu: string
  readonly cores: number
  readonly at: string
}

export const conditions = (): Conditions => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  at: new Date().toISOString(),
})

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

/** Measures work of this process: wall time and CPU time. The work says how many operations it did and how many went wrong. */
export const timed = async (
  work: () => Promise<{ operations: number; errors?: number }> | { operations: number; errors?: number },
): Promise<Round> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const { operations, errors = 0 } = await work()
  const wallMs = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { operations, errors, wallMs, cpuMs: (user + system) / 1000 }
}

const perSecond = (operations: number, ms: number): number => (operations * 1000) / ms

/** Runs one warm-up and then the rounds, alternating between the contenders, so that a noisy moment hits all of them. */
export const compare = async (scenario: string, comparison: Comparison, rounds: number): Promise<Result> => {
  const taken = new Map<string, Array<Round>>()
  let notes: ReadonlyArray<string> = []
  try {
    for (const contender of comparison.contenders) await contender.round()
    for (let round = 0; round < rounds; round++) {
      for (const contender of comparison.contenders) {
        const list = taken.get(contender.name) ?? []
        list.push(await contender.round())
        taken.set(contender.name, list)
      }
    }
    notes = (await comparison.notes?.()) ?? []
  } finally {
    for (const contender of comparison.contenders) await contender.close?.()
  }
  const reference = taken.get(comparison.reference) ?? []
  const figures = [...taken].map(([contender, list]): Figure => {
    const speeds = list.map(({ operations, wallMs }) => perSecond(operations, wallMs))
    const ratios = list.map((round, index) => {
      const against = reference[index]
      if (against === undefined) return Number.NaN
      return round.bytes === undefined || against.bytes === undefined
        ? perSecond(round.operations, round.wallMs) / perSecond(against.operations, against.wallMs)
        : round.bytes / round.operations / (against.bytes / against.operations)
    })
    const bytes = list.flatMap((round) => (round.bytes === undefined ? [] : [round.bytes / round.operations]))
    return {
      contender,
      operationsPerSecond: median(speeds),
      operationsPerCpuSecond: median(list.map(({ operations, cpuMs }) => perSecond(operations, cpuMs))),
      bytesPerOperation: bytes.length === 0 ? null : median(bytes),
      ratio: median(ratios),
      rounds: list.length,
      errors: list.reduce((sum, { errors }) => sum + errors, 0),
    }
  })
  return { scenario, title: comparison.title, reference: comparison.reference, figures, notes }
}
