/** What a measurement came to, as data and as text. */
import type { Fairness } from "./Fairness.ts"
import { type IdleCase, idleOf } from "./Idle.ts"
import type { Fate } from "./Measure.ts"
import type { ReadingsSummary } from "./Readings.ts"

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
  /** Null where the healthy server was not judged. */
  readonly fairness: Fairness | null
  /** Mutants of published readings, judged without a profile; null where none was. */
  readonly readings: ReadingsSummary | null
  readonly seconds: number
  /** How many mutants a case alone sees: without it they would live. */
  readonly alone: Readonly<Record<string, number>>
  /** Cases that saw no mutant; null where not every case about a clause was run. */
  readonly idle: ReadonlyArray<IdleCase> | null
}

/** What is not held is named, as far as a screen goes. */
const listedMax = 8

const percent = (part: number, whole: number): number => (whole === 0 ? 100 : Math.round((part / whole) * 1000) / 10)

export const summaryOf = (
  fates: ReadonlyArray<Fate>,
  judgeable: ReadonlyArray<string>,
  broken: ReadonlyArray<string>,
  fairness: Fairness | null,
  readings: ReadingsSummary | null,
  seconds: number,
  everyCase: boolean,
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
    fairness,
    readings,
    seconds: Math.round(seconds),
    alone: Object.fromEntries([...alone].sort(([a, n], [b, k]) => k - n || (a < b ? -1 : 1))),
    idle: everyCase ? idleOf(fates) : null,
  }
}

/** A count, and what is counted where it is not much. */
const listed = (what: ReadonlyArray<string>): string =>
  what.length === 0
    ? "0"
    : `${what.length}: ${what.slice(0, listedMax).join(", ")}${what.length > listedMax ? ", …" : ""}`

/** What was found where nothing is wrong. */
const fair = (fairness: Fairness | null): ReadonlyArray<string> => {
  if (fairness === null) return ["false failures, clauses without a case  not measured (--no-canary)"]
  const { casesInDisguise, falseFailures, unjudged, variations } = fairness
  return [
    `false failures                         ${listed(falseFailures)} (${casesInDisguise} cases under ${variations} conforming variations at once)`,
    `required clauses without a case        ${listed(unjudged)}`,
  ]
}

/** What readings that others do not share came to. */
export const readingsWritten = (readings: ReadingsSummary | null): string => {
  if (readings === null) return "readings judged without a profile      not measured (--no-readings)"
  const { cut, falseFailures, judged, rightly, seconds, stale } = readings
  return [
    `readings judged without a profile: ${judged}, false failures: ${listed(falseFailures)}`,
    `  rightly fail a required clause       ${rightly}, said to and do not ${listed(stale)}`,
    `  not judged in time                   ${listed(cut)}; these took ${seconds} s`,
  ].join("\n")
}

/** Cases that saw no mutant, in one line. */
const idleLine = (idle: Summary["idle"]): string => {
  if (idle === null) return "cases that see no mutant               not measured (--every-case)"
  const without = idle.flatMap(({ id, reason }) => (reason === null ? [id] : []))
  return `cases that see no mutant               ${idle.length}, without a reason ${listed(without)}`
}

/** The measurement in one screen. */
export const written = (summary: Summary): string => {
  const { combined, fairness, idle, killed, mutants, other, rate, rateOfCombined, seconds, survived, without } = summary
  const { readings } = summary
  const whole = fairness === null ? "" : `; a whole run on the healthy server ${fairness.wholeRunSeconds} s`
  return [
    "",
    `attributed kill rate                   ${rate} %: ${killed} of ${mutants} mutants, by a check of their own clause`,
    `  of two conditions                    ${rateOfCombined} % of ${combined}`,
    `  seen only by checks of other clauses ${other}`,
    `  not seen                             ${survived}`,
    ...fair(fairness),
    readingsWritten(readings),
    `required clauses without a mutant      ${listed(without)}`,
    idleLine(idle),
    `time                                   ${seconds} s${whole}`,
  ].join("\n")
}
