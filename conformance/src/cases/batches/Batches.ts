import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { csv, distantStart, magicContacts, makeCampaign } from "../../trial/Campaigns.ts"
import { form } from "../../trial/Forms.ts"
import { dayMs, hourMs, minuteMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"

const ahead = async (trial: Trial, ms: number): Promise<string> => new Date((await trial.now()) + ms).toISOString()

const routes: Case = {
  id: "batches/routes",
  title: "Batches are created, uploaded, read, listed and steered with the statuses of the specification",
  clauses: [
    "BATCH-ROUTES-1",
    "BATCH-ROUTES-2",
    "BATCH-ROUTES-3",
    "BATCH-ROUTES-4",
    "BATCH-ROUTES-5",
    "BATCH-ROUTES-6",
    "BATCH-ROUTES-7",
    "BATCH-ROUTES-P1",
    "BATCH-CREATE-P1",
    "BATCH-CREATE-P3",
    "BATCH-SCHEDULE-P1",
    "BATCH-LIST-P1",
    "BATCH-LIST-P2",
    "BATCH-STATUS-1",
    "BATCH-STATUS-2",
    "BATCH-STATUS-P1",
    "BATCH-STATUS-P2",
    "BATCH-STATUS-P3",
    "BATCH-STATUS-P4",
    "BATCH-FIELD-1",
    "BATCH-FIELD-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const body = {
      agent_id: agentId,
      contacts: magicContacts(trial, 2, "completed"),
      name: "List",
      scheduled_at: await ahead(trial, 20 * dayMs),
      retry_policy: { max_retries: 1 },
      metadata: { a: 1 },
      concurrency_limit: 5,
    }
    const made = await client.post("/v2/batches", body)
    check.status("created", ["BATCH-ROUTES-P1", "BATCH-CREATE-P1"], made, 201)
    check.must(made.succeeded)
    if (!trial.hasFixtures) trial.defer(() => client.post(`/v2/batches/${made.string("batch_id")}/stop`))
    check.equal("limit-stored", "BATCH-FIELD-P1", made.at("concurrency_limit"), 5, made)
    const got = [
      made.at("name"),
      made.at("status"),
      made.at("total_contacts"),
      made.at("retry_policy.max_retries"),
      made.at("metadata"),
    ]
    check.equal(
      "fields",
      ["BATCH-CREATE-P1", "BATCH-FIELD-P1", "BATCH-STATUS-P1"],
      got,
      ["List", "scheduled", 2, 1, { a: 1 }],
      made,
    )
    const campaign = await makeCampaign(trial, client, agentId, { start_time: await distantStart(trial) })
    const campaignId = campaign.string("campaign_id")
    const uploaded = await client.send(
      "POST",
      "/v2/batches/upload",
      form([
        { name: "agent_id", value: agentId },
        { name: "campaign_id", value: campaignId },
        { name: "metadata", value: '{"b":2}' },
        csv(`phone\n${trial.numbers.magic("completed", 1)}\n`),
      ]),
    )
    check.status("uploaded", ["BATCH-ROUTES-P1", "BATCH-CREATE-P3"], uploaded, 201)
    check.equal(
      "upload-fields",
      "BATCH-CREATE-P3",
      [uploaded.at("campaign_id"), uploaded.at("metadata")],
      [campaignId, { b: 2 }],
      uploaded,
    )
    const id = made.string("batch_id")
    const list = await client.get("/v2/batches", { status: "scheduled", agent_id: agentId })
    check.equal("listed", "BATCH-LIST-P1", list.at("data.0.batch_id"), id, list)
    const ofCampaign = await client.get("/v2/batches", { campaign_id: campaignId })
    check.equal("by-campaign", "BATCH-LIST-P1", ofCampaign.at("pagination.total"), 1, ofCampaign)
    check.refused("bad-status", "BATCH-LIST-P1", await client.get("/v2/batches", { status: "canceled" }), 1000)
    check.status("read", "BATCH-ROUTES-4", await client.get(`/v2/batches/${id}`), 200)
    const calls = await client.get(`/v2/batches/${id}/executions`, { status: "completed", page_size: 5 })
    check.equal("executions", "BATCH-LIST-P2", calls.at("pagination.total"), 0, calls)
    for (const path of ["", "/executions"]) {
      check.refused(`unknown${path}`, "BATCH-ROUTES-4", await client.get(`/v2/batches/bat_unknown${path}`), 1200)
    }
    const windows: ReadonlyArray<readonly [string, number, number | null]> = [
      ["too-soon", minuteMs, 1001],
      ["too-far", 31 * dayMs, 1001],
      ["in-time", 3 * minuteMs, null],
      ["later", 29 * dayMs, null],
    ]
    for (const [name, ms, code] of windows) {
      const answer = await client.post(`/v2/batches/${id}/schedule`, { scheduled_at: await ahead(trial, ms) })
      if (code === null) check.status(name, ["BATCH-ROUTES-P1", "BATCH-SCHEDULE-P1"], answer, 200)
      else check.refused(name, "BATCH-SCHEDULE-P1", answer, code)
    }
    check.refused(
      "schedule-without-time",
      "BATCH-SCHEDULE-P1",
      await client.post(`/v2/batches/${id}/schedule`, {}),
      1002,
    )
    const paused = await client.post(`/v2/batches/${id}/pause`)
    check.equal("paused", "BATCH-ROUTES-P1", [paused.status, paused.at("status")], [200, "paused"], paused)
    check.status("pause-again", "BATCH-STATUS-P4", await client.post(`/v2/batches/${id}/pause`), 200)
    const resumed = await client.post(`/v2/batches/${id}/resume`)
    check.equal("resumed", "BATCH-ROUTES-P1", [resumed.status, resumed.at("status")], [202, "scheduled"], resumed)
    const stopped = await client.post(`/v2/batches/${id}/stop`)
    check.equal(
      "stopped",
      ["BATCH-ROUTES-P1", "BATCH-STATUS-P3"],
      [stopped.status, stopped.at("status"), stopped.at("skipped_contacts")],
      [200, "cancelled", 2],
      stopped,
    )
    const over = await client.post(`/v2/batches/${id}/pause`)
    check.refused("pause-of-finished", ["BATCH-STATUS-2", "BATCH-STATUS-P2"], over, 1201)
    check.names("pause-of-finished-named", "BATCH-STATUS-2", over, "cancelled")
    for (const how of ["resume", "stop"]) {
      check.refused(`${how}-of-finished`, "BATCH-STATUS-P2", await client.post(`/v2/batches/${id}/${how}`), 1201)
    }
  },
}

const refusals: Case = {
  id: "batches/refusals",
  title: "A batch that is wrong is refused and leaves nothing behind",
  clauses: [
    "BATCH-CREATE-P1",
    "BATCH-CREATE-P3",
    "CAMPAIGN-CREATE-8",
    "CAMPAIGN-ERROR-7",
    "CAMPAIGN-JSON-P2",
    "CAMPAIGN-CSV-P9",
    "BATCH-SCHEDULE-P1",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const contacts = magicContacts(trial, 1, "completed")
    const whole = { agent_id: agentId, contacts, scheduled_at: await ahead(trial, 20 * dayMs) }
    const before = (await client.get("/v2/batches")).at("pagination.total")
    const wrong: ReadonlyArray<readonly [string, string, object, number]> = [
      ["no-agent", "BATCH-CREATE-P1", { ...whole, agent_id: undefined }, 1002],
      ["unknown-agent", "CAMPAIGN-CREATE-8", { ...whole, agent_id: "agt_unknown" }, 1200],
      ["unknown-campaign", "BATCH-CREATE-P1", { ...whole, campaign_id: "cmp_unknown" }, 1200],
      ["no-contacts-field", "CAMPAIGN-ERROR-7", { ...whole, contacts: undefined }, 1002],
      ["no-contacts", "CAMPAIGN-JSON-P2", { ...whole, contacts: [] }, 1000],
      ["foreign-number", "BATCH-CREATE-P1", { ...whole, phone_numbers: ["+15555550000"] }, 1001],
      ["too-soon", "BATCH-SCHEDULE-P1", { ...whole, scheduled_at: await ahead(trial, minuteMs) }, 1001],
    ]
    for (const [name, clause, body, code] of wrong)
      check.refused(name, clause, await client.post("/v2/batches", body), code)
    const noFile = await client.send("POST", "/v2/batches/upload", form([{ name: "agent_id", value: agentId }]))
    check.refused("no-file", ["CAMPAIGN-CSV-P9", "BATCH-CREATE-P3"], noFile, 1002)
    const json = await client.post("/v2/batches/upload", whole)
    check.refused("json-upload", "BATCH-CREATE-P3", json, 1000)
    const after = await client.get("/v2/batches")
    check.equal("nothing-stored", "CAMPAIGN-ERROR-7", after.at("pagination.total"), before, after)
  },
}

const life: Case = {
  id: "batches/life",
  title:
    "A batch is dialled at once or when it is due, dispatched when its list is exhausted, completed when all is done",
  clauses: ["BATCH-CREATE-P2", "BATCH-STATUS-P1", "BATCH-STATUS-P2", "BATCH-LIST-P2", "BATCH-ROUTES-7"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization({ concurrency: { organization: 2 } })
    const agentId = await activeAgent(trial, client)
    const contacts = [...magicContacts(trial, 3, "completed", 3), ...magicContacts(trial, 1, "busy", 0)]
    const made = trial.made(await client.post("/v2/batches", { agent_id: agentId, contacts }), 201)
    const id = made.string("batch_id")
    const status = async (batchId = id) => (await client.get(`/v2/batches/${batchId}`)).at("status")
    await clock.advance(5_000)
    check.equal("at-once", ["BATCH-CREATE-P2", "BATCH-STATUS-P1"], await status(), "in_progress")
    await clock.advance(5 * minuteMs)
    check.equal("dispatched", "BATCH-STATUS-P1", await status(), "dispatched")
    await clock.advance(2 * hourMs)
    const done = await client.get(`/v2/batches/${id}`)
    check.equal("completed", ["BATCH-STATUS-P1", "BATCH-STATUS-P2"], done.at("status"), "completed", done)
    const counts = [done.at("completed_contacts"), done.at("pending_contacts"), done.at("execution_status")]
    check.equal("counts", "BATCH-STATUS-P1", counts, [3, 0, { completed: 3, busy: 4 }], done)
    const busy = await client.get(`/v2/batches/${id}/executions`, { status: "busy" })
    check.equal("executions", "BATCH-LIST-P2", busy.at("pagination.total"), 4, busy)
    const scheduled_at = await ahead(trial, hourMs)
    const later = trial
      .made(
        await client.post("/v2/batches", {
          agent_id: agentId,
          contacts: magicContacts(trial, 1, "completed"),
          scheduled_at,
        }),
        201,
      )
      .string("batch_id")
    await clock.advance(hourMs - 1_000)
    check.equal("not-before", "BATCH-STATUS-P1", await status(later), "scheduled")
    await clock.advance(10 * minuteMs)
    check.equal("when-due", "BATCH-STATUS-P1", await status(later), "completed")
  },
}

const faults: Case = {
  id: "batches/faults",
  title: "Away, the scheduler, the translation service and call storage are told by name, and nothing is stored",
  clauses: ["ERROR-14", "ERROR-15"],
  requires: ["fixtures", "clock", "faults:translation", "faults:scheduler", "faults:call_store"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const contacts = [{ to_number: trial.numbers.magic("completed", 1), name: "Rahul" }]
    const transliteration = { enabled: true, fields: ["name"], target_language_code: "hi" }
    const campaign = { name: "x", agent_id: agentId, contacts, transliteration, start_time: await distantStart(trial) }
    const scheduled_at = await ahead(trial, dayMs)
    const asks = [
      ["translation", "campaign", () => client.post("/v2/campaigns", campaign), /translation service/i],
      [
        "scheduler",
        "batch",
        () => client.post("/v2/batches", { agent_id: agentId, contacts, scheduled_at }),
        /scheduling service/i,
      ],
      ["call_store", "list", () => client.get("/v2/campaigns"), /call storage/i],
      ["call_store", "batches", () => client.get("/v2/batches"), /call storage/i],
    ] as const
    for (const [dependency, name, ask, label] of asks) {
      for (const [mode, code, clause] of [
        ["unreachable", 1501, "ERROR-14"],
        ["timeout", 1502, "ERROR-15"],
      ] as const) {
        await trial.breaks(dependency, { mode })
        const answer = await ask()
        await trial.restores(dependency)
        check.refused(`${dependency}-${name}-${mode}`, clause, answer, code)
        check.holds(`${dependency}-${name}-${mode}-named`, clause, label.test(answer.message), String(label), answer)
      }
    }
    const totals = [await client.get("/v2/campaigns"), await client.get("/v2/batches")]
    check.equal(
      "nothing-stored",
      "ERROR-14",
      totals.map((list) => list.at("pagination.total")),
      [0, 0],
    )
  },
}

export const batchCases: ReadonlyArray<Case> = [routes, refusals, life, faults]
