import { Cause, Exit } from "effect"
import type { EngineError } from "../../Errors.ts"
import type { Violation } from "./Laws.ts"

/** What an operation may be answered with when it only met another one. */
export const answerFault = (
  name: string,
  answer: Exit.Exit<Exit.Exit<unknown, EngineError>> | undefined,
  /** Somebody has held dialling, which is told as a carrier that is away. */
  wasHeld: boolean,
): Violation | null => {
  if (answer === undefined) return { law: "every request is answered", detail: name }
  const exit = Exit.isSuccess(answer) ? answer.value : answer
  if (Exit.isSuccess(exit)) return null
  const defects = exit.cause.reasons.filter(Cause.isDieReason)
  if (defects.length > 0) return { law: "nothing dies", detail: `${name}: ${String(defects[0]?.defect)}` }
  const failures = exit.cause.reasons.filter(Cause.isFailReason)
  const tag = failures[0]?.error._tag
  return (!wasHeld && tag === "DependencyUnavailable") || tag === "DependencyTimeout"
    ? { law: "nobody is refused for a neighbour", detail: `${name}: ${tag}` }
    : null
}

/** Violations, each law's first. */
export class Verdict {
  readonly #found = new Map<string, Violation>()

  add(...violations: ReadonlyArray<Violation>): void {
    for (const violation of violations) if (!this.#found.has(violation.law)) this.#found.set(violation.law, violation)
  }

  /** A law that says so by throwing. */
  readonly attempt = (look: () => void): void => {
    try {
      look()
    } catch (error) {
      this.add({ law: "lines and legs", detail: error instanceof Error ? error.message : String(error) })
    }
  }

  get violations(): ReadonlyArray<Violation> {
    return [...this.#found.values()]
  }
}
