import type { CaseResult } from "../../src/run/CaseResult.ts"
import type { CheckResult } from "../../src/run/Checks.ts"
import { outcomeOf, type Report, reportSchema, revision, tallyOf } from "../../src/run/Report.ts"
import type { Verdict } from "../../src/run/Verdict.ts"

const exchange = {
  at: "2026-01-05T09:00:00.000Z",
  durationMs: 3,
  method: "GET",
  url: 'http://server.test/v2/user/me?a=<b>&c="d"',
  requestHeaders: { authorization: "Bearer gat_<redacted>" },
  requestBody: "",
  status: 200,
  responseHeaders: { "x-ratelimit-limit": "1000" },
  responseBody: '{"organization_id":"org_]]>\u0001"}',
}

const check = (verdict: Verdict, more: Partial<CheckResult> = {}): CheckResult => ({
  id: `check-${verdict}`,
  verdict,
  clauses: ["ME-1"],
  ...(verdict === "pass" ? {} : { expected: "<org_1>", got: 'org_2 & "more"', exchange }),
  ...more,
})

const result = (verdict: Verdict, checks: ReadonlyArray<CheckResult>, reason?: string): CaseResult => ({
  id: `group/${verdict}`,
  title: `A <case> that is ${verdict}`,
  level: 0,
  requires: ["http"],
  clauses: ["ME-1"],
  verdict,
  durationMs: 12,
  seed: 5,
  checks,
  trace: [],
  ...(reason === undefined ? {} : { reason }),
})

/** A report in which every verdict occurs. */
export const everyVerdict = (): Report => {
  const cases = [
    result("pass", [check("pass")]),
    result("note", [check("note", { message: "seen # here" })]),
    result("fail", [check("fail"), check("pass")]),
    result("xfail", [check("xfail")]),
    result("xpass", [check("xpass", { message: "listed as failing, but it holds" })]),
    result("flaky", [check("flaky")]),
    result("n/a", [], "the target does not offer clock"),
    result("untestable", [], "POST /_sim/organizations answered 500"),
    result("error", [], "TypeError: <mistake>\n  at here"),
  ]
  const levels = ([0, 1, 2, 3] as const).map((level) => ({ level, held: 5, broken: 2, notJudged: 3, of: 10 }))
  return {
    schema: reportSchema,
    revision,
    startedAt: "2026-01-05T09:00:00.000Z",
    finishedAt: "2026-01-05T09:00:01.000Z",
    target: { baseUrl: "http://server.test", controlUrl: null },
    seed: 5,
    nonce: "sample0",
    requirements: null,
    profile: null,
    capabilities: ["http"],
    outcome: outcomeOf(cases),
    totals: {
      cases: tallyOf(cases.map(({ verdict }) => verdict)),
      checks: tallyOf(cases.flatMap(({ checks }) => checks.map(({ verdict }) => verdict))),
    },
    levels,
    reached: null,
    clauseStates: { "ME-1": "broken" },
    cases,
    breaches: {},
    clauses: { "ME-1": { section: "Identity", quote: "Fields: `organization_id` (string)", level: "required" } },
    leftBehind: [],
    unusedExpectations: [],
  }
}

/** The same of a run that asked for extensions: one was judged and does not hold, another is not offered. */
export const withExtensions = (): Report => {
  const report = everyVerdict()
  const reason = "GET /v2/scopes lists no route /v2/call-caps"
  const direct: CaseResult = {
    ...result("fail", [check("fail", { clauses: ["SUPPRESSION-E35"] })]),
    id: "extensions/suppressions/direct",
    requires: ["fixtures", "extension:suppressions"],
  }
  const kept: CaseResult = {
    ...result("n/a", [], `the target does not offer extension:call-caps: ${reason}`),
    id: "extensions/call-caps/kept",
    requires: ["fixtures", "extension:call-caps"],
  }
  return {
    ...report,
    cases: [...report.cases, direct, kept],
    extensions: [
      { extension: "suppressions", offered: true, reason: null, held: 61, broken: 1, notJudged: 0, of: 62 },
      { extension: "call-caps", offered: false, reason, held: 0, broken: 0, notJudged: 29, of: 29 },
    ],
    clauses: {
      ...report.clauses,
      "SUPPRESSION-E35": {
        section: "What becomes of a call",
        quote: "| a direct call | 1201/409:",
        level: "extension",
        address: "docs/guides/suppression.md#what-becomes-of-a-call",
      },
    },
  }
}
