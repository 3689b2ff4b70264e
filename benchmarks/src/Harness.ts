import { watchOthers } from "./Machine.ts"
import { median } from "./Statistics.ts"
import { isSteady } from "./Steady.ts"

/** How long something took, of many, in milliseconds. */
export interface Latency {
  readonly p50: number
  readonly p99: number
}

/** What one contender did in one round. `errors` counts work that was done wrongly; it must stay 0 for a figure to count. */
export interface Round {
  readonly operations: number
  readonly wallMs: number
  readonly cpuMs: number
  readonly errors: number
  /** What the work left on the heap, or took from it, where that is what is measured. */
  readonly bytes?: number
  /** How long each operation was waited for, where that is what is measured. */
  readonly latency?: Latency
}

/** One way to do the work of a scenario. `round` is called several times, alternating with the others. */
export interface Contender {
  readonly name: string
  readonly round: () => Promise<Round>
  /** A smaller piece of the same work to become warm by; without it, that is a round. */
  readonly warm?: () => Promise<Round>
  /** It is not warm before so many operations, however steady it looks. */
  readonly coldOperations?: number
  /** Does not warm up: each round is a process of its own, as it is when it is used, or what came before the first was enough. */
  readonly asItIs?: true
  /** What it does wrongly is what is to be shown, and takes nothing from the figures of the others. */
  readonly mayErr?: true
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

/** How much of a scenario's work is done: `small` only shows that it runs, and `whole` takes its time. */
export type Scale = "small" | "usual" | "whole"

/** A size for each scale. */
export const sized = (scale: Scale, small: number, usual: number, whole = usual): number =>
  ({ small, usual, whole })[scale]

/** A scenario of `npm run bench`. */
export interface Scenario {
  readonly name: string
  /** The question that it answers, in one sentence. */
  readonly question: string
  readonly comparisons: (scale: Scale) => AsyncIterable<Comparison> | Iterable<Comparison>
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

/** How a contender became warm, if it did. */
export interface WarmUp {
  readonly rounds: number
  readonly operations: number
  /** Whether its figure had stopped moving before the bound was reached. */
  readonly steady: boolean
}

/** The figures of one contender: medians over the rounds. */
export interface Figure {
  readonly contender: string
  readonly operationsPerSecond: number
  readonly operationsPerCpuSecond: number
  /** Bytes of the heap for an operation; null where it is speed that is measured. */
  readonly bytesPerOperation: number | null
  /** Null where nobody waits for a single operation. */
  readonly latency: Latency | null
  /** Operations per second, or bytes, or the middle latency against the reference, round by round, median. */
  readonly ratio: number
  /** The same of operations per CPU second. */
  readonly cpuRatio: number
  /** Between the best and the worst round, as a part of the median. */
  readonly spread: number
  readonly rounds: number
  readonly errors: number
  readonly mayErr: boolean
  readonly warmUp: WarmUp
}

export interface Result {
  readonly scenario: string
  readonly title: string
  readonly reference: string
  readonly figures: ReadonlyArray<Figure>
  readonly notes: ReadonlyArray<string>
  /** Cores that others had on average meanwhile; null where that cannot be known. */
  readonly othersCores: number | null
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

/** What an operation costs: bytes where they are measured, and CPU time otherwise, which others disturb least. */
const costOf = ({ bytes, cpuMs, operations }: Round): number => (bytes ?? cpuMs) / operations

/** What is compared: more is better of a speed, less of the others. */
const shown = ({ bytes, latency, operations, wallMs }: Round): number =>
  latency?.p50 ?? (bytes === undefined ? perSecond(operations, wallMs) : bytes / operations)

/** How long contenders may take to become warm. */
export interface WarmUpBounds {
  readonly rounds: number
  readonly ms: number
}

const warmUpBounds = (scale: Scale): WarmUpBounds => ({
  rounds: sized(scale, 1, 40),
  ms: sized(scale, 0, 300_000, 1_800_000),
})

const warmed = (rounds: ReadonlyArray<Round>, { coldOperations = 0, asItIs }: Contender): WarmUp => {
  const operations = rounds.reduce((sum, round) => sum + round.operations, 0)
  const steady = asItIs === true || (operations >= coldOperations && isSteady(rounds.map(costOf)))
  return { rounds: rounds.length, operations, steady }
}

/** Lets contenders work in turn until the figure of each has stopped moving, or the bound is reached. */
export const warmUp = async (
  contenders: ReadonlyArray<Contender>,
  bounds: WarmUpBounds,
): Promise<ReadonlyArray<WarmUp>> => {
  const done = contenders.map((contender) => ({ contender, rounds: new Array<Round>() }))
  const begun = performance.now()
  for (let pass = 0; pass < bounds.rounds && (pass === 0 || performance.now() - begun < bounds.ms); pass++) {
    const cold = done.filter(({ contender, rounds }) => !warmed(rounds, contender).steady)
    if (cold.length === 0) break
    for (const { contender, rounds } of cold) rounds.push(await (contender.warm ?? contender.round)())
  }
  return done.map(({ contender, rounds }) => warmed(rounds, contender))
}

/** Every other round is in the reverse order: who comes after whom is not always the same. */
const inOrder = <Type>(list: ReadonlyArray<Type>, round: number): ReadonlyArray<Type> =>
  round % 2 === 0 ? list : list.toReversed()

const figure = (
  { mayErr, name }: Contender,
  rounds: ReadonlyArray<Round>,
  reference: ReadonlyArray<Round>,
  warmUp: WarmUp,
): Figure => {
  const against = (of: (round: Round) => number) =>
    median(rounds.map((round, nth) => of(round) / (reference[nth] === undefined ? Number.NaN : of(reference[nth]))))
  const values = rounds.map(shown)
  const cpuSpeed = ({ cpuMs, operations }: Round) => perSecond(operations, cpuMs)
  const bytes = rounds.flatMap((round) => (round.bytes === undefined ? [] : [round.bytes / round.operations]))
  const latencies = rounds.flatMap(({ latency }) => latency ?? [])
  return {
    contender: name,
    operationsPerSecond: median(rounds.map(({ operations, wallMs }) => perSecond(operations, wallMs))),
    operationsPerCpuSecond: median(rounds.map(cpuSpeed)),
    bytesPerOperation: bytes.length === 0 ? null : median(bytes),
    latency:
      latencies.length === 0
        ? null
        : { p50: median(latencies.map(({ p50 }) => p50)), p99: median(latencies.map(({ p99 }) => p99)) },
    ratio: against(shown),
    cpuRatio: against(cpuSpeed),
    spread: (Math.max(...values) - Math.min(...values)) / median(values),
    rounds: rounds.length,
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
    mayErr: mayErr === true,
    warmUp,
  }
}

/** Lets all contenders become warm, and then measures them round by round, so that a noisy moment hits all of them. */
export const compare = async (
  scenario: string,
  comparison: Comparison,
  { rounds, scale }: { readonly rounds: number; readonly scale: Scale },
): Promise<Result> => {
  const { contenders, reference, title } = comparison
  const taken = contenders.map((contender) => ({ contender, rounds: new Array<Round>() }))
  try {
    const warm = await warmUp(contenders, warmUpBounds(scale))
    const others = watchOthers()
    for (let round = 0; round < rounds; round++) {
      for (const { contender, rounds } of inOrder(taken, round)) rounds.push(await contender.round())
    }
    const othersCores = others()
    const notes = (await comparison.notes?.()) ?? []
    const referred = taken.find(({ contender }) => contender.name === reference)?.rounds ?? []
    const figures = taken.map(({ contender, rounds }, nth) =>
      figure(contender, rounds, referred, warm[nth] ?? { rounds: 0, operations: 0, steady: false }),
    )
    return { scenario, title, reference, figures, notes, othersCores }
  } finally {
    for (const contender of contenders) await contender.close?.()
  }
}
