import type { Answer } from "../http/Answer.ts"
import { statusesOf } from "../http/ErrorCode.ts"
import type { AnyClause } from "../clauses/Clause.ts"
import { stepClause } from "../clauses/Steps.ts"
import type { Exchange } from "../http/Exchange.ts"
import { canonical } from "../http/Json.ts"
import type { Grading } from "./Grading.ts"
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

/** One grade's share of a check. */
interface CheckPart {
  readonly id: string
  readonly level: AnyClause["level"]
  readonly clauses: ReadonlyArray<string>
}

/** What the share of each level is called beside the check itself. */
const suffixes: Readonly<Record<AnyClause["level"], string>> = {
  required: "",
  extension: "/extension",
  profile: "/reading",
  gap: "/open",
}

/** Why a breach is only noted. */
const openTo: Readonly<Record<AnyClause["level"], string>> = {
  required: "",
  extension: "",
  profile: "the server has another reading than the profile carillon, which this run does not name",
  gap: "the specification leaves this open",
}

/** A check that is about clauses of several levels is one check for each level, so that each is graded as its own. */
const partsOf = (id: string, clauses: ReadonlyArray<string>, { levelOf }: Grading): ReadonlyArray<CheckPart> => {
  const levels = (["required", "extension", "profile", "gap"] as const).flatMap((level) => {
    const own = clauses.filter((clause) => levelOf(clause) === level)
    return own.length === 0 ? [] : [{ level, clauses: own }]
  })
  return levels.map((part, index) => ({ ...part, id: index === 0 ? id : `${id}${suffixes[part.level]}` }))
}

const pathOf = (url: string): string => {
  const { pathname } = new URL(url)
  const at = pathname.indexOf("/v2")
  return at < 0 ? pathname : pathname.slice(at)
}

const citedOf = (cited: Cited): ReadonlyArray<string> => (typeof cited === "string" ? [cited] : cited)

const shown = (value: unknown): string => (typeof value === "string" ? value : canonical(value))

/** Collects the checks of one case. A check recorded several times under one id fails when one of them does. */
export class Checks {
  readonly #results = new Map<string, CheckResult>()
  readonly #clauses: ReadonlySet<string>
  readonly #grading: Grading

  constructor(clauses: ReadonlyArray<string>, grading: Grading) {
    this.#clauses = new Set(clauses)
    this.#grading = grading
  }

  /** What has been recorded, in order of first appearance. */
  results(): ReadonlyArray<CheckResult> {
    return [...this.#results.values()]
  }

  /** Records whether something holds, and returns it. */
  that(id: string, cited: Cited, holds: boolean, comparison: Comparison): boolean {
    for (const part of partsOf(id, this.#declared(id, cited), this.#grading)) this.#record(part, holds, comparison)
    return holds
  }

  #record({ id, clauses, level }: CheckPart, holds: boolean, { expected, got, at }: Comparison): void {
    const earlier = this.#results.get(id)
    if (earlier !== undefined && canonical(earlier.clauses) !== canonical(clauses)) {
      throw new Error(
        `check ${id} is about ${clauses.join(", ")} here and about ${earlier.clauses.join(", ")} elsewhere`,
      )
    }
    if (earlier !== undefined && earlier.verdict !== "pass") return
    if (holds) {
      if (earlier === undefined) this.#results.set(id, { id, verdict: "pass", clauses })
      return
    }
    const verdict = this.#grading.grade(level)
    this.#results.set(id, {
      id,
      verdict,
      clauses,
      expected: shown(expected),
      got: shown(got),
      ...(verdict === "note" ? { message: openTo[level] } : {}),
      ...(at === undefined ? {} : { exchange: at.exchange }),
    })
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

  /** The route is there, whatever it says to a request whose form the specification does not show. */
  exists(id: string, cited: Cited, answer: Answer): boolean {
    const { status } = answer
    const holds = status !== 404 && status !== 405 && status < 500
    return this.that(id, cited, holds, { expected: "a route that is there", got: `HTTP ${status}`, at: answer })
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

  /** Records that a step on the way to what the case judges is broken: the clause of that step is to blame, where there is one. */
  broken(id: string, message: string, exchange?: Exchange): void {
    if (this.failed(id)) return
    const clause = exchange === undefined ? undefined : stepClause(exchange.method, pathOf(exchange.url))
    const level = clause === undefined ? "required" : this.#grading.levelOf(clause)
    const verdict = this.#grading.grade(level)
    const clauses = clause === undefined ? [] : [clause]
    this.#results.set(id, { id, verdict, clauses, message, ...(exchange === undefined ? {} : { exchange }) })
  }

  /** Records that the server gave no answer, which no reading of the specification allows. */
  unanswered(message: string, exchange: Exchange): void {
    const clause = stepClause(exchange.method, pathOf(exchange.url))
    const clauses = clause === undefined ? [] : [clause]
    if (!this.failed("answered")) {
      this.#results.set("answered", { id: "answered", verdict: "fail", clauses, message, exchange })
    }
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
