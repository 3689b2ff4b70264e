import { Simulator, type SimulatorOptions } from "@carillon/simulator"
import { beforeAll, describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import { selects } from "../../src/run/Selection.ts"
import { type ConformanceOptions, runConformance } from "../../src/run/Conformance.ts"
import type { CaseResult } from "../../src/run/CaseResult.ts"
import type { Report } from "../../src/run/Report.ts"

/** Real time that a run may take on a busy machine. */
export const runLimitMs = 600_000

/** A run of the suite against a simulator in this process. */
export const judge = (simulator: Simulator, options: Partial<ConformanceOptions>): Promise<Report> =>
  runConformance({
    baseUrl: "http://simulator.test",
    key: simulator.info.key,
    fetch: simulator.fetch,
    profile: "carillon",
    ...options,
  })

/** A run against a world of its own, and what the invariants of that world say afterwards. */
export const judgeEngine = async (
  options: Partial<ConformanceOptions>,
  world: SimulatorOptions = {},
): Promise<{ report: Report; violations: unknown }> => {
  const simulator = await Simulator.start({ clock: "manual", ...world })
  try {
    const report = await judge(simulator, options)
    const answer = await simulator.fetch(new Request("http://simulator.test/_sim/invariants"))
    return { report, violations: Object(await answer.json()).violations }
  } finally {
    await simulator.close()
  }
}

/** What did not hold, in short. */
export const broken = (results: ReadonlyArray<CaseResult>): ReadonlyArray<string> =>
  results.flatMap(({ id, verdict, reason, checks }) => {
    const failed = checks.filter((check) => !["pass", "note", "xfail"].includes(check.verdict))
    const told = failed.map(
      (check) =>
        `${id}:${check.id} ${check.verdict}: ${check.message ?? `expected ${check.expected}, got ${check.got}`}`,
    )
    return told.length === 0 && !["pass", "note", "xfail"].includes(verdict) ? [`${id} ${verdict}: ${reason}`] : told
  })

/** Declares one test for each case of some folders, all judged in one run with every capability, graded as strictly as can be. */
export const describeEngineOn = (
  name: string,
  world: SimulatorOptions,
  folders: ReadonlyArray<string>,
  limitMs: number = runLimitMs,
): void => {
  const chosen = cases.filter((each) => folders.some((folder) => selects(folder, each)))
  // oxlint-disable-next-line vitest/valid-title -- it is the caller's
  describe(name, () => {
    let run: Awaited<ReturnType<typeof judgeEngine>>

    beforeAll(async () => {
      run = await judgeEngine({ only: folders, controlUrl: "http://simulator.test" }, world)
    }, limitMs)

    it.each(chosen.map(({ id }) => id))("%s", (id) => {
      const { report } = run
      expect(broken(report.cases.filter((result) => result.id === id))).toEqual([])
    })

    it("keeps the ambient rules in every answer", () => {
      const { report } = run
      expect(broken(report.cases.filter(({ id }) => id === "ambient"))).toEqual([])
    })

    it("leaves nothing untried, and breaks none of its own invariants", () => {
      const { report, violations } = run
      expect(report.cases.filter(({ verdict }) => verdict === "n/a").map(({ id }) => id)).toEqual([])
      expect(violations).toEqual([])
    })
  })
}
