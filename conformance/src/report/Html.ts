import type { CaseResult } from "../run/CaseResult.ts"
import type { CheckResult } from "../run/Checks.ts"
import type { Report } from "../run/Report.ts"
import { verdicts } from "../run/Verdict.ts"
import { curlOf } from "../http/Curl.ts"
import { badgeText } from "./Badge.ts"
import { type Cause, causesOf, missingCapabilities } from "./Causes.ts"
import { extensionOf } from "../run/Capabilities.ts"
import { extensionLines } from "./ExtensionLines.ts"
import { exchangeLines, failureLines, replayOf } from "./Failure.ts"
import { searchScript, searchScriptHash } from "./Search.ts"
import { theme } from "./Theme.ts"
import { escapeXml } from "./Xml.ts"

const style = `${theme}
:root { font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
details { border-top: 1px solid #8884; padding: .3rem 0; }
summary { cursor: pointer; } summary code { margin-right: .6rem; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; }
.verdict { display: inline-block; min-width: 5.5rem; font-weight: 600; }
.pass { color: var(--good); } .note, .na { color: var(--dim); } .xfail, .flaky { color: var(--mild); }
.fail, .xpass, .untestable { color: var(--bad); } .error { color: var(--odd); }
.outcome { font-size: 1.2rem; } li { margin: .6rem 0; } li pre { margin: .3rem 0; max-height: 6rem; overflow: auto; }
.unfound { display: none; } .body, .body > div { scroll-margin-top: 4rem; } .body :target { outline: 2px solid var(--mild); }
#find input { font: inherit; width: min(30rem, 60vw); }
body:has(#show-fails:checked) .case:not(:has(> summary > :is(.fail, .xpass, .untestable, .error))) { display: none; }
body:has(#show-notes:checked) .case:not(:has(> summary > .note)) { display: none; }
body:has(#show-missing:checked) .case:not(:has(> summary > .na)) { display: none; }
`

const classOf = (verdict: string): string => verdict.replace("/", "")

const verdictTag = (verdict: string): string => `<span class="verdict ${classOf(verdict)}">${escapeXml(verdict)}</span>`

/** Where a case stands on the page, or one of its checks. */
const linkTo = (id: string): string => escapeXml(`#${encodeURI(id)}`)

const checkHtml = (caseId: string, check: CheckResult, report: Report): string => {
  const id = escapeXml(`${caseId}:${check.id}`)
  const line = `${verdictTag(check.verdict)} <code>${escapeXml(check.id)}</code> ${escapeXml(check.clauses.join(", "))}`
  if (check.verdict === "pass") return `<div id="${id}">${line}</div>`
  return `<div id="${id}">${line}</div><pre>${escapeXml(failureLines(check, report).join("\n"))}</pre>`
}

const levelText = ({ level, requires }: CaseResult): string => {
  const extension = extensionOf(requires)
  return extension === undefined ? `L${level}` : `extension ${extension}, L${level}`
}

const caseHtml = (result: CaseResult, report: Report): string => {
  const reason = result.reason === undefined ? "" : `<pre>${escapeXml(result.reason)}</pre>`
  const trace =
    result.trace.length === 0
      ? ""
      : `<details><summary>Last ${result.trace.length} exchanges</summary><pre>${escapeXml(result.trace.flatMap((exchange) => [...exchangeLines(exchange), ""]).join("\n"))}</pre></details>`
  return `<details class="case"><summary>${verdictTag(result.verdict)} <code>${escapeXml(result.id)}</code>${escapeXml(result.title)}${result.flaky === true ? " (flaky)" : ""}</summary>
<div class="body" id="${escapeXml(result.id)}">${reason}${result.checks.map((check) => checkHtml(result.id, check, report)).join("\n")}
<p>${levelText(result)} · <a href="${linkTo(result.id)}">link</a> · <code>${escapeXml(replayOf(result, report))}</code></p>${trace}</div></details>`
}

/** Causes that stand on the first screen; the others are one click away. */
const shownCauses = 6

/** Longest value on the first screen; the case shows it whole. */
const valueChars = 200

const cut = (text: string): string => (text.length <= valueChars ? text : `${text.slice(0, valueChars)}…`)

const causeHtml = ({ caseId, check, clause, extent, title }: Cause): string => {
  const compared =
    check.expected === undefined
      ? cut(check.message ?? "")
      : `expected ${cut(check.expected)}, got ${cut(check.got ?? "")}`
  const curl = check.exchange === undefined ? "" : `<pre>${escapeXml(curlOf(check.exchange))}</pre>`
  return `<li><b>${escapeXml(clause === "" ? check.id : clause)}</b> ${escapeXml(cut(title))}<br>${escapeXml(extent)}, see <a href="${linkTo(`${caseId}:${check.id}`)}"><code>${escapeXml(`${caseId}:${check.id}`)}</code></a><br>${escapeXml(compared)}${curl}</li>`
}

const causesHtml = (report: Report): string => {
  const causes = causesOf(report)
  if (causes.length === 0) return ""
  const list = (some: ReadonlyArray<Cause>) => `<ol>${some.map(causeHtml).join("\n")}</ol>`
  const rest = causes.slice(shownCauses)
  const others =
    rest.length === 0 ? "" : `<details><summary>${rest.length} more causes</summary>${list(rest)}</details>`
  return `<h2>What is wrong</h2>${list(causes.slice(0, shownCauses))}${others}`
}

const levelsHtml = ({ levels }: Report): string =>
  levels
    .map(
      ({ level, held, broken, notJudged, of }) =>
        `<tr><td>L${level}</td><td>${held}</td><td>${broken}</td><td>${notJudged}</td><td>${of}</td></tr>`,
    )
    .join("")

const extensionsHtml = (report: Report): string => {
  const lines = extensionLines(report).map((line) => `<li>${escapeXml(line)}</li>`)
  return lines.length === 0 ? "" : `<h2>Extensions</h2><ul id="extensions">${lines.join("\n")}</ul>`
}

const totals = (report: Report): string =>
  verdicts
    .filter((verdict) => report.totals.cases[verdict] + report.totals.checks[verdict] > 0)
    .map(
      (verdict) =>
        `<tr><td>${verdictTag(verdict)}</td><td>${report.totals.cases[verdict]}</td><td>${report.totals.checks[verdict]}</td></tr>`,
    )
    .join("")

/** Choices of what to list: they work by style alone. */
const filters = ["all", "fails", "notes", "missing"] as const

const filterHtml = `<p id="filter">Show ${filters
  .map(
    (name) =>
      `<label><input type="radio" name="show" id="show-${name}"${name === "all" ? " checked" : ""}> ${name}</label>`,
  )
  .join(" ")}</p>
<p id="find" hidden><label>Search <input type="search" id="search"></label> <output id="found"></output></p>`

const worstFirst = (report: Report): ReadonlyArray<CaseResult> =>
  report.cases.toSorted((one, other) => verdicts.indexOf(other.verdict) - verdicts.indexOf(one.verdict))

const missingHtml = (report: Report): string => {
  const missing = missingCapabilities(report)
  return missing.length === 0 ? "" : `<p>Not offered: ${escapeXml(missing.join("; "))}</p>`
}

const leftBehindHtml = ({ leftBehind }: Report): string =>
  leftBehind.length === 0
    ? ""
    : `<details><summary>${leftBehind.length} things were left behind</summary><pre>${escapeXml(leftBehind.join("\n"))}</pre></details>`

const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${searchScriptHash}'`

/** The report as one self-contained page: what it comes to, why, and then every case, the worst first. */
export const html = (report: Report): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeXml(`Conformance: ${badgeText(report)}`)}</title><style>${style}</style></head><body><main>
<h1>Conformance of ${escapeXml(report.target.baseUrl)}</h1>
<p class="outcome">${verdictTag(report.outcome === "holds" ? "pass" : "fail")} ${escapeXml(report.outcome)}, ${report.reached === null ? "no level reached" : `level L${report.reached} reached`}</p>
<p>${escapeXml(report.revision)} · profile ${report.profile ?? "none"} · seed ${report.seed} · nonce ${report.nonce} · ${escapeXml(report.startedAt)}</p>
<table><tr><th>clauses</th><th>held</th><th>broken</th><th>not judged</th><th>of</th></tr>${levelsHtml(report)}</table>
${extensionsHtml(report)}
${missingHtml(report)}
${leftBehindHtml(report)}
${causesHtml(report)}
<h2>Every case</h2>
<table><tr><th>verdict</th><th>cases</th><th>checks</th></tr>${totals(report)}</table>
${filterHtml}
${worstFirst(report)
  .map((result) => caseHtml(result, report))
  .join("\n")}
</main><script>${searchScript}</script></body></html>
`
