/**
 * The course of a run: cases that nobody else notices side by side, then all others alone; what failed once more; and an
 * end where the server no longer answers.
 */
import { type Company, WantsToBeAlone } from "../control/Company.ts"
import type { Case } from "./Case.ts"
import type { CaseResult } from "./CaseResult.ts"
import { goesBeside, levelOf } from "./Capabilities.ts"
import { type Bench, execute, isExecutable } from "./Execution.ts"
import { Lanes } from "./Lanes.ts"
import { inOrder } from "./Order.ts"
import { seedOf } from "./Seed.ts"
import { failsRun } from "./Verdict.ts"

/** Failed cases that are tried once more; where more fail, the server is not unsteady but wrong. */
const maxRepeated = 20

/** So many cases without an answer one after the other, and the server is asked whether it is still there. */
const silentCases = 3

/** How far a run has come: cases that the target offers enough for. */
export interface Progress {
  readonly ended: number
  readonly of: number
}

/** How a run goes on. */
export interface Course {
  /** True while the server answers at all. */
  readonly isThere: () => Promise<boolean>
  readonly signal: AbortSignal | undefined
  /** Ends the run with the first case that fails. */
  readonly failFast: boolean
  /** Cases that may go on at the same time. */
  readonly atOnce: number
  /** Ids of cases that begin before all others. */
  readonly first: ReadonlyArray<string>
  /** The result as the lists and the requirements of the run grade it. */
  readonly graded: (result: CaseResult) => CaseResult
  readonly onCase: (result: CaseResult, progress: Progress) => void
}

const gotNoAnswer = ({ checks }: CaseResult): boolean => checks.some(({ id }) => id === "answered")

/** The result of a case that was never begun. */
const unbegun = ({ id, title, requires, clauses }: Case, runSeed: number, reason: string): CaseResult => ({
  id,
  title,
  requires,
  clauses,
  level: levelOf(requires),
  verdict: "untestable",
  reason,
  durationMs: 0,
  seed: seedOf(runSeed, id),
  checks: [],
  trace: [],
})

const isAlone = (each: Case, bench: Bench): boolean =>
  isExecutable(each, bench) && !goesBeside(each.requires, bench.target.offered)

/** What becomes of a case that has left its lane: it may still have to be alone. */
interface Left {
  readonly rest: Promise<CaseResult | undefined>
}

/** The walk through the cases of one run. */
class Walk {
  readonly #bench: Bench
  readonly #course: Course
  readonly #lanes: Lanes
  readonly #of: number
  #state: "going" | "gone" | "over" = "going"
  #ended = 0
  #repeated = 0
  #silent = 0

  constructor(of: number, bench: Bench, course: Course) {
    this.#of = of
    this.#bench = bench
    this.#course = course
    this.#lanes = new Lanes(course.atOnce)
  }

  /** The result of a case once it has had its turn; undefined where the run was over before. */
  async result(each: Case): Promise<CaseResult | undefined> {
    try {
      if (isAlone(each, this.#bench)) {
        return await this.#lanes.alone(async () => this.#told(each, await this.#begun(each, "", "alone")))
      }
      const { rest } = await this.#lanes.beside(() => this.#beside(each))
      return await rest
    } catch (error) {
      this.#state = "over"
      throw error
    }
  }

  /** Executes a case with names of its own, unless the run has ended. */
  async #begun(each: Case, named: string, company: Company): Promise<CaseResult | undefined> {
    if (this.#state !== "going") return undefined
    this.#course.signal?.throwIfAborted()
    const bench = this.#bench
    await bench.target.beat()
    return execute(each, { ...bench, nonce: `${bench.nonce}${named}` }, company)
  }

  async #beside(each: Case): Promise<Left> {
    try {
      const result = await this.#begun(each, "", "beside")
      if (this.#isRepeated(result)) return { rest: this.#lanes.aloneNext(() => this.#told(each, result)) }
      const told = await this.#told(each, result)
      return { rest: Promise.resolve(told) }
    } catch (error) {
      if (!(error instanceof WantsToBeAlone)) throw error
      return {
        rest: this.#lanes.aloneNext(async () => this.#told(each, await this.#begun(each, "a", "alone"))),
      }
    }
  }

  #isRepeated(result: CaseResult | undefined): result is CaseResult {
    return result?.verdict === "fail" && this.#repeated < maxRepeated
  }

  /** Where a case failed and then holds, alone and with fresh names, it is marked as flaky and stays failed. */
  async #told(each: Case, first: CaseResult | undefined): Promise<CaseResult | undefined> {
    if (first === undefined) {
      return this.#state === "gone" ? unbegun(each, this.#bench.seed, "the server had stopped answering") : undefined
    }
    let result = first
    if (this.#isRepeated(first)) {
      this.#repeated += 1
      const again = await this.#begun(each, "r", "alone")
      if (again !== undefined && !failsRun(again.verdict)) result = { ...first, flaky: true }
    }
    await this.#count(result)
    return result
  }

  async #count(result: CaseResult): Promise<void> {
    if (result.verdict !== "n/a") this.#ended += 1
    const graded = this.#course.graded(result)
    this.#course.onCase(graded, { ended: this.#ended, of: this.#of })
    if (this.#course.failFast && failsRun(graded.verdict)) this.#state = "over"
    this.#silent = gotNoAnswer(result) ? this.#silent + 1 : 0
    if (this.#silent < silentCases) return
    this.#silent = 0
    const isThere = await this.#course.isThere()
    if (!isThere && this.#state === "going") this.#state = "gone"
  }
}

/** The results of some cases, in their order; the target is given back however the run ends. */
export const follow = async (
  cases: ReadonlyArray<Case>,
  bench: Bench,
  course: Course,
): Promise<ReadonlyArray<CaseResult>> => {
  const walk = new Walk(cases.filter((each) => isExecutable(each, bench)).length, bench, course)
  try {
    // Whoever is on the way comes to its end, however the run does.
    const begun = inOrder(cases, (each) => !isAlone(each, bench), course.first)
    const settled = await Promise.allSettled(begun.map((each) => walk.result(each)))
    const results = settled.flatMap((each) => {
      if (each.status === "rejected") throw each.reason
      return each.value ?? []
    })
    const place = new Map(cases.map(({ id }, nth) => [id, nth]))
    return results.toSorted((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0))
  } finally {
    await bench.target.release()
  }
}
