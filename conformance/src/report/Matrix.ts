/** Several runs side by side: implementations, or versions of one. */
import type { AnyClause } from "../clauses/Clause.ts"
import type { ClauseState } from "../run/ClauseCount.ts"
import type { PastReport } from "./Past.ts"
import { theme } from "./Theme.ts"
import { escapeXml } from "./Xml.ts"

const marks: Readonly<Record<ClauseState, string>> = {
  held: "held",
  broken: "BROKEN",
  "read-otherwise": "otherwise",
  "not-judged": "–",
}

const stateIn = (report: PastReport, id: string): ClauseState => report.clauseStates.get(id) ?? "not-judged"

const levelText = ({ reached, held, of }: PastReport): string =>
  `${reached === null ? "–" : `L${reached}`} ${held}/${of}`

/** The clauses that not every run says the same of. */
const disputed = (reports: ReadonlyArray<PastReport>, clauses: ReadonlyArray<AnyClause>): ReadonlyArray<AnyClause> =>
  clauses.filter(({ id }) => new Set(reports.map((report) => stateIn(report, id))).size > 1)

/** The table for a terminal: one column for each run, then a line for each clause on which they differ. */
export const matrixText = (reports: ReadonlyArray<PastReport>, clauses: ReadonlyArray<AnyClause>): string => {
  const rows = [
    ["", ...reports.map(({ name }) => name)],
    ["outcome", ...reports.map(({ outcome }) => outcome)],
    ["level", ...reports.map(levelText)],
    ...disputed(reports, clauses).map(({ id }) => [id, ...reports.map((report) => marks[stateIn(report, id)])]),
  ]
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  return `${lines.join("\n")}\n`
}

const style = `${theme}
:root { font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; } td, th { padding: .2rem .6rem; text-align: left; border-top: 1px solid #8884; vertical-align: top; }
.held { color: var(--good); } .broken { color: var(--bad); font-weight: 600; } .read-otherwise { color: var(--mild); } .not-judged { color: var(--dim); }
`

const row = (clause: AnyClause, reports: ReadonlyArray<PastReport>): string => {
  const cells = reports.map((report) => {
    const state = stateIn(report, clause.id)
    return `<td class="${state}">${marks[state]}</td>`
  })
  return `<tr><td><code>${escapeXml(clause.id)}</code><br>${escapeXml(clause.quote)}</td>${cells.join("")}</tr>`
}

/** The same as one self-contained page. */
export const matrixHtml = (reports: ReadonlyArray<PastReport>, clauses: ReadonlyArray<AnyClause>): string => {
  const heads = reports.map(
    (report) =>
      `<th>${escapeXml(report.name)}<br>${escapeXml(levelText(report))}<br>${escapeXml(report.outcome)}<br>${escapeXml(report.startedAt)}</th>`,
  )
  const rows = disputed(reports, clauses).map((clause) => row(clause, reports))
  const told =
    rows.length === 0 ? "<p>They do not differ in any clause.</p>" : `<p>They differ in ${rows.length} clauses.</p>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Conformance side by side</title><style>${style}</style></head><body><main>
<h1>Conformance side by side</h1>${told}
<div class="wide"><table><tr><th>clause</th>${heads.join("")}</tr>
${rows.join("\n")}
</table></div></main></body></html>
`
}
