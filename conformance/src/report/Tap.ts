import type { Report } from "../run/Report.ts"
import { failsRun } from "../run/Verdict.ts"
import { extensionLines } from "./ExtensionLines.ts"
import { failureLines } from "./Failure.ts"

const plain = (text: string): string => text.replaceAll("#", "\\#").replaceAll("\n", " ")

/** The report in the Test Anything Protocol, version 14: a point for each check, and one for each case without checks. */
export const tap = (report: Report): string => {
  const points = report.cases.flatMap((result) => {
    const checks = result.checks.map((check) => {
      const failed = check.verdict === "fail" || check.verdict === "xpass" || check.verdict === "xfail"
      const directive = check.verdict === "xfail" ? " # TODO known to fail" : ""
      const detail =
        check.verdict === "pass"
          ? []
          : [
              "  ---",
              `  verdict: ${check.verdict}`,
              "  detail: |",
              ...failureLines(check, report).map((line) => `    ${line}`),
              "  ...",
            ]
      return { ok: !failed, name: `${result.id}: ${check.id}`, directive, detail }
    })
    const reason = plain(result.reason ?? "")
    const own = { name: result.id, detail: [] }
    if (result.verdict === "n/a") return [{ ...own, ok: true, directive: ` # SKIP n/a: ${reason}` }, ...checks]
    const broken = failsRun(result.verdict) && checks.every(({ ok }) => ok)
    return broken
      ? [
          {
            ...own,
            ok: false,
            directive: "",
            detail: [`  ---`, `  verdict: ${result.verdict}`, `  detail: ${JSON.stringify(reason)}`, "  ..."],
          },
          ...checks,
        ]
      : checks
  })
  return [
    "TAP version 14",
    `1..${points.length}`,
    ...extensionLines(report).map((line) => `# ${plain(line)}`),
    ...points.flatMap(({ ok, name, directive, detail }, index) => [
      `${ok ? "ok" : "not ok"} ${index + 1} - ${plain(name)}${directive}`,
      ...detail,
    ]),
    "",
  ].join("\n")
}
