/** Mistakes that every answer can show: conventions, pages, errors, versions. */
import { isObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  body,
  by,
  cut,
  failing,
  forgives,
  has,
  headers,
  ignores,
  is,
  not,
  over,
  plus,
  queries,
  recodes,
  refuses,
  reroutes,
  restates,
  row,
  set,
  where,
  words,
} from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, each, eachOf, m } from "../Table.ts"

const all = "* /v2/**"
const errors = (reply: { readonly status: number }) => reply.status >= 400
const lists = "GET /v2/**"
const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

const deep = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((item: unknown) => deep(item, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, deep(child, change)]))
}
const local = (text: string) => (isTime.test(text) && text.endsWith("Z") ? text.slice(0, -1) : text)
const page = (name: string, value: unknown) => body(lists, where(has("pagination"), set(`pagination.${name}`, value)))
const clamp = (name: string, low: number, high: number) =>
  queries(lists, (query) => {
    const value = Number(query.get(name))
    if (query.has(name) && Number.isInteger(value)) query.set(name, String(Math.min(high, Math.max(low, value))))
  })
const pageRefused = (name: string, holds: (value: number) => boolean) =>
  refuses(lists, ({ query }) => query.has(name) && holds(Number(query.get(name))), 1001, 422)
const longer = (name: string, from: string, to: string) =>
  queries(lists, (query) => {
    if (!query.has(name)) query.set(name, to === "" ? from : to)
  })

const conventions = [
  m(
    "CONV-1",
    "The API is mounted under /api/v2.",
    reroutes(all, (asked) => ({ ...asked, path: `/v2/nowhere${asked.path}` })),
  ),
  c(
    "CONV-1",
    "Paths of agents alone are absent.",
    reroutes("* /v2/agents", (asked) => ({ ...asked, path: "/v2/agentz" })),
  ),
  m(
    "CONV-2",
    "Bodies are called text.",
    headers(all, (h) => h.set("content-type", "text/plain")),
  ),
  c(
    "CONV-2",
    "Bodies of errors on reads are HTML.",
    answers("GET /v2/**", (reply) => {
      if (!errors(reply)) return reply
      const h = new Headers(reply.headers)
      h.set("content-type", "text/html")
      return { ...reply, headers: h, json: undefined, text: "<h1>Error</h1>" }
    }),
  ),
  m(
    "ORG-1",
    "organization_id is an unknown parameter.",
    refuses(all, ({ query }) => query.has("organization_id"), 1001, 422),
  ),
  c(
    "ORG-1",
    "organization_id is refused on reads of calls.",
    refuses("GET /v2/calls", ({ query }) => query.has("organization_id"), 1001, 422),
  ),
  ...[m, c].map((make, index) =>
    make(
      "ORG-2",
      index === 0 ? "Another organization is ignored." : "Another organization is ignored on campaigns.",
      ignores(index === 0 ? all : "GET /v2/campaigns", "organization_id"),
    ),
  ),
  m(
    "ORG-5",
    "A wrong organization gives 404.",
    recodes(all, 1102, 1200, 404, ({ query }) => query.has("organization_id")),
  ),
  c("ORG-5", "A wrong organization is ignored on usage.", ignores("GET /v2/usage", "organization_id")),
  m(
    "RATE-HEADERS-1",
    "No rate headers.",
    headers(all, (h) => ["limit", "remaining", "reset"].forEach((n) => h.delete(`x-ratelimit-${n}`))),
  ),
  c(
    "RATE-HEADERS-1",
    "No rate headers on failures that name no key.",
    headers(all, (h, reply) => {
      if (reply.status === 401) h.delete("x-ratelimit-remaining")
    }),
  ),
  c(
    "RATE-HEADERS-1",
    "No X-RateLimit-Reset on answers without a body.",
    headers(all, (h, reply) => {
      if (reply.status === 204) h.delete("x-ratelimit-reset")
    }),
  ),
  m(
    "RATE-HEADERS-2",
    "A 429 carries no Retry-After.",
    headers(all, (h, reply) => {
      if (reply.status === 429) h.delete("retry-after")
    }),
  ),
  c(
    "RATE-HEADERS-2",
    "A 429 of uploads carries no Retry-After.",
    headers("POST /v2/knowledge-bases/**", (h, reply) => {
      if (reply.status === 429) h.delete("retry-after")
    }),
  ),
  m(
    "TIME-1",
    "Timestamps lack their zone.",
    answers(all, (reply) => ({ ...reply, json: deep(reply.json, local) })),
  ),
  c(
    "TIME-1",
    "Timestamps of audit records lack their zone.",
    answers("GET /v2/audit-logs**", (reply) => ({ ...reply, json: deep(reply.json, local) })),
  ),
  m(
    "TIME-2",
    "scheduled_at without an offset is taken for UTC.",
    asks(
      "POST /v2/calls",
      over("scheduled_at", (old) => (typeof old === "string" && /\d$/.test(old) ? `${old}Z` : old)),
    ),
  ),
  c(
    "TIME-2",
    "from_date without an offset is taken for UTC.",
    queries("GET /v2/agents/*/executions", (query) => {
      for (const name of ["from_date", "to_date"]) {
        const v = query.get(name)
        if (v !== null && /T.*\d$/.test(v) && !/[+-]\d\d:\d\d$/.test(v)) query.set(name, `${v}Z`)
      }
    }),
  ),
  c(
    "TIME-2",
    "An offset other than Z is refused.",
    refuses(
      "POST /v2/campaigns",
      ({ json }) => /[+-]\d\d:\d\d$/.test(String(objectOf(json)["end_time"] ?? objectOf(json)["start_time"])),
      1001,
      422,
    ),
  ),
]

const pages = [
  m(
    "PAGE-1",
    "A list is a bare array.",
    answers(lists, (reply) =>
      isObject(reply.json) && Array.isArray(reply.json["data"]) && "pagination" in reply.json
        ? { ...reply, json: reply.json["data"] }
        : reply,
    ),
  ),
  c("PAGE-1", "A list of experiments has no pagination.", body("GET /v2/agents/*/versions", cut("pagination"))),
  m(
    "PAGE-2",
    "page counts from 0.",
    body(
      lists,
      by("pagination", (p) => (isObject(p) ? { ...p, page: Number(p["page"]) - 1 } : p)),
    ),
  ),
  c("PAGE-2", "page is always 1 on batches.", body("GET /v2/batches", set("pagination.page", 1))),
  m(
    "PAGE-3",
    "page_size tells the rows of the page.",
    body(lists, (json) =>
      Array.isArray(json["data"]) && isObject(json["pagination"])
        ? { ...json, pagination: { ...json["pagination"], page_size: json["data"].length } }
        : json,
    ),
  ),
  c(
    "PAGE-3",
    "page_size is text beyond the first page.",
    body(lists, where(not(is("pagination.page", 1)), over("pagination.page_size", String))),
  ),
  m(
    "PAGE-4",
    "total tells the rows of the page.",
    body("GET /v2/calls", (json) =>
      Array.isArray(json["data"]) && isObject(json["pagination"])
        ? { ...json, pagination: { ...json["pagination"], total: json["data"].length } }
        : json,
    ),
  ),
  c(
    "PAGE-4",
    "total ignores the filter by status of campaigns.",
    body(
      "GET /v2/campaigns",
      where((_, { query }) => query.has("status"), over("pagination.total", plus(3))),
    ),
  ),
  m("PAGE-5", "total_pages is one short.", body(lists, over("pagination.total_pages", plus(-1)))),
  c(
    "PAGE-5",
    "total_pages rounds down.",
    body(
      lists,
      where(has("pagination.total"), (json) =>
        isObject(json["pagination"])
          ? {
              ...json,
              pagination: {
                ...json["pagination"],
                total_pages: Math.floor(Number(json["pagination"]["total"]) / Number(json["pagination"]["page_size"])),
              },
            }
          : json,
      ),
    ),
  ),
  m("PAGE-6", "has_more is always false.", page("has_more", false)),
  c(
    "PAGE-6",
    "has_more is true on the last full page.",
    body(
      lists,
      where(
        (json) => Array.isArray(json["data"]) && objectOf(json["pagination"])["page_size"] === json["data"].length,
        set("pagination.has_more", true),
      ),
    ),
  ),
  each("PAGE-7 CONSTANT-2", "page=0 is the first page.", clamp("page", 1, 1_000_000)),
  each(
    "PAGE-7 CONSTANT-2",
    "page=10000 is refused.",
    pageRefused("page", (v) => v === 10_000),
  ),
  eachOf(
    "PAGE-7 CONSTANT-2",
    "page=10001 of agents is served.",
    queries("GET /v2/agents", (q) => {
      if (Number(q.get("page")) > 10_000) q.set("page", "10000")
    }),
  ),
  each("PAGE-8 CONSTANT-1", "page_size over 100 is cut to 100.", clamp("page_size", 0, 100)),
  each(
    "PAGE-8 CONSTANT-1",
    "page_size=100 is refused.",
    pageRefused("page_size", (v) => v === 100),
  ),
  each("PAGE-8 CONSTANT-1", "The default page_size is 25.", longer("page_size", "", "25")),
  eachOf(
    "PAGE-8 CONSTANT-1",
    "page_size=0 of campaigns is the default.",
    queries("GET /v2/campaigns", (q) => {
      if (q.get("page_size") === "0") q.delete("page_size")
    }),
  ),
]

const bent = (
  routes: string,
  holds: (status: number, code: unknown) => boolean,
  change: (json: Record<string, unknown>) => unknown,
) =>
  answers(routes, (reply) =>
    errors(reply) && isObject(reply.json) && holds(reply.status, reply.json["error"])
      ? { ...reply, json: change({ ...reply.json }) }
      : reply,
  )

const envelopes = [
  m(
    "ENVELOPE-1",
    "The code is text.",
    bent(
      all,
      () => true,
      (json) => ({ ...json, error: String(json["error"]) }),
    ),
  ),
  c(
    "ENVELOPE-1",
    "The code of a conflict is text.",
    bent(
      all,
      (s) => s === 409,
      (json) => ({ ...json, error: String(json["error"]) }),
    ),
  ),
  m(
    "ENVELOPE-2",
    "Errors carry a request_id.",
    bent(
      all,
      () => true,
      (json) => ({ ...json, request_id: "req_1" }),
    ),
  ),
  c(
    "ENVELOPE-2",
    "Messages of 404 lack their period.",
    bent(
      all,
      (s) => s === 404,
      (json) => ({ ...json, message: String(json["message"]).replace(/\.$/, "") }),
    ),
  ),
  m(
    "ENVELOPE-3",
    "A validation error lists its fields.",
    bent(
      all,
      (s) => s === 422,
      (json) => ({ ...json, errors: [{ loc: ["body"], msg: "bad" }] }),
    ),
  ),
  c(
    "ENVELOPE-3",
    "A 403 nests its error.",
    bent(
      all,
      (s) => s === 403,
      (json) => ({ error: json, message: json["message"] }),
    ),
  ),
  c(
    "ENVELOPE-3",
    "An unknown route answers with detail.",
    bent(
      "GET /v2/**",
      (s) => s === 404,
      () => ({ detail: "Not Found" }),
    ),
  ),
  m(
    "ENVELOPE-4",
    "A success says error: null.",
    answers("GET /v2/user/me", (r) => (r.status === 200 ? { ...r, json: { ...objectOf(r.json), error: null } } : r)),
  ),
  c(
    "ENVELOPE-4",
    "A created campaign says error: 0.",
    answers("POST /v2/campaigns", (r) => (r.status === 201 ? { ...r, json: { ...objectOf(r.json), error: 0 } } : r)),
  ),
  m(
    "ENVELOPE-5",
    "Every error is 400.",
    answers(all, (r) => (errors(r) ? { ...r, status: 400 } : r)),
  ),
  c(
    "ENVELOPE-5",
    "A conflict of agents is 400.",
    answers("* /v2/agents/**", (r) => (r.status === 409 ? { ...r, status: 400 } : r)),
  ),
  c(
    "ENVELOPE-5",
    "A wrong key of another tenant's is 1200 with 403.",
    answers("GET /v2/calls/*", (r) => (r.status === 404 ? { ...r, status: 403 } : r)),
  ),
  m(
    "ENVELOPE-6",
    "A refused number stands in the message.",
    bent(
      "POST /v2/calls",
      (s) => s === 422,
      (json) => ({ ...json, message: "Invalid value for 'to_number': +15555550123 is no number." }),
    ),
  ),
  c(
    "ENVELOPE-6",
    "A conflict quotes its stack.",
    bent(
      all,
      (s) => s === 409,
      (json) => ({ ...json, message: "Error: conflict at Object.run (/app/server.js:10:5)." }),
    ),
  ),
  m("ERROR-1", "Contradictory input is 1001.", recodes(all, 1000, 1001, 422)),
  c("ERROR-1", "Malformed JSON is 1001.", recodes("POST /v2/calls", 1000, 1001, 422)),
  m("ERROR-2", "A failed validation is 400.", recodes(all, 1001, 1000, 400)),
  c("ERROR-2", "A failed validation of a query is 400.", recodes("GET /v2/**", 1001, 1000, 400)),
  m(
    "ERROR-3",
    "A validation names no field.",
    words(all, 1001, () => "The request is not valid."),
  ),
  c(
    "ERROR-3",
    "The last offending field is named instead of the first.",
    answers("POST /v2/calls", (r, { json }) =>
      objectOf(r.json)["error"] === 1001 && "timeout_seconds" in objectOf(json)
        ? { ...r, json: { error: 1001, message: "Invalid value for 'timeout_seconds': out of range." } }
        : r,
    ),
  ),
  m(
    "ERROR-4",
    "Fields are named body.x.",
    words(all, 1001, (t) => t.replace(/'([a-z_]+)/, "'body.$1")),
  ),
  c(
    "ERROR-4",
    "Fields of a query are named query.x.",
    words("GET /v2/**", 1001, (t) => t.replace(/'([a-z_]+)/, "'query.$1")),
  ),
  m("ERROR-5", "An absent parameter is 1001.", recodes(all, 1002, 1001, 422)),
  c(
    "ERROR-5",
    "An absent parameter is not named.",
    words("POST /v2/agents", 1002, () => "A required parameter is missing."),
  ),
  m("ERROR-6", "Bad keys are 403.", recodes(all, 1100, 1102, 403)),
  c(
    "ERROR-6",
    "An inactive key is 403.",
    answers(all, (r) => (String(objectOf(r.json)["message"]).includes("inactive") ? failing(r, 1102, 403) : r)),
  ),
  m("ERROR-7", "A bearer that is no key is 1100.", recodes(all, 1101, 1100, 401)),
  c("ERROR-7", "A bearer that is no key is 1100 on writes.", recodes("POST|PATCH|DELETE|PUT /v2/**", 1101, 1100, 401)),
  m("ERROR-8", "A forbidden request is 401.", recodes(all, 1102, 1100, 401)),
  c(
    "ERROR-8",
    "A key without an organization is 401.",
    answers(all, (r) => (String(objectOf(r.json)["message"]).includes("not bound") ? failing(r, 1100, 401) : r)),
  ),
  m("ERROR-9", "What is not there is 400.", recodes(all, 1200, 1000, 400)),
  c("ERROR-9", "What belongs to others is 403.", recodes("* /v2/campaigns/**", 1200, 1102, 403)),
  m("ERROR-10", "Conflicts are 400.", recodes(all, 1201, 1000, 400)),
  c("ERROR-10", "Conflicts of campaigns are 400.", recodes("* /v2/campaigns/**", 1201, 1000, 400)),
  m("ERROR-11", "Refusals by rate are 503.", recodes(all, 1300, 1501, 503)),
  c("ERROR-11", "Refusals for want of a line are 503.", recodes("POST /v2/calls", 1300, 1501, 503)),
  m("ERROR-12", "An empty wallet is 409.", recodes(all, 1400, 1201, 409)),
  c(
    "ERROR-12",
    "An empty wallet does not refuse the call.",
    forgives("POST /v2/calls", 1400, 201, ({ json }) => ({
      execution_id: "exec_none",
      status: "queued",
      call_sid: null,
      agent_id: objectOf(json)["agent_id"],
      to_number: objectOf(json)["to_number"],
      from_number: null,
      created_at: null,
    })),
  ),
  m("ERROR-14", "An unreachable dependency is 500.", recodes(all, 1501, 1500, 500)),
  c("ERROR-14", "An unreachable dependency is 504 on reads.", recodes("GET /v2/**", 1501, 1502, 504)),
  m("ERROR-15", "A dependency that timed out is 503.", recodes(all, 1502, 1501, 503)),
  c(
    "ERROR-15",
    "A dependency that timed out is 503 on writes.",
    recodes("POST|PATCH|PUT|DELETE /v2/**", 1502, 1501, 503),
  ),
  m(
    "ERROR-STATUS-1",
    "Validation on a list is 200 and empty.",
    forgives("GET /v2/**", 1001, 200, () => ({
      data: [],
      pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false },
    })),
  ),
  c(
    "ERROR-STATUS-1",
    "A wrong key sees an empty list of agents.",
    forgives("GET /v2/agents", 1100, 200, () => ({
      data: [],
      pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false },
    })),
  ),
  m(
    "ERROR-STATUS-2",
    "Deleting an agent is 204.",
    answers("DELETE /v2/agents/*", (r) => (r.status === 200 ? { ...r, status: 204, json: undefined, text: "" } : r)),
  ),
  c(
    "ERROR-STATUS-2",
    "Revoking a key is 204.",
    answers("DELETE /v2/api-keys/*", (r) => (r.status === 200 ? { ...r, status: 204, json: undefined, text: "" } : r)),
  ),
  m("ERROR-STATUS-3", "Creating an agent is 200.", restates("POST /v2/agents", 201, 200)),
  ...[
    "POST /v2/agents/*/clone",
    "POST /v2/calls",
    "POST /v2/batches",
    "POST /v2/batches/upload",
    "POST /v2/api-keys",
    "POST /v2/campaigns",
    "POST /v2/knowledge-bases/*/documents",
  ].map((route) => c("ERROR-STATUS-3", `${route} answers 200 instead of 201.`, restates(route, 201, 200))),
  m("ERROR-STATUS-4", "A scheduled call is 201.", restates("POST /v2/calls", 202, 201)),
  ...["POST /v2/calls/*/stop", "POST /v2/batches/*/resume", "POST /v2/webhooks/test"].map((route) =>
    c("ERROR-STATUS-4", `${route} answers 200 instead of 202.`, restates(route, 202, 200)),
  ),
  m("ERROR-STATUS-5", "Deleting a campaign is 200.", restates("DELETE /v2/campaigns/*", 204, 200)),
  c("ERROR-STATUS-5", "Deleting a subscription is 200.", restates("DELETE /v2/webhooks/*", 204, 200)),
  m("ERROR-STATUS-6", "The redirect to a recording is 303.", restates("GET /v2/calls/*/recording", 302, 303)),
  c("ERROR-STATUS-6", "The redirect to a recording is 307.", restates("GET /v2/calls/*/recording", 302, 307)),
  m(
    "ERROR-STATUS-7",
    "A refused dial is 502.",
    answers("POST /v2/calls", (r) => (r.status === 503 ? { ...r, status: 502 } : r)),
  ),
  c(
    "ERROR-STATUS-7",
    "Storage away is 502 on reads.",
    answers("GET /v2/calls/*", (r) => (r.status === 503 ? { ...r, status: 502 } : r)),
  ),
  m(
    "ERROR-UPSTREAM-1",
    "A busy provider is 503.",
    answers("POST /v2/calls", (r) =>
      r.status === 429 && !String(objectOf(r.json)["message"]).startsWith("Account") ? failing(r, 1501, 503) : r,
    ),
  ),
  c(
    "ERROR-UPSTREAM-1",
    "The provider's Retry-After is replaced.",
    headers("POST /v2/calls", (h, r) => {
      if (r.status === 429) h.set("retry-after", "1")
    }),
  ),
  each(
    "ERROR-FORBIDDEN-1 ERROR-FORBIDDEN-2 TENANCY-2",
    "A foreign campaign is 403.",
    recodes(["GET /v2/campaigns/*", "POST /v2/campaigns/**"], 1200, 1102, 403),
  ),
  eachOf(
    "ERROR-FORBIDDEN-1 ERROR-FORBIDDEN-2 TENANCY-2",
    "A foreign call is 403.",
    recodes("* /v2/calls/**", 1200, 1102, 403),
  ),
  eachOf(
    "TENANCY-2",
    "A foreign subscription is 403 when it is deleted.",
    recodes("DELETE /v2/webhooks/*", 1200, 1102, 403),
  ),
  m(
    "MESSAGE-1",
    "Still being placed has no Retry-After.",
    headers("POST /v2/calls/*/stop", (h) => h.delete("retry-after")),
  ),
  c(
    "MESSAGE-1",
    "Still being placed has Retry-After: 5.",
    headers("POST /v2/calls/*/stop", (h, r) => {
      if (r.status === 409 && h.has("retry-after")) h.set("retry-after", "5")
    }),
  ),
  m(
    "MESSAGE-2",
    "Dependencies are not named.",
    words(all, 1501, () => "A dependency is temporarily unavailable."),
  ),
  c(
    "MESSAGE-2",
    "A dependency that times out is not named.",
    words(all, 1502, () => "A dependency did not respond in time."),
  ),
  c(
    "MESSAGE-2",
    "Call storage is named by its product.",
    words("* /v2/calls**", 1501, () => "Postgres is temporarily unavailable."),
  ),
]

const versions = [
  m(
    "VERSION-1",
    "The prefix is /v3.",
    reroutes(all, (asked) => ({ ...asked, path: asked.path.replace("/v2", "/v3") })),
  ),
  c(
    "VERSION-1",
    "Batches live under /v1.",
    reroutes("* /v2/batches**", (asked) => ({ ...asked, path: asked.path.replace("/v2", "/v1") })),
  ),
  m(
    "VERSION-2",
    "Errors of an unknown route have the other surface's shape.",
    answers(all, (r) => (r.status === 404 ? { ...r, json: { detail: "Not Found" } } : r)),
  ),
  c(
    "VERSION-2",
    "A validation error has the other surface's shape.",
    answers("POST /v2/**", (r) => (r.status === 422 ? { ...r, json: { detail: [{ msg: "bad" }] } } : r)),
  ),
  m(
    "VERSION-4",
    "Keys without scopes may do nothing.",
    answers(all, (r, a) => (a.path === "/v2/agents" && a.method === "GET" ? failing(r, 1102, 403) : r)),
  ),
  c(
    "VERSION-4",
    "Keys without scopes may mint.",
    forgives("POST /v2/api-keys", 1102, 201, () => ({
      key: "gat_x",
      key_id: "key_0123456789abcdef",
      key_preview: "gat_",
      scopes: [],
    })),
  ),
  m(
    "VERSION-5",
    "A key minted by a grandfathered key is grandfathered.",
    body("GET /v2/scopes", (j) => ({
      ...j,
      key: { ...objectOf(j["key"]), scopes_source: "grandfathered", grandfathered: true },
    })),
  ),
  c(
    "VERSION-5",
    "A key minted without scopes is grandfathered.",
    body("POST /v2/api-keys", set("scopes_source", "grandfathered")),
  ),
  m(
    "VERSION-6",
    "webhooks:write gates writes of webhooks.",
    refuses("POST /v2/webhooks", () => true, 1102, 403),
  ),
  c(
    "VERSION-6",
    "webhooks:write gates the deletion of webhooks.",
    refuses("DELETE /v2/webhooks/*", () => true, 1102, 403),
  ),
  m(
    "VERSION-7",
    "Recordings tell when they expire.",
    body("GET /v2/calls/*/recording", set("expires_at", "2030-01-01T00:00:00Z")),
  ),
  c(
    "VERSION-7",
    "provider is the carrier's name on scheduled calls.",
    row(["GET /v2/calls", "GET /v2/calls/*"], where(is("status", "scheduled", "canceled"), set("provider", "twilio"))),
  ),
]

export const every = [...conventions, ...pages, ...envelopes, ...versions]
