import type { Answer } from "../../http/Answer.ts"
import { memberOf } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { addFiles, createBase, makeBase, png, uploadForm } from "../../trial/Documents.ts"
import { form } from "../../trial/Forms.ts"

type Route = readonly [method: string, path: string, clauses: ReadonlyArray<string>]

/** The bucket of every route that is named in a row of the table, with ids that nothing has. */
const buckets: Readonly<Record<string, ReadonlyArray<Route>>> = {
  "calls.create": [
    ["POST", "/v2/calls", ["RATE-BUCKET-1", "CALL-CREATE-1"]],
    ["POST", "/v2/calls/exec_none/stop", ["RATE-BUCKET-1", "CALL-STOP-1"]],
    ["POST", "/v2/campaigns", ["RATE-BUCKET-1", "CAMPAIGN-CREATE-1"]],
    ["POST", "/v2/batches", ["RATE-BUCKET-1", "BATCH-ROUTES-10"]],
    ["POST", "/v2/batches/upload", ["RATE-BUCKET-1", "BATCH-ROUTES-10"]],
    ["POST", "/v2/batches/bat_none/schedule", ["RATE-BUCKET-1", "BATCH-ROUTES-10"]],
  ],
  "executions.list": [
    ["GET", "/v2/calls", ["RATE-BUCKET-2", "CALL-LIST-1"]],
    ["GET", "/v2/calls/exec_none", ["RATE-BUCKET-2", "CALL-GET-1"]],
    ["GET", "/v2/calls/exec_none/transcript", ["RATE-BUCKET-2", "CALL-TRANSCRIPT-1"]],
    ["GET", "/v2/calls/exec_none/recording", ["RATE-BUCKET-2", "CALL-RECORDING-1"]],
    ["GET", "/v2/calls/exec_none/timing", ["RATE-BUCKET-2", "CALL-TIMING-1"]],
    ["GET", "/v2/agents/agt_none/executions", ["RATE-BUCKET-2", "CALL-OF-AGENT-1"]],
    ["GET", "/v2/batches/bat_none/executions", ["RATE-BUCKET-2", "BATCH-ROUTES-11"]],
    ["GET", "/v2/usage", ["RATE-BUCKET-2", "OTHER-1"]],
  ],
  default: [
    ["GET", "/v2/agents", ["RATE-BUCKET-4", "AGENT-LIST-3"]],
    ["POST", "/v2/agents", ["RATE-BUCKET-4", "AGENT-CREATE-1"]],
    ["PATCH", "/v2/agents/agt_none", ["RATE-BUCKET-4"]],
    ["POST", "/v2/agents/agt_none/clone", ["RATE-BUCKET-4"]],
    ["GET", "/v2/agents/agt_none/versions", ["RATE-BUCKET-4"]],
    ["GET", "/v2/agents/agt_none/versions/ver_none", ["RATE-BUCKET-4", "EXPERIMENT-GET-1"]],
    ["GET", "/v2/batches", ["RATE-BUCKET-4", "BATCH-ROUTES-12"]],
    ["GET", "/v2/batches/bat_none", ["RATE-BUCKET-4", "BATCH-ROUTES-12"]],
    ["POST", "/v2/batches/bat_none/stop", ["RATE-BUCKET-4", "BATCH-ROUTES-12"]],
    ["POST", "/v2/batches/bat_none/pause", ["RATE-BUCKET-4", "BATCH-ROUTES-12"]],
    ["POST", "/v2/batches/bat_none/resume", ["RATE-BUCKET-4", "BATCH-ROUTES-12"]],
    ["GET", "/v2/webhooks", ["RATE-BUCKET-4"]],
    ["POST", "/v2/webhooks/test", ["RATE-BUCKET-4", "WEBHOOK-TEST-1"]],
    ["DELETE", "/v2/webhooks/sub_none", ["RATE-BUCKET-4", "WEBHOOK-DELETE-1"]],
    ["GET", "/v2/knowledge-bases", ["RATE-BUCKET-4"]],
    ["GET", "/v2/phone-numbers", ["RATE-BUCKET-4"]],
    ["GET", "/v2/providers", ["RATE-BUCKET-4"]],
    ["GET", "/v2/inbound-agents", ["RATE-BUCKET-4"]],
    ["GET", "/v2/user/me", ["RATE-BUCKET-4", "ME-ROUTE-1"]],
    ["GET", "/v2/scopes", ["RATE-BUCKET-4", "SCOPES-ROUTE-1"]],
    ["GET", "/v2/audit-logs", ["RATE-BUCKET-4"]],
    ["GET", "/v2/api-keys", ["RATE-BUCKET-4"]],
    ["GET", "/v2/campaigns", ["RATE-BUCKET-4", "CAMPAIGN-LIST-1"]],
    ["POST", "/v2/campaigns/cmp_none/pause", ["RATE-BUCKET-4", "CAMPAIGN-MOVE-1"]],
    ["POST", "/v2/campaigns/cmp_none/resume", ["RATE-BUCKET-4", "CAMPAIGN-MOVE-1"]],
    ["POST", "/v2/campaigns/cmp_none/revive", ["RATE-BUCKET-4", "CAMPAIGN-MOVE-1"]],
  ],
  "knowledge.upload": [
    ["POST", "/v2/knowledge-bases", ["RATE-BUCKET-3", "KB-CREATE-1"]],
    ["POST", "/v2/knowledge-bases/none/documents", ["RATE-BUCKET-3", "KB-ADD-1"]],
  ],
}

const least: Readonly<Record<string, number>> = {
  "calls.create": 600,
  "executions.list": 600,
  default: 1_000,
  "knowledge.upload": 20,
}

const all = Object.values(buckets).flat()

const left = (answer: Answer): number => answer.integerHeader("x-ratelimit-remaining")

const every: Case = {
  id: "routing/ceilings/every-route",
  title: "Every route shows the ceiling of its bucket, and is counted there",
  clauses: [
    ...new Set(all.flatMap(([, , clauses]) => clauses)),
    "ME-5",
    "RATE-7",
    "RATE-HEADERS-3",
    "RATE-HEADERS-4",
    "RATE-HEADERS-5",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const me = await client.get("/v2/user/me")
    const told = me.at("rate_limits")
    for (const [bucket, routes] of Object.entries(buckets)) {
      const limits = new Set<number>()
      const own = memberOf(told, bucket)
      // What the figures of a bucket look like is not shown.
      const figure = memberOf(own, "limit")
      for (const [method, path, clauses] of routes) {
        const body = method === "GET" || method === "DELETE" ? {} : { body: {} }
        const sent = bucket === "knowledge.upload" ? uploadForm({}, []) : body
        const first = await client.send(method, path, sent)
        const limit = first.integerHeader("x-ratelimit-limit")
        limits.add(limit)
        const name = `${method} ${path}`.replaceAll(/[ /]+/g, "-")
        const [shown = limit] = limits
        const same = typeof figure === "number" ? figure : shown
        check.equal(`${name}-same`, clauses, limit, same, first)
        check.holds(name, clauses, limit >= (least[bucket] ?? 0), `${least[bucket]} or more`, first)
        const again = await client.send(method, path, sent)
        // A request that is refused before it is counted, and a window that rolled, leave as many or more.
        const isCounted = left(again) < left(first) || left(again) > left(first) + 10
        const isRefused = !again.succeeded && left(first) === limit
        check.holds(`${name}-counted`, clauses, isCounted || isRefused, "one fewer", again)
        check.holds("within", "RATE-HEADERS-4", left(first) >= 0 && left(first) <= limit, "0 to the limit", first)
        const reset = first.integerHeader("x-ratelimit-reset")
        check.holds("reset", "RATE-HEADERS-5", reset >= 0 && reset <= 120, "seconds until the window rolls", first)
      }
      const names = ["RATE-7", "RATE-HEADERS-3"]
      check.equal(`one-ceiling-${bucket}`, names, limits.size, 1, me)
      if (typeof figure === "number") check.equal(`told-${bucket}`, "RATE-7", figure, [...limits][0], me)
      else check.holds(`any-${bucket}`, "RATE-7", own === undefined || own !== null, "a figure", me)
    }
    check.holds("object", "ME-5", typeof told === "object" && told !== null && !Array.isArray(told), "an object", me)
    const figures = JSON.stringify(told)
    check.holds(
      "four",
      "ME-5",
      Object.keys(buckets).every((bucket) => figures.includes(`"${bucket}"`)),
      "four buckets",
      me,
    )
  },
}

const documents: Case = {
  id: "knowledge/whole",
  title: "Documents of a base are added, listed page by page, counted, and gone when they are deleted",
  clauses: [
    "KB-ADD-2",
    "KB-ADD-3",
    "KB-ADD-6",
    "KB-ADD-7",
    "KB-ADD-8",
    "KB-ADD-10",
    "KB-ADD-11",
    "KB-CREATE-2",
    "KB-DELETE-1",
    "KB-DELETE-2",
    "KB-DELETED-1",
    "KB-DELETED-3",
    "KB-ERROR-1",
    "KB-ERROR-3",
    "KB-ERROR-5",
    "KB-ERROR-6",
    "KB-LIST-1",
    "KB-LIST-2",
    "KB-RESULT-1",
    "KB-RESULT-2",
    "KB-RESULT-3",
    "KB-RESULT-5",
    "KB-ROUTES-1",
    "KB-UPLOAD-1",
    "KB-UPLOAD-2",
    "ERROR-STATUS-3",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const picture = (name: string) => ({ name, bytes: png() })
    const { collection, made } = await makeBase(trial, client, picture("one.png"), picture("two.png"))
    const path = `/v2/knowledge-bases/${collection}/documents`
    check.equal("two-files", ["KB-CREATE-2", "KB-RESULT-3"], made.items("files_accepted").length, 2, made)
    check.equal("collection", "KB-RESULT-1", made.at("collection"), collection, made)
    check.equal("recorded", "KB-RESULT-5", made.at("metadata_recorded"), true, made)
    for (const name of ["one.png", "three.png"]) {
      await trial.clock.advance(1_000)
      const added = await addFiles(client, collection, picture(name))
      check.status("added", ["KB-ADD-10", "KB-ADD-7", "KB-ADD-11", "ERROR-STATUS-3"], added, 201)
      check.equal("same-collection", "KB-RESULT-1", added.at("collection"), collection, added)
      check.equal("same-retrieval", "KB-RESULT-2", added.at("retrieval_id"), made.at("retrieval_id"), added)
      check.equal("one-file", ["KB-RESULT-3", "KB-ADD-2"], added.items("files_accepted").length, 1, added)
      check.equal("added-recorded", "KB-RESULT-5", added.at("metadata_recorded"), true, added)
    }
    const list = await client.get(path)
    const files = list.items().map((_row, n) => list.at(`data.${n}.files`))
    const entries = [["three.png"], ["one.png"], ["one.png", "two.png"]]
    check.equal("entries", ["KB-ADD-11", "KB-LIST-2", "KB-UPLOAD-2", "KB-ROUTES-1"], files, entries, list)
    const ids = list.items().map((_row, n) => list.string(`data.${n}.document_id`))
    check.equal("ids", "KB-UPLOAD-1", new Set(ids.filter((id) => id !== "")).size, 3, list)
    for (const page of [1, 2, 3]) {
      const one = await client.get(path, { page, page_size: 1 })
      check.equal("page", "KB-LIST-1", [one.items().length, one.at("data.0.document_id")], [1, ids[page - 1]], one)
      check.equal("more", "KB-LIST-1", one.at("pagination.has_more"), page < 3, one)
    }
    const gone = await client.delete(`${path}/${ids[0]}`)
    check.equal("deleted", ["KB-DELETE-1", "KB-DELETED-1"], gone.at("deleted"), true, gone)
    check.equal("deleted-from", "KB-DELETED-1", gone.at("collection"), collection, gone)
    check.equal("number", "KB-DELETED-3", typeof gone.at("vectors_removed"), "number", gone)
    const after = await client.get(path)
    check.equal("not-listed", "KB-DELETE-1", after.items().length, 2, after)
    check.refused("twice", "KB-DELETE-2", await client.delete(`${path}/${ids[0]}`), 1200)
    check.refused("no-base", "KB-ERROR-1", await client.get("/v2/knowledge-bases/none-of-these/documents"), 1200)
    check.refused("no-base-to-add", "KB-ERROR-1", await addFiles(client, "none-of-these", picture("x.png")), 1200)
    const text = { name: "notes.txt", bytes: new TextEncoder().encode("Just text.") }
    const wrong = ["KB-ADD-6", "KB-ERROR-5"]
    check.refused("text", wrong, await addFiles(client, collection, text), 1000, 415)
    const created = await createBase(client, `${collection}-text`, text)
    check.refused("created-text", [...wrong, "KB-CREATE-2"], created, 1000, 415)
    const many = Array.from({ length: 11 }, (_, n) => picture(`p${n}.png`))
    for (const answer of [
      await addFiles(client, collection, ...many),
      await createBase(client, `${collection}-many`, ...many),
    ]) {
      check.refused("eleven", ["KB-ADD-3", "KB-CREATE-2"], answer, 1000, 413)
    }
    const ten = await addFiles(client, collection, ...many.slice(1))
    check.status("ten", "KB-ADD-3", ten, 201)
    const empty = await addFiles(client, collection, { name: "empty.png", bytes: new Uint8Array(0) })
    check.refused("empty", "KB-ERROR-6", empty, 1000)
    check.refused("bad-name", "KB-ERROR-6", await createBase(client, "a/b c", picture("x.png")), 1000)
    const { headers, raw } = form([{ name: "files", filename: "picture.png", value: png() }])
    const { "content-length": _length, ...rest } = headers
    for (const to of [path, "/v2/knowledge-bases"]) {
      const chunked = await client.send("POST", to, { headers: rest, raw, chunked: true })
      check.refused("chunked", ["KB-ADD-8", "KB-ERROR-3"], chunked, 1000, 411)
    }
  },
}

const charset: Case = {
  id: "calls/create/optional",
  title: "A call takes null where null is allowed, a JSON body with a charset, and metadata alone",
  clauses: [
    "CALL-CREATE-3",
    "CALL-CREATE-4",
    "CALL-CREATE-5",
    "CALL-CREATE-6",
    "CALL-CREATE-7",
    "CALL-CREATE-10",
    "CALL-CREATE-11",
    "CALL-CREATE-12",
    "CALL-CREATE-16",
    "CALL-CREATE-18",
    "CALL-CREATE-P8",
    "CALL-CREATE-LATER-1",
    "CALL-CREATE-LATER-2",
    "CALL-STOP-3",
    "CALL-STOP-5",
    "CALL-STOP-6",
    "CONSTANT-7",
    "CONSTANT-8",
    "CONSTANT-12",
    "STATUS-MOVE-5",
    "STATUS-MOVE-11",
    "STATUS-16",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const at = new Date((await trial.now()) + 2 * 86_400_000)
    const to_number = trial.numbers.magic("completed", 1)
    const book = async (body: object) => {
      const base = { agent_id, to_number, scheduled_at: at.toISOString() }
      const answer = await client.post("/v2/calls", { ...base, ...body })
      const id = answer.string("execution_id")
      if (id !== "") trial.defer(() => client.post(`/v2/calls/${id}/stop`))
      return answer
    }
    const booked = (name: string, clauses: ReadonlyArray<string>, answer: Answer) => {
      check.equal(name, clauses, [answer.status, answer.at("status")], [202, "scheduled"], answer)
      return answer
    }
    booked("null-from", ["CALL-CREATE-7"], await book({ from_number: null }))
    check.refused("from-without-plus", "CALL-CREATE-7", await book({ from_number: "15555550100" }), 1001)
    const seven = await book({ to_number: "+1234567" })
    booked("seven-digits", ["CALL-CREATE-6", "CONSTANT-12"], seven)
    booked("fifteen-digits", ["CALL-CREATE-6", "CONSTANT-12"], await book({ to_number: "+155555501000123" }))
    for (const number of ["+123456", "+1234567890123456", "+1 555 555 0100", "5555550100", ""]) {
      check.refused("number", ["CALL-CREATE-6", "CONSTANT-12"], await book({ to_number: number }), 1001)
    }
    for (const timeout_seconds of [5, 120]) {
      booked("ring", ["CALL-CREATE-16", "CONSTANT-8"], await book({ timeout_seconds }))
    }
    for (const timeout_seconds of [4, 121, 5.5, "30"]) {
      check.refused("no-ring", ["CALL-CREATE-16", "CONSTANT-8"], await book({ timeout_seconds }), 1001)
    }
    booked("unrecorded", ["STATUS-MOVE-5", "CALL-CREATE-LATER-1"], await book({ record: false }))
    check.refused("empty-agent", "CALL-CREATE-4", await book({ agent_id: "" }), 1001)
    const unknown = await book({ agent_id: "agt_none" })
    check.rejected("unknown-agent", ["CALL-CREATE-5", "CALL-CREATE-18"], unknown)
    check.refused("unknown-agent-chosen", "CALL-CREATE-P8", unknown, 1200)
    check.refused("local", "CALL-CREATE-12", await book({ scheduled_at: at.toISOString().slice(0, 19) }), 1001)
    const shifted = new Date(at.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 19)
    const india = booked("offset", ["CALL-CREATE-12"], await book({ scheduled_at: `${shifted}+05:30` }))
    const same = Math.floor(at.getTime() / 1_000)
    const clauses = ["CALL-CREATE-12", "CALL-CREATE-LATER-2"]
    check.equal("same-moment", clauses, Math.floor(Date.parse(india.string("scheduled_at")) / 1_000), same, india)
    for (const [name, given, expected] of [
      ["metadata", { metadata: { seat: "m" } }, { seat: "m" }],
      ["variables", { variables: { seat: "v" } }, { seat: "v" }],
      ["both", { variables: { seat: "v", row: 1 }, metadata: { seat: "m" } }, { row: 1, seat: "m" }],
    ] as const) {
      const made = booked(name, ["CALL-CREATE-LATER-1"], await book(given))
      const read = await client.get(`/v2/calls/${made.string("execution_id")}`)
      check.equal(`${name}-read`, ["CALL-CREATE-10", "CALL-CREATE-11"], read.at("variables"), expected, read)
    }
    const body = JSON.stringify({ agent_id, to_number, scheduled_at: at.toISOString() })
    const headers = { "content-type": "application/json; charset=utf-8" }
    const made = booked("charset", ["CALL-CREATE-3"], await client.send("POST", "/v2/calls", { raw: body, headers }))
    const stop = `/v2/calls/${made.string("execution_id")}/stop`
    const stopped = await client.post(stop, { reason: null })
    check.status("null-reason", "CALL-STOP-3", stopped, 200)
    check.equal(
      "before",
      "CALL-STOP-5",
      [stopped.at("status"), stopped.at("canceled_before_dial")],
      ["canceled", true],
      stopped,
    )
    const planned = stopped.at("scheduled_at")
    const never = typeof planned === "string" ? Math.floor(Date.parse(planned) / 1_000) : planned
    check.oneOf("never-fires", "CALL-STOP-6", never, [same, null], stopped)
    const [second, third] = [await book({}), await book({})]
    const bare = await client.post(`/v2/calls/${second.string("execution_id")}/stop`)
    check.status("no-body", "CALL-STOP-3", bare, 200)
    const told = await client.post(`/v2/calls/${third.string("execution_id")}/stop`, { reason: "Changed." })
    check.equal(
      "reason",
      ["CALL-STOP-5", "STATUS-16"],
      [told.at("status"), told.at("canceled_before_dial")],
      ["canceled", true],
      told,
    )
    const read = await client.get(`/v2/calls/${third.string("execution_id")}`)
    check.equal("canceled", ["STATUS-MOVE-11", "STATUS-16"], read.at("status"), "canceled", read)
    const now = await trial.now()
    for (const [name, ahead, isTaken] of [
      ["a-minute", 60_000, false],
      ["a-month-and-a-day", 31 * 86_400_000, false],
      ["thirty-days", 30 * 86_400_000 - 60_000, true],
      ["three-minutes", 180_000, true],
    ] as const) {
      const answer = await book({ scheduled_at: new Date(now + ahead).toISOString() })
      if (isTaken) booked(name, ["CONSTANT-7"], answer)
      else check.refused(name, "CONSTANT-7", answer, 1001)
    }
  },
}

/** Ceilings of every route, and what calls and documents leave optional. */
export const ceilingOfRouteCases: ReadonlyArray<Case> = [every, documents, charset]
