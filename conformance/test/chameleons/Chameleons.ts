import { isObject, type JsonObject } from "../../src/http/Json.ts"
import { answers } from "./Answers.ts"
import { type Chameleon, body, having, renamed, type Reply, rows, type Seen } from "./Chameleon.ts"

const calls = /^\/v2\/(calls(\/[^/]+)?|(agents|batches)\/[^/]+\/executions)$/
const campaign = /^\/v2\/campaigns(\/[^/]+(\/(pause|resume|revive|cancel))?)?$/
const batch = /^\/v2\/(batches(\/[^/]+(\/(schedule|stop|pause|resume))?)?|campaigns\/[^/]+\/batches)$/
const stats = /^\/v2\/campaigns\/[^/]+\/stats$/
const notShown = "Fields of usage, phone number, provider, inbound agent and audit-log records: not shown."

/** Every member under another name, but for those of a page. */
const strange = rows(renamed((name) => (name === "data" || name === "pagination" ? name : `own_${name}`)))

const unshown = (name: string, path: RegExp): Chameleon => ({
  id: `records/${name}`,
  allows: notShown,
  reply: body("*", path, strange),
})

const madeAt = (row: JsonObject | undefined): unknown =>
  row?.["created_at"] ?? Object(row?.["timestamps"])["created_at"]

/** A list whose rows of one moment stand in the other order. */
const tiesTurned = (json: JsonObject): JsonObject => {
  if (!Array.isArray(json["data"])) return json
  const data = json["data"].filter(isObject)
  const turned: Array<JsonObject> = []
  for (let at = 0; at < data.length;) {
    const moment = madeAt(data[at])
    const same = data.slice(at).findIndex((row) => madeAt(row) !== moment)
    const end = same < 0 ? data.length : at + same
    turned.push(...data.slice(at, end).toReversed())
    at = end
  }
  return { ...json, data: turned }
}

const nulled = (id: string, path: RegExp, allows: string, ...names: ReadonlyArray<string>): Chameleon => ({
  id,
  allows,
  reply: body(
    "*",
    path,
    rows((row) => having(row, Object.fromEntries(names.map((name) => [name, null])))),
  ),
})

const created =
  (path: RegExp, status: number) =>
  (reply: Reply, { method, path: asked }: Seen): Reply =>
    method === "POST" && path.test(asked) && reply.status === 201 ? { ...reply, status } : reply

const guardDays = (body: JsonObject, turn: (day: number) => number): JsonObject => {
  const guard = body["calling_guard"]
  if (!isObject(guard) || !Array.isArray(guard["days"])) return body
  const days = guard["days"].map((day: unknown) => (typeof day === "number" && day >= 0 && day <= 6 ? turn(day) : day))
  return { ...body, calling_guard: { ...guard, days } }
}

/** The one status of a batch that is given stays; the others are words of the server's own. */
const ownStatus = (status: string): string => (status === "cancelled" ? status : `own ${status}`)

const controls: ReadonlySet<string> = new Set([
  "completion_probe",
  "probe_start_delay_seconds",
  "presence_probe_enabled",
  "presence_probe_after_seconds",
])

/** Resources in other forms, where the form is not shown or may be null. */
const resources: ReadonlyArray<Chameleon> = [
  unshown("usage", /^\/v2\/usage$/),
  unshown("phone-numbers", /^\/v2\/phone-numbers/),
  unshown("providers", /^\/v2\/providers/),
  unshown("inbound-agents", /^\/v2\/inbound-agents/),
  unshown("audit", /^\/v2\/audit-logs/),
  {
    id: "records/batch",
    allows: "Batch record fields: not shown.",
    reply: body(
      "*",
      batch,
      rows((row) =>
        isObject(row)
          ? { batch_id: row["batch_id"], status: row["status"], concurrency_limit: row["concurrency_limit"] }
          : row,
      ),
    ),
  },
  {
    id: "records/batch-statuses",
    allows: "The set of batch statuses and their transitions: not shown.",
    reply: (reply, seen) =>
      body("GET", /^\/v2\/campaigns\/[^/]+\/stats$/, (json) =>
        isObject(json["batch_counts"]) ? { ...json, batch_counts: renamed(ownStatus)(json["batch_counts"]) } : json,
      )(
        body(
          "*",
          batch,
          rows((row) => having(row, { status: ownStatus(String(row["status"])) })),
        )(reply, seen),
        seen,
      ),
  },
  {
    id: "records/subscription",
    allows: "Fields of the webhook subscription record beyond those listed: not shown.",
    reply: body(
      "*",
      /^\/v2\/webhooks(\/sub_[^/]+)?$/,
      rows((row) => {
        const {
          description: _a,
          failing_since: _b,
          has_secret: _c,
          header_names: _d,
          last_failure: _e,
          organization_id: _f,
          ...rest
        } = row
        return rest
      }),
    ),
  },
  {
    id: "records/deliveries",
    allows: "Their request and response shapes: not shown.",
    reply: body("GET", /^\/v2\/webhooks\/deliveries/, strange),
  },
  {
    id: "records/campaign-batches",
    allows: "Lists batches of the campaign. Response shape: not shown.",
    reply: body("GET", /^\/v2\/campaigns\/[^/]+\/batches$/, (json) => ({ batches: json["data"] })),
  },
  {
    id: "records/cancelled",
    allows: "removes pending retry and follow-up jobs. Response shape: not shown.",
    reply: body("POST", /^\/v2\/campaigns\/[^/]+\/cancel$/, () => ({ done: true })),
  },
  {
    id: "records/agent-deleted",
    allows: "Bodies and result shapes of PUT, PATCH, DELETE and clone: not shown.",
    reply: body("DELETE", /^\/v2\/agents\/[^/]+$/, () => ({ done: true })),
  },
  {
    id: "records/key-revoked",
    allows: "Fields of the result body: not shown.",
    reply: body("DELETE", /^\/v2\/api-keys\/[^/]+$/, () => ({ done: true })),
  },
  {
    id: "records/key-minted",
    allows: "Fields of the response that mints a key, other than that one-time secret: not shown.",
    reply: body("POST", /^\/v2\/api-keys$/, ({ key }) => ({ key })),
  },
  {
    id: "records/rate-limits",
    allows: "Other fields inside `rate_limits` and `concurrency`: not shown.",
    reply: body("GET", /^\/v2\/user\/me$/, (json) => {
      const concurrency = isObject(json["concurrency"]) ? json["concurrency"] : {}
      const { enforced, max } = concurrency
      return {
        ...json,
        rate_limits: { live: Object.entries(Object(json["rate_limits"])) },
        concurrency: { max, enforced },
      }
    }),
  },
  {
    id: "records/transcript",
    allows: "Shape of the normalised transcript returned by the transcript endpoint: not shown.",
    reply: body("GET", /^\/v2\/calls\/[^/]+\/transcript$/, ({ turns }) => ({ entries: turns })),
  },
  {
    id: "records/timing",
    allows: "Inner field names of setup, turn and summary objects: not shown.",
    reply: body("GET", /^\/v2\/calls\/[^/]+\/timing$/, (json) => ({
      ...json,
      setup: json["setup"] === null ? null : { own: 1 },
      summary: { own: 1 },
      turns: (Array.isArray(json["turns"]) ? json["turns"] : []).map((turn: unknown) => ({
        ...Object(turn),
        ...Object.fromEntries(
          ["heard", "thought", "spoke"].map((name) => [name, Object(turn)[name] === null ? null : { own: 1 }]),
        ),
      })),
    })),
  },
  nulled("nullable/placed-sid", /^\/v2\/calls$/, "`call_sid` (nullable, support use only)", "call_sid"),
  nulled("nullable/requested-at", /^\/v2\/calls\/[^/]+\/stop$/, "`requested_at` (nullable)", "requested_at"),
  nulled(
    "nullable/never-fires",
    /^\/v2\/calls\/[^/]+\/stop$/,
    "`scheduled_at` (nullable; the time that will never fire)",
    "scheduled_at",
  ),
  nulled("nullable/dialled", stats, "DISTINCT contacts dialled at least once; nullable", "contacts_dialled"),
  nulled("nullable/breakdown", stats, "excludes follow-ups; nullable", "retry_breakdown"),
  nulled("nullable/follow-ups", stats, "`follow_up_attempts` (nullable)", "follow_up_attempts"),
  nulled(
    "nullable/attempts",
    stats,
    "`total_call_attempts` (nullable; every dial including retries and follow-ups, duplicate legs excluded)",
    "total_call_attempts",
  ),
  nulled("nullable/summary", calls, "| summary | string or null | |", "summary"),
  nulled(
    "nullable/sentiment",
    calls,
    "| sentiment | string or null | `positive`, `neutral`, `negative` |",
    "sentiment",
  ),
  nulled("nullable/hangup", calls, "| hangup_reason | string or null | |", "hangup_reason"),
  nulled("nullable/hangup-by", calls, "| hangup_by | string or null | Which side hung up |", "hangup_by"),
  nulled("nullable/organization", campaign, "| organization_id | string or null | |", "organization_id"),
]

/** Moments, orders and figures that may be others. */
const figures: ReadonlyArray<Chameleon> = [
  {
    id: "order/ties",
    allows: "Returns newest first, secrets never included",
    reply: (reply, seen) =>
      seen.query.has("sort_by")
        ? reply
        : body("GET", /^\/v2\/(agents|api-keys|campaigns|agents\/[^/]+\/executions)$/, tiesTurned)(reply, seen),
  },
  {
    id: "order/calls",
    allows: "Query parameters of GET /v2/calls: not shown.",
    reply: body("GET", /^\/v2\/calls$/, (json) => ({
      ...json,
      data: Array.isArray(json["data"]) ? json["data"].toReversed() : json["data"],
    })),
  },
  {
    id: "order/batches",
    allows: "Request and response bodies of the batch routes: not shown.",
    reply: body("GET", /^\/v2\/batches$/, (json) => ({
      ...json,
      data: Array.isArray(json["data"]) ? json["data"].toReversed() : json["data"],
    })),
  },
  {
    id: "days/sunday-is-zero",
    allows: "Numbering of `days`: not shown.",
    request: (json) => guardDays(json, (day) => (day + 6) % 7),
    reply: body(
      "*",
      /^\/v2\/agents/,
      rows((row) => guardDays(row, (day) => (day + 1) % 7)),
    ),
  },
  {
    id: "agents/total-is-an-estimate",
    allows: "`total` is an estimate that shifts with `page_size`.",
    reply: body("GET", /^\/v2\/agents$/, (json) => {
      const page = Object(json["pagination"])
      const total = page.total + 1
      return { ...json, pagination: { ...page, total, total_pages: Math.ceil(total / page.page_size) } }
    }),
  },
  {
    id: "knowledge/total-is-a-lower-bound",
    allows: "`total` is a lower bound (one item past the page is probed)",
    reply: body("GET", /^\/v2\/knowledge-bases\/[^/]+\/documents$/, (json) => {
      const page = Object(json["pagination"])
      const total = Math.min(page.total, page.page * page.page_size + 1)
      return { ...json, pagination: { ...page, total, total_pages: Math.ceil(total / page.page_size) } }
    }),
  },
  ...[200, 202].map((status): Chameleon => ({
    id: `created/${status}`,
    allows:
      "201 created (agent create, clone, immediate call, batch create and upload, key mint, campaign create, document upload)",
    reply: created(/^\/v2\/(webhooks|phone-numbers|providers|inbound-agents|agents\/[^/]+\/versions)$/, status),
  })),
  {
    id: "recording/other-type",
    allows: 'content_type (default "audio/wav")',
    reply: body("GET", /^\/v2\/calls\/[^/]+\/recording$/, (json) => having(json, { content_type: "audio/mpeg" })),
  },
  {
    id: "call/transcript-is-text",
    allows: "array of `{role, content}` turns, or a plain string",
    reply: body(
      "GET",
      calls,
      rows((row) => {
        const turns = row["transcript"]
        if (!Array.isArray(turns)) return row
        return {
          ...row,
          transcript: turns.map((turn: unknown) => `${Object(turn).role}: ${Object(turn).content}`).join("\n"),
        }
      }),
    ),
  },
  {
    id: "call/other-currency",
    allows: "`total` (number), `currency` (string)",
    reply: body(
      "GET",
      calls,
      rows((row) => (isObject(row["cost"]) ? { ...row, cost: { ...row["cost"], currency: "EUR" } } : row)),
    ),
  },
  {
    id: "me/other-plan",
    allows: "`plan` (string), `rate_limit_tier` (string)",
    reply: body("GET", /^\/v2\/user\/me$/, (json) => having(json, { plan: "gold", rate_limit_tier: "t9" })),
  },
  {
    id: "agents/clone-has-another-name",
    allows: "Bodies and result shapes of PUT, PATCH, DELETE and clone: not shown.",
    reply: body("POST", /^\/v2\/agents\/[^/]+\/clone$/, (json) => having(json, { display_name: "Another" })),
  },
]

const withoutControls = (row: JsonObject): JsonObject => {
  const { conversation_config } = row
  return isObject(conversation_config)
    ? {
        ...row,
        conversation_config: Object.fromEntries(
          Object.entries(conversation_config).filter(([name]) => !controls.has(name)),
        ),
      }
    : row
}

const noSuchResource = { error: 1200, message: "Nothing of that name is here." }

/** Routes that a server may not have. */
const missing =
  (method: string, path: RegExp) =>
  (reply: Reply, { method: asked, path: at }: Seen): Reply =>
    asked === method && path.test(at) && reply.status < 300 ? { ...reply, status: 404, json: noSuchResource } : reply

/** Routes, moves and values that are left to the server. */
const unshownRoutes: ReadonlyArray<Chameleon> = [
  {
    id: "agents/own-controls",
    allows: "The remaining four controls of conversation_config: not shown.",
    reply: body("*", /^\/v2\/agents/, rows(withoutControls)),
  },
  {
    id: "agents/no-deploy-route",
    allows: "The operation that deploys an agent and the remaining moves: not shown.",
    reply: missing("POST", /^\/v2\/agents\/[^/]+\/(un)?deploy$/),
  },
  {
    id: "knowledge/no-list",
    allows: "Other knowledge-base routes (reads, deleting a whole knowledge base): not shown.",
    reply: missing("GET", /^\/v2\/knowledge-bases(\/[^/]+)?$/),
  },
  {
    id: "calls/no-initiated",
    allows: "Transitions between execution statuses beyond the rows above: not shown.",
    reply: body(
      "GET",
      calls,
      rows((row) => (row["status"] === "initiated" ? { ...row, status: "queued" } : row)),
    ),
  },
]

/** All of them. */
export const chameleons: ReadonlyArray<Chameleon> = [...answers, ...resources, ...figures, ...unshownRoutes]

/** What is judged under all of them at once. They change bodies and cannot sign them anew, so deliveries are not. */
export const disguised: ReadonlyArray<string> = [
  "identity",
  "agents",
  "keys",
  "calls/read",
  "calls/records",
  "calls/create",
  "organization",
  "routing",
  "decoding",
  "usage",
  "numbers",
  "audit",
  "experiments",
  "campaigns/moves",
  "campaigns/read",
  "campaigns/renewed/pause",
  "batches/booked-and-paused",
  "webhooks/types",
  "webhooks/subscriptions/refused",
  "calls/lifecycle/folded",
  "knowledge",
  "rate/ceiling/calls.create",
  "concurrency/gate",
]
