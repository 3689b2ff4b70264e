import { ambientRules } from "../../src/ambient/Ambient.ts"
import type { Observation } from "../../src/ambient/Rule.ts"
import { Answer } from "../../src/http/Answer.ts"

/** An answer as a fake server would give it; the headers that are not named are those of a good answer. */
export interface Given {
  readonly method?: string
  readonly path?: string
  readonly query?: string
  readonly status?: number
  readonly body?: unknown
  /** Sent instead of `body`. */
  readonly text?: string
  /** Null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>
}

const goodHeaders = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-request-id": "req_1",
  "x-ratelimit-limit": "1000",
  "x-ratelimit-remaining": "999",
  "x-ratelimit-reset": "60",
}

/** A key that no answer may repeat. */
export const secretKey = "gat_abcdefghijklmnopqrstuvwxyz0123456789"

const observe = (given: Given): Observation => {
  const headers = new Headers()
  for (const [name, value] of Object.entries({ ...goodHeaders, ...given.headers })) {
    if (value !== null) headers.set(name, value)
  }
  const status = given.status ?? 200
  const text = given.text ?? (given.body === undefined ? "" : JSON.stringify(given.body))
  const path = given.path ?? "/v2/user/me"
  const method = given.method ?? "GET"
  const exchange = {
    at: "2026-01-05T09:00:00.000Z",
    durationMs: 1,
    method,
    url: `http://server.test${path}`,
    requestHeaders: {},
    requestBody: "",
    status,
    responseHeaders: {},
    responseBody: text,
  }
  const answer = new Answer({ status, headers, text, record: () => exchange })
  return { method, path, query: new URLSearchParams(given.query), answer, secrets: new Set([secretKey]) }
}

/** The ids of the rules that an answer breaks. */
export const broken = (given: Given): ReadonlyArray<string> => {
  const observation = observe(given)
  return ambientRules.flatMap((rule) => ((rule.judge(observation) ?? null) === null ? [] : [rule.id]))
}

/** The ids of the rules that have something to say about an answer. */
export const applying = (given: Given): ReadonlyArray<string> => {
  const observation = observe(given)
  return ambientRules.flatMap((rule) => (rule.judge(observation) === undefined ? [] : [rule.id]))
}
