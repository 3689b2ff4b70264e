import type { Answer } from "../http/Answer.ts"

/** One answer of `/v2` as the ambient rules see it. */
export interface Observation {
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly answer: Answer
  /** Keys that may never be repeated in an answer. */
  readonly secrets: ReadonlySet<string>
}

/** How an answer breaks a rule. */
export interface Breach {
  readonly expected: string
  readonly got: unknown
}

/** Something that every answer must keep, whatever the case is about. */
export interface Rule {
  /** The check id. */
  readonly id: string
  readonly clauses: ReadonlyArray<string>
  /** The first breach, null when the answer keeps the rule, undefined when the rule has nothing to say about it. */
  readonly judge: (observation: Observation) => Breach | null | undefined
}

/** The verdict of a rule from a condition. */
export const unless = (holds: boolean, expected: string, got: unknown): Breach | null =>
  holds ? null : { expected, got }

/** True for a 4xx or 5xx. */
export const isRefusal = (answer: Answer): boolean => answer.status >= 400
