import type { Defect, Mutant } from "./Mutant.ts"

type Entry = Omit<Mutant, "id">

/** A mutant that breaks one clause. */
export const m = (clause: string, breaks: string, defect: Defect): ReadonlyArray<Entry> => [
  { clause, breaks, combined: false, defect },
]

/** A mutant that shows only where two conditions come together. */
export const c = (clause: string, breaks: string, defect: Defect): ReadonlyArray<Entry> => [
  { clause, breaks, combined: true, defect },
]

/** The same mistake, seen by several clauses that state the same: each has to see it for itself. */
export const each = (clauses: string, breaks: string, defect: Defect): ReadonlyArray<Entry> =>
  clauses.split(" ").map((clause) => ({ clause, breaks, combined: false, defect }))

/** The same for a mistake of two conditions. */
export const eachOf = (clauses: string, breaks: string, defect: Defect): ReadonlyArray<Entry> =>
  clauses.split(" ").map((clause) => ({ clause, breaks, combined: true, defect }))

/** Gives every mutant its id: the clause and a number. */
export const numbered = (entries: ReadonlyArray<ReadonlyArray<Entry>>): ReadonlyArray<Mutant> => {
  const counts = new Map<string, number>()
  return entries.flat().map((entry) => {
    const count = (counts.get(entry.clause) ?? 0) + 1
    counts.set(entry.clause, count)
    return { id: `${entry.clause}.${count}`, ...entry }
  })
}
