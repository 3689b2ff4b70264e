import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { csv, distantStart, magicContacts, makeCampaign, move, pausedWord } from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"
import { form } from "../../trial/Forms.ts"

const listed: Case = {
  id: "batches/listed",
  title: "A batch that was uploaded is made, and one that was stopped is listed as cancelled",
  clauses: ["BATCH-STATUS-1", "ERROR-STATUS-3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
    const parts = [
      { name: "agent_id", value: agent_id },
      { name: "scheduled_at", value: scheduled_at },
      csv(`to_number\n${trial.numbers.magic("completed", 1)}\n`),
    ]
    const made = await client.send("POST", "/v2/batches/upload", form(parts))
    check.status("uploaded", "ERROR-STATUS-3", made, 201)
    const id = made.string("batch_id")
    check.must(id !== "")
    trial.made(await client.post(`/v2/batches/${id}/stop`), 200)
    const list = await client.get("/v2/batches", { page_size: 100 })
    const row = list
      .items()
      .filter(isObject)
      .find(({ batch_id }) => batch_id === id)
    check.equal("cancelled", "BATCH-STATUS-1", row?.["status"], "cancelled", list)
  },
}

const booked: Case = {
  id: "batches/booked-and-paused",
  title: "A batch that is booked is paused with its campaign, wherever it is read",
  clauses: ["CAMPAIGN-STATUS-5"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agent_id = await activeAgent(trial, client)
    const contacts = magicContacts(trial, 1, "completed")
    const start_time = await distantStart(trial)
    const campaign = (await makeCampaign(trial, client, agent_id, { contacts, start_time })).string("campaign_id")
    const scheduled_at = new Date((await trial.now()) + 21 * dayMs).toISOString()
    const batch = trial.made(
      await client.post("/v2/batches", {
        agent_id,
        campaign_id: campaign,
        contacts: magicContacts(trial, 1, "completed"),
        scheduled_at,
      }),
      201,
    )
    const paused = await pausedWord(trial, client, agent_id)
    trial.made(await move(client, campaign, "pause"), 200)
    const one = await client.get(`/v2/batches/${batch.string("batch_id")}`)
    check.equal("read", "CAMPAIGN-STATUS-5", one.at("status"), paused, one)
    const list = await client.get("/v2/batches", { page_size: 100 })
    const row = list
      .items()
      .filter(isObject)
      .find(({ batch_id }) => batch_id === batch.at("batch_id"))
    check.equal("listed", "CAMPAIGN-STATUS-5", row?.["status"], paused, list)
  },
}

export const listedBatchCases: ReadonlyArray<Case> = [listed, booked]
