/** What changed from one run to another. */
import { failsRun } from "../run/Verdict.ts"
import type { PastReport } from "./Past.ts"

/** What a comparison of two runs found. Each entry is a case, or `case:check`. */
export interface Difference {
  /** Held before, and fails now. */
  readonly broken: ReadonlyArray<string>
  /** Failed before, and does not any more. */
  readonly mended: ReadonlyArray<string>
  /** Fails now and was not executed before. */
  readonly newFailures: ReadonlyArray<string>
  /** Executed before, and not now. */
  readonly gone: ReadonlyArray<string>
}

const executed = (report: PastReport, id: string): boolean => {
  const verdict = report.verdicts.get(id)
  return verdict !== undefined && verdict !== "n/a"
}

const fails = (report: PastReport, id: string): boolean => {
  const verdict = report.verdicts.get(id)
  return verdict !== undefined && failsRun(verdict)
}

/** Compares two runs, check by check. */
export const differenceOf = (before: PastReport, after: PastReport): Difference => {
  const now = [...after.verdicts.keys()]
  const then = [...before.verdicts.keys()]
  return {
    broken: now.filter((id) => fails(after, id) && executed(before, id) && !fails(before, id)),
    newFailures: now.filter((id) => fails(after, id) && !executed(before, id)),
    mended: then.filter((id) => fails(before, id) && executed(after, id) && !fails(after, id)),
    gone: then.filter((id) => executed(before, id) && !executed(after, id)),
  }
}

/** Lines of each kind that are printed. */
const shown = 40

const part = (title: string, ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length === 0
    ? []
    : [
        `${title}: ${ids.length}`,
        ...ids.slice(0, shown).map((id) => `  ${id}`),
        ...(ids.length > shown ? [`  … and ${ids.length - shown} more`] : []),
      ]

const head = ({ name, reached, held, of, startedAt }: PastReport): string =>
  `${name}: ${reached === null ? "no level" : `L${reached}`}, ${held}/${of} clauses, ${startedAt}`

/** A comparison as text. */
export const differenceText = (before: PastReport, after: PastReport): string => {
  const { broken, gone, mended, newFailures } = differenceOf(before, after)
  const parts = [
    ...part("held before, fails now", broken),
    ...part("fails, and was not executed before", newFailures),
    ...part("failed before, holds now", mended),
    ...part("executed before, not now", gone),
  ]
  return [head(before), head(after), ...(parts.length === 0 ? ["nothing changed"] : parts), ""].join("\n")
}
