import type { Change } from "../../engine/rules/Commit.ts"
import { figure, figuresWithoutRows, type Tally } from "./Tally.ts"

/** What counts nothing, and follows from no row. */
const uncounted: ReadonlySet<string> = new Set(figuresWithoutRows)

/** What campaigns and batches would count if each of their rows were counted anew. */
export class Recount {
  readonly #subjects = new Map<string, { [figure: string]: number }>()

  /** Counts what follows from a row that is there. */
  add(changes: ReadonlyArray<Change>): void {
    for (const change of changes) {
      if (change.put !== "tally") continue
      const sum = this.#subjects.get(change.subject) ?? {}
      for (const [name, value] of Object.entries(change.add)) sum[name] = figure(sum, name) + value
      this.#subjects.set(change.subject, sum)
    }
  }

  /** What was counted of a subject. */
  of(subject: string): Tally {
    return this.#subjects.get(subject) ?? {}
  }

  /** What is kept of a subject more than it counts, by the figures that differ; less is below zero. */
  beyond(subject: string, kept: Tally): Tally {
    return lessTally(kept, this.of(subject))
  }
}

/** What one tally has more than another, by the figures in which they differ. */
export const lessTally = (a: Tally, b: Tally): Tally => {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(
    names
      .filter((name) => !uncounted.has(name))
      .map((name) => [name, figure(a, name) - figure(b, name)] as const)
      .filter(([, difference]) => difference !== 0),
  )
}

/** Whether two readings of a tally say the same. */
export const isSameTally = (a: Tally, b: Tally): boolean => Object.keys(lessTally(a, b)).length === 0
