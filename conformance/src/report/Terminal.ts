import type { CaseResult } from "../run/CaseResult.ts"
import type { Report, Tally } from "../run/Report.ts"
import { failsRun, type Verdict, verdicts } from "../run/Verdict.ts"
import { failureLines, replayOf } from "./Failure.ts"

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

const caseDetail = (result: CaseResult, report: Report, colour: boolean): ReadonlyArray<string> => {
  const checks = result.checks.filter(({ verdict }) => verdict !== "pass" && verdict !== "note" && verdict !== "xfail")
  return [
    "",
    `${painted(result.verdict, result.verdict, colour)} ${result.id}: ${result.title}${result.flaky === true ? " (flaky: it held when tried once more)" : ""}`,
    ...(result.reason === undefined ? [] : indented(result.reason.split("\n"), 2)),
    ...checks.flatMap((check) => [
      `  ${painted(check.verdict, check.verdict, colour)} ${check.id}`,
      ...indented(failureLines(check, report), 4),
    ]),
    `  replay: ${replayOf(result, report)}`,
  ]
}

const counts = (tally: Tally): string =>
  verdicts
    .filter((verdict) => tally[verdict] > 0)
    .map((verdict) => `${tally[verdict]} ${verdict}`)
    .join(", ")

/** What is printed once a run is over: everything that does not hold, and the sums. */
export const summary = (report: Report, colour: boolean): string => {
  const details = report.cases.filter(({ verdict }) => failsRun(verdict))
  const levels = report.levels.map(({ level, held, of }) => `L${level} ${held}/${of}`).join("  ")
  const reached = report.reached === null ? "no level reached" : `level L${report.reached} reached`
  return [
    ...details.flatMap((result) => caseDetail(result, report, colour)),
    "",
    ...report.unusedExpectations.map((line) => `listed, but nothing of that name was executed: ${line}`),
    `cases:  ${counts(report.totals.cases)}`,
    `checks: ${counts(report.totals.checks)}`,
    `levels: ${levels}  (${reached}, ${report.revision}, profile ${report.profile ?? "none"})`,
    `${report.outcome}, seed ${report.seed}, nonce ${report.nonce}`,
    "",
  ].join("\n")
}
