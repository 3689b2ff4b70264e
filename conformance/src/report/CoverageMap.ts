/** The specification as this run saw it: every sentence that states something, coloured by what became of it. */
import type { AnyClause } from "../clauses/Clause.ts"
import { clauses } from "../clauses/Clauses.ts"
import { extensionClauses } from "../clauses/Extensions.ts"
import type { ClauseState } from "../run/ClauseCount.ts"
import type { Report } from "../run/Report.ts"
import { theme } from "./Theme.ts"
import { escapeXml } from "./Xml.ts"

/** What a reader sees of a clause: its state, or why it has none. */
type Shade = ClauseState | "open" | "unseen"

const style = `${theme}
:root { font: 15px/1.7 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .3rem; } p { margin: .2rem 0; overflow-wrap: anywhere; }
code { color: var(--dim); margin-right: .5rem; } .sum { color: var(--dim); font-weight: 400; }
mark { color: inherit; border-radius: .2rem; padding: .05rem .25rem; }
.held { background: #2d7d4633; } .broken { background: #c5221f44; font-weight: 600; } .read-otherwise { background: #9a670044; }
.not-judged { background: none; outline: 1px dashed #808080; } .open, .unseen { background: #80808022; }
`

const shadeOf = (clause: AnyClause, report: Report): Shade => {
  const state = report.clauseStates[clause.id]
  if (state !== undefined) return state
  if (clause.level === "gap") return "open"
  return clause.observable === "no" ? "unseen" : "not-judged"
}

const legend: Readonly<Record<Shade, string>> = {
  held: "held",
  broken: "broken",
  "read-otherwise": "read otherwise than the profile",
  "not-judged": "not judged in this run",
  open: "left open by the specification",
  unseen: "cannot be seen from outside",
}

const shades: ReadonlyArray<Shade> = ["held", "broken", "read-otherwise", "not-judged", "open", "unseen"]

const clauseHtml = (clause: AnyClause, report: Report): string => {
  const shade = shadeOf(clause, report)
  const why = clause.why === undefined ? legend[shade] : `${legend[shade]}: ${clause.why}`
  return `<p id="${escapeXml(clause.id)}"><code>${escapeXml(clause.id)}</code><mark class="${shade}" title="${escapeXml(why)}">${escapeXml(clause.quote)}</mark></p>`
}

const sectionHtml = (name: string, own: ReadonlyArray<AnyClause>, report: Report): string => {
  const count = (shade: Shade) => own.filter((clause) => shadeOf(clause, report) === shade).length
  const sums = shades.filter((shade) => count(shade) > 0).map((shade) => `${count(shade)} ${legend[shade]}`)
  return `<h2>${escapeXml(name)} <span class="sum">${sums.join(", ")}</span></h2>
${own.map((clause) => clauseHtml(clause, report)).join("\n")}`
}

const sectionOf = (clause: AnyClause): string => {
  if (clause.level === "extension") return `Extensions > ${clause.address}`
  return clause.source === "specification" ? clause.section : `Readings > ${clause.section}`
}

/**
 * One self-contained page: the statements of the specification in their order, then those of the published readings, and
 * what is promised of extensions where the run asked for them.
 */
export const coverage = (report: Report): string => {
  const sections = new Map<string, Array<AnyClause>>()
  for (const clause of report.extensions === undefined ? clauses : [...clauses, ...extensionClauses]) {
    const name = sectionOf(clause)
    const own = sections.get(name)
    if (own === undefined) sections.set(name, [clause])
    else own.push(clause)
  }
  const marks = shades.map((shade) => `<mark class="${shade}">${legend[shade]}</mark>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What was judged of ${escapeXml(report.target.baseUrl)}</title><style>${style}</style></head><body><main>
<h1>What was judged of ${escapeXml(report.target.baseUrl)}</h1>
<p>${escapeXml(report.startedAt)}, seed ${report.seed}, nonce ${escapeXml(report.nonce)}</p><p>${marks.join(" ")}</p>
${[...sections].map(([name, own]) => sectionHtml(name, own, report)).join("\n")}
</main></body></html>
`
}
