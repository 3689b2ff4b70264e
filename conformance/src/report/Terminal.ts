import type { CaseResult } from "../run/CaseResult.ts"
import type { Report, Tally } from "../run/Report.ts"
import { type Verdict, verdicts } from "../run/Verdict.ts"
import { curlOf } from "../http/Curl.ts"
import { type Cause, causesOf, missingCapabilities } from "./Causes.ts"
import { extensionLines } from "./ExtensionLines.ts"
import { replayOf } from "./Failure.ts"

const colours: Readonly<Record<Verdict, number>> = {
  pass: 32,
  note: 36,
  xfail: 33,
  flaky: 33,
  fail: 31,
  xpass: 31,
  untestable: 31,
  error: 35,
  "n/a": 90,
}

const painted = (verdict: Verdict, text: string, colour: boolean): string =>
  colour ? `\u001b[${colours[verdict]}m${text}\u001b[0m` : text

const indented = (lines: ReadonlyArray<string>, by: number): ReadonlyArray<string> =>
  lines.map((line) => `${" ".repeat(by)}${printable(line)}`)

/** What a server sent, without what would move the cursor or change the colours of a terminal. */
const printable = (line: string): string =>
  // eslint-disable-next-line no-control-regex -- exactly the characters that a terminal obeys
  line.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "\ufffd")

/** One line for a case as it ends. */
export const caseLine = (result: CaseResult, colour: boolean): string => {
  const verdict = painted(result.verdict, result.verdict.padEnd(10), colour)
  const reason = result.verdict === "n/a" && result.reason !== undefined ? `  (${result.reason})` : ""
  return `${verdict} ${result.id}${reason}`
}

/** Causes that are printed in full, and cases that could not be judged; the reports show all. */
const shownCauses = 12
const shownTroubles = 6

/** Longest line that is printed: what a server sent may be a page. */
const lineChars = 240

const cut = (line: string): string => (line.length <= lineChars ? line : `${line.slice(0, lineChars)}…`)

const causeLines = (cause: Cause, report: Report, colour: boolean): ReadonlyArray<string> => {
  const { caseId, check, clause, extent, title } = cause
  // What answers break shows in the first case in which one did.
  const shownIn = report.breaches[check.id]?.[0]?.caseId ?? caseId
  const result = report.cases.find(({ id }) => id === shownIn)
  const shown = [
    title,
    ...(check.expected !== undefined || check.message === undefined || check.message === title ? [] : [check.message]),
    ...(check.expected === undefined ? [] : [`expected  ${check.expected}`]),
    ...(check.got === undefined ? [] : [`got       ${check.got}`]),
    ...(check.exchange === undefined ? [] : [`$ ${curlOf(check.exchange)}`]),
    ...(result === undefined ? [] : [`replay: ${replayOf(result, report)}`]),
  ]
  const flaky = result?.flaky === true ? " (flaky: it held when tried once more)" : ""
  return [
    "",
    `${painted("fail", "fail", colour)} ${clause === "" ? "(no clause)" : clause}: ${extent}`,
    `  ${caseId}:${check.id}${flaky}`,
    ...indented(shown.map(cut), 4),
  ]
}

const troubleLines = (result: CaseResult, colour: boolean): ReadonlyArray<string> => [
  `${painted(result.verdict, result.verdict, colour)} ${result.id}`,
  ...indented((result.reason ?? "").split("\n").slice(0, 3).map(cut), 4),
]

const more = (count: number, shown: number, what: string): ReadonlyArray<string> =>
  count > shown ? ["", `… and ${count - shown} more ${what}; --report html=FILE shows all`] : []

const missingLines = (report: Report): ReadonlyArray<string> =>
  missingCapabilities(report).map((line) => `not offered: ${line}`)

const counts = (tally: Tally): string =>
  verdicts
    .filter((verdict) => tally[verdict] > 0)
    .map((verdict) => `${tally[verdict]} ${verdict}`)
    .join(", ")

/** What is printed once a run is over: what is wrong, grouped by cause, and the sums. It never fills more than a few screens. */
export const summary = (report: Report, colour: boolean): string => {
  const causes = causesOf(report)
  const troubles = report.cases.filter(({ verdict }) => verdict === "untestable" || verdict === "error")
  const levels = report.levels.map(({ level, held, of }) => `L${level} ${held}/${of}`).join("  ")
  const reached = report.reached === null ? "no level reached" : `level L${report.reached} reached`
  return [
    ...causes.slice(0, shownCauses).flatMap((cause) => causeLines(cause, report, colour)),
    ...more(causes.length, shownCauses, "causes"),
    "",
    ...troubles.slice(0, shownTroubles).flatMap((result) => troubleLines(result, colour)),
    ...more(troubles.length, shownTroubles, "cases that could not be judged"),
    ...report.leftBehind.map((line) => `left behind: ${line}`),
    ...report.unusedExpectations.map((line) => `listed, but nothing of that name was executed: ${line}`),
    ...missingLines(report),
    `cases:   ${counts(report.totals.cases)}`,
    `checks:  ${counts(report.totals.checks)}`,
    `clauses: ${levels}  (${reached}, ${report.revision}, profile ${report.profile ?? "none"}${report.requirements === null ? "" : `, requirements ${report.requirements}`})`,
    ...extensionLines(report),
    `${report.outcome}, seed ${report.seed}, nonce ${report.nonce}`,
    "",
  ].join("\n")
}
