/** How one mutant fares: which cases about its clause see it, and whether anything else does. */
import { Simulator } from "@carillon/simulator"
import { ambientRules } from "../../src/ambient/Ambient.ts"
import { Ledger } from "../../src/ambient/Ledger.ts"
import { cases, extensionCases } from "../../src/cases/Cases.ts"
import { findClause } from "../../src/clauses/Clauses.ts"
import type { Transport } from "../../src/http/Wire.ts"
import { extensionOf } from "../../src/run/Capabilities.ts"
import type { Case } from "../../src/run/Case.ts"
import type { CheckResult } from "../../src/run/Checks.ts"
import { type Bench, execute } from "../../src/run/Execution.ts"
import { gradingBy, type Profile } from "../../src/run/Grading.ts"
import { selects } from "../../src/run/Selection.ts"
import { withExtensions } from "../../src/run/Extensions.ts"
import { openTarget } from "../../src/run/Target.ts"
import { failsRun } from "../../src/run/Verdict.ts"
import { type Defect, type Mutant, worn } from "./Mutant.ts"
import type { ReadingFailure, ReadingJudgement } from "./Readings.ts"

/** What became of a mutant. */
export interface Fate {
  readonly id: string
  readonly clause: string
  readonly breaks: string
  readonly combined: boolean
  /** `killed` by a check of its own clause, seen only by checks of `other` clauses, or not seen at all. */
  readonly fate: "killed" | "other" | "survived"
  /** Cases, or ambient rules, with a check of the clause that failed. */
  readonly by: ReadonlyArray<string>
  /** Clauses of checks that failed, where none was of its own. */
  readonly others: ReadonlyArray<string>
  readonly ran: number
  readonly ms: number
}

/** How much of what could see a mutant is run. */
export interface Thoroughness {
  /** Goes on after the first check that saw it, to know every case that does. */
  readonly everyCase: boolean
  /** Runs the whole suite, not only the cases about the clause. */
  readonly wholeSuite: boolean
}

/** Real time that one mutant may take, in milliseconds: what loops for ever under it is seen by nobody. */
const limitMs = 60_000

/** Real time for one answer; a mutant may leave a request that waits for ever. */
const answerLimitMs = 20_000

/** Real time that closing a world may take. */
const closeLimitMs = 5_000

/** Clauses of other checks that a fate names. */
const shownOthers = 3

/** Cases of the same topic that are run where only ambient rules are about a clause. */
const maxTopicCases = 40

const baseUrl = "http://simulator.test"

const topicOf = (clause: string): string => clause.split("-")[0] ?? clause

const isAmbient = (clause: string): boolean => ambientRules.some((rule) => rule.clauses.includes(clause))

/** The cases about a clause; then, where an ambient rule is about it, cases of its topic. */
const casesFor = (clause: string, all: ReadonlyArray<Case>): ReadonlyArray<Case> => {
  const own = all.filter((each) => each.clauses.includes(clause))
  if (!isAmbient(clause)) return own
  const topic = topicOf(clause)
  const near = all.filter((each) => !own.includes(each) && each.clauses.some((cited) => topicOf(cited) === topic))
  const rest = all.filter((each) => !own.includes(each) && !near.includes(each) && each.requires.length <= 1)
  return [...own, ...[...near, ...rest].slice(0, maxTopicCases)]
}

const failed = (checks: ReadonlyArray<CheckResult>): ReadonlyArray<CheckResult> =>
  checks.filter(({ verdict }) => failsRun(verdict))

/** What ran and what failed on a server with a defect; every case tells its failed checks as it ends. */
const judged = async (
  defect: Defect,
  chosen: ReadonlyArray<Case>,
  goesOn: (caseId: string, checks: ReadonlyArray<CheckResult>, ambient: ReadonlyArray<CheckResult>) => boolean,
  profile: Profile | null = "carillon",
): Promise<number> => {
  const simulator = await Simulator.start({
    clock: "manual",
    logLevel: "None",
    ...(defect.ports === undefined ? {} : { decorate: defect.ports }),
    ...(defect.times === undefined ? {} : { callLimits: defect.times }),
  })
  const signal = AbortSignal.timeout(limitMs)
  const transport: Transport = {
    fetch: worn(defect, simulator.fetch),
    secrets: new Set([simulator.info.key]),
    signal,
    timeoutMs: answerLimitMs,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
  const grading = gradingBy(findClause, profile ?? undefined)
  const ledger = new Ledger()
  let ran = 0
  try {
    const { signal: _limit, ...unlimited } = transport
    const plain: Transport = { ...unlimited, fetch: simulator.fetch }
    const options = {
      baseUrl,
      key: simulator.info.key,
      controlUrl: baseUrl,
      controlToken: undefined,
      nonce: "strength",
      to: [],
      onWait: () => {},
    }
    const opened = await openTarget(options, plain)
    const asksExtensions = chosen.some(({ requires }) => extensionOf(requires) !== undefined)
    const target = asksExtensions ? await withExtensions(opened, plain) : opened
    const bench: Bench = {
      target,
      transport,
      baseUrl,
      ledger,
      grading,
      seed: 1,
      nonce: "strength",
      slow: false,
      leftovers: undefined,
      recipients: [],
    }
    for (const each of chosen) {
      if (signal.aborted) break
      const result = await execute(each, bench).catch((error: unknown) => {
        if (signal.aborted) return undefined
        throw error
      })
      if (result === undefined) break
      ran += 1
      const checks =
        result.verdict === "error" || result.verdict === "untestable"
          ? [...failed(result.checks), { id: "case", verdict: result.verdict, clauses: [] }]
          : failed(result.checks)
      if (!goesOn(each.id, checks, failed(ledger.results(grading)))) break
    }
    await target.release()
  } finally {
    // What still waits for a mutant that answers nothing must not hold up those after it.
    await Promise.race([simulator.close(), new Promise((resolve) => setTimeout(resolve, closeLimitMs))])
  }
  return ran
}

/** What some folders of the suite say of a healthy server: every failed check with its case. */
export const canary = async (folders: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const chosen = cases.filter((each) => folders.some((folder) => selects(folder, each)))
  await judged({}, chosen, (caseId, checks, ambient) => {
    found.push(...checks.map(({ id }) => `${caseId}:${id}`), ...ambient.map(({ id }) => `ambient:${id}`))
    return true
  })
  return [...new Set(found)]
}

/** Which cases judge a mutant of a reading: those about its clause, or those beside them in their folders as well. */
export type Breadth = "clause" | "folder"

const folderOf = ({ id }: Case): string => id.slice(0, id.lastIndexOf("/"))

const casesBeside = (clause: string): ReadonlyArray<Case> => {
  const about = casesFor(clause, cases)
  const folders = new Set(about.filter((each) => each.clauses.includes(clause)).map(folderOf))
  return [...about, ...cases.filter((each) => !about.includes(each) && folders.has(folderOf(each)))]
}

/** What fails on a mutant of a reading where no profile is named. */
export const judgedWithoutProfile = async (mutant: Mutant, breadth: Breadth): Promise<ReadingJudgement> => {
  const chosen = breadth === "folder" ? casesBeside(mutant.clause) : casesFor(mutant.clause, cases)
  const failures = new Map<string, ReadingFailure>()
  const ran = await judged(
    mutant.defect,
    chosen,
    (caseId, checks, ambient) => {
      for (const { clauses, id } of checks) failures.set(`${caseId}:${id}`, { at: `${caseId}:${id}`, clauses })
      for (const { clauses, id } of ambient) failures.set(`ambient:${id}`, { at: `ambient:${id}`, clauses })
      return true
    },
    null,
  )
  const { breaks, id } = mutant
  return { id, breaks, failures: [...failures.values()], whole: ran === chosen.length }
}

/** Runs the cases about a mutant's clause against it. */
export const fateOf = async (mutant: Mutant, { everyCase, wholeSuite }: Thoroughness): Promise<Fate> => {
  const started = performance.now()
  const { breaks, clause, combined, id } = mutant
  const by = new Set<string>()
  const others = new Set<string>()
  const all = findClause(clause)?.level === "extension" ? extensionCases : cases
  const ran = await judged(mutant.defect, wholeSuite ? all : casesFor(clause, all), (caseId, checks, ambient) => {
    const about = (check: CheckResult) => check.clauses.includes(clause)
    if (checks.some(about)) by.add(caseId)
    for (const rule of ambient.filter(about)) by.add(`ambient:${rule.id}`)
    for (const check of [...checks, ...ambient]) {
      for (const cited of check.clauses) others.add(cited)
      if (check.clauses.length === 0) others.add("no clause")
    }
    return everyCase || by.size === 0
  })
  others.delete(clause)
  const fate = by.size > 0 ? "killed" : others.size > 0 ? "other" : "survived"
  return {
    id,
    clause,
    breaks,
    combined,
    fate,
    by: [...by].sort(),
    others: fate === "other" ? [...others].sort().slice(0, shownOthers) : [],
    ran,
    ms: Math.round(performance.now() - started),
  }
}
