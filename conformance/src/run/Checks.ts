import type { Answer } from "../http/Answer.ts"
import { statusesOf } from "../http/ErrorCode.ts"
import type { Exchange } from "../http/Exchange.ts"
import { canonical } from "../http/Json.ts"
import { failsRun, type Verdict } from "./Verdict.ts"

/** The outcome of one check. The id is the same whether it holds or not. */
export interface CheckResult {
  readonly id: string
  readonly verdict: Verdict
  /** Ids of the clauses that the check is about. */
  readonly clauses: ReadonlyArray<string>
  readonly expected?: string
  readonly got?: string
  readonly message?: string
  readonly exchange?: Exchange
}

/** How a failure to hold is graded, by the clauses that a check cites. */
export type Grade = (clauses: ReadonlyArray<string>) => "fail" | "warn" | "note"

/** One clause or several. */
export type Cited = string | ReadonlyArray<string>

/** What a check compared. */
export interface Comparison {
  readonly expected: unknown
  readonly got: unknown
  /** The answer, or recorded exchange, that shows it. */
  readonly at?: Answer | undefined
}

/** Ends a case early because what follows cannot be judged; the check that says why is already recorded. */
export class Halted extends Error {
  override readonly name = "Halted"
}

const citedOf = (cited: Cited): ReadonlyArray<string> => (typeof cited === "string" ? [cited] : cited)

const shown = (value: unknown): string => (typeof value === "string" ? value : canonical(value))

/** Collects the checks of one case. A check recorded several times under one id fails when one of them does. */
export class Checks {
  readonly #results = new Map<string, CheckResult>()
  readonly #clauses: ReadonlySet<string>
  readonly #grade: Grade

  constructor(clauses: ReadonlyArray<string>, grade: Grade) {
    this.#clauses = new Set(clauses)
    this.#grade = grade
  }

  /** What has been recorded, in order of first appearance. */
  results(): ReadonlyArray<CheckResult> {
    return [...this.#results.values()]
  }

  /** Records whether something holds, and returns it. */
  that(id: string, cited: Cited, holds: boolean, comparison: Comparison): boolean {
    const clauses = this.#declared(id, cited)
    const earlier = this.#results.get(id)
    if (earlier !== undefined && earlier.verdict !== "pass") return holds
    const { expected, got, at } = comparison
    if (holds) {
      if (earlier === undefined) this.#results.set(id, { id, verdict: "pass", clauses })
    } else {
      this.#results.set(id, {
        id,
        verdict: this.#grade(clauses),
        clauses,
        expected: shown(expected),
        got: shown(got),
        ...(at === undefined ? {} : { exchange: at.exchange }),
      })
    }
    return holds
  }

  /** The value equals what is expected, as JSON. */
  equal(id: string, cited: Cited, got: unknown, expected: unknown, at?: Answer): boolean {
    return this.that(id, cited, canonical(got) === canonical(expected), { expected, got, at })
  }

  /** The value is one of several. */
  oneOf(id: string, cited: Cited, got: unknown, allowed: ReadonlyArray<unknown>, at?: Answer): boolean {
    const holds = allowed.some((value) => canonical(value) === canonical(got))
    return this.that(id, cited, holds, { expected: `one of ${canonical(allowed)}`, got, at })
  }

  /** The answer has this HTTP status. */
  status(id: string, cited: Cited, answer: Answer, status: number): boolean {
    const code = answer.code
    const got = code === undefined ? `HTTP ${answer.status}` : `HTTP ${answer.status} with error ${code}`
    return this.that(id, cited, answer.status === status, { expected: `HTTP ${status}`, got, at: answer })
  }

  /** The answer is an error with this code, at the status that belongs to it. */
  refused(id: string, cited: Cited, answer: Answer, code: number, status = statusesOf(code)[0]): boolean {
    return this.that(id, cited, answer.code === code && answer.status === status, {
      expected: `HTTP ${status} with error ${code}`,
      got: `HTTP ${answer.status} with ${answer.code === undefined ? "no error code" : `error ${answer.code}`}`,
      at: answer,
    })
  }

  /** The answer is a refusal of the request, whatever its code. */
  rejected(id: string, cited: Cited, answer: Answer): boolean {
    const holds = answer.status >= 400 && answer.status < 500
    return this.that(id, cited, holds, { expected: "a 4xx", got: `HTTP ${answer.status}`, at: answer })
  }

  /** The message of an error contains a word that the specification says it names. */
  names(id: string, cited: Cited, answer: Answer, word: string): boolean {
    return this.that(id, cited, answer.message.includes(word), {
      expected: `a message that names ${word}`,
      got: answer.message,
      at: answer,
    })
  }

  /** The condition holds; without a comparison worth printing. */
  holds(id: string, cited: Cited, condition: boolean, expected: string, at?: Answer): boolean {
    return this.that(id, cited, condition, { expected, got: condition ? "so" : "not so", at })
  }

  /** Records something observed that is never graded. */
  note(id: string, cited: Cited, message: string, at?: Answer): void {
    if (this.#results.has(id)) return
    const exchange = at === undefined ? {} : { exchange: at.exchange }
    this.#results.set(id, { id, verdict: "note", clauses: this.#declared(id, cited), message, ...exchange })
  }

  /** Records a failure that is not about one clause: the way to what the case judges is itself broken. */
  broken(id: string, message: string, exchange?: Exchange): void {
    const seen = exchange === undefined ? {} : { exchange }
    if (!this.failed(id)) this.#results.set(id, { id, verdict: "fail", clauses: [], message, ...seen })
  }

  /** True when a check of this id was recorded and did not hold. */
  failed(id: string): boolean {
    const result = this.#results.get(id)
    return result !== undefined && failsRun(result.verdict)
  }

  /** Ends the case unless the condition holds. */
  must(condition: boolean): void {
    if (!condition) throw new Halted("the rest of the case depends on a check that did not hold")
  }

  #declared(id: string, cited: Cited): ReadonlyArray<string> {
    const clauses = citedOf(cited)
    const stray = clauses.find((clause) => !this.#clauses.has(clause))
    if (stray !== undefined) throw new Error(`check ${id} cites ${stray}, which its case does not declare`)
    return clauses
  }
}
