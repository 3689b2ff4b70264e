/** Mistakes with campaigns, their figures and their batches. */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  both,
  cut,
  dummy,
  failing,
  forgives,
  forms,
  fresh,
  has,
  headers,
  ignores,
  is,
  legs,
  made,
  over,
  plus,
  queries,
  recodes,
  refuses,
  restates,
  row,
  rows,
  secretly,
  set,
  textOf,
  together,
  where,
  wire,
  words,
  writes,
} from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const create = "POST /v2/campaigns"
const patch = "PATCH /v2/campaigns/*"
const edits = [create, patch]
const read = "GET /v2/campaigns/*"
const list = "GET /v2/campaigns"
const moves = "POST /v2/campaigns/*/*"
const campaigns = [create, patch, read, list, moves]
const reads = [read, list]
const stats = "GET /v2/campaigns/*/stats"
const batchesOf = "GET /v2/campaigns/*/batches"

/** Answers that a campaign was moved, and moves nothing. */
const onlySays = (how: "pause" | "cancel", status: string) =>
  wire(() => async (asked, next) => {
    if (asked.method !== "POST" || !asked.path.endsWith(`/${how}`) || !asked.path.startsWith("/v2/campaigns/"))
      return next(asked)
    const path = asked.path.slice(0, -how.length - 1)
    const reply = await next({ ...asked, method: "GET", path, json: undefined })
    return reply.status === 200 ? { ...reply, json: { ...objectOf(reply.json), status } } : reply
  })

/** After so many revives, a contact's first retry is the first of its budget again. */
function budgetAnew(revives = 1) {
  const revived = new Map<unknown, number>()
  const renewed = new Set<string>()
  return together(
    answers("POST /v2/campaigns/*/revive", (r) => {
      const id = at(r.json, "campaign_id")
      if (r.status === 200) revived.set(id, (revived.get(id) ?? 0) + 1)
      return r
    }),
    writes((change) => {
      if (change.put !== "contact" || change.row.retries_used === 0) return change
      const { campaign_id, contact_id } = change.row
      if ((revived.get(campaign_id) ?? 0) < revives || renewed.has(contact_id)) return change
      renewed.add(contact_id)
      return { ...change, row: { ...change.row, retries_used: 0 } }
    }),
  )
}

const batches = [
  "POST /v2/batches",
  "POST /v2/batches/upload",
  "GET /v2/batches",
  "GET /v2/batches/*",
  "POST /v2/batches/*/*",
  batchesOf,
]
const calls = ["GET /v2/calls", "GET /v2/calls/*", "GET /v2/agents/*/executions", "GET /v2/batches/*/executions"]
const emptyPage = { data: [], pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false } }
const limitOf = (route: string, limit: number) => headers(route, (h) => h.set("x-ratelimit-limit", String(limit)))
const hidden = (path: string, change: (value: unknown) => unknown) =>
  secretly(edits, ["GET|POST /v2/campaigns**"], "campaign_id", path, change)
const ended = (r: JsonObject) => ["completed", "cancelled", "expired", "archived"].includes(textOf(r["status"]))
const sentIs =
  (name: string, holds: (value: unknown) => boolean) =>
  ({ json }: { readonly json: unknown }) =>
    name in objectOf(json) && holds(objectOf(json)[name])

const csv =
  (change: (text: string) => string) =>
  async (form: FormData): Promise<void> => {
    const file = form.get("file")
    if (file instanceof Blob)
      form.set("file", new Blob([change(await file.text())], { type: "text/csv" }), "contacts.csv")
  }
/** Changes the text of an uploaded file. */
export const csvOf = (change: (text: string) => string) =>
  forms(["POST /v2/campaigns", "POST /v2/batches/upload"], csv(change))
const head = (change: (line: string) => string) => (text: string) => {
  const [first = "", ...rest] = text.split("\n")
  return [change(first), ...rest].join("\n")
}

const fields = [
  m(
    "CAMPAIGN-FIELD-1",
    "campaign_id is called id.",
    row(campaigns, ({ campaign_id, ...rest }) => ({ ...rest, id: campaign_id })),
  ),
  c(
    "CAMPAIGN-FIELD-1",
    "campaign_id of paused campaigns is a number.",
    row(campaigns, where(is("status", "paused"), set("campaign_id", 7))),
  ),
  m("CAMPAIGN-FIELD-2", "organization_id is missing.", row(campaigns, cut("organization_id"))),
  c(
    "CAMPAIGN-FIELD-2",
    "organization_id on lists is that of the campaign.",
    row(list, (r) => ({ ...r, organization_id: 7 })),
  ),
  each(
    "CAMPAIGN-FIELD-3 CONSTANT-9",
    "Names of 201 characters are cut.",
    asks(
      edits,
      over("name", (v) => (typeof v === "string" ? v.slice(0, 200) : v)),
    ),
  ),
  each(
    "CAMPAIGN-FIELD-3 CONSTANT-9",
    "Names of 200 characters are refused.",
    refuses(
      edits,
      sentIs("name", (v) => textOf(v).length === 200),
      1001,
      422,
    ),
  ),
  c(
    "CAMPAIGN-FIELD-3",
    "An empty name on PATCH is ignored.",
    asks(patch, (j) => (j["name"] === "" ? { ...cut("name")(j, dummy), metadata: {} } : j)),
  ),
  c(
    "CONSTANT-9",
    "An empty name is a default.",
    asks(create, (j) => (j["name"] === "" ? { ...j, name: "Campaign" } : j)),
  ),
  m(
    "CAMPAIGN-FIELD-4",
    "A foreign agent is taken.",
    forgives(create, 1200, 201, () => ({ campaign_id: "cmp_x", status: "created" })),
  ),
  c(
    "CAMPAIGN-FIELD-4",
    "On PATCH a foreign agent is taken.",
    forgives(
      patch,
      1200,
      200,
      () => ({ campaign_id: "cmp_x" }),
      (a) => "agent_id" in objectOf(a.json),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-5",
    "A number that is not registered is dropped.",
    forgives(
      create,
      1001,
      201,
      () => ({ campaign_id: "cmp_x" }),
      (a) => "phone_numbers" in objectOf(a.json),
    ),
  ),
  c(
    "CAMPAIGN-FIELD-5",
    "On PATCH any number is taken.",
    forgives(
      patch,
      1001,
      200,
      () => ({ campaign_id: "cmp_x" }),
      (a) => "phone_numbers" in objectOf(a.json),
    ),
  ),
  c(
    "CAMPAIGN-FIELD-5",
    "Of two numbers the first calls alone.",
    asks(
      edits,
      over("phone_numbers", (v) => (Array.isArray(v) ? v.slice(0, 1) : v)),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-6",
    "Without numbers the first is used alone.",
    together(
      row(
        calls,
        where(
          has("campaign_id"),
          over("from_number", () => "+15550000001"),
        ),
      ),
      legs(where(has("campaign_id"), set("from_number", "+15550000001"))),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-7",
    "The default strategy is least_loaded.",
    row(campaigns, set("phone_number_strategy", "least_loaded")),
  ),
  c(
    "CAMPAIGN-FIELD-7",
    "random is unknown.",
    refuses(
      edits,
      sentIs("phone_number_strategy", (v) => v === "random"),
      1001,
      422,
    ),
  ),
  c("CAMPAIGN-FIELD-7", "least_loaded is lost on PATCH.", asks(patch, cut("phone_number_strategy"))),
  m("CAMPAIGN-FIELD-8", "phone_number_index is always 0.", row(campaigns, set("phone_number_index", 0))),
  c("CAMPAIGN-FIELD-8", "phone_number_index of a new campaign is 1.", row(create, set("phone_number_index", 1))),
  m(
    "CAMPAIGN-FIELD-9",
    "The default zone is New York.",
    asks(create, (j) => ({ timezone: "America/New_York", ...j })),
  ),
  c(
    "CAMPAIGN-FIELD-9",
    "Zones are shown as offsets.",
    row(
      campaigns,
      over("timezone", (v) => (v === "UTC" ? v : "+05:30")),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-10",
    "Working hours are enforced by default.",
    asks(create, (j) => ({ working_hours_enforced: true, ...j })),
  ),
  c(
    "CAMPAIGN-FIELD-10",
    "working_hours_enforced cannot be turned on later.",
    asks(patch, cut("working_hours_enforced")),
  ),
  m(
    "CAMPAIGN-FIELD-11",
    "Days are shown with capitals.",
    row(
      campaigns,
      over("working_hours", (v) =>
        Object.fromEntries(Object.entries(objectOf(v)).map(([k, e]) => [k.charAt(0).toUpperCase() + k.slice(1), e])),
      ),
    ),
  ),
  c(
    "CAMPAIGN-FIELD-11",
    "enabled: false of a day is ignored.",
    hidden("working_hours", (v) =>
      Object.fromEntries(Object.entries(objectOf(v)).map(([k, e]) => [k, isObject(e) ? { ...e, enabled: true } : e])),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-12",
    "Omitted days are open.",
    hidden("working_hours", (v) => ({
      ...Object.fromEntries(
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((d) => [
          d,
          { start: "00:00", end: "23:59", enabled: true },
        ]),
      ),
      ...objectOf(v),
    })),
  ),
  c(
    "CAMPAIGN-FIELD-12",
    "An omitted Saturday and Sunday are open.",
    hidden("working_hours", (v) => ({
      ...Object.fromEntries(["saturday", "sunday"].map((d) => [d, { start: "00:00", end: "23:59", enabled: true }])),
      ...objectOf(v),
    })),
  ),
  m(
    "CAMPAIGN-FIELD-13",
    "10001 lines are cut.",
    asks(
      edits,
      over("max_concurrent_calls", (v) => (typeof v === "number" ? Math.min(10_000, v) : v)),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-13",
    "10000 lines are refused.",
    refuses(
      edits,
      sentIs("max_concurrent_calls", (v) => v === 10_000),
      1001,
      422,
    ),
  ),
  c(
    "CAMPAIGN-FIELD-13",
    "0 lines are none on PATCH.",
    asks(patch, (j) => (j["max_concurrent_calls"] === 0 ? { ...j, max_concurrent_calls: null } : j)),
  ),
  m(
    "CAMPAIGN-FIELD-14",
    "A ceiling of a campaign is ignored.",
    hidden("max_concurrent_calls", () => null),
  ),
  c(
    "CAMPAIGN-FIELD-14",
    "A ceiling of a campaign set later is ignored.",
    secretly(patch, ["GET|POST /v2/campaigns**"], "campaign_id", "max_concurrent_calls", () => null),
  ),
  m("CAMPAIGN-FIELD-15", "retry_policy.cooldown_minutes is lost.", asks(edits, cut("retry_policy.cooldown_minutes"))),
  c(
    "CAMPAIGN-FIELD-15",
    "A PATCH of max_retries clears the delay.",
    asks(patch, (j) =>
      isObject(j["retry_policy"])
        ? {
            ...j,
            retry_policy: {
              max_retries: 3,
              strategy: "fixed_delay",
              cooldown_minutes: 0,
              base_delay_minutes: 15,
              max_delay_minutes: 1440,
              respect_working_hours: true,
              ...j["retry_policy"],
            },
          }
        : j,
    ),
  ),
  m(
    "CAMPAIGN-FIELD-16",
    "The default is two retries.",
    asks(create, (j) => (isObject(j["retry_policy"]) ? j : { ...j, retry_policy: { max_retries: 2 } })),
  ),
  c(
    "CAMPAIGN-FIELD-16",
    "The default delay beside a max_retries is 30 minutes.",
    asks(create, (j) =>
      isObject(j["retry_policy"]) ? { ...j, retry_policy: { base_delay_minutes: 30, ...j["retry_policy"] } } : j,
    ),
  ),
  c(
    "CAMPAIGN-FIELD-16",
    "The default is not to respect working hours.",
    asks(create, (j) => ({ ...j, retry_policy: { respect_working_hours: false, ...objectOf(j["retry_policy"]) } })),
  ),
  m(
    "CAMPAIGN-FIELD-17",
    "max_retries counts the first attempt.",
    hidden("retry_policy.max_retries", (v) => Math.max(0, Number(v) - 1)),
  ),
  c(
    "CAMPAIGN-FIELD-17",
    "max_retries: 0 retries once.",
    hidden("retry_policy.max_retries", (v) => (v === 0 ? 1 : v)),
  ),
  m(
    "CAMPAIGN-FIELD-18",
    "fixed_delay is unknown.",
    refuses(edits, ({ json }) => at(json, "retry_policy.strategy") === "fixed_delay", 1001, 422),
  ),
  c(
    "CAMPAIGN-FIELD-18",
    "The default strategy is shown as fixed.",
    row(campaigns, where(is("retry_policy.strategy", "fixed_delay"), set("retry_policy.strategy", "fixed"))),
  ),
  m("CAMPAIGN-FIELD-19", "follow_up_prompt is lost.", asks(edits, cut("follow_up_policy.follow_up_prompt"))),
  c(
    "CAMPAIGN-FIELD-19",
    "next_working_day_only is lost on PATCH.",
    asks(patch, cut("follow_up_policy.next_working_day_only")),
  ),
  c(
    "CAMPAIGN-FIELD-19",
    "after_retries_exhausted is unknown.",
    refuses(
      edits,
      ({ json }) => textOf(at(json, "follow_up_policy.triggers") ?? "").includes("after_retries_exhausted"),
      1001,
      422,
    ),
  ),
  m(
    "CAMPAIGN-FIELD-20",
    "Follow-ups are on by default.",
    asks(create, (j) => ({ ...j, follow_up_policy: { enabled: true, ...objectOf(j["follow_up_policy"]) } })),
  ),
  c(
    "CAMPAIGN-FIELD-20",
    "A follow-up policy without enabled is on.",
    asks(create, (j) =>
      isObject(j["follow_up_policy"]) ? { ...j, follow_up_policy: { enabled: true, ...j["follow_up_policy"] } } : j,
    ),
  ),
  m("CAMPAIGN-FIELD-21", "transliteration.fields is lost.", row(campaigns, cut("transliteration.fields"))),
  c("CAMPAIGN-FIELD-21", "keep_original is lost.", asks(edits, cut("transliteration.keep_original"))),
  m(
    "CAMPAIGN-FIELD-22",
    "A later upload is not transliterated.",
    fresh(() => {
      let later = 0
      return together(
        answers(["POST /v2/batches", "POST /v2/batches/upload", "POST /v2/campaigns/*/contacts"], (r) => {
          later += 1
          return r
        }),
        row(calls, (r) =>
          later > 0 && has("campaign_id")(r, dummy)
            ? over("variables", (v) => Object.fromEntries(Object.keys(objectOf(v)).map((k) => [k, "original"])))(
                r,
                dummy,
              )
            : r,
        ),
      )
    }),
  ),
  c(
    "CAMPAIGN-FIELD-22",
    "Retries carry the original.",
    row(
      calls,
      where(
        (r) => Number(r["retry_count"]) > 0,
        over("variables", () => ({})),
      ),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-23",
    "end_time is shown as it was sent.",
    fresh(() => {
      const sent = new Map<unknown, unknown>()
      return together(
        answers(create, (r, a) => {
          if ("end_time" in objectOf(a.json)) sent.set(objectOf(r.json)["campaign_id"], objectOf(a.json)["end_time"])
          return r
        }),
        row(campaigns, (r) => (sent.has(r["campaign_id"]) ? { ...r, end_time: sent.get(r["campaign_id"]) } : r)),
      )
    }),
  ),
  c(
    "CAMPAIGN-FIELD-23",
    "A start_time without an offset is taken.",
    asks(
      edits,
      over("start_time", (v) => (/T[\d:.]+$/.test(textOf(v)) ? `${textOf(v)}Z` : v)),
    ),
  ),
  c(
    "CAMPAIGN-FIELD-23",
    "The offset of an end_time on PATCH is dropped.",
    asks(
      patch,
      over("end_time", (v) => textOf(v).replace(/[+-]\d\d:\d\d$/, "Z")),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-24",
    "start_time is ignored.",
    hidden("start_time", () => null),
  ),
  c(
    "CAMPAIGN-FIELD-24",
    "A start_time with an offset is an hour early.",
    asks(
      create,
      over("start_time", (v) =>
        /[+-]\d\d:\d\d$/.test(textOf(v)) ? new Date(Date.parse(textOf(v)) - 3_600_000).toISOString() : v,
      ),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-25",
    "end_time is ignored.",
    hidden("end_time", () => null),
  ),
  c(
    "CAMPAIGN-FIELD-25",
    "Retries are made after the end.",
    hidden("end_time", (v) => new Date(Date.parse(textOf(v)) + 86_400_000).toISOString()),
  ),
  m(
    "CAMPAIGN-FIELD-26",
    "After its end a campaign is completed.",
    row(campaigns, where(is("status", "expired"), set("status", "completed"))),
  ),
  c(
    "CAMPAIGN-FIELD-26",
    "A paused campaign does not expire.",
    fresh(() => {
      const paused = new Set<unknown>()
      return row(campaigns, (r) => {
        if (r["status"] === "paused") paused.add(r["campaign_id"])
        return r["status"] === "expired" && paused.has(r["campaign_id"]) ? { ...r, status: "paused" } : r
      })
    }),
  ),
  m(
    "CAMPAIGN-FIELD-27",
    "default_call_variables are lost.",
    hidden("default_call_variables", () => ({})),
  ),
  c(
    "CAMPAIGN-FIELD-27",
    "On a shared key the default wins.",
    fresh(() =>
      asks(create, (j) =>
        isObject(j["default_call_variables"]) && Array.isArray(j["contacts"])
          ? {
              ...j,
              contacts: j["contacts"].map((e: unknown) => ({
                ...objectOf(e),
                ...objectOf(j["default_call_variables"]),
              })),
            }
          : j,
      ),
    ),
  ),
  m("CAMPAIGN-FIELD-28", "default_call_context is lost.", row(campaigns, set("default_call_context", {}))),
  c(
    "CAMPAIGN-FIELD-28",
    "Lists in default_call_context are refused.",
    refuses(
      edits,
      ({ json }) => Object.values(objectOf(objectOf(json)["default_call_context"])).some(Array.isArray),
      1001,
      422,
    ),
  ),
  m("CAMPAIGN-FIELD-29", "status is missing.", row(campaigns, cut("status"))),
  c(
    "CAMPAIGN-FIELD-29",
    "status of a campaign is shown in capitals on lists.",
    row(
      list,
      over("status", (v) => textOf(v).toUpperCase()),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-30",
    "metadata is flattened to text.",
    row(
      campaigns,
      over("metadata", (v) => Object.fromEntries(Object.entries(objectOf(v)).map(([k, e]) => [k, textOf(e)]))),
    ),
  ),
  c(
    "CAMPAIGN-FIELD-30",
    "metadata is cleared by a PATCH of the name.",
    fresh(() => {
      const named = new Set<string>()
      return together(
        answers(patch, (r, a) => {
          if ("name" in objectOf(a.json)) named.add(a.path.split("/")[3] ?? "")
          return r
        }),
        row(
          campaigns,
          where((r) => named.has(textOf(r["campaign_id"])), set("metadata", {})),
        ),
      )
    }),
  ),
  m("CAMPAIGN-FIELD-31", "batch_id is null.", row(create, set("batch_id", null))),
  c(
    "CAMPAIGN-FIELD-31",
    "batch_id names no batch.",
    row(
      create,
      over("batch_id", (v) => `${textOf(v)}x`),
    ),
  ),
  m(
    "CAMPAIGN-FIELD-32",
    "batch_id is shown on reads.",
    fresh(() => {
      let last: unknown = null
      return together(
        row(create, (r) => {
          last = r["batch_id"]
          return r
        }),
        row(read, (r) => ({ ...r, batch_id: last ?? "bat_x" })),
      )
    }),
  ),
  c("CAMPAIGN-FIELD-32", "batch_id is shown on lists.", row(list, set("batch_id", "bat_x"))),
  m(
    "CAMPAIGN-FIELD-33",
    "total_contacts is null without contacts.",
    row(campaigns, (r) => (r["total_contacts"] === 0 ? { ...r, total_contacts: null } : r)),
  ),
  c(
    "CAMPAIGN-FIELD-33",
    "total_contacts counts the first upload alone.",
    fresh(() => {
      const first = new Map<unknown, unknown>()
      return row(campaigns, (r) => {
        if (!first.has(r["campaign_id"]) && Number(r["total_contacts"]) > 0)
          first.set(r["campaign_id"], r["total_contacts"])
        return { ...r, total_contacts: first.get(r["campaign_id"]) ?? r["total_contacts"] }
      })
    }),
  ),
  m("CAMPAIGN-FIELD-34", "total_batches is missing.", row(campaigns, cut("total_batches"))),
  c(
    "CAMPAIGN-FIELD-34",
    "active_batches counts those that are over.",
    row(reads, (r) => ({ ...r, active_batches: r["total_batches"] })),
  ),
  m(
    "CAMPAIGN-FIELD-35",
    "completed_contacts counts calls.",
    row(reads, (r) => ({ ...r, completed_contacts: Number(r["completed_calls"]) + Number(r["follow_up_calls"]) })),
  ),
  c(
    "CAMPAIGN-FIELD-35",
    "completed_contacts counts those that failed too.",
    row(reads, (r) => ({ ...r, completed_contacts: Number(r["completed_contacts"]) + Number(r["failed_calls"]) })),
  ),
  m("CAMPAIGN-FIELD-36", "busy_calls is missing.", row(campaigns, cut("busy_calls"))),
  c(
    "CAMPAIGN-FIELD-36",
    "busy calls count among the failed.",
    row(reads, (r) => ({ ...r, failed_calls: Number(r["failed_calls"]) + Number(r["busy_calls"]), busy_calls: 0 })),
  ),
  c("CAMPAIGN-FIELD-36", "in_progress_calls is always 0.", row(reads, set("in_progress_calls", 0))),
  c("CAMPAIGN-FIELD-36", "follow_up_exhausted is always 0.", row(reads, set("follow_up_exhausted", 0))),
  c("CAMPAIGN-FIELD-36", "follow_up_calls is always 0.", row(reads, set("follow_up_calls", 0))),
  m(
    "CAMPAIGN-FIELD-37",
    "Voicemails do not count among no_answer_calls.",
    row(reads, (r) => ({ ...r, no_answer_calls: Number(r["no_answer_calls"]) - Number(r["voicemail_calls"]) })),
  ),
  c("CAMPAIGN-FIELD-37", "voicemail_calls is always 0.", row(reads, set("voicemail_calls", 0))),
  m("CAMPAIGN-FIELD-38", "updated_at is missing.", row(campaigns, cut("updated_at"))),
  c(
    "CAMPAIGN-FIELD-38",
    "updated_at does not move.",
    row(campaigns, (r) => ({ ...r, updated_at: r["created_at"] })),
  ),
  m(
    "CAMPAIGN-FIELD-39",
    "Stored counters stay as they were first.",
    fresh(() => {
      const first = new Map<unknown, JsonObject>()
      return row(reads, (r) => {
        const id = r["campaign_id"]
        if (!first.has(id)) first.set(id, r)
        return {
          ...r,
          completed_calls: first.get(id)?.["completed_calls"],
          failed_calls: first.get(id)?.["failed_calls"],
          no_answer_calls: first.get(id)?.["no_answer_calls"],
        }
      })
    }),
  ),
]

const outcome = (name: string, change: (old: unknown) => unknown) => body(stats, over(`outcome_counts.${name}`, change))

const figures = [
  m(
    "STATS-1",
    "Stats are those of the first read.",
    fresh(() => {
      const first = new Map<string, JsonObject>()
      return body(stats, (j, a) => {
        if (!first.has(a.path)) first.set(a.path, j)
        return first.get(a.path) ?? j
      })
    }),
  ),
  c(
    "STATS-1",
    "While calls are live the stats tell none.",
    body(stats, (j) =>
      Number(j["in_flight_contacts"]) > 0
        ? {
            ...j,
            in_flight_contacts: 0,
            outcome_counts: {
              ...objectOf(j["outcome_counts"]),
              in_flight: 0,
              pending: Number(at(j, "outcome_counts.pending")) + Number(at(j, "outcome_counts.in_flight")),
            },
          }
        : j,
    ),
  ),
  ...["campaign_id", "status", "timezone", "working_hours_enforced", "start_time", "end_time", "total_contacts"].map(
    (name, i) => (i === 0 ? m : c)("STATS-2", `${name} is missing.`, body(stats, cut(name))),
  ),
  m(
    "STATS-3",
    "contacts_dialled counts dials.",
    body(stats, (j) => ({ ...j, contacts_dialled: j["total_call_attempts"] })),
  ),
  c(
    "STATS-3",
    "contacts_dialled counts those that wait.",
    body(stats, (j) => ({ ...j, contacts_dialled: j["total_contacts"] })),
  ),
  m("STATS-4", "in_flight_contacts is always 0.", body(stats, set("in_flight_contacts", 0))),
  c(
    "STATS-4",
    "in_flight_contacts counts pending retries.",
    body(stats, (j) => ({
      ...j,
      in_flight_contacts: Number(j["in_flight_contacts"]) + Number(at(j, "outcome_counts.pending")),
    })),
  ),
  m("STATS-5", "outcome_counts.total is missing.", body(stats, cut("outcome_counts.total"))),
  c(
    "STATS-5",
    "outcome_counts of an empty campaign is empty.",
    body(stats, where(is("total_contacts", 0), set("outcome_counts", {}))),
  ),
  m("STATS-6", "contact_counts.in_progress is always 0.", body(stats, set("contact_counts.in_progress", 0))),
  c(
    "STATS-6",
    "contact_counts.failed counts completed ones.",
    body(stats, (j) =>
      set("contact_counts.failed", Number(at(j, "contact_counts.failed")) + Number(at(j, "contact_counts.completed")))(
        j,
        dummy,
      ),
    ),
  ),
  m("STATS-7", "batch_counts is a number.", body(stats, set("batch_counts", 1))),
  c(
    "STATS-7",
    "batch_counts counts every batch as completed.",
    body(stats, (j) => ({
      ...j,
      batch_counts: {
        completed: Object.values(objectOf(j["batch_counts"])).reduce<number>((a, b) => a + Number(b), 0),
      },
    })),
  ),
  m("STATS-8", "call_counters lacks voicemail_calls.", body(stats, cut("call_counters.voicemail_calls"))),
  c("STATS-8", "call_counters.busy_calls is always 0.", body(stats, set("call_counters.busy_calls", 0))),
  c(
    "STATS-8",
    "call_counters.completed_calls counts follow-ups out.",
    body(stats, (j) =>
      set(
        "call_counters.completed_calls",
        Math.max(0, Number(at(j, "call_counters.completed_calls")) - Number(at(j, "call_counters.follow_up_calls"))),
      )(j, dummy),
    ),
  ),
  m(
    "STATS-9",
    "retry_breakdown counts from 1.",
    body(
      stats,
      over("retry_breakdown", (v) =>
        Object.fromEntries(Object.entries(objectOf(v)).map(([k, n]) => [String(Number(k) + 1), n])),
      ),
    ),
  ),
  c(
    "STATS-9",
    "retry_breakdown counts follow-ups.",
    body(stats, (j) =>
      Number(j["follow_up_attempts"]) > 0
        ? {
            ...j,
            retry_breakdown: {
              ...objectOf(j["retry_breakdown"]),
              "0": Number(at(j, "retry_breakdown.0") ?? 0) + Number(j["follow_up_attempts"]),
            },
          }
        : j,
    ),
  ),
  m("STATS-10", "follow_up_attempts is always 0.", body(stats, set("follow_up_attempts", 0))),
  c(
    "STATS-10",
    "follow_up_attempts counts retries.",
    body(stats, (j) => ({
      ...j,
      follow_up_attempts: Number(j["follow_up_attempts"] ?? 0) + Number(at(j, "retry_breakdown.1") ?? 0),
    })),
  ),
  m(
    "STATS-11",
    "total_call_attempts leaves retries out.",
    body(stats, (j) => ({ ...j, total_call_attempts: j["contacts_dialled"] })),
  ),
  c(
    "STATS-11",
    "total_call_attempts leaves follow-ups out.",
    body(stats, (j) => ({
      ...j,
      total_call_attempts: Number(j["total_call_attempts"]) - Number(j["follow_up_attempts"] ?? 0),
    })),
  ),
  m("STATS-12", "retry_policy is missing.", body(stats, cut("retry_policy"))),
  c(
    "STATS-12",
    "retry_policy of a campaign that gave one is the default.",
    body(
      stats,
      over("retry_policy.max_retries", () => 3),
    ),
  ),
  m(
    "STATS-13",
    "A contact in flight is pending too.",
    body(stats, (j) =>
      set(
        "outcome_counts.pending",
        Number(at(j, "outcome_counts.pending")) + Number(at(j, "outcome_counts.in_flight")),
      )(j, dummy),
    ),
  ),
  c(
    "STATS-13",
    "A failed contact is pending too.",
    body(stats, (j) =>
      set("outcome_counts.pending", Number(at(j, "outcome_counts.pending")) + Number(at(j, "outcome_counts.failed")))(
        j,
        dummy,
      ),
    ),
  ),
  m(
    "STATS-14",
    "total leaves pending ones out.",
    outcome("total", (v) => Math.max(0, Number(v) - 1)),
  ),
  c(
    "STATS-14",
    "total counts calls where there were retries.",
    body(stats, (j) =>
      Number(at(j, "retry_breakdown.1") ?? 0) > 0 ? set("outcome_counts.total", j["total_call_attempts"])(j, dummy) : j,
    ),
  ),
  m(
    "STATS-15",
    "completed falls when a follow-up fails.",
    body(stats, (j) => (Number(j["follow_up_attempts"]) > 0 ? set("outcome_counts.completed", 0)(j, dummy) : j)),
  ),
  c(
    "STATS-15",
    "completed is 0 once the campaign is cancelled.",
    body(stats, where(is("status", "cancelled"), set("outcome_counts.completed", 0))),
  ),
  m(
    "STATS-16",
    "A folded leg counts twice.",
    body(stats, (j) => ({ ...j, total_call_attempts: Number(j["total_call_attempts"]) * 2 })),
  ),
  c(
    "STATS-16",
    "A report that comes twice counts twice.",
    body(
      stats,
      over("call_counters.completed_calls", (v) => Number(v) * 2),
    ),
  ),
]

const move = (name: string) => `POST /v2/campaigns/*/${name}`
const shownBatch = (from: string, to: string) =>
  row(["GET /v2/batches", "GET /v2/batches/*", batchesOf], where(is("status", from), set("status", to)))

const states = [
  m(
    "CAMPAIGN-STATUS-1",
    "cancelled has one l.",
    row(campaigns, where(is("status", "cancelled"), set("status", "canceled"))),
  ),
  c(
    "CAMPAIGN-STATUS-1",
    "expired campaigns are listed as completed.",
    row(list, where(is("status", "expired"), set("status", "completed"))),
  ),
  m("CAMPAIGN-STATUS-2", "A new campaign is active.", row(create, set("status", "active"))),
  c(
    "CAMPAIGN-STATUS-2",
    "A new campaign with a start_time is scheduled.",
    row(
      create,
      where((_, a) => "start_time" in objectOf(a.json), set("status", "scheduled")),
    ),
  ),
  m(
    "CAMPAIGN-STATUS-3",
    "A dialling campaign stays created.",
    row(reads, where(is("status", "active"), set("status", "created"))),
  ),
  c(
    "CAMPAIGN-STATUS-3",
    "A campaign is active before it dials.",
    row(
      reads,
      where(
        both(is("status", "created"), (r) => Number(r["total_contacts"]) > 0),
        set("status", "active"),
      ),
    ),
  ),
  m(
    "CAMPAIGN-STATUS-4",
    "A created campaign cannot be paused.",
    answers(move("pause"), (r) =>
      Number(objectOf(r.json)["completed_calls"]) === 0 && r.status === 200 ? failing(r, 1201, 409) : r,
    ),
  ),
  c(
    "CAMPAIGN-STATUS-4",
    "A pause is forgotten on read.",
    row(reads, where(is("status", "paused"), set("status", "active"))),
  ),
  m("CAMPAIGN-STATUS-5", "Batches of a paused campaign go on showing.", shownBatch("paused", "in_progress")),
  c(
    "CAMPAIGN-STATUS-5",
    "Scheduled batches of a paused campaign stay scheduled.",
    fresh(() => {
      const booked = new Set<unknown>()
      return row(
        ["GET /v2/batches", "GET /v2/batches/*", batchesOf, "POST /v2/batches", "POST /v2/batches/*/schedule"],
        (r) => {
          if (r["status"] === "scheduled") booked.add(r["batch_id"])
          return r["status"] === "paused" && booked.has(r["batch_id"]) ? { ...r, status: "scheduled" } : r
        },
      )
    }),
  ),
  c("CAMPAIGN-STATUS-5", "A paused campaign goes on dialling.", onlySays("pause", "paused")),
  m(
    "CAMPAIGN-STATUS-6",
    "A pause removes retries.",
    writes((change) =>
      change.put === "contact" && change.row.status === "retry_scheduled"
        ? { ...change, row: { ...change.row, status: "failed", eligible_at: null } }
        : change,
    ),
  ),
  c(
    "CAMPAIGN-STATUS-6",
    "After a pause contacts count as failed.",
    body(
      stats,
      where(is("status", "paused"), (j) => ({
        ...j,
        outcome_counts: { ...objectOf(j["outcome_counts"]), failed: at(j, "outcome_counts.pending"), pending: 0 },
      })),
    ),
  ),
  m(
    "CAMPAIGN-STATUS-7",
    "A pause hangs up connected calls.",
    fresh(() => {
      let isPaused = false
      return together(
        answers(move("pause"), (r) => {
          isPaused = r.status === 200
          return r
        }),
        row(
          calls,
          where((r) => isPaused && r["status"] === "completed", set("status", "stopped")),
        ),
      )
    }),
  ),
  m(
    "CAMPAIGN-STATUS-8",
    "Pausing twice is 409.",
    fresh(() => {
      const paused = new Set<string>()
      return answers(move("pause"), (r, a) => {
        if (paused.has(a.path)) return failing(r, 1201, 409)
        paused.add(a.path)
        return r
      })
    }),
  ),
  c(
    "CAMPAIGN-STATUS-8",
    "Pausing twice resumes.",
    wire(() => {
      const paused = new Set<string>()
      return async (asked, next) => {
        const isPause = asked.method === "POST" && asked.path.endsWith("/pause") && asked.path.includes("/campaigns/")
        if (isPause && paused.has(asked.path)) return next({ ...asked, path: asked.path.replace("/pause", "/resume") })
        if (isPause) paused.add(asked.path)
        return next(asked)
      }
    }),
  ),
  m(
    "CAMPAIGN-STATUS-9",
    "A second pause leaves the batches that run.",
    wire(() => {
      const paused = new Set<string>()
      return async (asked, next) => {
        const isPause = asked.method === "POST" && /campaigns\/[^/]+\/pause$/.test(asked.path)
        if (isPause && paused.has(asked.path))
          return next({ ...asked, method: "GET", path: asked.path.replace("/pause", "") })
        if (isPause) paused.add(asked.path)
        return next(asked)
      }
    }),
  ),
  m("CAMPAIGN-STATUS-10", "A resumed campaign is created.", row(move("resume"), set("status", "created"))),
  c(
    "CAMPAIGN-STATUS-10",
    "A resumed campaign reads as paused.",
    fresh(() => {
      const resumed = new Set<string>()
      return together(
        answers(move("resume"), (r, a) => {
          resumed.add(a.path.split("/")[3] ?? "")
          return r
        }),
        row(
          read,
          where((r) => resumed.has(textOf(r["campaign_id"])) && r["status"] === "active", set("status", "paused")),
        ),
      )
    }),
  ),
  m(
    "CAMPAIGN-STATUS-11",
    "A resume leaves its batches paused.",
    fresh(() => {
      const paused = new Set<unknown>()
      return row(["GET /v2/batches", "GET /v2/batches/*", batchesOf], (r) => {
        if (r["status"] === "paused") paused.add(r["batch_id"])
        return paused.has(r["batch_id"]) ? { ...r, status: "paused" } : r
      })
    }),
  ),
  c(
    "CAMPAIGN-STATUS-11",
    "A resume of a campaign dials nothing.",
    wire(
      () => (asked, next) =>
        next(
          asked.method === "POST" && /campaigns\/[^/]+\/resume$/.test(asked.path)
            ? { ...asked, method: "GET", path: asked.path.replace("/resume", "") }
            : asked,
        ),
    ),
  ),
  m(
    "CAMPAIGN-STATUS-12",
    "A resume outside working hours dials.",
    hidden("working_hours", () =>
      Object.fromEntries(
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((d) => [
          d,
          { start: "00:00", end: "23:59", enabled: true },
        ]),
      ),
    ),
  ),
  m("CAMPAIGN-STATUS-13", "A cancelled campaign's batches stay paused.", shownBatch("cancelled", "paused")),
  c(
    "CAMPAIGN-STATUS-13",
    "A paused campaign cannot be cancelled.",
    fresh(() => {
      const paused = new Set<string>()
      return together(
        answers(move("pause"), (r, a) => {
          paused.add(a.path.split("/")[3] ?? "")
          return r
        }),
        answers(move("cancel"), (r, a) =>
          paused.has(a.path.split("/")[3] ?? "") && r.status === 200 ? failing(r, 1201, 409) : r,
        ),
      )
    }),
  ),
  m(
    "CAMPAIGN-STATUS-14",
    "Undialled contacts of a cancelled campaign are failed.",
    together(
      body(
        stats,
        where(is("status", "cancelled"), (j) => ({
          ...j,
          outcome_counts: {
            ...objectOf(j["outcome_counts"]),
            failed: Number(at(j, "outcome_counts.failed")) + Number(at(j, "outcome_counts.pending")),
            pending: 0,
          },
        })),
      ),
      row("GET /v2/campaigns/*/contacts", where(is("status", "skipped"), set("status", "failed"))),
    ),
  ),
  c("CAMPAIGN-STATUS-14", "A cancel goes on dialling what is scheduled.", onlySays("cancel", "cancelled")),
  m(
    "CAMPAIGN-STATUS-15",
    "Retries of a cancelled campaign stay.",
    row(
      "GET /v2/campaigns/*/contacts",
      where((r) => r["status"] === "skipped" && Number(r["attempts"]) > 0, set("status", "retry_scheduled")),
    ),
  ),
  m(
    "CAMPAIGN-STATUS-16",
    "A cancelled campaign resumes.",
    forgives(move("resume"), 1201, 200, () => ({ status: "active" })),
  ),
  m(
    "CAMPAIGN-STATUS-17",
    "A revive of a cancelled campaign re-queues nothing.",
    wire(
      () => (asked, next) =>
        next(
          asked.method === "POST" && asked.path.endsWith("/revive")
            ? { ...asked, method: "GET", path: asked.path.replace("/revive", "") }
            : asked,
        ),
    ),
  ),
  c(
    "CAMPAIGN-STATUS-17",
    "An expired campaign cannot be revived.",
    fresh(() => {
      const expired = new Set<string>()
      return together(
        row(reads, (r) => {
          if (r["status"] === "expired") expired.add(textOf(r["campaign_id"]))
          return r
        }),
        answers(move("revive"), (r, a) => (expired.has(a.path.split("/")[3] ?? "") ? failing(r, 1201, 409) : r)),
      )
    }),
  ),
  m(
    "CAMPAIGN-STATUS-18",
    "A revive resets what was completed.",
    fresh(() => {
      const revived = new Set<string>()
      return together(
        answers(move("revive"), (r, a) => {
          revived.add(a.path.split("/")[3] ?? "")
          return r
        }),
        body(
          stats,
          where((j) => revived.has(textOf(j["campaign_id"])), set("outcome_counts.completed", 0)),
        ),
      )
    }),
  ),
  m("CAMPAIGN-STATUS-19", "A revive gives the whole retry budget.", budgetAnew()),
  c("CAMPAIGN-STATUS-19", "The second revive of a campaign gives the whole retry budget.", budgetAnew(2)),
  m(
    "CAMPAIGN-STATUS-20",
    "A revive dials what a batch's stop had skipped.",
    fresh(() => {
      const revived = new Set<string>()
      return together(
        answers(move("revive"), (r, a) => {
          revived.add(a.path.split("/")[3] ?? "")
          return r
        }),
        row(
          "GET /v2/campaigns/*/contacts",
          where(
            (r, a) => revived.has(a.path.split("/")[3] ?? "") && r["status"] === "skipped",
            set("status", "pending"),
          ),
        ),
      )
    }),
  ),
  m(
    "CAMPAIGN-STATUS-21",
    "A deleted campaign cannot be read.",
    answers(read, (r) => (objectOf(r.json)["status"] === "archived" ? failing(r, 1200, 404) : r)),
  ),
  c(
    "CAMPAIGN-STATUS-21",
    "A deleted campaign reads as cancelled.",
    row(read, where(is("status", "archived"), set("status", "cancelled"))),
  ),
  each(
    "CAMPAIGN-STATUS-22 CAMPAIGN-DELETE-4",
    "Deleting twice is 404.",
    fresh(() => {
      const gone = new Set<string>()
      return answers("DELETE /v2/campaigns/*", (r, a) => {
        if (r.status === 204 && gone.has(a.path)) return failing(r, 1200, 404)
        if (r.status === 204) gone.add(a.path)
        return r
      })
    }),
  ),
  m(
    "CAMPAIGN-STATUS-23",
    "A campaign past its end is cancelled.",
    row(campaigns, where(is("status", "expired"), set("status", "cancelled"))),
  ),
  c(
    "CAMPAIGN-STATUS-23",
    "A campaign past its end is active on lists.",
    row(list, where(is("status", "expired"), set("status", "active"))),
  ),
  m(
    "CAMPAIGN-STATUS-24",
    "A later end does not re-activate.",
    fresh(() => {
      const expired = new Set<unknown>()
      return row(campaigns, (r) => {
        if (r["status"] === "expired") expired.add(r["campaign_id"])
        return expired.has(r["campaign_id"]) ? { ...r, status: "expired" } : r
      })
    }),
  ),
  ...(["completed", "expired", "cancelled", "archived"] as const).map((status, i) =>
    (i === 0 ? m : c)("CAMPAIGN-CONFLICT-1", `A campaign that is ${status} is paused.`, conflictless("pause", status)),
  ),
  ...(["cancelled", "completed", "expired", "archived"] as const).flatMap((status, i) => [
    (i === 0 ? m : c)("CAMPAIGN-CONFLICT-2", `A campaign that is ${status} resumes.`, conflictless("resume", status)),
    c("CAMPAIGN-CONFLICT-2", `A campaign that is ${status} is cancelled.`, conflictless("cancel", status)),
  ]),
  m(
    "CAMPAIGN-CONFLICT-3",
    "A running campaign is revived.",
    forgives(move("revive"), 1201, 200, () => ({ status: "active" })),
  ),
  c("CAMPAIGN-CONFLICT-3", "A paused campaign is revived.", conflictless("revive", "paused")),
  each(
    "CAMPAIGN-CONFLICT-4 CAMPAIGN-PATCH-3",
    "A cancelled campaign is edited.",
    forgives(patch, 1201, 200, () => ({ status: "cancelled" })),
  ),
  each("CAMPAIGN-CONFLICT-4 CAMPAIGN-PATCH-3", "Editing a cancelled campaign is 400.", recodes(patch, 1201, 1000, 400)),
  each(
    "CAMPAIGN-CONFLICT-5 CAMPAIGN-DELETE-3",
    "A running campaign is deleted.",
    forgives("DELETE /v2/campaigns/*", 1201, 204, () => undefined),
  ),
  each(
    "CAMPAIGN-CONFLICT-5 CAMPAIGN-DELETE-3",
    "Deleting a running campaign is 400.",
    recodes("DELETE /v2/campaigns/*", 1201, 1000, 400),
  ),
  m(
    "CAMPAIGN-CONFLICT-6",
    "A revive of an expired campaign extends its end.",
    fresh(() => {
      const revived = new Set<string>()
      return together(
        answers(move("revive"), (r, a) => {
          if (r.status === 200) revived.add(a.path.split("/")[3] ?? "")
          return r
        }),
        row(
          read,
          where((r) => revived.has(textOf(r["campaign_id"])) && r["status"] === "expired", set("status", "active")),
        ),
      )
    }),
  ),
]

/** A move that is a conflict in one status is made there. */
function conflictless(name: string, status: string) {
  return wire(() => async (asked, next) => {
    const reply = await next(asked)
    if (
      asked.method !== "POST" ||
      !asked.path.endsWith(`/${name}`) ||
      !asked.path.startsWith("/v2/campaigns/") ||
      reply.status !== 409
    )
      return reply
    const campaign = await next({
      ...asked,
      method: "GET",
      path: asked.path.slice(0, -name.length - 1),
      json: undefined,
      headers: new Headers(asked.headers),
    })
    return objectOf(campaign.json)["status"] === status ? campaign : reply
  })
}

const creating = [
  m("CAMPAIGN-CREATE-1", "Creating a campaign counts in default.", limitOf(create, 1000)),
  m(
    "CAMPAIGN-CREATE-2",
    "Contacts are loaded, and nothing dials.",
    asks(create, (j) => (Array.isArray(j["contacts"]) ? { ...j, start_time: "2099-01-01T00:00:00Z" } : j)),
  ),
  c(
    "CAMPAIGN-CREATE-2",
    "Contacts of a form are not transliterated.",
    forms(create, (form) => form.delete("transliteration")),
  ),
  c(
    "CAMPAIGN-CREATE-2",
    "Transliteration is only stored.",
    hidden("transliteration.enabled", () => false),
  ),
  m("CAMPAIGN-CREATE-3", "Creating a campaign is 200.", restates(create, 201, 200)),
  c(
    "CAMPAIGN-CREATE-3",
    "A campaign of a form is active.",
    row(
      create,
      where((_, { headers: h }) => (h.get("content-type") ?? "").startsWith("multipart"), set("status", "active")),
    ),
  ),
  m("CAMPAIGN-CREATE-4", "total_contacts of a new campaign is 0.", row(create, set("total_contacts", 0))),
  c(
    "CAMPAIGN-CREATE-4",
    "batch_id of a form is missing.",
    row(
      create,
      where((_, { headers: h }) => (h.get("content-type") ?? "").startsWith("multipart"), cut("batch_id")),
    ),
  ),
  m(
    "CAMPAIGN-CREATE-5",
    "A form is refused.",
    refuses(create, ({ headers: h }) => (h.get("content-type") ?? "").startsWith("multipart"), 1000, 400),
  ),
  m(
    "CAMPAIGN-CREATE-6",
    "Without contacts a campaign is refused.",
    refuses(create, ({ json }) => isObject(json) && !("contacts" in json), 1002, 400),
  ),
  c(
    "CAMPAIGN-CREATE-6",
    "Without contacts a campaign turns active.",
    row(reads, where(both(is("total_contacts", 0), is("status", "created")), set("status", "active"))),
  ),
  m(
    "CAMPAIGN-CREATE-7",
    "A campaign of an unknown agent is kept.",
    fresh(() => {
      let kept = 0
      return together(
        answers(create, (r) => {
          if (r.status === 404) kept += 1
          return r
        }),
        body(list, (j) =>
          kept > 0 && isObject(j["pagination"])
            ? {
                ...j,
                pagination: { ...j["pagination"], total: Number(j["pagination"]["total"]) + kept },
                data: [...[j["data"]].flat(), { campaign_id: "cmp_kept", name: "kept", status: "created" }],
              }
            : j,
        ),
      )
    }),
  ),
  m("CAMPAIGN-CREATE-8", "An unknown agent is 422.", recodes(create, 1200, 1001, 422)),
  c(
    "CAMPAIGN-CREATE-8",
    "An unknown agent of a form is 400.",
    recodes(create, 1200, 1000, 400, ({ headers: h }) => (h.get("content-type") ?? "").startsWith("multipart")),
  ),
  m(
    "CAMPAIGN-JSON-1",
    "name is optional.",
    asks(create, (j) => ({ name: "Unnamed", ...j })),
  ),
  c(
    "CAMPAIGN-JSON-1",
    "name of 200 characters with contacts is refused.",
    refuses(create, ({ json }) => textOf(objectOf(json)["name"]).length === 200, 1001, 422),
  ),
  m(
    "CAMPAIGN-JSON-2",
    "agent_id is 404 where it is left out.",
    recodes(create, 1002, 1200, 404, (a) => !("agent_id" in objectOf(a.json))),
  ),
  c(
    "CAMPAIGN-JSON-2",
    "An empty agent_id is 404.",
    recodes(create, 1001, 1200, 404, (a) => objectOf(a.json)["agent_id"] === ""),
  ),
  m(
    "CAMPAIGN-JSON-3",
    "phone_number is no alias.",
    refuses(
      create,
      ({ json }) => [objectOf(json)["contacts"]].flat().some((e) => "phone_number" in objectOf(e)),
      1001,
      422,
    ),
  ),
  c(
    "CAMPAIGN-JSON-3",
    "A number without a plus is taken.",
    asks(
      create,
      over("contacts", (v) =>
        Array.isArray(v)
          ? v.map((e: unknown) =>
              over("to_number", (n) => (/^\d{7,15}$/.test(textOf(n)) ? `+${textOf(n)}` : n))(objectOf(e), dummy),
            )
          : v,
      ),
    ),
  ),
  m(
    "CAMPAIGN-JSON-4",
    "Other keys of a contact are lost.",
    asks(
      create,
      over("contacts", (v) =>
        Array.isArray(v)
          ? v.map((e: unknown) => ({ to_number: objectOf(e)["to_number"] ?? objectOf(e)["phone_number"] }))
          : v,
      ),
    ),
  ),
  c(
    "CAMPAIGN-JSON-4",
    "Other keys of the second contact are the first's.",
    asks(
      create,
      over("contacts", (v) =>
        Array.isArray(v)
          ? v.map((e: unknown) => ({ ...objectOf(e), ...cut("to_number", "phone_number")(objectOf(v[0]), dummy) }))
          : v,
      ),
    ),
  ),
  m("CAMPAIGN-JSON-5", "max_concurrent_calls is lost.", asks(create, cut("max_concurrent_calls"))),
  ...[
    "phone_numbers",
    "phone_number_strategy",
    "timezone",
    "working_hours",
    "retry_policy",
    "follow_up_policy",
    "transliteration",
    "start_time",
    "end_time",
    "default_call_variables",
    "default_call_context",
    "metadata",
  ].map((name) => c("CAMPAIGN-JSON-5", `${name} is lost.`, asks(create, cut(name)))),
  m(
    "CAMPAIGN-CSV-1",
    "name of a form is not read.",
    refuses(
      create,
      ({ headers: h }) => (h.get("content-type") ?? "").startsWith("multipart"),
      1002,
      400,
      "Missing required parameter 'name'.",
    ),
  ),
  m(
    "CAMPAIGN-CSV-2",
    "The first row of a file is a contact.",
    csvOf((text) => {
      const [first = "", ...rest] = text.split("\n")
      return rest.length < 2 ? text : [first, ...rest.slice(1)].join("\n")
    }),
  ),
  c(
    "CAMPAIGN-CSV-2",
    "A file of Latin-1 letters is read as it is.",
    csvOf((text) => text.normalize("NFD").replaceAll(/[\u0080-\uffff]/g, "?")),
  ),
  ...["to_number", "phone_number", "phone", "mobile", "number", "msisdn"].map((name, i) =>
    (i === 0 ? m : c)(
      "CAMPAIGN-CSV-3",
      `${name} is no phone column.`,
      csvOf(
        head((line) =>
          line
            .split(",")
            .map((h) => (h.trim().toLowerCase() === name ? "other" : h))
            .join(","),
        ),
      ),
    ),
  ),
  c(
    "CAMPAIGN-CSV-3",
    "Headers are matched by case.",
    csvOf(
      head((line) =>
        line
          .split(",")
          .map((h) =>
            /[A-Z]/.test(h) &&
            ["to_number", "phone_number", "phone", "mobile", "number", "msisdn"].includes(h.trim().toLowerCase())
              ? "other"
              : h,
          )
          .join(","),
      ),
    ),
  ),
  m("CAMPAIGN-CSV-4", "Other columns are lost.", row(calls, where(has("campaign_id"), set("variables", {})))),
  c("CAMPAIGN-CSV-4", "Headers of variables are put into lower case.", csvOf(head((line) => line.toLowerCase()))),
  m("CAMPAIGN-CSV-5", "name is not mirrored.", row(calls, cut("variables.callee_name"))),
  c(
    "CAMPAIGN-CSV-5",
    "name is moved to callee_name.",
    row(calls, where(has("variables.callee_name"), cut("variables.name"))),
  ),
  m(
    "CAMPAIGN-CSV-6",
    "Settings of a form are lost.",
    forms(create, (form) => {
      for (const n of [
        "working_hours",
        "retry_policy",
        "follow_up_policy",
        "transliteration",
        "default_call_variables",
        "metadata",
      ])
        form.delete(n)
    }),
  ),
  ...["working_hours", "retry_policy", "follow_up_policy", "transliteration", "default_call_variables", "metadata"].map(
    (name) =>
      c(
        "CAMPAIGN-CSV-6",
        `${name} of a form is lost.`,
        forms(create, (form) => form.delete(name)),
      ),
  ),
  each(
    "CAMPAIGN-LIMITS-1 CONSTANT-10",
    "50,000 contacts are refused.",
    refuses(create, ({ json }) => [objectOf(json)["contacts"]].flat().length === 50_000, 1001, 422),
  ),
  each(
    "CAMPAIGN-LIMITS-1 CONSTANT-10",
    "50,001 contacts are cut.",
    asks(
      create,
      over("contacts", (v) => (Array.isArray(v) ? v.slice(0, 50_000) : v)),
    ),
  ),
  each(
    "CAMPAIGN-LIMITS-2 CONSTANT-11",
    "A file over 20 MB is taken.",
    forgives(
      create,
      1000,
      201,
      () => ({ campaign_id: "cmp_x" }),
      (_, r) => r.status === 413,
    ),
  ),
  c(
    "CAMPAIGN-LIMITS-2",
    "A file over 5 MB is refused.",
    refuses(create, ({ headers: h }) => Number(h.get("content-length") ?? 0) > 5 * 1024 * 1024, 1000, 413),
  ),
  m(
    "CAMPAIGN-LIMITS-3",
    "Numbers of 16 digits are taken.",
    asks(
      create,
      over("contacts", (v) =>
        Array.isArray(v)
          ? v.map((e: unknown) =>
              over("to_number", (n) => (/^\+\d{16,}$/.test(textOf(n)) ? textOf(n).slice(0, 16) : n))(
                objectOf(e),
                dummy,
              ),
            )
          : v,
      ),
    ),
  ),
  m(
    "CAMPAIGN-LIMITS-3",
    "Numbers of 7 digits are refused.",
    refuses(
      create,
      ({ json }) =>
        [objectOf(json)["contacts"]].flat().some((e) => /^\+\d{7}$/.test(textOf(objectOf(e)["to_number"] ?? ""))),
      1001,
      422,
    ),
  ),
  c(
    "CAMPAIGN-LIMITS-3",
    "Numbers of 6 digits in a file are taken.",
    csvOf((text) => text.replaceAll(/(^|,)(\+?\d{6})(?=,|\r?\n|$)/gm, "$1$20")),
  ),
  c(
    "CAMPAIGN-LIMITS-3",
    "Numbers of 15 digits in a file are refused.",
    csvOf((text) => text.replaceAll(/(\+\d{15})(?!\d)/g, "$10")),
  ),
  m(
    "CAMPAIGN-LIMITS-4",
    "Bad rows are skipped.",
    forgives(create, 1001, 201, () => ({ campaign_id: "cmp_x", total_contacts: 1 })),
  ),
  c(
    "CAMPAIGN-LIMITS-4",
    "The first bad row alone is named.",
    words(create, 1001, (t) => t.replace(/(\d+)(, ?\d+| and \d+)+/, "$1")),
  ),
  each(
    "CAMPAIGN-LIMITS-5 CONSTANT-13",
    "Ten bad rows are named.",
    words(create, 1001, (t) => {
      let n = 0
      return t.replaceAll(/(, |and )?\b\d+\b/g, (x) => ((n += 1) <= 10 ? x : ""))
    }),
  ),
  each(
    "CAMPAIGN-LIMITS-5 CONSTANT-13",
    "All bad rows are named.",
    words(create, 1001, (t) =>
      /\d+, \d+/.test(t)
        ? t.replace(/(\d+)(?!.*\d)/, `$1, ${Array.from({ length: 30 }, (_, i) => 100 + i).join(", ")}`)
        : t,
    ),
  ),
  m(
    "CAMPAIGN-LIMITS-6",
    "Lines are counted from the first row of data.",
    words(create, 1001, (t) => (/line|row/i.test(t) ? t.replaceAll(/\b\d+\b/g, (n) => String(Number(n) - 1)) : t)),
  ),
  m(
    "CAMPAIGN-ERROR-1",
    "An unknown zone is 422.",
    recodes(edits, 1000, 1001, 422, (a) => "timezone" in objectOf(a.json)),
  ),
  c(
    "CAMPAIGN-ERROR-1",
    "An unknown zone on PATCH is ignored.",
    forgives(
      patch,
      1000,
      200,
      () => ({}),
      (a) => "timezone" in objectOf(a.json),
    ),
  ),
  m(
    "CAMPAIGN-ERROR-2",
    "9:00 is a time of day.",
    asks(
      edits,
      over("working_hours", (v) =>
        Object.fromEntries(
          Object.entries(objectOf(v)).map(([k, e]) => [
            k,
            over("start", (t) => (/^\d:\d\d$/.test(textOf(t)) ? `0${textOf(t)}` : t))(objectOf(e), dummy),
          ]),
        ),
      ),
    ),
  ),
  c(
    "CAMPAIGN-ERROR-2",
    "24:00 and 09:60 are times of day.",
    asks(
      edits,
      over("working_hours", (v) =>
        Object.fromEntries(
          Object.entries(objectOf(v)).map(([k, e]) => [
            k,
            isObject(e)
              ? {
                  ...e,
                  start: /^([01]\d|2[0-3]):[0-5]\d$/.test(textOf(e["start"])) ? e["start"] : "09:00",
                  end: /^([01]\d|2[0-3]):[0-5]\d$/.test(textOf(e["end"])) ? e["end"] : "18:00",
                }
              : e,
          ]),
        ),
      ),
    ),
  ),
  m(
    "CAMPAIGN-ERROR-3",
    "An end at its start is taken.",
    asks(edits, (j) =>
      j["end_time"] !== undefined && Date.parse(textOf(j["end_time"])) === Date.parse(textOf(j["start_time"] ?? ""))
        ? { ...j, end_time: new Date(Date.parse(textOf(j["end_time"])) + 1000).toISOString() }
        : j,
    ),
  ),
  m(
    "CAMPAIGN-ERROR-3",
    "An end before its start is 422.",
    recodes(edits, 1000, 1001, 422, (a) => "end_time" in objectOf(a.json)),
  ),
  c(
    "CAMPAIGN-ERROR-3",
    "A PATCH may put the end before the start.",
    forgives(
      patch,
      1000,
      200,
      () => ({}),
      (a) => "end_time" in objectOf(a.json) || "start_time" in objectOf(a.json),
    ),
  ),
  m(
    "CAMPAIGN-ERROR-4",
    "An empty file creates the policy.",
    forgives(
      create,
      1000,
      201,
      () => ({ campaign_id: "cmp_x" }),
      (_, r) => textOf(objectOf(r.json)["message"]).includes("empty"),
    ),
  ),
  m(
    "CAMPAIGN-ERROR-5",
    "A file without a phone column is 422.",
    recodes(
      create,
      1000,
      1001,
      422,
      ({ headers: h }, r) =>
        (h.get("content-type") ?? "").startsWith("multipart") && !textOf(objectOf(r.json)["message"]).includes("empty"),
    ),
  ),
  m(
    "CAMPAIGN-ERROR-6",
    "A list as a body is 422.",
    recodes(create, 1000, 1001, 422, ({ json }) => !isObject(json)),
  ),
  c(
    "CAMPAIGN-ERROR-6",
    "A text as a body is 1002.",
    recodes(create, 1000, 1002, 400, ({ json }) => typeof json === "string" || json === null),
  ),
  m(
    "CAMPAIGN-ERROR-7",
    "An empty list of contacts creates the policy.",
    asks(create, (j) => (Array.isArray(j["contacts"]) && j["contacts"].length === 0 ? cut("contacts")(j, dummy) : j)),
  ),
  c(
    "CAMPAIGN-ERROR-7",
    "A file with only its header creates the policy.",
    forgives(
      create,
      1000,
      201,
      () => ({ campaign_id: "cmp_x" }),
      ({ headers: h }) => (h.get("content-type") ?? "").startsWith("multipart"),
    ),
  ),
]

const routes = [
  m("CAMPAIGN-LIST-1", "Campaigns are listed out of executions.list.", limitOf(list, 600)),
  m("CAMPAIGN-LIST-2", "status is ignored.", ignores(list, "status")),
  c(
    "CAMPAIGN-LIST-2",
    "status=archived is unknown.",
    refuses(list, ({ query }) => query.get("status") === "archived", 1000, 400),
  ),
  c(
    "CAMPAIGN-LIST-2",
    "status=expired is unknown.",
    refuses(list, ({ query }) => query.get("status") === "expired", 1000, 400),
  ),
  m("CAMPAIGN-LIST-3", "page is ignored.", ignores(list, "page")),
  c(
    "CAMPAIGN-LIST-3",
    "page is ignored beside a status.",
    queries(list, (q) => {
      if (q.has("status")) q.delete("page")
    }),
  ),
  m(
    "CAMPAIGN-LIST-4",
    "Campaigns come oldest first.",
    rows(list, (l) => [...l].reverse()),
  ),
  c(
    "CAMPAIGN-LIST-4",
    "Campaigns come by their last change.",
    rows(list, (l) => [...l].sort((a, b) => textOf(b["updated_at"]).localeCompare(textOf(a["updated_at"])))),
  ),
  m("CAMPAIGN-LIST-5", "total is one more than there is.", body(list, over("pagination.total", plus(1)))),
  c(
    "CAMPAIGN-LIST-5",
    "has_more is true on the last page.",
    body(
      list,
      where(
        (j) => Number(at(j, "pagination.page")) >= Number(at(j, "pagination.total_pages")),
        set("pagination.has_more", true),
      ),
    ),
  ),
  c(
    "CAMPAIGN-LIST-5",
    "total counts all beside a status.",
    body(
      list,
      where((_, { query }) => query.has("status"), over("pagination.total", plus(5))),
    ),
  ),
  m(
    "CAMPAIGN-GET-1",
    "A campaign reads without its counters.",
    row(read, cut("completed_calls", "completed_contacts")),
  ),
  c(
    "CAMPAIGN-GET-1",
    "Counters of ended campaigns read as 0.",
    row(
      read,
      where(ended, (r) => ({ ...r, completed_calls: 0, completed_contacts: 0, failed_calls: 0 })),
    ),
  ),
  m(
    "CAMPAIGN-STATS-1",
    "Stats are in data.",
    answers(stats, (r) => (r.status === 200 ? { ...r, json: { data: r.json } } : r)),
  ),
  c(
    "CAMPAIGN-STATS-1",
    "Stats of a campaign without contacts are 404.",
    answers(stats, (r) => (objectOf(r.json)["total_contacts"] === 0 ? failing(r, 1200, 404) : r)),
  ),
  m("CAMPAIGN-MOVE-1", "Moves count in calls.create.", limitOf(moves, 600)),
  m(
    "CAMPAIGN-MOVE-2",
    "A move needs a body.",
    refuses([move("pause"), move("resume"), move("revive")], ({ original }) => original.body === null, 1000, 400),
  ),
  c(
    "CAMPAIGN-MOVE-2",
    "A revive needs a body.",
    refuses(move("revive"), ({ original }) => original.body === null, 1000, 400),
  ),
  m("CAMPAIGN-MOVE-3", "Moves are 202.", restates([move("pause"), move("resume"), move("revive")], 200, 202)),
  c(
    "CAMPAIGN-MOVE-3",
    "A revive answers with its status alone.",
    answers(move("revive"), (r) => (r.status === 200 ? { ...r, json: { status: objectOf(r.json)["status"] } } : r)),
  ),
  m("CAMPAIGN-MOVE-4", "A pause answers as it was before.", row(move("pause"), set("status", "active"))),
  m("CAMPAIGN-MOVE-5", "A resume answers as it was before.", row(move("resume"), set("status", "paused"))),
  m("CAMPAIGN-CANCEL-1", "A cancel goes on dialling.", onlySays("cancel", "cancelled")),
  c("CAMPAIGN-CANCEL-1", "A cancel leaves the batches.", shownBatch("cancelled", "in_progress")),
  m(
    "CAMPAIGN-DELETE-1",
    "A delete forgets the campaign.",
    answers(read, (r) => (objectOf(r.json)["status"] === "archived" ? failing(r, 1200, 404) : r)),
  ),
  m(
    "CAMPAIGN-DELETE-2",
    "A delete has a body.",
    answers("DELETE /v2/campaigns/*", (r) => (r.status === 204 ? made(r, 200, {}) : r)),
  ),
  c(
    "CAMPAIGN-DELETE-4",
    "Deleting twice is 409.",
    fresh(() => {
      const gone = new Set<string>()
      return answers("DELETE /v2/campaigns/*", (r, a) => {
        if (r.status === 204 && gone.has(a.path)) return failing(r, 1201, 409)
        if (r.status === 204) gone.add(a.path)
        return r
      })
    }),
  ),
  m(
    "CAMPAIGN-PATCH-1",
    "end_time cannot be edited.",
    asks(patch, (j) => ("end_time" in j ? { ...cut("end_time")(j, dummy), metadata: {} } : j)),
  ),
  c(
    "CAMPAIGN-PATCH-1",
    "A PATCH clears what it does not name.",
    answers(patch, (r, a) =>
      r.status === 200
        ? {
            ...r,
            json: {
              ...objectOf(r.json),
              ...("max_concurrent_calls" in objectOf(a.json) ? {} : { max_concurrent_calls: null }),
              ...("metadata" in objectOf(a.json) ? {} : { metadata: {} }),
            },
          }
        : r,
    ),
  ),
  m(
    "CAMPAIGN-PATCH-2",
    "An empty PATCH is 200.",
    forgives(
      patch,
      1000,
      200,
      () => ({}),
      ({ json }) => isObject(json) && Object.keys(json).length === 0,
    ),
  ),
  c(
    "CAMPAIGN-PATCH-2",
    "An empty PATCH is 422.",
    recodes(patch, 1000, 1001, 422, ({ json }) => isObject(json) && Object.keys(json).length === 0),
  ),
  m(
    "CAMPAIGN-BATCHES-1",
    "Batches of a campaign are those of all.",
    rows(batchesOf, (l) => [...l, { batch_id: "bat_other", campaign_id: "cmp_other", status: "completed" }]),
  ),
  c(
    "CAMPAIGN-BATCHES-1",
    "Later batches of a campaign are left out.",
    rows(batchesOf, (l) => l.slice(-1)),
  ),
]

const createBatch = "POST /v2/batches"
const batchMove = (name: string) => `POST /v2/batches/*/${name}`

const batchRoutes = [
  m("BATCH-FIELD-1", "cancelled has one l.", row(batches, where(is("status", "cancelled"), set("status", "canceled")))),
  c(
    "BATCH-FIELD-1",
    "A batch cancelled by its campaign has one l.",
    row(batches, where(both(is("status", "cancelled"), has("campaign_id")), set("status", "canceled"))),
  ),
  m(
    "BATCH-STATUS-1",
    "A stopped batch is stopped.",
    row(batches, where(is("status", "cancelled"), set("status", "stopped"))),
  ),
  c(
    "BATCH-STATUS-1",
    "A stopped batch is listed with one l.",
    row("GET /v2/batches", where(is("status", "cancelled"), set("status", "canceled"))),
  ),
  m(
    "BATCH-STATUS-2",
    "A finished batch is paused.",
    forgives(batchMove("pause"), 1201, 200, () => ({ status: "paused" })),
  ),
  c(
    "BATCH-STATUS-2",
    "The status of a finished batch is not named.",
    words(batchMove("pause"), 1201, () => "This batch has already finished and cannot be paused."),
  ),
  m(
    "BATCH-ROUTES-1",
    "There is no POST /v2/batches.",
    refuses(createBatch, () => true, 1200, 404),
  ),
  m("BATCH-ROUTES-2", "An upload is 200.", restates("POST /v2/batches/upload", 201, 200)),
  c(
    "BATCH-ROUTES-2",
    "There is no upload.",
    refuses("POST /v2/batches/upload", () => true, 1200, 404),
  ),
  m(
    "BATCH-ROUTES-3",
    "There is no list of batches.",
    refuses("GET /v2/batches", () => true, 1200, 404),
  ),
  m(
    "BATCH-ROUTES-4",
    "A batch cannot be read.",
    refuses("GET /v2/batches/*", () => true, 1200, 404),
  ),
  c(
    "BATCH-ROUTES-4",
    "Calls of a batch cannot be read.",
    refuses("GET /v2/batches/*/executions", () => true, 1200, 404),
  ),
  m(
    "BATCH-ROUTES-5",
    "There is no schedule.",
    refuses(batchMove("schedule"), () => true, 1200, 404),
  ),
  m(
    "BATCH-ROUTES-6",
    "There is no stop.",
    refuses(batchMove("stop"), () => true, 1200, 404),
  ),
  c(
    "BATCH-ROUTES-6",
    "There is no pause.",
    refuses(batchMove("pause"), () => true, 1200, 404),
  ),
  m("BATCH-ROUTES-7", "A resume is 200.", restates(batchMove("resume"), 202, 200)),
  ...[
    createBatch,
    "POST /v2/batches/upload",
    batchMove("schedule"),
    batchMove("stop"),
    batchMove("pause"),
    batchMove("resume"),
  ].map((route, i) =>
    (i === 0 ? m : c)(
      "BATCH-ROUTES-8",
      `${route} needs no scope.`,
      forgives(route, 1102, 200, () => ({})),
    ),
  ),
  ...["GET /v2/batches", "GET /v2/batches/*", "GET /v2/batches/*/executions"].map((route, i) =>
    (i === 0 ? m : c)(
      "BATCH-ROUTES-9",
      `${route} needs no scope.`,
      forgives(route, 1102, 200, () => emptyPage),
    ),
  ),
  ...[createBatch, "POST /v2/batches/upload", batchMove("schedule")].map((route, i) =>
    (i === 0 ? m : c)("BATCH-ROUTES-10", `${route} counts in default.`, limitOf(route, 1000)),
  ),
  m("BATCH-ROUTES-11", "Calls of a batch count in default.", limitOf("GET /v2/batches/*/executions", 1000)),
  ...["GET /v2/batches", "GET /v2/batches/*", batchMove("stop"), batchMove("pause"), batchMove("resume")].map(
    (route, i) => (i === 0 ? m : c)("BATCH-ROUTES-12", `${route} counts in calls.create.`, limitOf(route, 600)),
  ),
  m("BATCH-CREATE-1", "concurrency_limit is lost.", row(batches, set("concurrency_limit", null))),
  c(
    "BATCH-CREATE-1",
    "concurrency_limit is refused.",
    refuses(createBatch, ({ json }) => "concurrency_limit" in objectOf(json), 1001, 422),
  ),
  m(
    "BATCH-CREATE-2",
    "concurrency_limit holds the batch to that many lines.",
    asks(createBatch, (j) =>
      "concurrency_limit" in j && Array.isArray(j["contacts"])
        ? { ...j, contacts: j["contacts"].slice(0, Number(j["concurrency_limit"])) }
        : j,
    ),
  ),
]

export const campaignMutants = [...fields, ...figures, ...states, ...creating, ...routes, ...batchRoutes]
