import type { CheckResult } from "../run/Checks.ts"
import type { Grading } from "../run/Grading.ts"
import { canonical } from "../http/Json.ts"
import type { Exchange } from "../http/Exchange.ts"
import { ambientRules } from "./Ambient.ts"
import type { Breach, Observation, Rule } from "./Rule.ts"

/** Breaches of one rule that a report shows in full. */
const shownBreaches = 3

/** One answer that broke a rule. */
export interface RecordedBreach {
  readonly caseId: string
  readonly expected: string
  readonly got: string
  readonly exchange: Exchange
}

/** What became of one rule over a whole run. */
export interface RuleResult extends CheckResult {
  /** Answers that the rule had something to say about. */
  readonly judged: number
  readonly broken: number
  readonly breaches: ReadonlyArray<RecordedBreach>
}

interface Tally {
  judged: number
  broken: number
  readonly breaches: Array<RecordedBreach>
}

const shown = (got: unknown): string => (typeof got === "string" ? got : canonical(got))

/** Holds every answer of a run against the ambient rules and keeps count. */
export class Ledger {
  readonly #tallies = new Map<Rule, Tally>()
  readonly #rules: ReadonlyArray<Rule>

  constructor(rules: ReadonlyArray<Rule> = ambientRules) {
    this.#rules = rules
  }

  /** Judges one answer. */
  observe(caseId: string, observation: Observation): void {
    for (const rule of this.#rules) {
      const breach = rule.judge(observation)
      if (breach === undefined) continue
      const tally = this.#tallyOf(rule)
      tally.judged += 1
      if (breach !== null) this.#record(tally, caseId, observation, breach)
    }
  }

  /** One result for each rule that had something to say. */
  results({ grade, levelOf }: Grading): ReadonlyArray<RuleResult> {
    return this.#rules.flatMap((rule): ReadonlyArray<RuleResult> => {
      const tally = this.#tallies.get(rule)
      if (tally === undefined) return []
      const { judged, broken, breaches } = tally
      const [first] = breaches
      const base = { id: rule.id, clauses: rule.clauses, judged, broken, breaches }
      if (first === undefined) return [{ ...base, verdict: "pass" }]
      const { expected, got, exchange, caseId } = first
      const message = `${broken} of ${judged} answers, first in ${caseId}`
      return [{ ...base, verdict: grade(levelOf(rule.clauses[0] ?? "")), expected, got, exchange, message }]
    })
  }

  #tallyOf(rule: Rule): Tally {
    let tally = this.#tallies.get(rule)
    if (tally === undefined) {
      tally = { judged: 0, broken: 0, breaches: [] }
      this.#tallies.set(rule, tally)
    }
    return tally
  }

  #record(tally: Tally, caseId: string, observation: Observation, { expected, got }: Breach): void {
    tally.broken += 1
    if (tally.breaches.length >= shownBreaches) return
    tally.breaches.push({ caseId, expected, got: shown(got), exchange: observation.answer.exchange })
  }
}
