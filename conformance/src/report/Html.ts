import type { CaseResult } from "../run/CaseResult.ts"
import type { CheckResult } from "../run/Checks.ts"
import type { Report } from "../run/Report.ts"
import { failsRun, verdicts } from "../run/Verdict.ts"
import { badgeText } from "./Badge.ts"
import { exchangeLines, failureLines, replayOf } from "./Failure.ts"
import { escapeXml } from "./Xml.ts"

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
details { border-top: 1px solid #8884; padding: .3rem 0; }
summary { cursor: pointer; } summary code { margin-right: .6rem; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; }
.verdict { display: inline-block; min-width: 5.5rem; font-weight: 600; }
.pass { color: #2d7d46; } .note, .na { color: #808080; } .xfail, .flaky { color: #9a6700; }
.fail, .xpass, .untestable { color: #c5221f; } .error { color: #8a3fb5; }
`

const classOf = (verdict: string): string => verdict.replace("/", "")

const verdictTag = (verdict: string): string => `<span class="verdict ${classOf(verdict)}">${escapeXml(verdict)}</span>`

const checkHtml = (check: CheckResult, report: Report): string => {
  const line = `${verdictTag(check.verdict)} <code>${escapeXml(check.id)}</code> ${escapeXml(check.clauses.join(", "))}`
  if (check.verdict === "pass") return `<div>${line}</div>`
  return `<div>${line}</div><pre>${escapeXml(failureLines(check, report).join("\n"))}</pre>`
}

const caseHtml = (result: CaseResult, report: Report): string => {
  const open = failsRun(result.verdict) ? " open" : ""
  const reason = result.reason === undefined ? "" : `<pre>${escapeXml(result.reason)}</pre>`
  const trace =
    result.trace.length === 0
      ? ""
      : `<details><summary>Last ${result.trace.length} exchanges</summary><pre>${escapeXml(result.trace.flatMap((exchange) => [...exchangeLines(exchange), ""]).join("\n"))}</pre></details>`
  return `<details${open}><summary>${verdictTag(result.verdict)} <code>${escapeXml(result.id)}</code>${escapeXml(result.title)}</summary>
${reason}${result.checks.map((check) => checkHtml(check, report)).join("\n")}
<p>L${result.level} · <code>${escapeXml(replayOf(result, report))}</code></p>${trace}</details>`
}

const totals = (report: Report): string =>
  verdicts
    .filter((verdict) => report.totals.cases[verdict] + report.totals.checks[verdict] > 0)
    .map(
      (verdict) =>
        `<tr><td>${verdictTag(verdict)}</td><td>${report.totals.cases[verdict]}</td><td>${report.totals.checks[verdict]}</td></tr>`,
    )
    .join("")

/** The report as one self-contained page. */
export const html = (report: Report): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeXml(`Conformance: ${badgeText(report)}`)}</title><style>${style}</style></head><body>
<h1>Conformance of ${escapeXml(report.target.baseUrl)}</h1>
<p>${verdictTag(report.outcome === "holds" ? "pass" : "fail")} ${escapeXml(report.outcome)} · ${escapeXml(badgeText(report))} · seed ${report.seed} · nonce ${report.nonce} · profile ${report.profile ?? "none"} · ${escapeXml(report.startedAt)}</p>
<table><tr><th></th><th>cases</th><th>checks</th></tr>${totals(report)}</table>
<p>${report.levels.map(({ level, held, of }) => `L${level}: ${held} of ${of}`).join(" · ")}</p>
${report.cases.map((result) => caseHtml(result, report)).join("\n")}
</body></html>
`
