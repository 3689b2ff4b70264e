/** Cases that see no mutant, and why they stay. */
import { cases } from "../../src/cases/Cases.ts"
import type { Fate } from "./Measure.ts"

/** A case that is there for what no mutant can show. A case that sees a mutant must not stand here. */
const reasons: ReadonlyMap<string, string> = new Map([
  [
    "calls/create/guard/daylight-saving",
    "It is for a server whose clock nobody can move, and judges the changes of clocks that happen to lie within the next 30 days: none, at the date at which mutants are tried. Where time can be moved, `calls/create/guard/clocks-change` judges the same at dates that it chooses.",
  ],
])

/** A case that saw no mutant. */
export interface IdleCase {
  readonly id: string
  /** Null where nobody has said why it stays. */
  readonly reason: string | null
}

/** The cases that saw none of these mutants, each of which was shown to every case about its clause. */
export const idleOf = (fates: ReadonlyArray<Pick<Fate, "by">>): ReadonlyArray<IdleCase> => {
  const seeing = new Set(fates.flatMap(({ by }) => by))
  return cases.flatMap(({ id }) => (seeing.has(id) ? [] : [{ id, reason: reasons.get(id) ?? null }]))
}

/** Reasons of cases that are not there, or that saw a mutant after all. */
export const staleReasons = (idle: ReadonlyArray<IdleCase>): ReadonlyArray<string> => {
  const ids = new Set(idle.map(({ id }) => id))
  return [...reasons.keys()].filter((id) => !ids.has(id))
}
