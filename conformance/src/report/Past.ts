/** Reports of earlier runs, read back from their JSON: as much of them as a comparison needs. */
import { isObject, parseJson } from "../http/Json.ts"
import type { ClauseState } from "../run/ClauseCount.ts"
import { reportSchema } from "../run/Report.ts"
import { type Verdict, verdicts } from "../run/Verdict.ts"

/** An earlier run. */
export interface PastReport {
  /** The file that it came from. */
  readonly name: string
  readonly baseUrl: string
  readonly revision: string
  readonly startedAt: string
  readonly outcome: string
  readonly reached: number | null
  /** Required clauses that held, and all of them. */
  readonly held: number
  readonly of: number
  /** Whether it asked for extensions. */
  readonly asksExtensions: boolean
  readonly clauseStates: ReadonlyMap<string, ClauseState>
  /** The verdict of each check by `case:check`, and of each case by its id. */
  readonly verdicts: ReadonlyMap<string, Verdict>
}

const states: ReadonlyArray<ClauseState> = ["held", "broken", "read-otherwise", "not-judged"]

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const countOf = (value: unknown): number => (typeof value === "number" ? value : 0)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const verdictOf = (value: unknown): Verdict => verdicts.find((each) => each === value) ?? "error"

const clauseStatesOf = (value: unknown): ReadonlyMap<string, ClauseState> =>
  new Map(
    Object.entries(isObject(value) ? value : {}).map(([clause, given]) => [
      clause,
      states.find((each) => each === given) ?? "not-judged",
    ]),
  )

const verdictsOf = (cases: unknown): ReadonlyMap<string, Verdict> =>
  new Map(
    listOf(cases).flatMap((each): ReadonlyArray<readonly [string, Verdict]> => {
      if (!isObject(each)) return []
      const id = textOf(each["id"])
      const checks = listOf(each["checks"]).filter(isObject)
      return [
        [id, verdictOf(each["verdict"])],
        ...checks.map((check) => [`${id}:${textOf(check["id"])}`, verdictOf(check["verdict"])] as const),
      ]
    }),
  )

/** The run that a JSON report tells of; undefined for a text that is no such report. */
export const readPast = (name: string, text: string): PastReport | undefined => {
  const parsed = parseJson(text)
  if (!isObject(parsed) || parsed["schema"] !== reportSchema) return undefined
  const levels = listOf(parsed["levels"]).filter(isObject)
  const total = (field: string) => levels.reduce((sum, level) => sum + countOf(level[field]), 0)
  return {
    name,
    baseUrl: textOf(isObject(parsed["target"]) ? parsed["target"]["baseUrl"] : undefined),
    revision: textOf(parsed["revision"]),
    startedAt: textOf(parsed["startedAt"]),
    outcome: textOf(parsed["outcome"]),
    reached: typeof parsed["reached"] === "number" ? parsed["reached"] : null,
    held: total("held"),
    of: total("of"),
    asksExtensions: Array.isArray(parsed["extensions"]),
    clauseStates: clauseStatesOf(parsed["clauseStates"]),
    verdicts: verdictsOf(parsed["cases"]),
  }
}
