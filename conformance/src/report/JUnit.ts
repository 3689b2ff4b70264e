import { extensionOf } from "../run/Capabilities.ts"
import type { CaseResult } from "../run/CaseResult.ts"
import type { CheckResult } from "../run/Checks.ts"
import type { Report } from "../run/Report.ts"
import { extensionLines } from "./ExtensionLines.ts"
import { failureLines } from "./Failure.ts"
import { escapeXml } from "./Xml.ts"

const seconds = (ms: number): string => (ms / 1_000).toFixed(3)

const outcome = (check: CheckResult, report: Report): string => {
  const { verdict } = check
  if (verdict === "pass") return ""
  const text = escapeXml(failureLines(check, report).join("\n"))
  const message = escapeXml(check.message ?? `expected ${check.expected ?? "?"}, got ${check.got ?? "?"}`)
  if (verdict === "fail" || verdict === "xpass")
    return `<failure type="${verdict}" message="${message}">${text}</failure>`
  return `<system-out>${escapeXml(verdict)}: ${text}</system-out>`
}

/** A check takes no time that could be told from its case's: each is given its share. */
const checkElement = (result: CaseResult, check: CheckResult, report: Report): string =>
  `    <testcase classname="${escapeXml(result.id)}" name="${escapeXml(check.id)}" time="${seconds(result.durationMs / result.checks.length)}">${outcome(check, report)}</testcase>`

const wholeCase = (result: CaseResult): ReadonlyArray<string> => {
  const reason = escapeXml(result.reason ?? "")
  const open = `    <testcase classname="${escapeXml(result.id)}" name="(case)" time="${seconds(result.durationMs)}">`
  if (result.verdict === "n/a") return [`${open}<skipped message="n/a: ${reason}"/></testcase>`]
  if (result.verdict === "untestable") return [`${open}<failure type="untestable" message="${reason}"/></testcase>`]
  if (result.verdict === "error") return [`${open}<error type="harness" message="${reason}"/></testcase>`]
  return []
}

const property = (name: string, value: string): string =>
  `<property name="${escapeXml(name)}" value="${escapeXml(value)}"/>`

/** Which extension a case is about, where it is about one. */
const propertiesOf = ({ requires }: CaseResult): ReadonlyArray<string> => {
  const extension = extensionOf(requires)
  return extension === undefined ? [] : [`    <properties>${property("extension", extension)}</properties>`]
}

/** What the run says of extensions, where it asked for them. */
const extensionProperties = (report: Report): ReadonlyArray<string> => {
  const lines = extensionLines(report).map((line) => property("extension", line))
  return lines.length === 0 ? [] : [`  <properties>${lines.join("")}</properties>`]
}

/** The report in the dialect of JUnit that build servers read: a suite for each case, a test for each check. */
export const junit = (report: Report): string => {
  const suites = report.cases.map((result) => {
    const tests = [...wholeCase(result), ...result.checks.map((check) => checkElement(result, check, report))]
    const count = (element: string) => tests.filter((test) => test.includes(`<${element} `)).length
    return [
      `  <testsuite name="${escapeXml(result.id)}" tests="${tests.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}" time="${seconds(result.durationMs)}" timestamp="${report.startedAt}">`,
      ...propertiesOf(result),
      ...tests,
      "  </testsuite>",
    ].join("\n")
  })
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="${report.revision}">`,
    ...extensionProperties(report),
    ...suites,
    "</testsuites>",
    "",
  ].join("\n")
}
