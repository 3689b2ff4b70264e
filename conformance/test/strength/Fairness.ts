/** Whether the suite is fair: what it says of a healthy server, and of one that differs in all that the specification leaves open. */
import { Simulator } from "@carillon/simulator"
import { clauses } from "../../src/clauses/Clauses.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { isJudgeable } from "../../src/run/ClauseCount.ts"
import { type ConformanceOptions, runConformance } from "../../src/run/Conformance.ts"
import type { Report } from "../../src/run/Report.ts"
import { failsRun } from "../../src/run/Verdict.ts"
import { wearing } from "../chameleons/Chameleon.ts"
import { chameleons, disguised } from "../chameleons/Chameleons.ts"

/** What is found where nothing is wrong. */
export interface Fairness {
  /** Failed checks of the healthy server under the profile of its readings. */
  readonly blamed: ReadonlyArray<string>
  /** Failed checks, without a profile, under all conforming variations at once. */
  readonly falseFailures: ReadonlyArray<string>
  readonly variations: number
  /** Cases that were judged under them. */
  readonly casesInDisguise: number
  /** Clauses that every server must keep and that can be seen, of which the run on the healthy server judged nothing. */
  readonly unjudged: ReadonlyArray<string>
  /** What the run on the healthy server took, in this process. */
  readonly wholeRunSeconds: number
}

const judged = async (seenAs: (fetch: Fetch) => Fetch, options: Partial<ConformanceOptions>): Promise<Report> => {
  const simulator = await Simulator.start({ clock: "manual", logLevel: "None" })
  const url = "http://simulator.test"
  const { fetch, info } = simulator
  try {
    return await runConformance({ baseUrl: url, controlUrl: url, key: info.key, fetch: seenAs(fetch), ...options })
  } finally {
    await simulator.close()
  }
}

const failures = ({ cases }: Report): ReadonlyArray<string> =>
  cases.flatMap(({ checks, id, verdict }) => {
    const failed = checks.filter((check) => failsRun(check.verdict)).map((check) => `${id}:${check.id}`)
    return failed.length === 0 && failsRun(verdict) ? [id] : failed
  })

/** Judges the healthy server, as it is and in disguise. */
export const fairness = async (): Promise<Fairness> => {
  const started = performance.now()
  const healthy = await judged((fetch) => fetch, { profile: "carillon" })
  const wholeRunSeconds = Math.round((performance.now() - started) / 1000)
  const inDisguise = await judged((fetch) => wearing(chameleons, fetch), { only: disguised })
  return {
    blamed: failures(healthy),
    falseFailures: failures(inDisguise),
    variations: chameleons.length,
    casesInDisguise: inDisguise.cases.length - 1,
    unjudged: clauses
      .filter((each) => isJudgeable(each) && healthy.clauseStates[each.id] === undefined)
      .map(({ id }) => id),
    wholeRunSeconds,
  }
}
