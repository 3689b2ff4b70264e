/** The course of a run: case after case, what failed once more, and an end where the server no longer answers. */
import type { Case } from "./Case.ts"
import type { CaseResult } from "./CaseResult.ts"
import { levelOf } from "./Capabilities.ts"
import { type Bench, execute, isExecutable } from "./Execution.ts"
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

/** Executes a case; where it fails and then holds, with fresh names and numbers, it is marked as flaky and stays failed. */
const executed = async (each: Case, bench: Bench, repeat: boolean): Promise<CaseResult> => {
  const result = await execute(each, bench)
  if (!repeat || result.verdict !== "fail") return result
  const again = await execute(each, { ...bench, nonce: `${bench.nonce}r` })
  return failsRun(again.verdict) ? result : { ...result, flaky: true }
}

/** The results of some cases, in their order; the target is given back however the run ends. */
export const follow = async (
  cases: ReadonlyArray<Case>,
  bench: Bench,
  course: Course,
): Promise<ReadonlyArray<CaseResult>> => {
  try {
    return await oneByOne(cases, bench, course)
  } finally {
    await bench.target.release()
  }
}

const oneByOne = async (
  cases: ReadonlyArray<Case>,
  bench: Bench,
  course: Course,
): Promise<ReadonlyArray<CaseResult>> => {
  const results: Array<CaseResult> = []
  const of = cases.filter((each) => isExecutable(each, bench)).length
  let ended = 0
  let failed = 0
  let silent = 0
  let gone = false
  for (const each of cases) {
    course.signal?.throwIfAborted()
    if (gone) {
      results.push(unbegun(each, bench.seed, "the server had stopped answering"))
      continue
    }
    await bench.target.beat()
    const result = await executed(each, bench, failed < maxRepeated)
    results.push(result)
    if (result.verdict !== "n/a") ended += 1
    const graded = course.graded(result)
    course.onCase(graded, { ended, of })
    if (failsRun(result.verdict)) failed += 1
    if (course.failFast && failsRun(graded.verdict)) break
    silent = gotNoAnswer(result) ? silent + 1 : 0
    if (silent >= silentCases) {
      gone = !(await course.isThere())
      silent = 0
    }
  }
  return results
}
