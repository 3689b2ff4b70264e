import { describe, expect, it } from "vitest"
import { ambientRules } from "../../src/ambient/Ambient.ts"
import { findClause } from "../../src/clauses/Clauses.ts"
import { applying, broken, type Given, secretKey } from "./Judging.ts"
import { call, type Sample, samples } from "./Samples.ts"

const refusal = (body: unknown, status = 404, headers: Given["headers"] = {}): Given => ({
  path: "/v2/calls/exec_2",
  status,
  body,
  headers,
})

const envelope = (message: string, error = 1200) => ({ error, message })

const oneCall = (change: Readonly<Record<string, unknown>>): Given => ({
  path: "/v2/calls/exec_1",
  body: { ...call, ...change },
})

const page = (
  pagination: Readonly<Record<string, unknown>>,
  data: ReadonlyArray<unknown> = [call],
  query = "",
): Given => ({
  path: "/v2/calls",
  query,
  body: { data, pagination: { page: 1, page_size: 20, total: 1, total_pages: 1, has_more: false, ...pagination } },
})

/** Broken answers, and exactly the rules that each breaks. */
const table: ReadonlyArray<readonly [string, Given, ReadonlyArray<string>]> = [
  [
    "an HTML error page",
    { ...refusal(undefined), text: "<h1>No</h1>" },
    ["transport/json-body", "envelope/keys", "envelope/code", "envelope/message"],
  ],
  [
    "an empty refusal",
    refusal(undefined),
    ["transport/body-present", "envelope/keys", "envelope/code", "envelope/message"],
  ],
  ["an empty success", { path: "/v2/usage" }, ["transport/body-present"]],
  [
    "a 204 with a body",
    { path: "/v2/campaigns/cmp_1", method: "DELETE", status: 204, body: {} },
    ["transport/no-content-is-empty"],
  ],
  [
    "a bad gateway",
    refusal(envelope("The provider failed.", 1501), 502),
    ["transport/never-502", "transport/known-status", "envelope/status-from-code"],
  ],
  ["a status that does not exist here", { path: "/v2/usage", status: 206, body: {} }, ["transport/known-status"]],
  ["a redirect elsewhere", { path: "/v2/agents", status: 302 }, ["transport/redirect-only-for-recordings"]],
  [
    "another kind of redirect",
    { path: "/v2/calls/exec_1/recording", status: 307 },
    ["transport/known-status", "transport/redirect-only-for-recordings"],
  ],
  ["a key repeated", { path: "/v2/usage", body: { key: secretKey } }, ["transport/no-key-repeated"]],
  [
    "plain text as content type",
    { path: "/v2/usage", body: {}, headers: { "content-type": "text/plain" } },
    ["response/content-type"],
  ],
  ["no request id", { path: "/v2/usage", body: {}, headers: { "x-request-id": null } }, ["response/request-id"]],
  [
    "a cacheable answer",
    { path: "/v2/usage", body: {}, headers: { "cache-control": "max-age=60" } },
    ["response/no-store"],
  ],
  ["a third key in the envelope", refusal({ ...envelope("Call not found."), detail: [] }), ["envelope/keys"]],
  [
    "a nested error",
    refusal({ error: envelope("Call not found.") }),
    ["envelope/keys", "envelope/code", "envelope/message"],
  ],
  ["a code as text", refusal({ error: "1200", message: "Call not found." }), ["envelope/code"]],
  ["a code that does not exist", refusal(envelope("Call not found.", 1404)), ["envelope/code"]],
  ["no period", refusal(envelope("Call not found")), ["envelope/message"]],
  ["an empty message", refusal(envelope("")), ["envelope/message"]],
  ["two lines", refusal(envelope("Call\nnot found.")), ["envelope/message"]],
  ["a code at another status", refusal(envelope("Call not found."), 400), ["envelope/status-from-code"]],
  ["a conflict as validation", refusal(envelope("State conflict.", 1201), 422), ["envelope/status-from-code"]],
  [
    "an internal error with details",
    refusal(envelope("Cannot read x of undefined.", 1500), 500),
    ["envelope/internal-message"],
  ],
  ["an error on success", { path: "/v2/usage", body: { error: null } }, ["envelope/no-error-on-success"]],
  ["a number in a message", refusal(envelope("No agent for +15555550100.")), ["message/no-phone-number"]],
  ["a grouped number in a message", refusal(envelope("No agent for +1 (555) 555-0100.")), ["message/no-phone-number"]],
  ["digits in a message", refusal(envelope("Invalid value 5550100.")), ["message/no-phone-number"]],
  ["a stack trace", refusal(envelope("TypeError at Object.run (app.js:3:1).")), ["message/no-stack-trace"]],
  ["a query", refusal(envelope("SELECT id FROM calls failed.")), ["message/no-query"]],
  ["no rate limit", { path: "/v2/usage", body: {}, headers: { "x-ratelimit-limit": null } }, ["rate-headers/limit"]],
  [
    "a limit of none",
    { path: "/v2/usage", body: {}, headers: { "x-ratelimit-limit": "0", "x-ratelimit-remaining": "0" } },
    ["rate-headers/limit"],
  ],
  [
    "more remaining than the limit",
    { path: "/v2/usage", body: {}, headers: { "x-ratelimit-remaining": "1001" } },
    ["rate-headers/remaining"],
  ],
  [
    "a negative remainder",
    { path: "/v2/usage", body: {}, headers: { "x-ratelimit-remaining": "-1" } },
    ["rate-headers/remaining"],
  ],
  [
    "a fractional remainder",
    { path: "/v2/usage", body: {}, headers: { "x-ratelimit-remaining": "1.5" } },
    ["rate-headers/remaining"],
  ],
  [
    "a reset that is a moment",
    { path: "/v2/usage", body: {}, headers: { "x-ratelimit-reset": "1767603600" } },
    ["rate-headers/reset"],
  ],
  [
    "a 429 without Retry-After",
    refusal(envelope("Account concurrency limit reached; all lines are in use.", 1300), 429),
    ["rate-headers/retry-after-on-429"],
  ],
  [
    "a Retry-After that is a date",
    refusal(envelope("Account concurrency limit reached.", 1300), 429, {
      "retry-after": "Mon, 05 Jan 2026 09:00:00 GMT",
    }),
    ["rate-headers/retry-after-on-429"],
  ],
  [
    "a Retry-After beyond the window",
    refusal(envelope("Rate limit exceeded: wait.", 1300), 429, { "retry-after": "61" }),
    ["rate-headers/retry-after-in-window"],
  ],
  [
    "a Retry-After of nothing",
    refusal(envelope("Rate limit exceeded: wait.", 1300), 429, { "retry-after": "0" }),
    ["rate-headers/retry-after-in-window"],
  ],
  ["a terminal call that is not", oneCall({ is_terminal: false }), ["call-facts/is-terminal"]],
  ["a live call that is terminal", oneCall({ status: "ringing" }), ["call-facts/is-terminal"]],
  ["a rescheduled call that is terminal", oneCall({ status: "rescheduled" }), ["call-facts/is-terminal"]],
  [
    "an error on a completed call",
    oneCall({ error: { message: "x" } }),
    ["envelope/no-error-on-success", "call-facts/error-only-when-failed"],
  ],
  [
    "an error on a stopped call",
    oneCall({ status: "stopped", error: { message: "x" } }),
    ["envelope/no-error-on-success", "call-facts/error-only-when-failed"],
  ],
  ["a call listed twice", page({ total: 2 }, [call, call]), ["call-facts/listed-once"]],
  ["a local timestamp", oneCall({ created_at: "2026-01-05T10:00:00+01:00" }), ["timestamps/utc", "call/created_at"]],
  ["a timestamp without offset", { path: "/v2/usage", body: { from_date: "2026-01-05T10:00:00" } }, ["timestamps/utc"]],
  ["a date alone", { path: "/v2/usage", body: { data: [{ started_at: "2026-01-05" }] } }, ["timestamps/utc"]],
  [
    "another page than asked for",
    page(
      { total: 21, page: 1, total_pages: 2, has_more: true },
      Array.from({ length: 20 }, (_, n) => ({ ...call, execution_id: `exec_${n}` })),
      "page=2",
    ),
    ["pagination/page"],
  ],
  ["another page size than asked for", page({}, [call], "page_size=5"), ["pagination/page-size"]],
  ["another default page size", page({ page_size: 50 }), ["pagination/page-size"]],
  [
    "too many rows",
    page(
      { page_size: 1, total: 2, total_pages: 2, has_more: true },
      [call, { ...call, execution_id: "exec_2" }],
      "page_size=1",
    ),
    ["pagination/rows", "pagination/full-pages"],
  ],
  [
    "too few pages",
    page(
      { total: 21, total_pages: 1, has_more: false },
      Array.from({ length: 20 }, (_, n) => ({ ...call, execution_id: `exec_${n}` })),
    ),
    ["pagination/total-pages"],
  ],
  ["more promised than there is", page({ has_more: true }), ["pagination/has-more"]],
  ["a short page", page({ total: 2 }), ["pagination/full-pages"]],
]

const covered = (id: string): boolean => table.some(([, , rules]) => rules.includes(id))

describe("ambient rules", () => {
  it.each(table)("%s", (_name, given, rules) => {
    expect(broken(given)).toEqual(rules)
  })

  it.each(samples)("$method $path with $status breaks nothing", (sample) => {
    expect(broken(sample)).toEqual([])
  })

  it("keep quiet about what callers stored themselves", () => {
    const variables = { created_at: "yesterday", error: "x", is_terminal: true }
    expect(broken(oneCall({ variables }))).toEqual([])
  })

  it("accept the statuses that 1000 has beside 400", () => {
    for (const status of [411, 413, 415]) expect(broken(refusal(envelope("Too large.", 1000), status))).toEqual([])
  })

  it("accept a failed call's own error object", () => {
    expect(broken(oneCall({ status: "failed", error: { message: "The line failed." } }))).toEqual([])
  })

  it("accept short pages of agents, whose total is an estimate", () => {
    const given = page({ total: 7, total_pages: 1 }, [])
    expect(broken({ ...given, path: "/v2/agents" })).toEqual([])
  })

  it("all have a broken answer of their own here, or are about a field", () => {
    const rules = ambientRules.filter(({ id }) => !isFieldRule(id))
    expect(rules.filter(({ id }) => !covered(id)).map(({ id }) => id)).toEqual([])
    expect(rules.length).toBeGreaterThan(25)
  })

  it("cite clauses that exist", () => {
    const cited = ambientRules.flatMap(({ clauses }) => clauses)
    expect(cited.filter((id) => findClause(id) === undefined)).toEqual([])
  })

  it("have ids of their own", () => {
    const ids = ambientRules.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

const fieldRules = ambientRules.filter(({ id }) => isFieldRule(id))

function isFieldRule(id: string): boolean {
  const groups = [
    "transport",
    "response",
    "envelope",
    "message",
    "rate-headers",
    "call-facts",
    "timestamps",
    "pagination",
  ]
  return !groups.includes(id.split("/")[0] ?? "")
}

/** The body with the value at a dotted path replaced; `[]` stands for the first item. */
const replaced = (body: unknown, path: ReadonlyArray<string>, value: unknown): unknown => {
  const [head, ...rest] = path
  if (head === undefined) return value
  if (head.endsWith("[]")) return replaced(body, [head.slice(0, -2), "0", ...rest], value)
  if (Array.isArray(body)) {
    return body.map((item: unknown, index) => (String(index) === head ? replaced(item, rest, value) : item))
  }
  const entries = Object.entries(body ?? {})
  return Object.fromEntries(
    entries.map(([name, child]) => [name, name === head ? replaced(child, rest, value) : child]),
  )
}

describe("field rules", () => {
  it.each(fieldRules.map((rule) => rule.id))("%s goes against a wrong value", (id) => {
    const path = id.slice(id.indexOf("/") + 1).split(".")
    const places = samples.filter((sample) => applying(sample).includes(id))
    expect(places.length).toBeGreaterThan(0)
    // A field that may be absent is broken only where it is there.
    for (const sample of places.filter(({ body }) => id !== "call/error" || Object.hasOwn(Object(body), "error"))) {
      const row = Array.isArray(Object(sample.body).data) && !id.startsWith("list/")
      const body = replaced(sample.body, row ? ["data", "0", ...path] : path, { wrong: 1 })
      const wrong = replaced(sample.body, row ? ["data", "0", ...path] : path, 4.5)
      expect([...broken({ ...sample, body }), ...broken({ ...sample, body: wrong })]).toContain(id)
    }
  })

  it.each(fieldRules.map((rule) => rule.id))("%s goes against a missing field, unless it may be missing", (id) => {
    const path = id.slice(id.indexOf("/") + 1).split(".")
    const mayBeMissing = ["call/error", "call/transcript", "agent/dropped_languages"].includes(id)
    // What a campaign's lists answer is not shown: only rows that are called as everywhere are judged.
    const isShown = ({ path: of }: Sample) => id !== "list/data" || !/^\/v2\/campaigns\/[^/]+\//.test(of)
    for (const sample of samples.filter((each) => isShown(each) && applying(each).includes(id))) {
      const row = Array.isArray(Object(sample.body).data) && !id.startsWith("list/")
      const body = replaced(sample.body, row ? ["data", "0", ...path] : path, undefined)
      const unconfirmed = id === "unconfirmed-call/dispatch"
      expect(broken({ ...sample, body: JSON.parse(JSON.stringify(body)) }).includes(id)).toBe(
        !mayBeMissing && !unconfirmed,
      )
    }
  })
})
