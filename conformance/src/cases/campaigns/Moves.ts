import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import {
  distantStart,
  magicContacts,
  makeCampaign,
  move,
  pausedWord,
  readCampaign,
  readStats,
} from "../../trial/Campaigns.ts"
import { isNewestFirst } from "../../trial/CreationOrder.ts"
import { dayMs, hourMs, minuteMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

const iso = async (trial: Trial, aheadMs: number): Promise<string> =>
  new Date((await trial.now()) + aheadMs).toISOString()

const moves: Case = {
  id: "campaigns/moves/states",
  title: "Pause, resume, cancel, revive and delete move a campaign as the table of states says, with its batches",
  clauses: [
    "CAMPAIGN-MOVE-1",
    "CAMPAIGN-MOVE-2",
    "CAMPAIGN-MOVE-3",
    "CAMPAIGN-MOVE-4",
    "CAMPAIGN-MOVE-5",
    "CAMPAIGN-CANCEL-1",
    "CAMPAIGN-CANCEL-P1",
    "CAMPAIGN-DELETE-1",
    "CAMPAIGN-DELETE-2",
    "CAMPAIGN-DELETE-3",
    "CAMPAIGN-DELETE-4",
    "CAMPAIGN-STATUS-1",
    "CAMPAIGN-STATUS-4",
    "CAMPAIGN-STATUS-5",
    "CAMPAIGN-STATUS-8",
    "CAMPAIGN-STATUS-10",
    "CAMPAIGN-STATUS-11",
    "CAMPAIGN-STATUS-13",
    "CAMPAIGN-STATUS-16",
    "CAMPAIGN-STATUS-17",
    "CAMPAIGN-STATUS-21",
    "CAMPAIGN-STATUS-22",
    "CAMPAIGN-CONFLICT-2",
    "CAMPAIGN-CONFLICT-3",
    "CAMPAIGN-CONFLICT-4",
    "CAMPAIGN-CONFLICT-5",
    "CAMPAIGN-CONFLICT-P1",
    "CAMPAIGN-CONFLICT-P3",
    "CAMPAIGN-PATCH-3",
    "CAMPAIGN-PATCH-P2",
    "CAMPAIGN-PATCH-P3",
    "BATCH-FIELD-1",
    "BATCH-STATUS-1",
    "CONTACT-P1",
    "CAMPAIGN-EXTENSION-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const contacts = magicContacts(trial, 2, "completed")
    const made = await makeCampaign(trial, client, agentId, { contacts, start_time: await distantStart(trial) })
    const id = made.string("campaign_id")
    const batchStatus = async () => (await client.get(`/v2/batches/${made.string("batch_id")}`)).at("status")
    const still = await move(client, id, "resume")
    check.equal(
      "resume-of-created",
      "CAMPAIGN-CONFLICT-P1",
      [still.status, still.at("status")],
      [200, "created"],
      still,
    )
    const early = await move(client, id, "revive")
    check.refused("revive-of-running", "CAMPAIGN-CONFLICT-3", early, 1201)
    const paused = await move(client, id, "pause")
    check.status("pause", ["CAMPAIGN-MOVE-1", "CAMPAIGN-MOVE-2", "CAMPAIGN-MOVE-3"], paused, 200)
    check.equal(
      "paused",
      ["CAMPAIGN-MOVE-4", "CAMPAIGN-STATUS-1", "CAMPAIGN-STATUS-4"],
      paused.at("status"),
      "paused",
      paused,
    )
    check.equal("pause-cascades", "CAMPAIGN-STATUS-5", await batchStatus(), await pausedWord(trial, client, agentId))
    const again = await move(client, id, "pause")
    check.equal("pause-again", "CAMPAIGN-STATUS-8", [again.status, again.at("status")], [200, "paused"], again)
    const resumed = await move(client, id, "resume")
    check.equal(
      "resumed",
      ["CAMPAIGN-MOVE-5", "CAMPAIGN-STATUS-10", "CAMPAIGN-MOVE-3"],
      [resumed.status, resumed.at("status")],
      [200, "active"],
      resumed,
    )
    check.holds("resume-cascades", "CAMPAIGN-STATUS-11", (await batchStatus()) !== "paused", "batches that go on")
    const twice = await move(client, id, "resume")
    check.equal("resume-of-active", "CAMPAIGN-CONFLICT-P1", [twice.status, twice.at("status")], [200, "active"], twice)
    const another = await activeAgent(trial, client)
    const handed = await client.patch(`/v2/campaigns/${id}`, { agent_id: another })
    check.refused("agent-of-active", "CAMPAIGN-PATCH-P2", handed, 1201)
    const busy = await client.delete(`/v2/campaigns/${id}`)
    check.refused("delete-of-running", ["CAMPAIGN-DELETE-3", "CAMPAIGN-CONFLICT-5"], busy, 1201)
    const cancelled = await move(client, id, "cancel")
    check.equal(
      "cancelled",
      "CAMPAIGN-CANCEL-P1",
      [cancelled.status, cancelled.at("status")],
      [200, "cancelled"],
      cancelled,
    )
    check.equal(
      "cancel-cascades",
      ["BATCH-FIELD-1", "BATCH-STATUS-1", "CAMPAIGN-STATUS-13", "CAMPAIGN-CANCEL-1"],
      await batchStatus(),
      "cancelled",
    )
    const skipped = await client.get(`/v2/campaigns/${id}/contacts`)
    check.equal("skipped", ["CONTACT-P1", "CAMPAIGN-EXTENSION-P1"], skipped.at("data.1.status"), "skipped", skipped)
    const dead = await move(client, id, "resume")
    check.refused("resume-of-cancelled", ["CAMPAIGN-STATUS-16", "CAMPAIGN-CONFLICT-2"], dead, 1201)
    check.refused("cancel-of-cancelled", "CAMPAIGN-CONFLICT-2", await move(client, id, "cancel"), 1201)
    const edited = await client.patch(`/v2/campaigns/${id}`, { name: "y" })
    check.refused("edit-of-cancelled", ["CAMPAIGN-CONFLICT-4", "CAMPAIGN-PATCH-3", "CAMPAIGN-PATCH-P3"], edited, 1201)
    const revived = await move(client, id, "revive")
    check.equal(
      "revived",
      ["CAMPAIGN-STATUS-17", "CAMPAIGN-MOVE-3"],
      [revived.status, revived.at("status")],
      [200, "active"],
      revived,
    )
    const back = await client.get(`/v2/campaigns/${id}/contacts`)
    if (back.succeeded) check.equal("re-queued", "CAMPAIGN-STATUS-17", back.at("data.1.status"), "pending", back)
    await move(client, id, "cancel")
    for (const [name, clauses] of [
      ["delete", ["CAMPAIGN-DELETE-1", "CAMPAIGN-DELETE-2", "CAMPAIGN-STATUS-21"]],
      ["delete-again", ["CAMPAIGN-DELETE-4", "CAMPAIGN-STATUS-22"]],
    ] as const) {
      const gone = await client.delete(`/v2/campaigns/${id}`)
      check.equal(name, clauses, [gone.status, gone.text], [204, ""], gone)
    }
    const archived = await readCampaign(client, id)
    check.equal("archived", ["CAMPAIGN-DELETE-1", "CAMPAIGN-STATUS-21"], archived.at("status"), "archived", archived)
    check.refused("revive-of-archived", "CAMPAIGN-CONFLICT-P3", await move(client, id, "revive"), 1201)
    const late = await client.patch(`/v2/campaigns/${id}`, { name: "y" })
    check.refused("edit-of-archived", "CAMPAIGN-PATCH-P3", late, 1201)
  },
}

const ownPause: Case = {
  id: "campaigns/moves/own-pause",
  title: "A resume re-opens only the batches that the campaign's pause paused",
  clauses: [
    "CAMPAIGN-STATUS-11",
    "CAMPAIGN-STATUS-9",
    "CAMPAIGN-STATUS-P3",
    "CAMPAIGN-CONFLICT-P2",
    "BATCH-STATUS-P1",
    "BATCH-STATUS-P4",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const one = { contacts: magicContacts(trial, 1, "completed") }
    const made = await makeCampaign(trial, client, agentId, { ...one, start_time: await distantStart(trial) })
    const id = made.string("campaign_id")
    const other = trial.made(await client.post(`/v2/campaigns/${id}/contacts`, one), 201).string("batch_id")
    const status = async (batchId: string) => (await client.get(`/v2/batches/${batchId}`)).at("status")
    const answer = trial.made(await client.post(`/v2/batches/${other}/pause`), 200)
    const paused = answer.at("status") ?? (await status(other))
    const before = await status(made.string("batch_id"))
    trial.made(await move(client, id, "pause"), 200)
    check.equal("all-paused", "CAMPAIGN-STATUS-9", await status(made.string("batch_id")), paused)
    trial.made(await move(client, id, "resume"), 200)
    const after = await status(made.string("batch_id"))
    const goesOn = after !== paused
    check.holds("the-campaigns-goes-on", ["CAMPAIGN-STATUS-11", "CAMPAIGN-STATUS-P3"], goesOn, "a batch that goes on")
    // Nobody of it was dialled: a pause moves it no further.
    check.equal("as-before", "BATCH-STATUS-P1", after, before)
    check.equal("the-other-stays", "CAMPAIGN-STATUS-P3", await status(other), "paused")
    const again = await client.post(`/v2/batches/${other}/pause`)
    check.equal("pause-again", "BATCH-STATUS-P4", [again.status, again.at("status")], [200, "paused"], again)
    trial.made(await move(client, id, "pause"), 200)
    check.refused("delete-of-paused", "CAMPAIGN-CONFLICT-P2", await client.delete(`/v2/campaigns/${id}`), 1201)
  },
}

const doneWhilePaused: Case = {
  id: "campaigns/moves/done-while-paused",
  title: "A campaign whose only batch was stopped during its pause is completed once it is resumed",
  clauses: ["CAMPAIGN-STATUS-P5"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const one = { contacts: magicContacts(trial, 1, "completed") }
    const made = await makeCampaign(trial, client, agentId, { ...one, start_time: await distantStart(trial) })
    const id = made.string("campaign_id")
    trial.made(await move(client, id, "pause"), 200)
    trial.made(await client.post(`/v2/batches/${made.string("batch_id")}/stop`), 200)
    await clock.advance(minuteMs)
    // Whoever completes it before its resume has nothing to resume.
    const held = await readCampaign(client, id)
    if (held.at("status") === "paused") trial.made(await move(client, id, "resume"), 200)
    await clock.advance(minuteMs)
    const done = await readCampaign(client, id)
    check.equal("completed", "CAMPAIGN-STATUS-P5", done.at("status"), "completed", done)
  },
}

const patching: Case = {
  id: "campaigns/moves/patch",
  title: "A PATCH takes every field of a create but contacts, and not an empty body",
  clauses: [
    "CAMPAIGN-PATCH-1",
    "CAMPAIGN-PATCH-2",
    "CAMPAIGN-PATCH-P1",
    "CAMPAIGN-CANCEL-P3",
    "CAMPAIGN-ERROR-1",
    "CAMPAIGN-ERROR-3",
    "CAMPAIGN-CREATE-8",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId)
    const target = `/v2/campaigns/${made.string("campaign_id")}`
    const end_time = await iso(trial, 9 * dayMs)
    const answer = await client.patch(target, {
      name: "New",
      end_time,
      max_concurrent_calls: 3,
      retry_policy: { max_retries: 1 },
      metadata: { a: 1 },
    })
    check.status("edited", "CAMPAIGN-PATCH-1", answer, 200)
    const got = [
      answer.at("name"),
      Date.parse(answer.string("end_time")),
      answer.at("max_concurrent_calls"),
      answer.at("retry_policy.max_retries"),
      answer.at("metadata"),
    ]
    check.equal(
      "fields",
      ["CAMPAIGN-PATCH-1", "CAMPAIGN-PATCH-P1"],
      got,
      ["New", Date.parse(end_time), 3, 1, { a: 1 }],
      answer,
    )
    const other = await activeAgent(trial, client)
    const changed = await client.patch(target, { agent_id: other })
    check.equal("agent", "CAMPAIGN-PATCH-P1", changed.at("agent_id"), other, changed)
    const refusals: ReadonlyArray<readonly [string, string, object, number]> = [
      ["empty", "CAMPAIGN-PATCH-2", {}, 1000],
      ["zone", "CAMPAIGN-ERROR-1", { timezone: "Nowhere/Land" }, 1000],
      ["end-at-start", "CAMPAIGN-ERROR-3", { start_time: end_time }, 1000],
      ["agent-unknown", "CAMPAIGN-CREATE-8", { agent_id: "agt_unknown" }, 1200],
    ]
    for (const [name, clause, body, code] of refusals)
      check.refused(name, clause, await client.patch(target, body), code)
    const cancelled = await move(client, made.string("campaign_id"), "cancel")
    check.status("cancel-of-created", "CAMPAIGN-CANCEL-P3", cancelled, 200)
  },
}

const reading: Case = {
  id: "campaigns/read/list",
  title: "Campaigns are listed newest first with an honest count, by status, and unknown ones are 404",
  clauses: [
    "CAMPAIGN-LIST-1",
    "CAMPAIGN-LIST-2",
    "CAMPAIGN-LIST-3",
    "CAMPAIGN-LIST-4",
    "CAMPAIGN-LIST-5",
    "CAMPAIGN-GET-1",
    "CAMPAIGN-STATS-1",
    "CAMPAIGN-CREATE-1",
    "CAMPAIGN-EXTENSION-P3",
    "BATCH-ROUTES-10",
    "BATCH-ROUTES-11",
    "BATCH-ROUTES-12",
    "CAMPAIGN-MOVE-1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    // Whether a policy without contacts stays created is a reading.
    const status = (
      await readCampaign(client, (await makeCampaign(trial, client, agentId)).string("campaign_id"))
    ).string("status")
    const before = (await client.get("/v2/campaigns", { status })).number("pagination.total")
    const ids: Array<string> = []
    const moments: Array<unknown> = []
    for (let nth = 0; nth < 3; nth++) {
      const made = await makeCampaign(trial, client, agentId)
      ids.push(made.string("campaign_id"))
      moments.push(made.at("created_at"))
    }
    const page = await client.get("/v2/campaigns", { status, page_size: 2 })
    const shown = [page.at("data.0.campaign_id"), page.at("data.1.campaign_id")]
    const all = shown.every((id) => ids.some((own) => own === id))
    check.holds("of-that-status", "CAMPAIGN-LIST-2", all, "campaigns of the case", page)
    check.holds("none-before-a-newer", "CAMPAIGN-LIST-4", isNewestFirst(page), "campaigns newest first", page)
    // Those of one moment may come in any order.
    const isOrdered = new Set(moments).size === moments.length
    if (isOrdered) check.equal("newest-first", ["CAMPAIGN-LIST-2", "CAMPAIGN-LIST-4"], shown, [ids[2], ids[1]], page)
    check.equal("total", "CAMPAIGN-LIST-5", page.at("pagination.total"), before + 3, page)
    check.equal(
      "pages",
      ["CAMPAIGN-LIST-3", "CAMPAIGN-LIST-5"],
      page.at("pagination.total_pages"),
      Math.ceil((before + 3) / 2),
      page,
    )
    const other = await client.get("/v2/campaigns", { status: "archived" })
    check.holds("by-status", "CAMPAIGN-LIST-2", !other.text.includes(ids[0] ?? ""), "only archived ones", other)
    check.refused("bad-status", "CAMPAIGN-LIST-2", await client.get("/v2/campaigns", { status: "running" }), 1000)
    for (const path of ["", "/stats", "/batches", "/contacts", "/explain"]) {
      const answer = await client.get(`/v2/campaigns/cmp_unknown${path}`)
      check.refused(`unknown${path}`, path === "/stats" ? "CAMPAIGN-STATS-1" : "CAMPAIGN-GET-1", answer, 1200)
    }
    const explained = await client.get(`/v2/campaigns/${ids[0]}/explain`)
    check.status("explained", "CAMPAIGN-EXTENSION-P3", explained, 200)
    const limit = async (method: string, path: string) =>
      (await client.send(method, path)).integerHeader("x-ratelimit-limit")
    const dials = await limit("POST", "/v2/calls")
    const reads = await limit("GET", "/v2/calls")
    const rest = await limit("GET", "/v2/user/me")
    const buckets: ReadonlyArray<readonly [clause: string, method: string, path: string, ceiling: number]> = [
      ["CAMPAIGN-CREATE-1", "POST", "/v2/campaigns", dials],
      ["BATCH-ROUTES-10", "POST", "/v2/batches", dials],
      ["BATCH-ROUTES-10", "POST", "/v2/batches/upload", dials],
      ["BATCH-ROUTES-10", "POST", "/v2/batches/bat_x/schedule", dials],
      ["BATCH-ROUTES-11", "GET", "/v2/batches/bat_x/executions", reads],
      ["CAMPAIGN-LIST-1", "GET", "/v2/campaigns", rest],
      ["CAMPAIGN-MOVE-1", "POST", "/v2/campaigns/cmp_x/pause", rest],
      ["BATCH-ROUTES-12", "GET", "/v2/batches", rest],
      ["BATCH-ROUTES-12", "POST", "/v2/batches/bat_x/pause", rest],
    ]
    for (const [clause, method, path, ceiling] of buckets) {
      check.equal(`bucket-${method}-${path}`, clause, await limit(method, path), ceiling)
    }
  },
}

const foreign: Case = {
  id: "campaigns/read/tenants",
  title: "Campaigns and batches of another organization are unknown, and scopes gate their routes",
  clauses: [
    "CAMPAIGN-GET-1",
    "CAMPAIGN-SCOPE-P1",
    "CAMPAIGN-SCOPE-P2",
    "CAMPAIGN-SCOPE-P3",
    "BATCH-ROUTES-8",
    "BATCH-ROUTES-9",
    "CAMPAIGN-CREATE-8",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const mine = await trial.organization({
      keys: [{}, { scopes: ["calls:read"] }, { scopes: ["batches:write"] }, { scopes: [] }],
    })
    const [owner, reader, writer, nothing] = mine.clients
    if (owner === undefined || reader === undefined || writer === undefined || nothing === undefined) return
    const agentId = await activeAgent(trial, owner)
    const contacts = magicContacts(trial, 1, "completed")
    const made = await makeCampaign(trial, owner, agentId, { contacts, start_time: await distantStart(trial) })
    const id = made.string("campaign_id")
    const batch = `/v2/batches/${made.string("batch_id")}`
    const other = await trial.organization()
    for (const path of [`/v2/campaigns/${id}`, `/v2/campaigns/${id}/stats`, batch, `${batch}/executions`]) {
      check.refused(
        `foreign-${path.split("/").at(-1)}-${path.length}`,
        "CAMPAIGN-GET-1",
        await other.client.get(path),
        1200,
      )
    }
    for (const how of ["pause", "resume", "cancel", "revive"] as const) {
      check.refused(`foreign-${how}`, "CAMPAIGN-GET-1", await move(other.client, id, how), 1200)
    }
    const theirs = await other.client.post("/v2/campaigns", { name: "x", agent_id: agentId })
    check.refused("foreign-agent", "CAMPAIGN-CREATE-8", theirs, 1200)
    const writes: ReadonlyArray<readonly [string, string, string, string]> = [
      ["POST", "/v2/campaigns", "CAMPAIGN-SCOPE-P1", "create"],
      ["PATCH", `/v2/campaigns/${id}`, "CAMPAIGN-SCOPE-P1", "patch"],
      ["DELETE", `/v2/campaigns/${id}`, "CAMPAIGN-SCOPE-P1", "delete"],
      ["POST", `/v2/campaigns/${id}/pause`, "CAMPAIGN-SCOPE-P1", "pause"],
      ["POST", `/v2/campaigns/${id}/cancel`, "CAMPAIGN-SCOPE-P1", "cancel"],
      ["POST", "/v2/batches", "BATCH-ROUTES-8", "batch"],
      ["POST", "/v2/batches/upload", "BATCH-ROUTES-8", "upload"],
      ["POST", `${batch}/schedule`, "BATCH-ROUTES-8", "schedule"],
      ["POST", `${batch}/stop`, "BATCH-ROUTES-8", "stop"],
      ["POST", `${batch}/pause`, "BATCH-ROUTES-8", "pause-batch"],
      ["POST", `${batch}/resume`, "BATCH-ROUTES-8", "resume-batch"],
    ]
    for (const [method, path, clause, name] of writes) {
      check.refused(`reader-${name}`, clause, await reader.send(method, path), 1102)
      check.refused(`nothing-${name}`, ["CAMPAIGN-SCOPE-P3"], await nothing.send(method, path), 1102)
    }
    const reads: ReadonlyArray<readonly [string, string]> = [
      ["/v2/campaigns", "CAMPAIGN-SCOPE-P2"],
      [`/v2/campaigns/${id}`, "CAMPAIGN-SCOPE-P2"],
      [`/v2/campaigns/${id}/stats`, "CAMPAIGN-SCOPE-P2"],
      ["/v2/batches", "BATCH-ROUTES-9"],
      [batch, "BATCH-ROUTES-9"],
      [`${batch}/executions`, "BATCH-ROUTES-9"],
    ]
    for (const [path, clause] of reads) {
      check.status(`reader-${path.split("/").at(-1)}`, clause, await reader.get(path), 200)
      check.refused(`writer-${path.split("/").at(-1)}`, clause, await writer.get(path), 1102)
    }
    check.status("writer-pauses", "CAMPAIGN-SCOPE-P1", await move(writer, id, "pause"), 200)
  },
}

const times: Case = {
  id: "campaigns/moves/start-and-end",
  title: "Nothing dials before the start or after the end; the campaign expires and comes back when its end is moved",
  clauses: [
    "CAMPAIGN-FIELD-24",
    "CAMPAIGN-FIELD-25",
    "CAMPAIGN-FIELD-26",
    "CAMPAIGN-STATUS-3",
    "CAMPAIGN-STATUS-23",
    "CAMPAIGN-STATUS-24",
    "CAMPAIGN-STATUS-P1",
    "CAMPAIGN-STATUS-P2",
    "CAMPAIGN-CONFLICT-1",
    "CAMPAIGN-CONFLICT-2",
    "CAMPAIGN-CONFLICT-6",
    "CAMPAIGN-PATCH-1",
  ],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agentId, {
      contacts: magicContacts(trial, 30, "holdsLine", 5),
      start_time: await iso(trial, hourMs),
      end_time: await iso(trial, 2 * hourMs),
    })
    const id = made.string("campaign_id")
    const legs = () => trial.telephony.legs({ campaign_id: id })
    await clock.advance(hourMs - 1_000)
    check.equal("not-before-start", "CAMPAIGN-FIELD-24", (await legs()).length, 0)
    await clock.advance(minuteMs)
    const active = await readCampaign(client, id)
    check.equal("active", "CAMPAIGN-STATUS-3", active.at("status"), "active", active)
    await clock.advance(hourMs)
    const expired = await readCampaign(client, id)
    check.equal("expired", ["CAMPAIGN-STATUS-23", "CAMPAIGN-FIELD-26"], expired.at("status"), "expired", expired)
    const stats = await readStats(client, id)
    check.equal("batches-expired", "CAMPAIGN-STATUS-P1", stats.at("batch_counts"), { expired: 1 }, stats)
    check.holds(
      "contacts-pending",
      "CAMPAIGN-STATUS-P1",
      stats.number("outcome_counts.pending") > 0,
      "pending contacts",
      stats,
    )
    const placed = (await legs()).length
    await clock.advance(hourMs)
    check.equal("not-after-end", "CAMPAIGN-FIELD-25", (await legs()).length, placed)
    for (const how of ["pause", "resume", "cancel"] as const) {
      const clause = how === "pause" ? "CAMPAIGN-CONFLICT-1" : "CAMPAIGN-CONFLICT-2"
      check.refused(`${how}-of-expired`, clause, await move(client, id, how), 1201)
    }
    trial.made(await move(client, id, "revive"), 200)
    await clock.advance(minuteMs)
    const again = await readCampaign(client, id)
    check.equal("expires-again", "CAMPAIGN-CONFLICT-6", again.at("status"), "expired", again)
    check.equal("nobody-rung", "CAMPAIGN-CONFLICT-6", (await legs()).length, placed)
    const patched = await client.patch(`/v2/campaigns/${id}`, { end_time: await iso(trial, dayMs) })
    check.equal("re-activated", ["CAMPAIGN-STATUS-24", "CAMPAIGN-PATCH-1"], patched.at("status"), "active", patched)
    await clock.advance(hourMs)
    check.holds(
      "dials-again",
      ["CAMPAIGN-STATUS-24", "CAMPAIGN-STATUS-P2"],
      (await legs()).length > placed,
      "new dials",
    )
    const opened = await readStats(client, id)
    check.equal("batches-open", "CAMPAIGN-STATUS-P2", opened.at("batch_counts.expired") ?? 0, 0, opened)
    await clock.advance(6 * hourMs)
    const done = await readCampaign(client, id)
    check.equal("runs-to-its-end", "CAMPAIGN-STATUS-P2", done.at("completed_contacts"), 30, done)
  },
}

export const campaignMoveCases: ReadonlyArray<Case> = [
  moves,
  ownPause,
  doneWhilePaused,
  patching,
  reading,
  foreign,
  times,
]
