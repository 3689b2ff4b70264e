/** What a measurement came to, as data and as text. */
import type { Fate } from "./Measure.ts"

export interface Summary {
  readonly mutants: number
  readonly combined: number
  readonly killed: number
  readonly other: number
  readonly survived: number
  /** Attributed kills of a hundred. */
  readonly rate: number
  readonly rateOfCombined: number
  /** Clauses that every server must keep and that can be seen, without a mutant. */
  readonly without: ReadonlyArray<string>
  readonly seconds: number
  /** How many mutants a case alone sees: without it they would live. */
  readonly alone: Readonly<Record<string, number>>
}

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : Math.round((part / whole) * 1000) / 10)

export const summaryOf = (
  fates: ReadonlyArray<Fate>,
  judgeable: ReadonlyArray<string>,
  broken: ReadonlyArray<string>,
  seconds: number,
): Summary => {
  const count = (fate: Fate["fate"], among = fates) => among.filter((each) => each.fate === fate).length
  const combined = fates.filter((each) => each.combined)
  const alone = new Map<string, number>()
  for (const { by } of fates) {
    const [only] = by
    if (by.length === 1 && only !== undefined) alone.set(only, (alone.get(only) ?? 0) + 1)
  }
  const have = new Set(broken)
  return {
    mutants: fates.length,
    combined: combined.length,
    killed: count("killed"),
    other: count("other"),
    survived: count("survived"),
    rate: percent(count("killed"), fates.length),
    rateOfCombined: percent(count("killed", combined), combined.length),
    without: judgeable.filter((clause) => !have.has(clause)),
    seconds: Math.round(seconds),
    alone: Object.fromEntries([...alone].sort(([a, n], [b, k]) => k - n || (a < b ? -1 : 1))),
  }
}

export const written = (summary: Summary): string => {
  const { combined, killed, mutants, other, rate, rateOfCombined, seconds, survived, without } = summary
  return [
    "",
    `${mutants} mutants, ${combined} of them of two conditions, in ${seconds} s`,
    `killed by a check of their own clause  ${killed} (${rate} %; of two conditions ${rateOfCombined} %)`,
    `seen only by checks of other clauses   ${other}`,
    `not seen                               ${survived}`,
    `required clauses without a mutant      ${without.length}${without.length === 0 ? "" : `: ${without.join(", ")}`}`,
  ].join("\n")
}
