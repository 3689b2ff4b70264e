/**
 * Servers that chose otherwise than a published reading of agents, calls, experiments, keys and identity, and keep what the
 * specification says: each was written from the reading's sentence and from what the specification leaves open there.
 */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  cut,
  failing,
  forgives,
  fresh,
  over,
  plus,
  recodes,
  refuses,
  reroutes,
  row,
  rows,
  set,
  textOf,
  together,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf, type Reply } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const place = "POST /v2/calls"
export const calls = ["GET /v2/calls", "GET /v2/calls/*", "GET /v2/agents/*/executions", "GET /v2/batches/*/executions"]
const agent = "PUT|PATCH /v2/agents/*"
const keys = "/v2/api-keys"
const experiment = "PATCH /v2/agents/*/versions/*"
const isAgent = /^\/v2\/agents\/[^/]+$/

/** The same request as a read without a body. */
export const reading = (asked: Asked, path = asked.path): Asked => ({
  ...asked,
  method: "GET",
  path,
  query: new URLSearchParams(),
  headers: new Headers([["authorization", asked.headers.get("authorization") ?? ""]]),
  json: undefined,
})

/** What a read shows before a request of one method changes it may change the request, or answer it. */
const knowing = (
  method: string,
  path: RegExp,
  change: (json: JsonObject, before: JsonObject, reply: Reply) => JsonObject | Reply,
): Defect =>
  wire(() => async (asked, next) => {
    if (asked.method !== method || !path.test(asked.path) || !isObject(asked.json)) return next(asked)
    const before = await next(reading(asked))
    if (before.status !== 200) return next(asked)
    const changed = change(asked.json, objectOf(before.json), before)
    return isReply(changed) ? changed : next({ ...asked, json: changed })
  })

const isReply = (value: JsonObject | Reply): value is Reply => value["headers"] instanceof Headers

/** A member whose old parts go unless they are named again. */
const replacing = (name: string) => (json: JsonObject, before: JsonObject) => {
  const [sent, old] = [json[name], before[name]]
  if (!isObject(sent) || !isObject(old)) return json
  const gone = Object.keys(old).filter((part) => old[part] != null && !(part in sent))
  return { ...json, [name]: { ...Object.fromEntries(gone.map((part) => [part, null])), ...sent } }
}

const homes: Readonly<Record<string, string>> = {
  finale_message: "message_policy",
  presence_probe_message: "engagement_policy",
  probe_interval_seconds: "session_policy",
  probe_window_seconds: "session_policy",
  probe_min_words: "session_policy",
  block_unlisted_callers: "session_policy",
}

/** The flat view is written after the buckets. */
const flatLast = (json: JsonObject, asked: Asked): JsonObject =>
  Object.entries(objectOf(json["conversation_config"])).reduce(
    (all, [name, value]) => over(`configuration.${homes[name]}.${name}`, () => value)(all, asked),
    json,
  )

const updates = [
  m("AGENT-UPDATE-P1", "A PATCH replaces prompts whole.", knowing("PATCH", isAgent, replacing("prompts"))),
  c(
    "AGENT-UPDATE-P1",
    "A null in a PATCH changes nothing.",
    knowing("PATCH", isAgent, (json, before) =>
      Object.fromEntries(
        Object.entries(json).map(([name, value]) => [
          name,
          value === null && /^(summary|category|greeting_message)$/.test(name) ? before[name] : value,
        ]),
      ),
    ),
  ),
  m(
    "AGENT-UPDATE-P3",
    "A PUT keeps what it does not name.",
    reroutes("PUT /v2/agents/*", (asked) => ({ ...asked, method: "PATCH" })),
  ),
  m(
    "AGENT-UPDATE-P4",
    "An update answers with no more than the id, the version and what was dropped.",
    body(agent, ({ agent_id, dropped_languages, version }) => ({
      agent_id,
      version,
      ...(dropped_languages === undefined ? {} : { dropped_languages }),
    })),
  ),
  c(
    "AGENT-UPDATE-P4",
    "An update answers with what became of it in words of its own.",
    body(agent, ({ dropped_languages }) => ({
      updated: true,
      ...(dropped_languages === undefined ? {} : { dropped_languages }),
    })),
  ),
  m(
    "AGENT-UPDATE-P5",
    "An empty PATCH is an update that changes nothing.",
    knowing("PATCH", isAgent, (json, { display_name }) => (Object.keys(json).length === 0 ? { display_name } : json)),
  ),
  m("AGENT-CONTROLS-P3", "The flat view wins over the bucket.", asks(["POST /v2/agents", agent], flatLast)),
]

const statuses = [
  m(
    "AGENT-STATUS-P1",
    "A body that sets an active agent inactive may edit it too.",
    wire(() => async (asked, next) => {
      const json = objectOf(asked.json)
      if (asked.method !== "PATCH" || !isAgent.test(asked.path) || json["status"] !== "INACTIVE") return next(asked)
      const before = await next(reading(asked))
      if (at(before.json, "status") !== "ACTIVE" || Object.keys(json).length === 1) return next(asked)
      await next({ ...asked, json: { status: "INACTIVE" } })
      return next({ ...asked, json: cut("status")(json, asked) })
    }),
  ),
  m(
    "AGENT-STATUS-P2",
    "A draft cannot be set inactive.",
    knowing("PATCH", isAgent, (json, { status }, reply) =>
      json["status"] === "INACTIVE" && status === "DRAFT" ? failing(reply, 1201, 409) : json,
    ),
  ),
  c(
    "AGENT-STATUS-P2",
    "A PATCH archives no agent; DELETE does.",
    knowing("PATCH", isAgent, (json, { status }, reply) =>
      json["status"] === "ARCHIVED" && status !== "ARCHIVED" ? failing(reply, 1201, 409) : json,
    ),
  ),
  m(
    "AGENT-DELETE-P3",
    "An archived agent cannot be archived again.",
    wire(() => async (asked, next) => {
      if (asked.method !== "DELETE" || !isAgent.test(asked.path)) return next(asked)
      const before = await next(reading(asked))
      return at(before.json, "status") === "ARCHIVED" ? failing(before, 1201, 409) : next(asked)
    }),
  ),
  m(
    "AGENT-CLONE-P1",
    "Cloning answers that it is done, and not with the agent.",
    body("POST /v2/agents/*/clone", () => ({ cloned: true })),
  ),
  m(
    "AGENT-CLONE-P2",
    "A clone has no labels.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const id = objectOf(reply.json)["agent_id"]
      if (reply.status !== 201 || asked.method !== "POST" || !asked.path.endsWith("/clone")) return reply
      const path = `/v2/agents/${textOf(id)}`
      const headers = new Headers(asked.headers)
      headers.set("content-type", "application/json")
      const cleared = await next({ ...asked, method: "PATCH", path, headers, json: { labels: [] } })
      return { ...cleared, status: 201 }
    }),
  ),
  m(
    "AGENT-CLONE-P4",
    "A copied name that would be too long is refused.",
    wire(() => async (asked, next) => {
      if (asked.method !== "POST" || !asked.path.endsWith("/clone") || objectOf(asked.json)["display_name"] != null) {
        return next(asked)
      }
      const before = await next(reading(asked, asked.path.replace(/\/clone$/, "")))
      const name = objectOf(before.json)["display_name"]
      return textOf(name ?? "").length > 93 ? failing(before, 1001, 422) : next(asked)
    }),
  ),
  m(
    "AGENT-LIST-P1",
    "The search minds capital letters.",
    rows("GET /v2/agents", (found, { query }) =>
      found.filter(({ display_name }) => textOf(display_name).includes(query.get("search") ?? "")),
    ),
  ),
  m(
    "AGENT-LIST-P3",
    "A page has one agent fewer than it may, and the total is counted in pages.",
    wire(() => async (asked, next) => {
      const size = Number(asked.query.get("page_size") ?? "20")
      if (asked.method !== "GET" || asked.path !== "/v2/agents" || !(size > 1 && size <= 100)) return next(asked)
      const query = new URLSearchParams(asked.query)
      query.set("page_size", String(size - 1))
      const reply = await next({ ...asked, query })
      const { data, pagination } = objectOf(reply.json)
      if (!isObject(pagination) || !Array.isArray(data)) return reply
      const total = pagination["has_more"] === true ? Number(pagination["total_pages"]) * size : pagination["total"]
      return { ...reply, json: { data, pagination: { ...pagination, page_size: size, total } } }
    }),
  ),
]

const ofKeys = [
  m(
    "KEY-LIST-P1",
    "A revoked key is not listed.",
    fresh(() => {
      const revoked = new Set<unknown>()
      return together(
        answers(`DELETE ${keys}/*`, (reply, { path }) => {
          if (reply.status === 200) revoked.add(path.split("/")[3])
          return reply
        }),
        body(`GET ${keys}`, (json, asked) => {
          const { data } = json
          if (!Array.isArray(data)) return json
          const left = data.filter((key) => !revoked.has(at(key, "key_id")))
          return over("pagination.total", plus(left.length - data.length))({ ...json, data: left }, asked)
        }),
      )
    }),
  ),
  m("KEY-MINT-P2", "A name is no description.", row(`GET ${keys}`, set("description", ""))),
  m(
    "KEY-MINT-P4",
    "A scope that the minter lacks is reported before one that nobody knows.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const wanted = objectOf(asked.json)["scopes"]
      if (asked.method !== "POST" || asked.path !== keys || reply.status !== 422 || !Array.isArray(wanted)) return reply
      const { json } = await next(reading(asked, "/v2/scopes"))
      const { scopes } = objectOf(json)
      const lacks = Array.isArray(scopes) ? scopes.filter((each) => at(each, "granted") === false) : []
      const missing = lacks.map((each) => at(each, "scope")).filter((scope) => wanted.includes(scope))
      return missing.length > 0 ? failing(reply, 1102, 403, `This key does not hold ${missing.join(", ")}.`) : reply
    }),
  ),
  m(
    "KEY-MINT-P5",
    "A wildcard is none of the scopes that a mint may name.",
    refuses(
      `POST ${keys}`,
      ({ json }) => {
        const { scopes } = objectOf(json)
        return Array.isArray(scopes) && scopes.some((scope) => textOf(scope).includes("*"))
      },
      1001,
      422,
    ),
  ),
  m(
    "KEY-MINT-P6",
    "A grant of keys:write without scopes adds nothing.",
    asks(`POST ${keys}`, (json, asked) =>
      "scopes" in json || json["grant_api_keys_write"] !== true ? json : cut("grant_api_keys_write")(json, asked),
    ),
  ),
  m(
    "SCOPE-ENFORCED-P1",
    "A key without calls:read may read a timing.",
    forgives(
      "GET /v2/calls/*/timing",
      1102,
      200,
      ({ path }) => ({
        execution_id: path.split("/")[3],
        measured: false,
        not_measured_reason: "never_recorded",
        setup: null,
        turns: [],
        summary: null,
      }),
      (_, reply) => textOf(objectOf(reply.json)["message"]).includes("scope"),
    ),
  ),
  m(
    "ME-P3",
    "The lines are told as a ceiling and whether it is enforced, no more.",
    body(
      "GET /v2/user/me",
      over("concurrency", (lines) => ({ max: at(lines, "max"), enforced: at(lines, "enforced") })),
    ),
  ),
]

/** Calls that never had a leg and ended in an error have failed. */
const failedInstead = writes((change) =>
  change.put === "call" && change.row.status === "error" && change.row.call_sid === null
    ? { ...change, row: { ...change.row, status: "failed" } }
    : change,
)

const reasons: Readonly<Record<string, string>> = {
  user_hangup: "callee_hung_up",
  agent_hangup: "agent_said_goodbye",
  voicemail_reached: "machine",
  inactivity_timeout: "silence",
  max_duration_reached: "too_long",
  dial_busy: "486",
  dial_no_answer: "480",
  dial_failed: "503",
  invalid_destination: "404",
  carrier_error: "500",
  balance_low: "402",
}

const ofCalls = [
  each("CALL-CREATE-P1 CALL-CREATE-P3 ERROR-UPSTREAM-P2", "A call that never had a leg ends as failed.", failedInstead),
  m(
    "CALL-CREATE-P7",
    "An agent that is not active is refused as contradictory input.",
    recodes(place, 1201, 1000, 400, ({ headers }) => !headers.has("idempotency-key")),
  ),
  m(
    "CALL-HANGUP-P1",
    "Why a call ended is told in other words.",
    row(
      calls,
      over("hangup_reason", (reason) => reasons[textOf(reason)] ?? reason),
    ),
  ),
  m(
    "DECODE-P11",
    "A number of nobody contradicts the organization.",
    recodes(place, 1001, 1000, 400, ({ json }, reply) => {
      const { message } = objectOf(reply.json)
      return /^\+\d{7,15}$/.test(textOf(at(json, "from_number"))) && textOf(message).includes("from_number")
    }),
  ),
  m(
    "CALL-WINDOW-P3",
    "A window that ends before it starts is a value that is refused.",
    recodes(["POST /v2/agents", agent], 1000, 1001, 422, ({ json }) => {
      const { end, start } = objectOf(objectOf(json)["calling_guard"])
      return typeof start === "string" && typeof end === "string" && start >= end
    }),
  ),
  m(
    "CALL-WINDOW-P2",
    "A window without days is of Monday to Friday.",
    asks(
      ["POST /v2/agents", agent],
      over("calling_guard", (guard) => {
        const { days, ...others } = objectOf(guard)
        const isEvery = days === undefined || (Array.isArray(days) && days.length === 0)
        return others["enabled"] === true && isEvery ? { ...others, days: [0, 1, 2, 3, 4] } : guard
      }),
    ),
  ),
]

const ofExperiments = [
  m(
    "EXPERIMENT-ROUTES-P2",
    "Half of the calls go to the challenger where no share is given.",
    asks("POST /v2/agents/*/versions", (json) => ({ variant_traffic_pct: 50, ...json })),
  ),
  m(
    "EXPERIMENT-STATUS-P1",
    "A draft cannot be concluded.",
    knowing("PATCH", /^\/v2\/agents\/[^/]+\/versions\/[^/]+$/, (json, { status }, reply) =>
      json["status"] === "concluded" && status === "draft" ? failing(reply, 1201, 409) : json,
    ),
  ),
  m(
    "EXPERIMENT-STATUS-P2",
    "A paused experiment cannot be active again.",
    knowing("PATCH", /^\/v2\/agents\/[^/]+\/versions\/[^/]+$/, (json, { status }, reply) =>
      json["status"] === "active" && status === "paused" ? failing(reply, 1201, 409) : json,
    ),
  ),
  m(
    "EXPERIMENT-STATUS-P3",
    "A paused experiment has to be active to be concluded.",
    knowing("PATCH", /^\/v2\/agents\/[^/]+\/versions\/[^/]+$/, (json, { status }, reply) =>
      json["status"] === "concluded" && status === "paused" ? failing(reply, 1201, 409) : json,
    ),
  ),
  m(
    "EXPERIMENT-ERROR-P1",
    "Every explicit null is refused, whatever may be null.",
    refuses(experiment, ({ json }) => Object.values(objectOf(json)).includes(null), 1000, 400),
  ),
]

export const otherwiseCalls = [...updates, ...statuses, ...ofKeys, ...ofCalls, ...ofExperiments]
