/** Mistakes against the readings that are published as a profile, where the specification is thin. */
import { isObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  cut,
  dummy,
  failing,
  forgives,
  fresh,
  headers,
  ignores,
  is,
  made,
  over,
  plus,
  queries,
  recodes,
  records,
  refuses,
  reroutes,
  row,
  rows,
  secretly,
  sends,
  set,
  textOf,
  together,
  unplaced,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, m } from "../Table.ts"

const usage = "GET /v2/usage"
const audit = "GET /v2/audit-logs"
const numbers = ["GET|POST /v2/phone-numbers", "GET|PATCH /v2/phone-numbers/*"]
const creates = ["POST /v2/calls", "POST /v2/campaigns", "POST /v2/batches", "POST /v2/batches/upload"]
const ledger = ["GET /v2/webhooks/deliveries", "GET /v2/webhooks/deliveries/*"]
const stats = "GET /v2/campaigns/*/stats"
const calls = ["GET /v2/calls", "GET /v2/calls/*", "GET /v2/agents/*/executions", "GET /v2/batches/*/executions"]
const withoutKey = (routes: string | ReadonlyArray<string>, change: (value: string) => string | null = () => null) =>
  reroutes(routes, (asked) => {
    const h = new Headers(asked.headers)
    const key = h.get("idempotency-key")
    if (key !== null) {
      const changed = change(key)
      if (changed === null) h.delete("idempotency-key")
      else h.set("idempotency-key", changed)
    }
    return { ...asked, headers: h }
  })
const hidden = (path: string, change: (value: unknown) => unknown) =>
  secretly(["POST /v2/campaigns", "PATCH /v2/campaigns/*"], ["GET|POST /v2/campaigns**"], "campaign_id", path, change)
const hasKey = (asked: { readonly headers: Headers }) => asked.headers.has("idempotency-key")

const idempotency = [
  m(
    "IDEMPOTENCY-P1",
    "A key of 255 characters is refused.",
    refuses(creates, (a) => (a.headers.get("idempotency-key") ?? "").length === 255, 1000, 400),
  ),
  m(
    "IDEMPOTENCY-P2",
    "Keys are kept for one organization and all.",
    withoutKey(creates, (k) => `${k.slice(0, 200)}-${crypto.randomUUID()}`),
  ),
  c(
    "IDEMPOTENCY-P2",
    "Keys are kept for ever.",
    fresh(() => {
      const kept = new Map<string, ReturnType<typeof made>>()
      return wire(() => async (asked, next) => {
        const key = asked.headers.get("idempotency-key")
        const id = `${asked.headers.get("authorization")} ${asked.path} ${key} ${JSON.stringify(asked.json)}`
        if (key === null || asked.method !== "POST") return next(asked)
        const before = kept.get(id)
        const reply = await next(asked)
        if (before !== undefined && reply.status < 300) {
          const h = new Headers(reply.headers)
          h.set("idempotent-replayed", "true")
          return { ...before, headers: h }
        }
        kept.set(id, reply)
        return reply
      })
    }),
  ),
  ...creates.map((route, i) =>
    (i === 0 ? m : c)("IDEMPOTENCY-P3", `The key is not read on ${route}.`, withoutKey(route)),
  ),
  c(
    "IDEMPOTENCY-P3",
    "A replay is not marked.",
    headers(creates, (h) => h.delete("idempotent-replayed")),
  ),
  c(
    "IDEMPOTENCY-P3",
    "A replay is 200.",
    answers(creates, (r) => (r.headers.get("idempotent-replayed") === "true" ? { ...r, status: 200 } : r)),
  ),
  m(
    "IDEMPOTENCY-P4",
    "The same key with another body replays.",
    fresh(() => {
      const first = new Map<string, ReturnType<typeof made>>()
      return answers(creates, (r, a) => {
        const key = `${a.path} ${a.headers.get("idempotency-key")}`
        if (hasKey(a) && r.status < 300 && !first.has(key)) first.set(key, r)
        return hasKey(a) && r.status === 409 && first.has(key) ? (first.get(key) ?? r) : r
      })
    }),
  ),
  ...creates
    .slice(1)
    .map((route) => c("IDEMPOTENCY-P4", `Another body on ${route} is 422.`, recodes(route, 1201, 1001, 422, hasKey))),
  m(
    "IDEMPOTENCY-P5",
    "A key in flight has no Retry-After.",
    headers(creates, (h, r, a) => {
      if (r.status === 409 && hasKey(a)) h.delete("retry-after")
    }),
  ),
  m(
    "IDEMPOTENCY-P6",
    "Failures are kept.",
    fresh(() => {
      const failed = new Map<string, ReturnType<typeof made>>()
      return answers(creates, (r, a) => {
        if (!hasKey(a)) return r
        const key = `${a.path} ${a.headers.get("idempotency-key")}`
        const before = failed.get(key)
        if (before !== undefined) return before
        if (r.status >= 400) failed.set(key, r)
        return r
      })
    }),
  ),
  c(
    "IDEMPOTENCY-P6",
    "Failures of 5xx are kept.",
    fresh(() => {
      const failed = new Map<string, ReturnType<typeof made>>()
      return answers(creates, (r, a) => {
        if (!hasKey(a)) return r
        const key = `${a.path} ${a.headers.get("idempotency-key")}`
        const before = failed.get(key)
        if (before !== undefined) return before
        if (r.status >= 500) failed.set(key, r)
        return r
      })
    }),
  ),
  m(
    "IDEMPOTENCY-P7",
    "Keys of 256 characters are cut.",
    withoutKey(creates, (k) => k.slice(0, 255)),
  ),
  c(
    "IDEMPOTENCY-P7",
    "An empty key is none.",
    withoutKey(creates, (k) => (k === "" ? null : k)),
  ),
  m(
    "IDEMPOTENCY-P9",
    "Another boundary is another body.",
    wire(() => async (asked, next) => {
      const seen = asked.headers.get("content-type") ?? ""
      const reply = await next(asked)
      return seen.startsWith("multipart") && reply.headers.get("idempotent-replayed") === "true"
        ? failing(reply, 1201, 409)
        : reply
    }),
  ),
  m(
    "IDEMPOTENCY-P10",
    "A key belongs to all routes.",
    fresh(() => {
      const at_ = new Map<string, string>()
      return answers(creates, (r, a) => {
        const key = a.headers.get("idempotency-key")
        if (key === null) return r
        const first = at_.get(key)
        if (first === undefined) at_.set(key, a.path)
        return first !== undefined && first !== a.path ? failing(r, 1201, 409) : r
      })
    }),
  ),
]

const accounts = [
  m("USAGE-P1", "agent_id is ignored.", ignores(usage, "agent_id")),
  c("USAGE-P1", "from_date is ignored.", ignores(usage, "from_date")),
  c("USAGE-P1", "to_date is ignored.", ignores(usage, "to_date")),
  c(
    "USAGE-P1",
    "Without dates the usage is of today.",
    queries(usage, (q) => {
      if (!q.has("from_date") && !q.has("to_date")) q.set("from_date", "2099-01-01T00:00:00Z")
    }),
  ),
  ...["total_calls", "connected_calls", "total_duration_seconds", "total_cost"].map((name, i) =>
    (i === 0 ? m : c)("USAGE-P2", `${name} is one more than the calls listed.`, body(usage, over(name, plus(1)))),
  ),
  c(
    "USAGE-P2",
    "connected_calls counts those that were not answered.",
    body(usage, (j) => ({ ...j, connected_calls: j["total_calls"] })),
  ),
  c(
    "USAGE-P2",
    "cost_breakdown leaves telephony out.",
    body(
      usage,
      over("cost_breakdown.telephony", () => 0),
    ),
  ),
  c(
    "USAGE-P2",
    "status_counts counts every call as completed.",
    body(usage, (j) => ({ ...j, status_counts: { completed: j["total_calls"] } })),
  ),
  c(
    "USAGE-P2",
    "group_by=agent groups by day.",
    queries(usage, (q) => {
      if (q.get("group_by") === "agent") q.set("group_by", "day")
    }),
  ),
  c(
    "USAGE-P2",
    "group_by=campaign groups by day.",
    queries(usage, (q) => {
      if (q.get("group_by") === "campaign") q.set("group_by", "day")
    }),
  ),
  c("USAGE-P2", "group_by is ignored.", ignores(usage, "group_by")),
  m(
    "USAGE-P3",
    "33 days are served.",
    forgives(usage, 1000, 200, () => ({ total_calls: 0 })),
  ),
  c(
    "USAGE-P3",
    "Dates reversed are served.",
    queries(usage, (q) => {
      const f = q.get("from_date"),
        t = q.get("to_date")
      if (f !== null && t !== null && Date.parse(f) > Date.parse(t)) {
        q.set("from_date", t)
        q.set("to_date", f)
      }
    }),
  ),
  ...["POST /v2/agents", "agent.update", "api_key.revoke", "campaign.create", "call.create", "webhook.delete"].map(
    (action, i) =>
      (i === 0 ? m : c)(
        "AUDIT-P8",
        `${action} is not audited.`,
        records((e) => (matchesAction(e.action, action) ? null : e)),
      ),
  ),
  c(
    "AUDIT-P8",
    "Conflicts are not audited.",
    records((e) => (e.outcome === "failed" ? null : e)),
  ),
  m(
    "AUDIT-P9",
    "Details have the number.",
    row(
      [audit, "GET /v2/audit-logs/aud_*"],
      where(
        (r) => isObject(r["details"]),
        (r) => ({ ...r, details: { ...objectOf(r["details"]), to_number: "+15555550100" } }),
      ),
    ),
  ),
  m(
    "AUDIT-P10",
    "Conflicts are recorded as allowed.",
    row(audit, where(is("outcome", "failed"), set("outcome", "allowed"))),
  ),
  m("AUDIT-P1", "action is ignored.", ignores(audit, "action")),
  ...["actor", "resource_type", "resource_id", "outcome", "from_date", "to_date", "page"].map((name) =>
    c("AUDIT-P1", `${name} is ignored.`, ignores(audit, name)),
  ),
  m("AUDIT-P2", "sequence is missing.", row(audit, cut("sequence"))),
  c(
    "AUDIT-P2",
    "actor.key_id is another key's.",
    row(
      audit,
      over("actor.key_id", () => "key_0000000000000000"),
    ),
  ),
  m(
    "AUDIT-P3",
    "hash is that of the record before.",
    row(audit, (r) => ({ ...r, hash: r["prev_hash"] })),
  ),
  m("AUDIT-P4", "The first prev_hash is empty.", row(audit, where(is("sequence", 1), set("prev_hash", "")))),
  m("AUDIT-P5", "head_hash is missing.", body("GET /v2/audit-logs/verify", cut("head_hash"))),
  m("AUDIT-P7", "expected_count is ignored.", ignores("GET /v2/audit-logs/verify", "expected_count")),
  c("AUDIT-P7", "expected_head is ignored.", ignores("GET /v2/audit-logs/verify", "expected_head")),
  m("NUMBER-P2", "calls_in_progress is always 0.", row(numbers, set("calls_in_progress", 0))),
  c(
    "NUMBER-P2",
    "A PATCH of the label is ignored.",
    asks("PATCH /v2/phone-numbers/*", (j) => ("label" in j ? { ...j, label: "kept" } : j)),
  ),
  m(
    "NUMBER-P3",
    "A duplicate number is taken.",
    forgives("POST /v2/phone-numbers", 1201, 201, () => ({})),
  ),
  m(
    "NUMBER-P4",
    "A number in use is deleted.",
    forgives("DELETE /v2/phone-numbers/*", 1201, 200, () => ({ deleted: true })),
  ),
  m(
    "NUMBER-P5",
    "inbound_agent_id is the agent's.",
    row(
      numbers,
      over("inbound_agent_id", () => "agt_x"),
    ),
  ),
  c(
    "NUMBER-P5",
    "inbound_agent_id stays when the binding goes.",
    fresh(() => {
      const bound = new Map<unknown, unknown>()
      return row(numbers, (r) => {
        if (r["inbound_agent_id"] !== null) bound.set(r["phone_number_id"], r["inbound_agent_id"])
        return bound.has(r["phone_number_id"]) ? { ...r, inbound_agent_id: bound.get(r["phone_number_id"]) } : r
      })
    }),
  ),
  m(
    "INBOUND-P2",
    "Two agents have one number.",
    forgives("POST /v2/inbound-agents", 1201, 201, () => ({})),
  ),
  m("INBOUND-P3", "phone_number is not read.", asks("POST /v2/inbound-agents", cut("phone_number"))),
  m("INBOUND-P4", "An unknown number is 422.", recodes("POST /v2/inbound-agents", 1200, 1001, 422)),
  m("PROVIDER-P1", "provider_value is shown.", row("GET|POST /v2/providers", set("provider_value", "secret"))),
  m(
    "PROVIDER-P2",
    "A duplicate provider replaces.",
    forgives("POST /v2/providers", 1201, 201, () => ({})),
  ),
]

function matchesAction(action: string, wanted: string): boolean {
  return wanted === "POST /v2/agents" ? action === "agent.create" : action === wanted
}

const campaigns = [
  m(
    "RETRY-P1",
    "linear_backoff is fixed.",
    hidden("retry_policy.strategy", (v) => (v === "linear_backoff" ? "fixed_delay" : v)),
  ),
  c(
    "RETRY-P1",
    "exponential_backoff is linear.",
    hidden("retry_policy.strategy", (v) => (v === "exponential_backoff" ? "linear_backoff" : v)),
  ),
  c(
    "RETRY-P1",
    "max_delay_minutes is ignored.",
    hidden("retry_policy.max_delay_minutes", () => 1440),
  ),
  m(
    "RETRY-P2",
    "cooldown_minutes is ignored.",
    hidden("retry_policy.cooldown_minutes", () => 0),
  ),
  c(
    "RETRY-P2",
    "respect_working_hours is ignored.",
    hidden("retry_policy.respect_working_hours", () => false),
  ),
  m("RETRY-P3", "Busy calls are not retried.", noRetry("busy")),
  c("RETRY-P3", "Dropped calls are not retried.", noRetry("call-disconnected")),
  c("RETRY-P3", "Calls ended by an error are not retried.", noRetry("error")),
  m(
    "RETRY-P4",
    "11 retries are cut.",
    asks(
      ["POST /v2/campaigns", "PATCH /v2/campaigns/*"],
      over("retry_policy.max_retries", (v) => Math.min(10, Number(v))),
    ),
  ),
  c(
    "RETRY-P4",
    "10 retries are refused.",
    refuses(
      ["POST /v2/campaigns", "PATCH /v2/campaigns/*"],
      ({ json }) => at(json, "retry_policy.max_retries") === 10,
      1001,
      422,
    ),
  ),
  m(
    "FOLLOW-UP-P1",
    "completed triggers nothing.",
    hidden("follow_up_policy.triggers", (v) => (Array.isArray(v) ? v.filter((t) => t !== "completed") : v)),
  ),
  c(
    "FOLLOW-UP-P1",
    "voicemail triggers nothing.",
    hidden("follow_up_policy.triggers", (v) => (Array.isArray(v) ? v.filter((t) => t !== "voicemail") : v)),
  ),
  c(
    "FOLLOW-UP-P1",
    "busy triggers nothing.",
    hidden("follow_up_policy.triggers", (v) => (Array.isArray(v) ? v.filter((t) => t !== "busy") : v)),
  ),
  m(
    "FOLLOW-UP-P2",
    "The default cooldown is an hour.",
    hidden("follow_up_policy.cooldown_minutes", () => 60),
  ),
  m(
    "FOLLOW-UP-P3",
    "Follow-ups run the campaign's agent.",
    hidden("follow_up_policy.follow_up_agent_id", () => null),
  ),
  m(
    "FOLLOW-UP-P4",
    "A follow-up names no parent.",
    row(
      calls,
      where((r) => r["campaign_id"] !== null, set("parent_execution_id", null)),
    ),
  ),
  m(
    "FOLLOW-UP-P5",
    "Follow-ups are in retry_breakdown.",
    body(stats, (j) =>
      Number(j["follow_up_attempts"]) > 0
        ? {
            ...j,
            retry_breakdown: {
              ...objectOf(j["retry_breakdown"]),
              "1": Number(at(j, "retry_breakdown.1") ?? 0) + Number(j["follow_up_attempts"]),
            },
          }
        : j,
    ),
  ),
  m(
    "FOLLOW-UP-P7",
    "One follow-up at most.",
    hidden("follow_up_policy.max_attempts", () => 1),
  ),
  m(
    "CALLER-ID-P1",
    "round_robin uses the first number.",
    hidden("phone_numbers", (v) => (Array.isArray(v) ? v.slice(0, 1) : v)),
  ),
  m(
    "CALLER-ID-P2",
    "least_loaded is round_robin.",
    hidden("phone_number_strategy", (v) => (v === "least_loaded" ? "round_robin" : v)),
  ),
  m(
    "CONTACT-P1",
    "retry_scheduled is called pending.",
    row("GET /v2/campaigns/*/contacts", where(is("status", "retry_scheduled"), set("status", "pending"))),
  ),
  m(
    "BATCH-SCHEDULE-P1",
    "A minute ahead is enough.",
    forgives("POST /v2/batches/*/schedule", 1001, 200, () => ({ status: "scheduled" })),
  ),
  m(
    "BATCH-STATUS-P1",
    "dispatched is called in_progress.",
    row(
      ["GET /v2/batches", "GET /v2/batches/*", "GET /v2/campaigns/*/batches"],
      where(is("status", "dispatched"), set("status", "in_progress")),
    ),
  ),
  m("BATCH-STATUS-P3", "A stop completes the batch.", row(["POST /v2/batches/*/stop"], set("status", "completed"))),
  m(
    "BATCH-STATUS-P4",
    "Pausing twice is 409.",
    fresh(() => {
      const seen = new Set<string>()
      return answers("POST /v2/batches/*/pause", (r, a) => {
        if (r.status !== 200) return r
        const again = seen.has(a.path)
        seen.add(a.path)
        return again ? failing(r, 1201, 409) : r
      })
    }),
  ),
  m(
    "CAMPAIGN-STATUS-P3",
    "A resume of the campaign resumes batches paused for themselves.",
    fresh(() => {
      const own = new Set<string>()
      return together(
        answers("POST /v2/batches/*/pause", (r, a) => {
          own.add(a.path.split("/")[3] ?? "")
          return r
        }),
        row(
          ["GET /v2/batches/*", "GET /v2/campaigns/*/batches"],
          where((r) => own.has(textOf(r["batch_id"])) && r["status"] === "paused", set("status", "in_progress")),
        ),
      )
    }),
  ),
  m(
    "CAMPAIGN-PATCH-P1",
    "A PATCH of retry_policy clears what it does not name.",
    asks("PATCH /v2/campaigns/*", (j) =>
      isObject(j["retry_policy"])
        ? { ...j, retry_policy: { base_delay_minutes: 15, cooldown_minutes: 0, max_retries: 3, ...j["retry_policy"] } }
        : j,
    ),
  ),
]

/** Contacts whose call ended so are given up. */
function noRetry(status: string) {
  return writes((change) =>
    change.put === "contact" && change.row.status === "retry_scheduled" && change.row.last_status === status
      ? { ...change, row: { ...change.row, status: "failed", eligible_at: null } }
      : change,
  )
}

const events = [
  m(
    "EXPERIMENT-ASSIGN-P1",
    "Retries are drawn anew.",
    row(
      calls,
      where(
        (r) => Number(r["retry_count"]) > 0 && r["agent_id"] !== null,
        over("agent_id", (v) => `${textOf(v)}x`),
      ),
    ),
  ),
  m(
    "EXPERIMENT-ASSIGN-P2",
    "A control call names no experiment.",
    sends(where(is("ab_is_variant", false), set("ab_version_id", null))),
  ),
  m(
    "EXPERIMENT-STATUS-P4",
    "A concluded experiment is edited.",
    forgives("PATCH /v2/agents/*/versions/*", 1201, 200, () => ({})),
  ),
  m(
    "EXPERIMENT-STATUS-P5",
    "winner without an end is taken.",
    forgives(
      "PATCH /v2/agents/*/versions/*",
      1000,
      200,
      () => ({}),
      ({ json }) => "winner" in objectOf(json),
    ),
  ),
  m(
    "EXPERIMENT-STATUS-P6",
    "Two experiments of one agent are active.",
    forgives(["POST /v2/agents/*/versions", "PATCH /v2/agents/*/versions/*"], 1201, 200, () => ({ status: "active" })),
  ),
  m(
    "EXPERIMENT-STATUS-P7",
    "An end needs no winner.",
    forgives("PATCH /v2/agents/*/versions/*", 1002, 200, () => ({ status: "concluded" })),
  ),
  m(
    "EXPERIMENT-ROUTES-P3",
    "An active experiment is deleted.",
    forgives("DELETE /v2/agents/*/versions/*", 1201, 200, () => ({ deleted: true })),
  ),
  m("LEDGER-P1", "attempt_count is always 1.", row(ledger, set("attempt_count", 1))),
  c(
    "LEDGER-P1",
    "next_attempt_at is null while it is retried.",
    row(ledger, where(is("status", "retrying"), set("next_attempt_at", null))),
  ),
  m("LEDGER-P2", "event_id is ignored.", ignores("GET /v2/webhooks/deliveries", "event_id")),
  ...["event_type", "execution_id", "subscription_id", "status", "from_date", "to_date"].map((name) =>
    c("LEDGER-P2", `${name} is ignored.`, ignores("GET /v2/webhooks/deliveries", name)),
  ),
  m(
    "LEDGER-P3",
    "A redelivery has a new event_id.",
    body(
      "POST /v2/webhooks/deliveries/*/redeliver",
      over("event_id", (v) => `${textOf(v)}b`),
    ),
  ),
  c(
    "LEDGER-P3",
    "A redelivery keeps its delivery_id.",
    answers("POST /v2/webhooks/deliveries/*/redeliver", (r, a) =>
      r.status < 300 ? { ...r, json: { ...objectOf(r.json), delivery_id: a.path.split("/")[4] } } : r,
    ),
  ),
  m(
    "LEDGER-P4",
    "A stopped delivery has no message.",
    row(ledger, where(is("status", "failed"), set("error_message", null))),
  ),
  m(
    "LEDGER-P6",
    "attempts lack their time.",
    row(
      ledger,
      over("attempts", (v) => (Array.isArray(v) ? v.map((e: unknown) => cut("started_at")(objectOf(e), dummy)) : v)),
    ),
  ),
  m(
    "SUBSCRIPTION-P4",
    "Two defaults are taken.",
    forgives("POST /v2/webhooks", 1201, 201, () => ({})),
  ),
  m(
    "SUBSCRIPTION-P5",
    "event-subscriptions sets the first alone.",
    body("PATCH /v2/agents/*/event-subscriptions", (j) =>
      Array.isArray(j["data"]) ? { ...j, data: j["data"].slice(0, 1) } : j,
    ),
  ),
  m(
    "KEY-MINT-P3",
    "keys:write without a grant is 403.",
    recodes("POST /v2/api-keys", 1001, 1102, 403, ({ json }) => {
      const { scopes } = objectOf(json)
      return Array.isArray(scopes) && scopes.includes("keys:write")
    }),
  ),
  m(
    "KEY-REVOKE-P2",
    "An unknown key is 200.",
    forgives("DELETE /v2/api-keys/*", 1200, 200, () => ({ revoked: true })),
  ),
  m(
    "KEY-REVOKE-P3",
    "Revoking twice is 409.",
    fresh(() => {
      const seen = new Set<string>()
      return answers("DELETE /v2/api-keys/*", (r, a) => {
        const again = seen.has(a.path)
        if (r.status === 200) seen.add(a.path)
        return again ? failing(r, 1201, 409) : r
      })
    }),
  ),
  m(
    "CALL-CREATE-P5",
    "A call that the wallet refused leaves no record.",
    body("GET /v2/calls", (j) => {
      const { data } = j
      if (!Array.isArray(data)) return j
      const left = data.filter((each) => at(each, "status") !== "balance-low")
      return over("pagination.total", plus(left.length - data.length))({ ...j, data: left }, dummy)
    }),
  ),
  m(
    "CALL-CREATE-P6",
    "A call refused for want of a line leaves a record.",
    fresh(() => {
      let refused = 0
      return together(
        answers("POST /v2/calls", (r) => {
          if (r.status === 429) refused += 1
          return r
        }),
        body("GET /v2/calls", (j) => (refused > 0 ? over("pagination.total", plus(refused))(j, dummy) : j)),
      )
    }),
  ),
  m(
    "CALL-CREATE-P9",
    "A number of nobody is used.",
    answers("POST /v2/calls", (reply, { json }) =>
      objectOf(reply.json)["error"] === 1001 && "from_number" in objectOf(json)
        ? unplaced(reply, objectOf(json))
        : reply,
    ),
  ),
  m(
    "AGENT-STATUS-P3",
    "An archived agent comes back.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (asked.method !== "PATCH" || objectOf(reply.json)["error"] !== 1201) return reply
      const { json } = await next({ ...asked, method: "GET", json: undefined })
      const { status } = objectOf(asked.json)
      return status !== undefined && at(json, "status") === "ARCHIVED"
        ? made(reply, 200, { ...objectOf(json), status })
        : reply
    }),
  ),
  m(
    "AGENT-STATUS-P4",
    "deploy does nothing.",
    wire(
      () => async (asked, next) =>
        asked.path.endsWith("/deploy") && asked.method === "POST"
          ? next({ ...asked, method: "GET", path: asked.path.replace("/deploy", ""), json: undefined })
          : next(asked),
    ),
  ),
  m(
    "KB-ROUTES-P3",
    "A base in use is deleted.",
    forgives("DELETE /v2/knowledge-bases/*", 1201, 200, ({ path }) => ({
      deleted: true,
      collection: path.split("/")[3],
      record_id: "kb_x",
      uploads_removed: 0,
      vectors_removed: 0,
    })),
  ),
  m(
    "KB-QUERY-P1",
    "A query finds nothing.",
    rows("POST /v2/knowledge-bases/*/query", () => []),
  ),
  m(
    "KB-QUERY-P2",
    "An empty query is 200.",
    forgives("POST /v2/knowledge-bases/*/query", 1001, 200, () => ({ data: [] })),
  ),
]

export const readings = [...idempotency, ...accounts, ...campaigns, ...events]
