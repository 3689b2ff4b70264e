import { curlOf } from "../http/Curl.ts"
import type { Exchange } from "../http/Exchange.ts"
import type { CaseResult } from "../run/CaseResult.ts"
import type { CheckResult } from "../run/Checks.ts"
import { ambientCaseId, type Report } from "../run/Report.ts"

const bodyLine = (mark: string, body: string): ReadonlyArray<string> => (body === "" ? [] : [`${mark} ${body}`])

/** A timestamped exchange as lines of text: the request, then the answer. */
export const exchangeLines = (exchange: Exchange): ReadonlyArray<string> => {
  const { at, method, url, status, failure, durationMs } = exchange
  const headers = Object.entries(exchange.responseHeaders).filter(([name]) =>
    /^(x-ratelimit|retry-after|location)/.test(name),
  )
  return [
    `${at} ${method} ${url}`,
    ...bodyLine(">", exchange.requestBody),
    `${status ?? `no answer: ${failure ?? "unknown"}`} after ${Math.round(durationMs)} ms`,
    ...headers.map(([name, value]) => `< ${name}: ${value}`),
    ...bodyLine("<", exchange.responseBody),
  ]
}

/** The command that runs a case again with the same inputs; the key is left to the environment. */
export const replayOf = (
  { id }: CaseResult,
  { extensions, nonce, profile, seed, target }: Pick<Report, "extensions" | "nonce" | "profile" | "seed" | "target">,
): string =>
  [
    `carillon-conformance ${id === ambientCaseId ? "run" : `replay ${id}`} --seed ${seed} --nonce ${nonce}`,
    `--base-url ${target.baseUrl} --key "$KEY"`,
    ...(target.controlUrl === null ? [] : [`--control-url ${target.controlUrl}`]),
    ...(target.hooks === undefined ? [] : [`--hooks ${target.hooks}`]),
    ...(profile === null ? [] : [`--profile ${profile}`]),
    ...(extensions === undefined ? [] : ["--extensions"]),
  ].join(" ")

/** Why a check did not hold, as lines of text: the clauses in their own words, what was expected, what came, how to ask again. */
export const failureLines = (check: CheckResult, report: Pick<Report, "clauses">): ReadonlyArray<string> => [
  ...check.clauses.map((id) => {
    const cited = report.clauses[id]
    const place = cited?.address === undefined ? "" : ` (${cited.address})`
    return `${id}${place}: ${cited?.quote ?? "(unknown clause)"}`
  }),
  ...(check.message === undefined ? [] : [check.message]),
  ...(check.expected === undefined ? [] : [`expected  ${check.expected}`]),
  ...(check.got === undefined ? [] : [`got       ${check.got}`]),
  ...(check.exchange === undefined ? [] : [`$ ${curlOf(check.exchange)}`, ...exchangeLines(check.exchange)]),
]
