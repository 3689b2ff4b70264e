/** Mistakes with calls: their fields, states, places, stops, records and windows. */
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
  fresh,
  has,
  headers,
  ignores,
  is,
  legs,
  made,
  not,
  over,
  plus,
  queries,
  recodes,
  refuses,
  restates,
  row,
  rows,
  set,
  single,
  textOf,
  together,
  where,
  wire,
  words,
  writes,
} from "../Defects.ts"
import { type Asked, objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

/** How numbers begin whose calls have their transcript as one text. */
const plainTranscript = "+99943"

const place = "POST /v2/calls"
const list = "GET /v2/calls"
const read = "GET /v2/calls/*"
const calls = [list, read, "GET /v2/agents/*/executions", "GET /v2/batches/*/executions"]
const lists = [list, "GET /v2/agents/*/executions", "GET /v2/batches/*/executions"]
const stop = "POST /v2/calls/*/stop"
const recording = "GET /v2/calls/*/recording"
const transcript = "GET /v2/calls/*/transcript"
const timing = "GET /v2/calls/*/timing"
const ofAgent = "GET /v2/agents/*/executions"
const terminal = is("is_terminal", true)
const emptyPage = { data: [], pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false } }
const sent = (name: string, holds: (value: unknown) => boolean) => (asked: Asked) =>
  name in objectOf(asked.json) && holds(objectOf(asked.json)[name])
const openScope = (route: string, status = 200) =>
  forgives(
    route,
    1102,
    status,
    () => (status === 200 ? emptyPage : {}),
    (a) => !a.query.has("organization_id"),
  )
const limitOf = (route: string, limit: number) => headers(route, (h) => h.set("x-ratelimit-limit", String(limit)))

/** Remembers what came before under a name. */
const remembering = <T>(make: (known: Map<string, T>) => ReturnType<typeof answers>) =>
  fresh(() => make(new Map<string, T>()))

const fields = [
  m(
    "CALL-FIELD-1",
    "execution_id is called id.",
    row(calls, ({ execution_id, ...rest }) => ({ ...rest, id: execution_id })),
  ),
  c(
    "CALL-FIELD-1",
    "execution_id changes when the call ends.",
    row(
      read,
      where(
        terminal,
        over("execution_id", (v) => `${textOf(v)}x`),
      ),
    ),
  ),
  m(
    "CALL-FIELD-2",
    "no-answer is called no_answer.",
    row(
      calls,
      over("status", (v) => textOf(v).replace("-", "_")),
    ),
  ),
  c("CALL-FIELD-2", "Lists say cancelled.", row(lists, where(is("status", "canceled"), set("status", "cancelled")))),
  m(
    "CALL-FIELD-3",
    "is_terminal is false for stopped calls.",
    row(calls, where(is("status", "stopped", "canceled"), set("is_terminal", false))),
  ),
  c(
    "CALL-FIELD-3",
    "is_terminal is true for calls in progress on lists.",
    row(lists, where(is("status", "in-progress", "ringing"), set("is_terminal", true))),
  ),
  m("CALL-FIELD-4", "direction is out.", row(calls, where(is("direction", "outbound"), set("direction", "out")))),
  c(
    "CALL-FIELD-4",
    "Inbound calls are shown as outbound.",
    row(calls, where(is("direction", "inbound"), set("direction", "outbound"))),
  ),
  m("CALL-FIELD-5", "agent_id is missing.", row(calls, cut("agent_id"))),
  c("CALL-FIELD-5", "agent_id is null on ended calls in lists.", row(lists, where(terminal, set("agent_id", null)))),
  m("CALL-FIELD-6", "batch_id is null.", row(calls, set("batch_id", null))),
  c(
    "CALL-FIELD-6",
    "batch_id of retries is null.",
    row(
      calls,
      where((r) => Number(r["retry_count"]) > 0, set("batch_id", null)),
    ),
  ),
  m("CALL-FIELD-7", "campaign_id is null.", row(calls, set("campaign_id", null))),
  c(
    "CALL-FIELD-7",
    "campaign_id of ended calls is the batch's.",
    row(
      calls,
      where(both(terminal, has("campaign_id")), (r) => ({ ...r, campaign_id: r["batch_id"] })),
    ),
  ),
  m(
    "CALL-FIELD-8",
    "contact_id is set on direct calls.",
    row(calls, (r) => (r["contact_id"] === null ? { ...r, contact_id: "con_1" } : r)),
  ),
  c(
    "CALL-FIELD-8",
    "contact_id of campaign calls is missing on lists.",
    row(lists, where(has("campaign_id"), cut("contact_id"))),
  ),
  m("CALL-FIELD-9", "A retry names no parent.", row(calls, set("parent_execution_id", null))),
  c(
    "CALL-FIELD-9",
    "A second retry names the first retry.",
    remembering<unknown>((last) =>
      row(calls, (r) => {
        const contact = textOf(r["contact_id"] ?? "")
        if (contact === '""' || contact === "") return r
        const key = `${contact}:${Number(r["retry_count"])}`
        last.set(key, r["execution_id"])
        const before = last.get(`${contact}:${Number(r["retry_count"]) - 1}`)
        return Number(r["retry_count"]) > 1 && before !== undefined ? { ...r, parent_execution_id: before } : r
      }),
    ),
  ),
  m(
    "CALL-FIELD-10",
    "retry_count counts this attempt.",
    row(calls, where(has("contact_id"), over("retry_count", plus(1)))),
  ),
  c(
    "CALL-FIELD-10",
    "retry_count stops at one.",
    row(
      calls,
      over("retry_count", (v) => Math.min(1, Number(v))),
    ),
  ),
  m(
    "CALL-FIELD-11",
    "retry_count of a direct call is null.",
    row(calls, where(not(has("contact_id")), set("retry_count", null))),
  ),
  c(
    "CALL-FIELD-11",
    "retry_count of a scheduled call is 1.",
    row(calls, where(is("status", "scheduled"), set("retry_count", 1))),
  ),
  m(
    "CALL-FIELD-12",
    "Numbers lack their plus.",
    row(
      calls,
      over("to_number", (v) => textOf(v).replace("+", "")),
    ),
  ),
  c(
    "CALL-FIELD-12",
    "from_number of ended calls lacks its plus.",
    row(
      calls,
      where(
        terminal,
        over("from_number", (v) => textOf(v).replace("+", "")),
      ),
    ),
  ),
  m("CALL-FIELD-13", "provider is twilio.", row(calls, set("provider", "twilio"))),
  c(
    "CALL-FIELD-13",
    "provider is null until the call is dialled.",
    row(calls, where(is("status", "scheduled"), set("provider", "none"))),
  ),
  m(
    "CALL-FIELD-14",
    "duration_seconds is in milliseconds.",
    row(
      calls,
      over("duration_seconds", (v) => Number(v) * 1000),
    ),
  ),
  c(
    "CALL-FIELD-14",
    "duration_seconds counts the ringing.",
    row(calls, where(is("status", "completed"), over("duration_seconds", plus(4)))),
  ),
  m("CALL-FIELD-15", "answered_by_voicemail is text.", row(calls, over("answered_by_voicemail", String))),
  c(
    "CALL-FIELD-15",
    "answered_by_voicemail is false at a voicemail box.",
    row(
      calls,
      over("answered_by_voicemail", () => false),
    ),
  ),
  m(
    "CALL-FIELD-16",
    "hangup_by is the reason.",
    row(
      calls,
      over("hangup_by", () => 1),
    ),
  ),
  c(
    "CALL-FIELD-16",
    "hangup_by is always the customer.",
    row(
      calls,
      over("hangup_by", () => "customer"),
    ),
  ),
  m("CALL-FIELD-17", "hangup_reason is missing.", row(calls, cut("hangup_reason"))),
  c(
    "CALL-FIELD-17",
    "hangup_reason of stopped calls is an object.",
    row(calls, where(is("status", "stopped"), set("hangup_reason", {}))),
  ),
  m(
    "CALL-FIELD-18",
    "recording_url is set where nothing was recorded.",
    row(calls, (r) =>
      r["recording_url"] === null && r["is_terminal"] === true
        ? { ...r, recording_url: "https://media.test/none.wav" }
        : r,
    ),
  ),
  c(
    "CALL-FIELD-18",
    "recording_url of completed calls is null on lists.",
    row(lists, where(is("status", "completed"), set("recording_url", null))),
  ),
  m("CALL-FIELD-19", "cost.total is text.", row(calls, over("cost.total", String))),
  c(
    "CALL-FIELD-19",
    "cost has no breakdown until the call ends.",
    row(calls, where(is("is_terminal", false), cut("cost.breakdown"))),
  ),
  c(
    "CALL-FIELD-19",
    "The breakdown of completed calls leaves telephony out.",
    row(calls, where(is("status", "completed"), cut("cost.breakdown.telephony"))),
  ),
  m(
    "CALL-FIELD-20",
    "summary is a list.",
    row(
      calls,
      over("summary", (v) => [v]),
    ),
  ),
  c(
    "CALL-FIELD-20",
    "summary of completed calls is missing.",
    row(calls, where(is("status", "completed"), cut("summary"))),
  ),
  m(
    "CALL-FIELD-21",
    "sentiment is happy.",
    row(
      calls,
      over("sentiment", () => "happy"),
    ),
  ),
  c(
    "CALL-FIELD-21",
    "A negative sentiment is shown in capitals.",
    row(
      calls,
      where(
        is("sentiment", "negative", "positive", "neutral"),
        over("sentiment", (v) => textOf(v).toUpperCase()),
      ),
    ),
  ),
  m(
    "CALL-FIELD-22",
    "extracted_data is a list.",
    row(
      calls,
      over("extracted_data", (v) => Object.entries(objectOf(v))),
    ),
  ),
  c(
    "CALL-FIELD-22",
    "extracted_data is keyed by numbers.",
    row(
      calls,
      over("extracted_data", (v) => Object.fromEntries(Object.values(objectOf(v)).map((e, i) => [String(i), e]))),
    ),
  ),
  m(
    "CALL-FIELD-23",
    "custom_analytics is an object.",
    row(
      calls,
      over("custom_analytics", (v) => ({ list: v })),
    ),
  ),
  c(
    "CALL-FIELD-23",
    "custom_analytics leaves required_keys out.",
    row(
      calls,
      over("custom_analytics", (v) =>
        Array.isArray(v) ? v.map((e: unknown) => cut("required_keys")(objectOf(e), dummy)) : v,
      ),
    ),
  ),
  m("CALL-FIELD-24", "variables is null.", row(calls, set("variables", null))),
  c(
    "CALL-FIELD-24",
    "variables of scheduled calls are empty.",
    row(calls, where(is("status", "scheduled"), set("variables", {}))),
  ),
  m(
    "CALL-FIELD-25",
    "Every ended call has an error.",
    row(
      calls,
      where(terminal, (r) => ({ error: { message: "none" }, ...r })),
    ),
  ),
  c("CALL-FIELD-25", "A failed call has no error.", row(calls, where(is("status", "failed", "error"), cut("error")))),
  c(
    "CALL-FIELD-25",
    "The error of a failed call is a text.",
    row(
      calls,
      over("error", (v) => textOf(objectOf(v)["message"])),
    ),
  ),
  m(
    "CALL-FIELD-26",
    "scheduled_at of an immediate call is its creation.",
    row(calls, (r) => (r["scheduled_at"] === null ? { ...r, scheduled_at: r["created_at"] } : r)),
  ),
  c(
    "CALL-FIELD-26",
    "scheduled_at is forgotten once the call is canceled.",
    row(calls, where(is("status", "canceled"), set("scheduled_at", null))),
  ),
  m("CALL-FIELD-27", "completed_at is null on ended calls.", row(calls, set("completed_at", null))),
  c(
    "CALL-FIELD-27",
    "completed_at of ended calls comes before their creation.",
    row(
      calls,
      over("completed_at", () => "2000-01-01T00:00:00.000Z"),
    ),
  ),
  c("CALL-FIELD-27", "updated_at is a number on lists.", row(lists, set("updated_at", 1_700_000_000))),
  m(
    "CALL-FIELD-28",
    "transcript comes unasked.",
    row(calls, (r) => ({ transcript: [], ...r })),
  ),
  c("CALL-FIELD-28", "transcript never comes on single reads.", row(read, cut("transcript"))),
  c(
    "CALL-FIELD-28",
    "Turns of a transcript have no role.",
    row(
      calls,
      over("transcript", (v) => (Array.isArray(v) ? v.map((e: unknown) => cut("role")(objectOf(e), dummy)) : v)),
    ),
  ),
]

const renamedStatus = (from: string, to: string, where_: typeof terminal = () => true) =>
  row(calls, where(both(is("status", from), where_), set("status", to)))

const states = [
  m("STATUS-1", "There are 14 statuses: error is failed.", renamedStatus("error", "failed")),
  c(
    "STATUS-1",
    "There is a sixteenth status: answered.",
    row(calls, where(both(is("status", "in-progress"), single), set("status", "answered"))),
  ),
  m("STATUS-2", "no-answer is in flight.", row(calls, where(is("status", "no-answer"), set("is_terminal", false)))),
  c(
    "STATUS-2",
    "balance-low is in flight on lists.",
    row(lists, where(is("status", "balance-low"), set("is_terminal", false))),
  ),
  m(
    "STATUS-3",
    "rescheduled is terminal.",
    row(calls, where(is("status", "rescheduled", "scheduled"), set("is_terminal", true))),
  ),
  c("STATUS-3", "error is not terminal on lists.", row(lists, where(is("status", "error"), set("is_terminal", false)))),
  m("STATUS-4", "A call that waits to be dialled is scheduled.", renamedStatus("queued", "scheduled")),
  m("STATUS-5", "A booked call is queued.", renamedStatus("scheduled", "queued")),
  c(
    "STATUS-5",
    "A booked call is queued on lists.",
    row(lists, where(is("status", "scheduled"), set("status", "queued"))),
  ),
  m("STATUS-6", "A moved call is scheduled.", renamedStatus("rescheduled", "scheduled")),
  c(
    "STATUS-6",
    "A moved call is failed on lists.",
    row(lists, where(is("status", "rescheduled"), set("status", "failed"))),
  ),
  m("STATUS-7", "A call handed to the provider is queued.", renamedStatus("initiated", "queued")),
  c(
    "STATUS-7",
    "A call handed to the provider is ringing on lists.",
    row(lists, where(is("status", "initiated"), set("status", "ringing"))),
  ),
  m("STATUS-8", "A ringing call is initiated.", renamedStatus("ringing", "initiated")),
  c(
    "STATUS-8",
    "A ringing call is in-progress on lists.",
    row(lists, where(is("status", "ringing"), set("status", "in-progress"))),
  ),
  m("STATUS-9", "in-progress has an underscore.", renamedStatus("in-progress", "in_progress")),
  c(
    "STATUS-9",
    "A connected call is still ringing on lists.",
    row(lists, where(is("status", "in-progress"), set("status", "ringing"))),
  ),
  m("STATUS-10", "A completed call is done.", renamedStatus("completed", "call-disconnected")),
  c(
    "STATUS-10",
    "A completed call stays in-progress on lists.",
    row(
      lists,
      where(is("status", "completed"), (r) => ({ ...r, status: "in-progress", is_terminal: false })),
    ),
  ),
  m(
    "STATUS-11",
    "A voicemail counts as a reached contact.",
    row(
      ["GET /v2/campaigns", "GET /v2/campaigns/*"],
      where((r) => Number(r["voicemail_calls"]) > 0, over("completed_contacts", plus(1))),
    ),
  ),
  c(
    "STATUS-11",
    "A dropped call counts as a reached contact.",
    row(
      ["GET /v2/campaigns/*/stats"],
      where((r) => Number(at(r, "call_counters.failed_calls")) > 0, over("outcome_counts.completed", plus(1))),
    ),
  ),
  m("STATUS-12", "A failed call is an error.", renamedStatus("failed", "error")),
  c(
    "STATUS-12",
    "A failed call is an error on lists.",
    row(lists, where(is("status", "failed"), set("status", "error"))),
  ),
  m("STATUS-13", "A busy call is no-answer.", renamedStatus("busy", "no-answer")),
  c(
    "STATUS-13",
    "A busy call of a batch is no-answer.",
    row(calls, where(both(is("status", "busy"), has("batch_id")), set("status", "no-answer"))),
  ),
  m(
    "STATUS-14",
    "A call that rang out is failed.",
    row(calls, where(both(is("status", "no-answer"), not(is("answered_by_voicemail", true))), set("status", "failed"))),
  ),
  c(
    "STATUS-14",
    "A call of a batch that rang out is busy.",
    row(calls, where(both(is("status", "no-answer"), has("batch_id")), set("status", "busy"))),
  ),
  m(
    "STATUS-15",
    "A voicemail is completed.",
    row(calls, where(is("answered_by_voicemail", true), set("status", "completed"))),
  ),
  c(
    "STATUS-15",
    "A voicemail of a batch is completed.",
    row(calls, where(both(is("answered_by_voicemail", true), has("batch_id")), set("status", "completed"))),
  ),
  m("STATUS-16", "canceled has two l's.", renamedStatus("canceled", "cancelled")),
  c(
    "STATUS-16",
    "canceled has two l's where a call is stopped.",
    body(stop, where(is("status", "canceled"), set("status", "cancelled"))),
  ),
  m("STATUS-17", "A call hung up on request is completed.", renamedStatus("stopped", "completed")),
  c(
    "STATUS-17",
    "A call hung up on request is canceled on lists.",
    row(lists, where(is("status", "stopped"), set("status", "canceled"))),
  ),
  m("STATUS-18", "A stopped call is retried.", retries("stopped")),
  c(
    "STATUS-18",
    "A stopped call counts among the failed.",
    row(["GET /v2/campaigns/*", "GET /v2/campaigns/*/stats"], stoppedFails),
  ),
  m("STATUS-19", "A call that the wallet could not carry is failed.", renamedStatus("balance-low", "failed")),
  c(
    "STATUS-19",
    "A booked call that the wallet could not carry is failed.",
    row(calls, where(both(is("status", "balance-low"), has("scheduled_at")), set("status", "failed"))),
  ),
  m("STATUS-20", "A call that the wallet could not carry is retried.", retries("balance-low")),
  m("STATUS-21", "A call ended by an error is failed.", renamedStatus("error", "failed")),
  c(
    "STATUS-21",
    "A call ended by an error is failed on lists.",
    row(lists, where(is("status", "error"), set("status", "failed"))),
  ),
  m("STATUS-22", "A dropped call is completed.", renamedStatus("call-disconnected", "completed")),
  c(
    "STATUS-22",
    "A dropped call of a batch is failed.",
    row(calls, where(both(is("status", "call-disconnected"), has("batch_id")), set("status", "failed"))),
  ),
  m(
    "STATUS-FILTER-1",
    "voicemail is an unknown status.",
    refuses(lists, ({ query }) => (query.get("status") ?? "").split(",").includes("voicemail"), 1000, 400),
  ),
  c(
    "STATUS-FILTER-1",
    "voicemail shows calls that rang out too.",
    queries(lists, (q) => {
      const s = q.get("status")
      if (s !== null && /voice[-_]?mail/.test(s)) q.set("status", s.replace(/voice[-_]?mail/, "no-answer"))
    }),
  ),
  m(
    "STATUS-FILTER-2",
    "voice-mail is unknown.",
    refuses(lists, ({ query }) => (query.get("status") ?? "").includes("voice-mail"), 1000, 400),
  ),
  c(
    "STATUS-FILTER-2",
    "voice_mail is unknown.",
    refuses(lists, ({ query }) => (query.get("status") ?? "").includes("voice_mail"), 1000, 400),
  ),
]

/** A contact whose call ended so is put back, to be dialled once more. */
function retries(status: string) {
  return writes((change, commit) => {
    if (change.put !== "contact" || change.row.last_status !== status || change.row.status !== "failed") return change
    const ended = commit.changes.some((other) => other.put === "call" && other.row.contact_id === change.row.contact_id)
    return ended
      ? { ...change, row: { ...change.row, status: "pending", eligible_at: 0, last_status: "failed" } }
      : change
  })
}

function stoppedFails(r: JsonObject): JsonObject {
  const counters = isObject(r["call_counters"]) ? "call_counters.failed_calls" : "failed_calls"
  return over(counters, plus(1))(r, dummy)
}

const movesOfStates = [
  m("STATUS-MOVE-1", "A dial is 202.", restates(place, 201, 202)),
  c(
    "STATUS-MOVE-1",
    "A dial with variables is initiated.",
    body(
      place,
      where((r, a) => "variables" in objectOf(a.json) && r["status"] === "queued", set("status", "initiated")),
    ),
  ),
  m(
    "STATUS-MOVE-2",
    "A dial that fails leaves no record.",
    rows(list, (l) => l.filter((r) => !["error", "balance-low"].includes(textOf(r["status"])))),
  ),
  c(
    "STATUS-MOVE-2",
    "A dial that fails cannot be read.",
    answers(read, (r) =>
      objectOf(r.json)["status"] === "error" && objectOf(r.json)["call_sid"] == null ? failing(r, 1200, 404) : r,
    ),
  ),
  each(
    "STATUS-MOVE-3 CALL-CREATE-UNCONFIRMED-1",
    "An unconfirmed dial is 201.",
    answers(place, (r) => (r.status === 202 && objectOf(r.json)["dispatch"] !== undefined ? { ...r, status: 201 } : r)),
  ),
  each(
    "STATUS-MOVE-3 CALL-CREATE-UNCONFIRMED-1",
    "An unconfirmed dial says nothing of it.",
    body(place, cut("dispatch")),
  ),
  c(
    "STATUS-MOVE-3",
    "An unconfirmed dial is 504.",
    answers(place, (r) =>
      r.status === 202 && objectOf(r.json)["dispatch"] !== undefined
        ? failing(r, 1502, 504, "Telephony service did not respond in time.")
        : r,
    ),
  ),
  m(
    "STATUS-MOVE-4",
    "An unconfirmed dial is an error at once.",
    row(
      calls,
      where(
        both(is("status", "queued"), (r) => r["call_sid"] == null),
        (r) => ({ ...r, status: "error", is_terminal: true }),
      ),
    ),
  ),
  c("STATUS-MOVE-4", "An unconfirmed dial that lives never goes on.", unconfirmedStays()),
  m(
    "STATUS-MOVE-5",
    "A booking is 201.",
    answers(place, (r) => (r.status === 202 && objectOf(r.json)["status"] === "scheduled" ? { ...r, status: 201 } : r)),
  ),
  c(
    "STATUS-MOVE-5",
    "A booking with record: false is queued.",
    body(
      place,
      where((r, a) => objectOf(a.json)["record"] === false && r["status"] === "scheduled", set("status", "queued")),
    ),
  ),
  m(
    "STATUS-MOVE-6",
    "A booking is not kept.",
    answers(read, (r) => (objectOf(r.json)["status"] === "scheduled" ? failing(r, 1200, 404) : r)),
  ),
  c(
    "STATUS-MOVE-6",
    "A booking is dropped when it comes due.",
    writes((change) =>
      change.put === "call" && change.row.scheduled_at !== null && change.row.status === "queued"
        ? { ...change, row: { ...change.row, status: "canceled" } }
        : change,
    ),
  ),
  each(
    "STATUS-MOVE-7 CALL-LIST-4",
    "Bookings are not listed.",
    rows(lists, (l) => l.filter((r) => r["status"] !== "scheduled")),
  ),
  c(
    "STATUS-MOVE-7",
    "Bookings are not listed among an agent's.",
    rows(ofAgent, (l) => l.filter((r) => r["status"] !== "scheduled")),
  ),
  m(
    "STATUS-MOVE-8",
    "A dial outside the window is 201.",
    answers(place, (r) => (objectOf(r.json)["deferred_by_calling_guard"] === true ? { ...r, status: 201 } : r)),
  ),
  c(
    "STATUS-MOVE-8",
    "A booking outside the window is refused.",
    answers(place, (r, a) =>
      objectOf(r.json)["deferred_by_calling_guard"] === true && "scheduled_at" in objectOf(a.json)
        ? failing(r, 1001, 422)
        : r,
    ),
  ),
  each(
    "STATUS-MOVE-9 CALL-WINDOW-7",
    "Nothing tells that a call was deferred.",
    body(place, cut("deferred_by_calling_guard")),
  ),
  c(
    "STATUS-MOVE-9",
    "A booking that was moved does not say so.",
    body(
      place,
      where((_, a) => "scheduled_at" in objectOf(a.json), cut("deferred_by_calling_guard")),
    ),
  ),
  c(
    "CALL-WINDOW-7",
    "Every booking says that it was deferred.",
    body(place, where(is("status", "scheduled"), set("deferred_by_calling_guard", true))),
  ),
  m(
    "STATUS-MOVE-10",
    "A deferred booking reports the time that was asked.",
    body(
      place,
      where(is("deferred_by_calling_guard", true), (r, a) => ({
        ...r,
        scheduled_at: objectOf(a.json)["scheduled_at"] ?? "2026-01-05T00:00:00.000Z",
      })),
    ),
  ),
  c(
    "STATUS-MOVE-10",
    "A deferred dial reports no time.",
    body(place, where(is("deferred_by_calling_guard", true), set("scheduled_at", null))),
  ),
  m(
    "STATUS-MOVE-11",
    "A booking that is stopped is stopped.",
    row([...calls, stop], where(is("status", "canceled"), set("status", "stopped"))),
  ),
  c(
    "STATUS-MOVE-11",
    "A booking that was stopped reads as scheduled.",
    row(
      calls,
      where(is("status", "canceled"), (r) => ({ ...r, status: "scheduled", is_terminal: false })),
    ),
  ),
  m("STATUS-MOVE-12", "A booking that was stopped rings.", stopsNothing()),
  c(
    "STATUS-MOVE-12",
    "A booking that was stopped costs a minute.",
    row(
      calls,
      where(
        is("status", "canceled"),
        over("cost.total", () => 0.1),
      ),
    ),
  ),
  m(
    "STATUS-MOVE-13",
    "A live call that is stopped is 200.",
    answers(stop, (r) => (r.status === 202 ? { ...r, status: 200 } : r)),
  ),
  c(
    "STATUS-MOVE-13",
    "A connected call that is stopped is completed.",
    row([stop], where(is("status", "stopped"), set("status", "completed"))),
  ),
  m(
    "STATUS-MOVE-14",
    "The status flips only when the carrier reports.",
    row(
      calls,
      where(
        both(is("status", "stopped"), (r) => r["duration_seconds"] === null),
        (r) => ({ ...r, status: "in-progress", is_terminal: false }),
      ),
    ),
  ),
  c(
    "STATUS-MOVE-14",
    "A stop of a ringing call leaves it ringing.",
    row(
      calls,
      where(both(is("status", "stopped"), not(has("duration_seconds"))), (r) => ({
        ...r,
        status: "ringing",
        is_terminal: false,
      })),
    ),
  ),
]

/** A call whose dial was not confirmed is shown as queued for ever. */
/** Answers that a booking is cancelled, and lets it ring. */
function stopsNothing() {
  return wire(() => async (asked, next) => {
    if (asked.method !== "POST" || !/calls\/[^/]+\/stop$/.test(asked.path)) return next(asked)
    const call = await next({ ...asked, method: "GET", path: asked.path.replace("/stop", ""), json: undefined })
    const { execution_id, scheduled_at, status } = objectOf(call.json)
    if (status !== "scheduled") return next(asked)
    return made(call, 200, { execution_id, scheduled_at, status: "canceled", canceled_before_dial: true })
  })
}

function unconfirmedStays() {
  return fresh(() => {
    const unconfirmed = new Set<unknown>()
    return together(
      answers(place, (r) => {
        if (objectOf(r.json)["dispatch"] !== undefined) unconfirmed.add(objectOf(r.json)["execution_id"])
        return r
      }),
      row(
        calls,
        where(
          (r) => unconfirmed.has(r["execution_id"]),
          (r) => ({ ...r, status: "queued", is_terminal: false, completed_at: null }),
        ),
      ),
    )
  })
}

const numberForm = (holds: (number: string) => boolean) => (asked: Asked) => {
  const n = objectOf(asked.json)["to_number"]
  return typeof n === "string" && holds(n)
}
const minuteMs = 60_000
const dayMs = 86_400_000
/** Follows the virtual clock from the answers that tell it. */
const withClock = (make: (now: () => number) => ReturnType<typeof answers>) =>
  wire(() => {
    const inner = (now: number) => make(() => now).wire?.()
    return async (asked, next) => {
      if (asked.path !== "/v2/calls" || asked.method !== "POST") return next(asked)
      const clock = await next({
        ...asked,
        method: "GET",
        path: "/_sim/clock",
        json: undefined,
        headers: new Headers(),
        query: new URLSearchParams(),
      })
      return (inner(Date.parse(textOf(objectOf(clock.json)["now"]))) ?? ((a, go) => go(a)))(asked, next)
    }
  })
const ahead = (asked: Asked, now: number) => Date.parse(textOf(objectOf(asked.json)["scheduled_at"] ?? "")) - now

const placing = [
  each(
    "CALL-CREATE-1 CALL-STOP-1",
    "Dials and stops count in default.",
    together(limitOf(place, 1000), limitOf(stop, 1000)),
  ),
  m("CALL-CREATE-2", "Dialling needs no scope.", openScope(place, 201)),
  m(
    "CALL-CREATE-3",
    "Bodies of calls are forms.",
    refuses(place, ({ headers: h }) => (h.get("content-type") ?? "").startsWith("application/json"), 1000, 400),
  ),
  c(
    "CALL-CREATE-3",
    "A JSON body with a charset is refused.",
    refuses(place, ({ headers: h }) => (h.get("content-type") ?? "").includes("charset"), 1000, 400),
  ),
  m(
    "CALL-CREATE-4",
    "agent_id is optional.",
    forgives(
      place,
      1002,
      201,
      () => ({ execution_id: "exec_x", status: "queued" }),
      (a) => !("agent_id" in objectOf(a.json)),
    ),
  ),
  c(
    "CALL-CREATE-4",
    "An empty agent_id is 404.",
    recodes(place, 1001, 1200, 404, (a) => objectOf(a.json)["agent_id"] === ""),
  ),
  m(
    "CALL-CREATE-5",
    "A foreign agent dials.",
    forgives(place, 1200, 201, () => ({ execution_id: "exec_x", status: "queued" })),
  ),
  c(
    "CALL-CREATE-5",
    "A foreign agent is 403 where the call is booked.",
    recodes(place, 1200, 1102, 403, (a) => "scheduled_at" in objectOf(a.json)),
  ),
  each(
    "CALL-CREATE-6 CONSTANT-12",
    "Numbers of 16 digits are dialled.",
    asks(
      place,
      over("to_number", (v) => (/^\+\d{16,}$/.test(textOf(v)) ? textOf(v).slice(0, 16) : v)),
    ),
  ),
  each(
    "CALL-CREATE-6 CONSTANT-12",
    "Numbers of 6 digits are dialled.",
    asks(
      place,
      over("to_number", (v) => (/^\+\d{6}$/.test(textOf(v)) ? `${textOf(v)}0` : v)),
    ),
  ),
  each(
    "CALL-CREATE-6 CONSTANT-12",
    "Numbers of 7 digits are refused.",
    refuses(
      place,
      numberForm((n) => /^\+\d{7}$/.test(n)),
      1001,
      422,
    ),
  ),
  c(
    "CALL-CREATE-6",
    "Numbers of 15 digits are refused.",
    refuses(place, (a) => numberForm((n) => /^\+\d{15}$/.test(n) && !n.startsWith("+999"))(a), 1001, 422),
  ),
  c(
    "CALL-CREATE-6",
    "Spaces in a number are dialled.",
    asks(
      place,
      over("to_number", (v) => textOf(v).replaceAll(/[ ()-]/g, "")),
    ),
  ),
  m(
    "CALL-CREATE-7",
    "from_number: null is refused.",
    refuses(
      place,
      sent("from_number", (v) => v === null),
      1001,
      422,
    ),
  ),
  c(
    "CALL-CREATE-7",
    "A from_number without a plus is taken.",
    asks(
      place,
      over("from_number", (v) => (/^\d+$/.test(textOf(v)) ? `+${textOf(v)}` : v)),
    ),
  ),
  c(
    "CALL-CREATE-7",
    "from_number is ignored on bookings.",
    asks(place, (j) => ("scheduled_at" in j ? cut("from_number")(j, dummy) : j)),
  ),
  m(
    "CALL-CREATE-8",
    "Without from_number a call has none.",
    together(row(calls, set("from_number", null)), legs(set("from_number", null))),
  ),
  c(
    "CALL-CREATE-8",
    "Without from_number a number of nobody is shown.",
    together(
      row(
        calls,
        over("from_number", () => "+15550009999"),
      ),
      legs(over("from_number", () => "+15550009999")),
    ),
  ),
  m("CALL-CREATE-10", "metadata is ignored.", asks(place, cut("metadata"))),
  c(
    "CALL-CREATE-10",
    "metadata without variables is ignored.",
    asks(place, (j) => ("variables" in j ? j : cut("metadata")(j, dummy))),
  ),
  m(
    "CALL-CREATE-11",
    "On a shared key variables win.",
    asks(place, (j) =>
      isObject(j["variables"]) && isObject(j["metadata"])
        ? { ...j, metadata: { ...j["metadata"], ...j["variables"] } }
        : j,
    ),
  ),
  c(
    "CALL-CREATE-11",
    "On a shared key variables win where the call is booked.",
    asks(place, (j) =>
      isObject(j["variables"]) && isObject(j["metadata"]) && "scheduled_at" in j
        ? { ...j, metadata: { ...j["metadata"], ...j["variables"] } }
        : j,
    ),
  ),
  m(
    "CALL-CREATE-12",
    "A local scheduled_at is taken.",
    asks(
      place,
      over("scheduled_at", (v) => (/T[\d:.]+$/.test(textOf(v)) ? `${textOf(v)}Z` : v)),
    ),
  ),
  c(
    "CALL-CREATE-12",
    "An offset is dropped.",
    asks(
      place,
      over("scheduled_at", (v) => textOf(v).replace(/[+-]\d\d:\d\d$/, "Z")),
    ),
  ),
  c(
    "CALL-CREATE-12",
    "scheduled_at: null is refused.",
    refuses(
      place,
      sent("scheduled_at", (v) => v === null),
      1001,
      422,
    ),
  ),
  each(
    "CALL-CREATE-13 CONSTANT-7",
    "A minute ahead is enough.",
    withClock((now) =>
      asks(
        place,
        over("scheduled_at", (v, _, a) =>
          ahead(a, now()) < 2 * minuteMs && ahead(a, now()) >= minuteMs
            ? new Date(now() + 2 * minuteMs).toISOString()
            : v,
        ),
      ),
    ),
  ),
  each(
    "CALL-CREATE-13 CONSTANT-7",
    "Two minutes ahead are too little.",
    withClock((now) =>
      refuses(place, (a) => ahead(a, now()) >= 2 * minuteMs && ahead(a, now()) < 2 * minuteMs + 1000, 1001, 422),
    ),
  ),
  each(
    "CALL-CREATE-13 CONSTANT-7",
    "31 days ahead are taken.",
    withClock((now) =>
      asks(
        place,
        over("scheduled_at", (v, _, a) =>
          ahead(a, now()) > 30 * dayMs && ahead(a, now()) <= 31 * dayMs
            ? new Date(now() + 30 * dayMs).toISOString()
            : v,
        ),
      ),
    ),
  ),
  c(
    "CALL-CREATE-13",
    "30 days ahead are refused.",
    withClock((now) =>
      refuses(place, (a) => ahead(a, now()) > 30 * dayMs - 1000 && ahead(a, now()) <= 30 * dayMs, 1001, 422),
    ),
  ),
  m(
    "CALL-CREATE-14",
    "The default is not to record.",
    asks(place, (j) => ({ record: false, ...j })),
  ),
  c(
    "CALL-CREATE-14",
    "record: false records.",
    asks(place, (j) => (j["record"] === false ? cut("record")(j, dummy) : j)),
  ),
  m(
    "CALL-CREATE-15",
    "record: false is forgotten on bookings.",
    asks(place, (j) => ("scheduled_at" in j ? cut("record")(j, dummy) : j)),
  ),
  c(
    "CALL-CREATE-15",
    "Bookings are never recorded.",
    asks(place, (j) => ("scheduled_at" in j ? { ...j, record: false } : j)),
  ),
  each(
    "CALL-CREATE-16 CONSTANT-8",
    "121 seconds are cut.",
    asks(
      place,
      over("timeout_seconds", (v) => (typeof v === "number" ? Math.min(120, v) : v)),
    ),
  ),
  each(
    "CALL-CREATE-16 CONSTANT-8",
    "4 seconds become 5.",
    asks(
      place,
      over("timeout_seconds", (v) => (typeof v === "number" && v >= 0 ? Math.max(5, v) : v)),
    ),
  ),
  each(
    "CALL-CREATE-16 CONSTANT-8",
    "5 seconds are refused.",
    refuses(
      place,
      sent("timeout_seconds", (v) => v === 5),
      1001,
      422,
    ),
  ),
  c(
    "CALL-CREATE-16",
    "120 seconds are refused on bookings.",
    refuses(place, (a) => sent("timeout_seconds", (v) => v === 120)(a), 1001, 422),
  ),
  c(
    "CALL-CREATE-16",
    "5.5 seconds are taken.",
    asks(
      place,
      over("timeout_seconds", (v) => (typeof v === "number" ? Math.floor(v) : v)),
    ),
  ),
  m("CALL-CREATE-17", "timeout_seconds is ignored.", asks(place, cut("timeout_seconds"))),
  c(
    "CALL-CREATE-17",
    "timeout_seconds is ignored on bookings.",
    asks(place, (j) => ("scheduled_at" in j ? cut("timeout_seconds")(j, dummy) : j)),
  ),
  c(
    "CALL-CREATE-17",
    "The default ring time is 60 seconds.",
    asks(place, (j) => ({ timeout_seconds: 60, ...j })),
  ),
  c(
    "CONSTANT-8",
    "The default ring time is 45 seconds.",
    asks(place, (j) => ({ timeout_seconds: 45, ...j })),
  ),
  m(
    "CALL-CREATE-NOW-1",
    "execution_id is called call_id.",
    body(
      place,
      where(is("status", "queued"), ({ execution_id, ...rest }) => ({ ...rest, call_id: execution_id })),
    ),
  ),
  c(
    "CALL-CREATE-NOW-1",
    "execution_id of a dial is its leg.",
    body(
      place,
      where(has("call_sid"), (r) => ({ ...r, execution_id: r["call_sid"] })),
    ),
  ),
  m(
    "CALL-CREATE-NOW-2",
    "A dial is initiated.",
    body(place, where(is("status", "queued"), set("status", "initiated"))),
  ),
  m(
    "CALL-CREATE-NOW-3",
    "call_sid is missing.",
    answers(place, (r) => (r.status === 201 ? { ...r, json: cut("call_sid")(objectOf(r.json), dummy) } : r)),
  ),
  c(
    "CALL-CREATE-NOW-3",
    "call_sid is a number.",
    answers(place, (r) => (r.status === 201 ? { ...r, json: { ...objectOf(r.json), call_sid: 7 } } : r)),
  ),
  m(
    "CALL-CREATE-NOW-4",
    "from_number is missing.",
    answers(place, (r) => (r.status === 201 ? { ...r, json: cut("from_number")(objectOf(r.json), dummy) } : r)),
  ),
  c(
    "CALL-CREATE-NOW-4",
    "to_number lacks its plus.",
    answers(place, (r) =>
      r.status === 201 ? { ...r, json: over("to_number", (v) => textOf(v).slice(1))(objectOf(r.json), dummy) } : r,
    ),
  ),
  m(
    "CALL-CREATE-NOW-5",
    "created_at is missing.",
    answers(place, (r) => (r.status === 201 ? { ...r, json: cut("created_at")(objectOf(r.json), dummy) } : r)),
  ),
  c(
    "CALL-CREATE-NOW-5",
    "created_at is not that of the record.",
    answers(place, (r) =>
      r.status === 201
        ? { ...r, json: over("created_at", () => "2020-01-01T00:00:00.000Z")(objectOf(r.json), dummy) }
        : r,
    ),
  ),
  each(
    "CALL-CREATE-NOW-6 LIMITS-1",
    "A direct dial passes the gate.",
    forgives(
      place,
      1300,
      201,
      () => ({ execution_id: "exec_x", status: "queued" }),
      (_, r) => textOf(objectOf(r.json)["message"]).startsWith("Account"),
    ),
  ),
  m(
    "CALL-CREATE-NOW-7",
    "Without a line the answer has no Retry-After.",
    headers(place, (h, r) => {
      if (r.status === 429) h.delete("retry-after")
    }),
  ),
  c(
    "CALL-CREATE-NOW-7",
    "Without a line the answer is 503.",
    recodes(place, 1300, 1501, 503, (_, r) => textOf(objectOf(r.json)["message"]).startsWith("Account")),
  ),
  m(
    "CALL-CREATE-LATER-1",
    "A booking is called booked.",
    body(place, where(is("status", "scheduled"), set("status", "booked"))),
  ),
  c(
    "CALL-CREATE-LATER-1",
    "A booking weeks ahead is rescheduled.",
    withClock((now) =>
      body(
        place,
        where((r, a) => r["status"] === "scheduled" && ahead(a, now()) > 7 * dayMs, set("status", "rescheduled")),
      ),
    ),
  ),
  m(
    "CALL-CREATE-LATER-2",
    "A booking reports its creation.",
    body(
      place,
      where(is("status", "scheduled"), (r) => ({ ...r, scheduled_at: "2026-01-01T00:00:00.000Z" })),
    ),
  ),
  c(
    "CALL-CREATE-LATER-2",
    "A booking with an offset rings an hour late.",
    asks(
      place,
      over("scheduled_at", (v) =>
        /[+-]\d\d:\d\d$/.test(textOf(v)) ? new Date(Date.parse(textOf(v)) + 3_600_000).toISOString() : v,
      ),
    ),
  ),
  m(
    "CALL-CREATE-UNCONFIRMED-2",
    "An unconfirmed call cannot be read.",
    answers(read, (r) =>
      objectOf(r.json)["status"] === "queued" && objectOf(r.json)["is_terminal"] === false ? failing(r, 1200, 404) : r,
    ),
  ),
  c("CALL-CREATE-UNCONFIRMED-2", "An unconfirmed call that lives stays queued.", unconfirmedStays()),
  c("CALL-CREATE-18", "A telephony failure is 500.", recodes(place, 1501, 1500, 500)),
  m("CALL-CREATE-18", "A booking without its service is 500.", recodes(place, 1502, 1500, 500)),
  c("CALL-CREATE-18", "An unknown agent is 422.", recodes(place, 1200, 1001, 422)),
]

const windows = [
  m(
    "CALL-WINDOW-1",
    "Outside the window a call is refused.",
    answers(place, (r) => (objectOf(r.json)["deferred_by_calling_guard"] === true ? failing(r, 1201, 409) : r)),
  ),
  c(
    "CALL-WINDOW-1",
    "Outside the window a booking is refused.",
    answers(place, (r, a) =>
      objectOf(r.json)["deferred_by_calling_guard"] === true && "scheduled_at" in objectOf(a.json)
        ? failing(r, 1201, 409)
        : r,
    ),
  ),
  m(
    "CALL-WINDOW-2",
    "A call is moved by a day.",
    row(
      [place, ...calls],
      where(
        (r) =>
          r["deferred_by_calling_guard"] === true || (r["status"] === "scheduled" && has("scheduled_at")(r, dummy)),
        over("scheduled_at", (v) => new Date(Date.parse(textOf(v)) + dayMs).toISOString()),
      ),
    ),
  ),
  c(
    "CALL-WINDOW-2",
    "On Fridays a call is moved to Saturday.",
    body(
      place,
      where(
        is("deferred_by_calling_guard", true),
        over("scheduled_at", (v) => {
          const d = new Date(textOf(v))
          return d.getUTCDay() === 1 ? new Date(d.getTime() - 2 * dayMs).toISOString() : v
        }),
      ),
    ),
  ),
  c(
    "CALL-WINDOW-2",
    "The zone of a window is not heeded.",
    body(
      place,
      where(
        is("deferred_by_calling_guard", true),
        over("scheduled_at", (v) => new Date(Date.parse(textOf(v)) + 5 * 3_600_000).toISOString()),
      ),
    ),
  ),
  m(
    "CALL-WINDOW-3",
    "Every call is moved to the opening.",
    row(
      [place, ...calls],
      where(
        (r) => has("scheduled_at")(r, dummy),
        over("scheduled_at", (v) => textOf(v).replace(/:\d\d:\d\d(\.\d+)?Z/, ":00:00.000Z")),
      ),
    ),
  ),
  c(
    "CALL-WINDOW-3",
    "Every call is moved into the first minute.",
    row(
      [place, ...calls],
      where(
        (r) => has("scheduled_at")(r, dummy),
        over("scheduled_at", (v) => textOf(v).replace(/T(\d\d):\d\d:/, "T$1:00:")),
      ),
    ),
  ),
  m(
    "CALL-WINDOW-4",
    "The time moves on every read.",
    fresh(() => {
      let n = 0
      return row(
        calls,
        over("scheduled_at", (v) => new Date(Date.parse(textOf(v)) + (n += 1) * 1000).toISOString()),
      )
    }),
  ),
  c(
    "CALL-WINDOW-4",
    "Lists tell a later time.",
    row(
      lists,
      over("scheduled_at", (v) => new Date(Date.parse(textOf(v)) + 1000).toISOString()),
    ),
  ),
  m(
    "CALL-WINDOW-5",
    "A call is moved to a minute before opening.",
    body(
      place,
      where(
        is("deferred_by_calling_guard", true),
        over("scheduled_at", (v) => `${textOf(v).slice(0, 11)}00:01:00.000Z`),
      ),
    ),
  ),
  m(
    "CALL-WINDOW-6",
    "A call is moved into the last minutes.",
    body(
      place,
      where(
        is("deferred_by_calling_guard", true),
        over("scheduled_at", (v) => `${textOf(v).slice(0, 11)}23:59:30.000Z`),
      ),
    ),
  ),
  m("CALL-WINDOW-8", "Outside the window a call is dialled.", asksWithoutGuard()),
  c(
    "CALL-WINDOW-8",
    "Outside the window a call is queued.",
    body(place, where(is("deferred_by_calling_guard", true), set("status", "queued"))),
  ),
]

/** Windows are stored for show. */
function asksWithoutGuard() {
  return fresh(() => {
    const guards = new Map<string, unknown>()
    return together(
      wire(() => async (asked, next) => {
        const sentGuard = objectOf(asked.json)["calling_guard"]
        const isAgent = /^\/v2\/agents(\/[^/]+)?$/.test(asked.path) && isObject(sentGuard)
        const reply = await next(
          isAgent ? { ...asked, json: cut("calling_guard")(objectOf(asked.json), asked) } : asked,
        )
        if (isAgent && reply.status < 300) guards.set(textOf(objectOf(reply.json)["agent_id"]), sentGuard)
        return reply
      }),
      row(["GET|PATCH|PUT /v2/agents/*", "POST|GET /v2/agents"], (r) =>
        guards.has(textOf(r["agent_id"])) ? { ...r, calling_guard: guards.get(textOf(r["agent_id"])) } : r,
      ),
    )
  })
}

const reading = [
  each(
    "CALL-LIST-1 CALL-GET-1 CALL-TRANSCRIPT-1 CALL-RECORDING-1 CALL-TIMING-1 CALL-OF-AGENT-1",
    "Reads of calls count in default.",
    together(...[list, read, transcript, recording, timing, ofAgent].map((route) => limitOf(route, 1000))),
  ),
  m("CALL-LIST-2", "Listing calls needs no scope.", openScope(list)),
  m(
    "CALL-LIST-3",
    "The list has ids.",
    answers(list, (r) =>
      Array.isArray(objectOf(r.json)["data"])
        ? {
            ...r,
            json: {
              ...objectOf(r.json),
              data: [objectOf(r.json)["data"]].flat().map((e) => objectOf(e)["execution_id"]),
            },
          }
        : r,
    ),
  ),
  c("CALL-LIST-3", "The second page is the first.", ignores(list, "page")),
  c(
    "CALL-LIST-4",
    "Bookings are listed a minute later.",
    rows(list, (l) => l.filter((r) => r["status"] !== "scheduled" || r["scheduled_at"] === null)),
  ),
  m("CALL-GET-2", "Reading a call needs no scope.", openScope(read)),
  m("CALL-GET-3", "include_transcript is ignored.", ignores(read, "include_transcript")),
  c(
    "CALL-GET-3",
    "include_transcript=false includes it.",
    queries(read, (q) => {
      if (q.get("include_transcript") === "false") q.set("include_transcript", "true")
    }),
  ),
  m(
    "CALL-GET-4",
    "A booked call cannot be read.",
    answers(read, (r) => (objectOf(r.json)["status"] === "scheduled" ? failing(r, 1200, 404) : r)),
  ),
  c(
    "CALL-GET-4",
    "A ringing call cannot be read.",
    answers(read, (r) =>
      ["ringing", "initiated"].includes(textOf(objectOf(r.json)["status"])) ? failing(r, 1200, 404) : r,
    ),
  ),
  m(
    "CALL-GET-5",
    "A completed call has another id.",
    answers(read, (r) => (objectOf(r.json)["status"] === "completed" ? failing(r, 1200, 404) : r)),
  ),
  c(
    "CALL-GET-5",
    "A dropped or failed call is gone.",
    answers(read, (r) =>
      ["failed", "busy", "no-answer", "call-disconnected"].includes(textOf(objectOf(r.json)["status"]))
        ? failing(r, 1200, 404)
        : r,
    ),
  ),
  m(
    "CALL-GET-6",
    "A folded call keeps its own record.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const id = asked.path.split("/")[3]
      const own = objectOf(reply.json)["execution_id"]
      return asked.method === "GET" && /^\/v2\/calls\/[^/]+$/.test(asked.path) && typeof own === "string" && own !== id
        ? { ...reply, json: { ...objectOf(reply.json), execution_id: id } }
        : reply
    }),
  ),
  m(
    "CALL-GET-7",
    "A folded id is 404.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const own = objectOf(reply.json)["execution_id"]
      return asked.method === "GET" &&
        /^\/v2\/calls\/[^/]+$/.test(asked.path) &&
        typeof own === "string" &&
        own !== asked.path.split("/")[3]
        ? failing(reply, 1200, 404)
        : reply
    }),
  ),
  m(
    "CALL-GET-8",
    "A folded read shows the id that was asked.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const id = asked.path.split("/")[3]
      return asked.method === "GET" && /^\/v2\/calls\/[^/]+$/.test(asked.path) && reply.status === 200
        ? { ...reply, json: { ...objectOf(reply.json), execution_id: id } }
        : reply
    }),
  ),
  m(
    "CALL-GET-9",
    "Calls are listed twice.",
    rows(lists, (l) => l.flatMap((r) => [r, r])),
  ),
  c(
    "CALL-GET-9",
    "A page begins with the last of the one before.",
    fresh(() => {
      let last: JsonObject | undefined
      return rows(lists, (l, { query }) => {
        const before = last
        last = l.at(-1)
        return query.get("page") !== null && query.get("page") !== "1" && before !== undefined && l.length > 0
          ? [before, ...l.slice(1)]
          : l
      })
    }),
  ),
  m("CALL-GET-10", "A foreign call is 403.", recodes(read, 1200, 1102, 403)),
  c(
    "CALL-GET-10",
    "A foreign call's timing is empty.",
    forgives(timing, 1200, 200, () => ({ measured: false })),
  ),
  m("CALL-TRANSCRIPT-2", "Transcripts need no scope.", openScope(transcript)),
  m(
    "CALL-TRANSCRIPT-3",
    "A plain transcript stays plain.",
    fresh(() => {
      const plain = new Set<unknown>()
      return together(
        answers(place, (r, a) => {
          if (textOf(objectOf(a.json)["to_number"]).startsWith(plainTranscript)) plain.add(at(r.json, "execution_id"))
          return r
        }),
        body(transcript, (j) => (plain.has(j["execution_id"]) ? { ...j, turns: textOf(j["text"]) } : j)),
      )
    }),
  ),
  c(
    "CALL-TRANSCRIPT-3",
    "A transcript without turns is 404.",
    answers(transcript, (r) =>
      Array.isArray(objectOf(r.json)["turns"]) && textOf(objectOf(r.json)["turns"]) === "[]"
        ? failing(r, 1200, 404)
        : r,
    ),
  ),
  m(
    "CALL-TIMING-2",
    "Timing is in data.",
    answers(timing, (r) => (r.status === 200 ? { ...r, json: { data: r.json } } : r)),
  ),
  c(
    "CALL-TIMING-2",
    "Timing of a booked call is 404.",
    answers(timing, (r) => (objectOf(r.json)["not_measured_reason"] === "in_progress" ? failing(r, 1200, 404) : r)),
  ),
  m("CALL-TIMING-3", "A call carries its timing.", row(calls, set("timing", { measured: false }))),
  c(
    "CALL-TIMING-3",
    "A completed call carries its turns.",
    row(read, where(is("status", "completed"), set("timing", { turns: [] }))),
  ),
  m("CALL-OF-AGENT-2", "An agent's calls need no scope.", openScope(ofAgent)),
  m(
    "CALL-OF-AGENT-3",
    "Of two statuses the first counts.",
    queries(ofAgent, (q) => {
      const s = q.get("status")
      if (s !== null) q.set("status", s.split(",")[0] ?? s)
    }),
  ),
  c(
    "CALL-OF-AGENT-3",
    "Two statuses are unknown.",
    refuses(ofAgent, ({ query }) => (query.get("status") ?? "").includes(","), 1000, 400),
  ),
  m(
    "CALL-OF-AGENT-4",
    "voicemail shows what rang out.",
    queries(ofAgent, (q) => {
      const s = q.get("status")
      if (s !== null) q.set("status", s.replace("voicemail", "no-answer"))
    }),
  ),
  c(
    "CALL-OF-AGENT-4",
    "voicemail beside another status is ignored.",
    queries(ofAgent, (q) => {
      const s = q.get("status")
      if (s !== null && s.includes(","))
        q.set(
          "status",
          s
            .split(",")
            .filter((p) => p !== "voicemail")
            .join(","),
        )
    }),
  ),
  each(
    "CALL-OF-AGENT-5 CALL-OF-AGENT-11",
    "Without a status only ended calls are shown.",
    rows(ofAgent, (l, { query }) => (query.has("status") ? l : l.filter((r) => r["is_terminal"] === true))),
  ),
  c(
    "CALL-OF-AGENT-11",
    "Without a status stopped and canceled calls are hidden.",
    rows(ofAgent, (l, { query }) =>
      query.has("status") ? l : l.filter((r) => !["stopped", "canceled"].includes(textOf(r["status"]))),
    ),
  ),
  m("CALL-OF-AGENT-6", "direction is ignored.", ignores(ofAgent, "direction")),
  c(
    "CALL-OF-AGENT-6",
    "direction is ignored beside a status.",
    queries(ofAgent, (q) => {
      if (q.has("status")) q.delete("direction")
    }),
  ),
  m("CALL-OF-AGENT-7", "from_date is ignored.", ignores(ofAgent, "from_date")),
  m("CALL-OF-AGENT-7", "to_date is ignored.", ignores(ofAgent, "to_date")),
  c(
    "CALL-OF-AGENT-7",
    "Dates drop their offset.",
    queries(ofAgent, (q) => {
      for (const n of ["from_date", "to_date"]) {
        const v = q.get(n)
        if (v !== null) q.set(n, v.replace(/[+-]\d\d:\d\d$/, "Z"))
      }
    }),
  ),
  m("CALL-OF-AGENT-8", "include_transcript is ignored.", ignores(ofAgent, "include_transcript")),
  c(
    "CALL-OF-AGENT-8",
    "Transcripts come unasked.",
    queries(ofAgent, (q) => {
      if (!q.has("include_transcript")) q.set("include_transcript", "true")
    }),
  ),
  m("CALL-OF-AGENT-9", "page is ignored.", ignores(ofAgent, "page")),
  c(
    "CALL-OF-AGENT-9",
    "page_size is ignored beside a status.",
    queries(ofAgent, (q) => {
      if (q.has("status")) q.delete("page_size")
    }),
  ),
  m(
    "CALL-OF-AGENT-10",
    "Calls come oldest first.",
    rows(ofAgent, (l) => [...l].reverse()),
  ),
  c(
    "CALL-OF-AGENT-10",
    "Bookings come first.",
    rows(ofAgent, (l) => [
      ...l.filter((r) => r["status"] === "scheduled"),
      ...l.filter((r) => r["status"] !== "scheduled"),
    ]),
  ),
  m(
    "CALL-OF-AGENT-12",
    "An unknown agent has an empty page.",
    forgives(ofAgent, 1200, 200, () => emptyPage),
  ),
  c(
    "CALL-OF-AGENT-12",
    "A foreign agent has an empty page for a filter.",
    forgives(
      ofAgent,
      1200,
      200,
      () => emptyPage,
      (a) => a.query.has("status") || a.query.has("direction"),
    ),
  ),
]

const stopping = [
  m("CALL-STOP-2", "Stopping needs no scope.", openScope(stop, 202)),
  m(
    "CALL-STOP-3",
    "Without a body a stop is refused.",
    refuses(stop, ({ json, original }) => json === undefined && original.body === null, 1000, 400),
  ),
  c(
    "CALL-STOP-3",
    "reason: null is refused.",
    refuses(stop, ({ json }) => objectOf(json)["reason"] === null, 1001, 422),
  ),
  m(
    "CALL-STOP-4",
    "Stopping a booking is 202.",
    answers(stop, (r) => (r.status === 200 ? { ...r, status: 202 } : r)),
  ),
  c(
    "CALL-STOP-4",
    "Stopping a deferred call is 409.",
    fresh(() => {
      const deferred = new Set<string>()
      return together(
        answers(place, (r) => {
          if (objectOf(r.json)["deferred_by_calling_guard"] === true)
            deferred.add(textOf(objectOf(r.json)["execution_id"]))
          return r
        }),
        answers(stop, (r, a) => (deferred.has(a.path.split("/")[3] ?? "") ? failing(r, 1201, 409) : r)),
      )
    }),
  ),
  m("CALL-STOP-5", "canceled_before_dial is missing.", body(stop, cut("canceled_before_dial"))),
  c(
    "CALL-STOP-5",
    "canceled_before_dial is false where a reason is given.",
    body(
      stop,
      where(
        (_, a) => "reason" in objectOf(a.json),
        over("canceled_before_dial", () => false),
      ),
    ),
  ),
  m("CALL-STOP-6", "scheduled_at is missing.", body(stop, cut("scheduled_at"))),
  c(
    "CALL-STOP-6",
    "scheduled_at is that of the stop.",
    body(
      stop,
      over("scheduled_at", () => "2026-01-05T09:00:00.000Z"),
    ),
  ),
  m(
    "CALL-STOP-7",
    "Stopping a live call is 409.",
    answers(stop, (r) => (r.status === 202 ? failing(r, 1201, 409) : r)),
  ),
  c(
    "CALL-STOP-7",
    "Nothing is sent to the carrier.",
    writes((change) =>
      change.put === "call" && change.row.stop !== null && change.row.status === "stopped"
        ? { ...change, row: { ...change.row, status: "in-progress" } }
        : change,
    ),
  ),
  m("CALL-STOP-8", "requested_at is missing.", body(stop, cut("requested_at"))),
  c(
    "CALL-STOP-8",
    "status is canceled for a ringing call.",
    body(stop, where(is("status", "stopped"), set("status", "canceled"))),
  ),
  m(
    "CALL-STOP-9",
    "reason is always user_request.",
    body(stop, where(is("status", "stopped"), set("reason", "user_request"))),
  ),
  c(
    "CALL-STOP-9",
    "reason without one is null.",
    body(
      stop,
      where((r, a) => r["status"] === "stopped" && !("reason" in objectOf(a.json)), set("reason", null)),
    ),
  ),
  m(
    "CALL-STOP-10",
    "A stopped call reads as in progress.",
    row(
      read,
      where(is("status", "stopped"), (r) => ({ ...r, status: "in-progress", is_terminal: false })),
    ),
  ),
  c(
    "CALL-STOP-10",
    "A stopped call turns completed.",
    row(read, where(both(is("status", "stopped"), has("duration_seconds")), set("status", "completed"))),
  ),
  m(
    "CALL-STOP-11",
    "All conflicts read the same.",
    words(stop, 1201, () => "This call cannot be stopped."),
  ),
  c(
    "CALL-STOP-11",
    "A refusal reads like a call being placed.",
    words(stop, 1201, (t) => (t.includes("ended") ? t : "The call is still being placed. Retry in a moment.")),
  ),
  m(
    "CALL-STOP-12",
    "An ended call is not named.",
    words(stop, 1201, (t) => (t.includes("ended") ? "This call already ended." : t)),
  ),
  c(
    "CALL-STOP-12",
    "An ended call is named completed.",
    words(stop, 1201, (t) => t.replace(/status=[a-z-]+/, "status=completed")),
  ),
  c(
    "CALL-STOP-12",
    "A second stop is 202.",
    forgives(
      stop,
      1201,
      202,
      () => ({ status: "stopped" }),
      (_, r) => textOf(objectOf(r.json)["message"]).includes("stopped"),
    ),
  ),
  m(
    "CALL-STOP-13",
    "A call being placed has no Retry-After.",
    headers(stop, (h) => h.delete("retry-after")),
  ),
  c(
    "CALL-STOP-13",
    "A call being placed is canceled.",
    forgives(
      stop,
      1201,
      200,
      () => ({ status: "canceled", canceled_before_dial: true }),
      (_, r) => r.headers.has("retry-after"),
    ),
  ),
  m(
    "CALL-STOP-14",
    "A refused hang-up is 202.",
    forgives(
      stop,
      1201,
      202,
      () => ({ status: "stopped" }),
      (_, r) => !r.headers.has("retry-after") && !textOf(objectOf(r.json)["message"]).includes("ended"),
    ),
  ),
  c(
    "CALL-STOP-14",
    "A refused hang-up is 503.",
    recodes(
      stop,
      1201,
      1501,
      503,
      (_, r) => !r.headers.has("retry-after") && !textOf(objectOf(r.json)["message"]).includes("ended"),
    ),
  ),
]

const recordings = [
  m("CALL-RECORDING-2", "Recordings need no scope.", openScope(recording)),
  m("CALL-RECORDING-3", "redirect is ignored.", ignores(recording, "redirect")),
  c(
    "CALL-RECORDING-3",
    "redirect=false redirects.",
    queries(recording, (q) => {
      if (q.get("redirect") === "false") q.set("redirect", "true")
    }),
  ),
  m("CALL-RECORDING-4", "content_type is audio/mpeg.", body(recording, set("content_type", "audio/mpeg"))),
  c("CALL-RECORDING-4", "execution_id of a recording is missing.", body(recording, cut("execution_id"))),
  c(
    "CALL-RECORDING-4",
    "recording_url differs from the call's.",
    body(
      recording,
      over("recording_url", (v) => `${textOf(v)}?x=1`),
    ),
  ),
  m("CALL-RECORDING-5", "expires_at is left out.", body(recording, cut("expires_at"))),
  c("CALL-RECORDING-5", "expires_at is in an hour.", body(recording, set("expires_at", "2026-01-05T10:00:00Z"))),
  m("CALL-RECORDING-6", "The redirect is 301.", restates(recording, 302, 301)),
  c(
    "CALL-RECORDING-6",
    "The redirect leads elsewhere.",
    headers(recording, (h, r) => {
      if (r.status === 302) h.set("location", "https://elsewhere.test/x.wav")
    }),
  ),
  m(
    "CALL-RECORDING-7",
    "The redirect has no rate headers.",
    headers(recording, (h, r) => {
      if (r.status === 302) for (const n of ["limit", "remaining", "reset"]) h.delete(`x-ratelimit-${n}`)
    }),
  ),
  c(
    "CALL-RECORDING-7",
    "The redirect lacks X-RateLimit-Reset.",
    headers(recording, (h, r) => {
      if (r.status === 302) h.delete("x-ratelimit-reset")
    }),
  ),
  m(
    "CALL-RECORDING-8",
    "The audio is sent.",
    answers(recording, (r) => {
      if (r.status !== 302) return r
      const h = new Headers(r.headers)
      h.set("content-type", "audio/wav")
      h.delete("location")
      return { status: 200, headers: h, json: undefined, text: "RIFFxxxxWAVE" }
    }),
  ),
  c(
    "CALL-RECORDING-8",
    "The redirect carries the audio too.",
    answers(recording, (r) => {
      if (r.status !== 302) return r
      const h = new Headers(r.headers)
      h.set("content-type", "audio/wav")
      return { ...r, headers: h, json: undefined, text: "RIFFxxxxWAVE" }
    }),
  ),
  m(
    "CALL-RECORDING-9",
    "Both 404s read the same.",
    words(recording, 1200, () => "Not found."),
  ),
  c(
    "CALL-RECORDING-9",
    "An unknown call has no recording.",
    words(recording, 1200, () => "No recording is available for this execution."),
  ),
  m(
    "CALL-RECORDING-10",
    "An unknown call is 200.",
    forgives(
      recording,
      1200,
      200,
      () => ({ recording_url: null }),
      (_, r) => textOf(objectOf(r.json)["message"]).startsWith("Call"),
    ),
  ),
  m(
    "CALL-RECORDING-11",
    "A call without a recording is 200 and null.",
    forgives(
      recording,
      1200,
      200,
      () => ({ recording_url: null }),
      (_, r) => textOf(objectOf(r.json)["message"]).startsWith("No recording"),
    ),
  ),
  m(
    "CALL-RECORDING-12",
    "A call that was not recorded has an address.",
    forgives(
      recording,
      1200,
      200,
      () => ({ recording_url: "https://media.test/x.wav" }),
      (_, r) => textOf(objectOf(r.json)["message"]).startsWith("No recording"),
    ),
  ),
  c(
    "CALL-RECORDING-12",
    "A call in progress has an address.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (!asked.path.endsWith("/recording") || reply.status !== 404) return reply
      const call = await next({
        ...asked,
        path: asked.path.replace("/recording", ""),
        query: new URLSearchParams(),
        headers: new Headers(asked.headers),
      })
      return objectOf(call.json)["is_terminal"] === false
        ? made(reply, 200, {
            execution_id: "x",
            recording_url: "https://media.test/x.wav",
            content_type: "audio/wav",
            expires_at: null,
          })
        : reply
    }),
  ),
  c(
    "CALL-RECORDING-12",
    "A busy call has an address.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (!asked.path.endsWith("/recording") || reply.status !== 404) return reply
      const call = await next({
        ...asked,
        path: asked.path.replace("/recording", ""),
        query: new URLSearchParams(),
        headers: new Headers(asked.headers),
      })
      return ["busy", "no-answer", "failed"].includes(textOf(objectOf(call.json)["status"]))
        ? made(reply, 200, {
            execution_id: "x",
            recording_url: "https://media.test/x.wav",
            content_type: "audio/wav",
            expires_at: null,
          })
        : reply
    }),
  ),
]

const turns = (change: (turn: JsonObject, index: number) => JsonObject) =>
  body(
    timing,
    over("turns", (v) => (Array.isArray(v) ? v.map((e: unknown, i) => change(objectOf(e), i)) : v)),
  )
const measured = is("measured", true)

const timings = [
  m("TIMING-1", "execution_id is missing.", body(timing, cut("execution_id"))),
  c(
    "TIMING-1",
    "execution_id of an unmeasured call is missing.",
    body(timing, where(is("measured", false), cut("execution_id"))),
  ),
  m("TIMING-2", "measured is true without turns.", body(timing, set("measured", true))),
  c("TIMING-2", "measured is text.", body(timing, over("measured", String))),
  m(
    "TIMING-3",
    "not_measured_reason of a live call is never_recorded.",
    body(timing, where(is("not_measured_reason", "in_progress"), set("not_measured_reason", "never_recorded"))),
  ),
  c(
    "TIMING-3",
    "not_measured_reason is set on measured calls.",
    body(timing, where(measured, set("not_measured_reason", "no_turns_completed"))),
  ),
  m("TIMING-4", "setup is missing.", body(timing, cut("setup"))),
  c("TIMING-4", "setup of measured calls is a number.", body(timing, where(measured, set("setup", 12)))),
  m(
    "TIMING-5",
    "turns come last first.",
    body(
      timing,
      over("turns", (v) => (Array.isArray(v) ? [...v].reverse() : v)),
    ),
  ),
  c(
    "TIMING-5",
    "The last turn is left out.",
    body(
      timing,
      over("turns", (v) => (Array.isArray(v) && v.length > 1 ? v.slice(0, -1) : v)),
    ),
  ),
  m("TIMING-6", "summary is missing.", body(timing, cut("summary"))),
  c("TIMING-6", "summary of measured calls is null.", body(timing, where(measured, set("summary", null)))),
  ...(["heard", "thought", "spoke"] as const).flatMap((name, i) => [
    m(
      `TIMING-${7 + i}`,
      `${name} is missing.`,
      turns((t) => cut(name)(t, dummy)),
    ),
    c(
      `TIMING-${7 + i}`,
      `${name} of the second turn is a number.`,
      turns((t, n) => (n === 1 ? { ...t, [name]: 5 } : t)),
    ),
  ]),
  m(
    "TIMING-10",
    "round_trip_ms is the longest of the three.",
    turns((t) => over("round_trip_ms", (v) => Math.floor(Number(v) / 2))(t, dummy)),
  ),
  c(
    "TIMING-10",
    "round_trip_ms of the second turn leaves the hearing out.",
    turns((t, n) =>
      n === 1 ? over("round_trip_ms", plus(-Number(Object.values(objectOf(t["heard"]))[0] ?? 1)))(t, dummy) : t,
    ),
  ),
  m(
    "TIMING-11",
    "round_trip_ms is 0 where a part is missing.",
    turns((t) => (t["round_trip_ms"] === null ? { ...t, round_trip_ms: 0 } : t)),
  ),
  c(
    "TIMING-11",
    "round_trip_ms sums what there is.",
    turns((t) => (t["round_trip_ms"] === null ? { ...t, round_trip_ms: 300 } : t)),
  ),
  m(
    "TIMING-12",
    "round_trip_missing is always empty.",
    turns((t) => ({ ...t, round_trip_missing: [] })),
  ),
  c(
    "TIMING-12",
    "round_trip_missing names one stage at most.",
    turns((t) => over("round_trip_missing", (v) => (Array.isArray(v) ? v.slice(0, 1) : v))(t, dummy)),
  ),
]

export const callMutants = [
  ...fields,
  ...states,
  ...movesOfStates,
  ...placing,
  ...windows,
  ...reading,
  ...stopping,
  ...recordings,
  ...timings,
]
