import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { csv, distantStart, magicContacts } from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"
import { form } from "../../trial/Forms.ts"
import { allScopes } from "../../trial/Scopes.ts"
import type { Trial } from "../../trial/Trial.ts"

const bodyOf = async (trial: Trial, agentId: string) => ({
  agent_id: agentId,
  contacts: magicContacts(trial, 2, "completed"),
  scheduled_at: await distantStart(trial),
})

const uploadOf = async (trial: Trial, agentId: string) =>
  form([
    { name: "agent_id", value: agentId },
    { name: "scheduled_at", value: await distantStart(trial) },
    csv(`to_number\n${trial.numbers.magic("completed", 1)}\n`),
  ])

const exist: Case = {
  id: "batches/exist",
  title: "Every route of batches is there, whatever the bodies that the specification does not show",
  clauses: [
    "BATCH-ROUTES-1",
    "BATCH-ROUTES-2",
    "BATCH-ROUTES-3",
    "BATCH-ROUTES-4",
    "BATCH-ROUTES-5",
    "BATCH-ROUTES-6",
    "BATCH-ROUTES-7",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const agentId = await activeAgent(trial, client)
    const made = await client.post("/v2/batches", await bodyOf(trial, agentId))
    const path = `/v2/batches/${made.string("batch_id")}`
    if (made.succeeded) trial.defer(() => client.post(`${path}/stop`))
    check.exists("create", "BATCH-ROUTES-1", made)
    const uploaded = await client.send("POST", "/v2/batches/upload", await uploadOf(trial, agentId))
    const other = `/v2/batches/${uploaded.string("batch_id")}`
    if (uploaded.succeeded) trial.defer(() => client.post(`${other}/stop`))
    check.exists("upload", "BATCH-ROUTES-2", uploaded)
    if (uploaded.succeeded) check.status("uploaded", "BATCH-ROUTES-2", uploaded, 201)
    const list = await client.get("/v2/batches")
    check.status("list", "BATCH-ROUTES-3", list, 200)
    check.must(made.succeeded)
    for (const read of ["", "/executions"]) {
      check.status(`read${read}`, "BATCH-ROUTES-4", await client.get(`${path}${read}`), 200)
    }
    const scheduled_at = new Date((await trial.now()) + 2 * dayMs).toISOString()
    check.exists("schedule", "BATCH-ROUTES-5", await client.post(`${path}/schedule`, { scheduled_at }))
    const paused = await client.post(`${path}/pause`)
    check.exists("pause", "BATCH-ROUTES-6", paused)
    if (paused.succeeded) check.status("resume", "BATCH-ROUTES-7", await client.post(`${path}/resume`), 202)
    check.exists("stop", "BATCH-ROUTES-6", await client.post(`${path}/stop`))
  },
}

/** What a batch is done with, by name. */
const writes = (agentId: string, batchId: string) =>
  [
    ["create", (client: Client) => client.post("/v2/batches", { agent_id: agentId })],
    [
      "upload",
      (client: Client) => client.send("POST", "/v2/batches/upload", form([{ name: "agent_id", value: agentId }])),
    ],
    ...["schedule", "stop", "pause", "resume"].map(
      (how) => [how, (client: Client) => client.post(`/v2/batches/${batchId}/${how}`)] as const,
    ),
  ] as ReadonlyArray<readonly [string, (client: Client) => Promise<Answer>]>

const scopes: Case = {
  id: "batches/scopes",
  title: "Writes of batches need batches:write and reads calls:read, and nothing else",
  clauses: ["BATCH-ROUTES-8", "BATCH-ROUTES-9", "SCOPE-6", "SCOPE-ENFORCED-7", "SCOPE-4"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const without = (scope: string) => ({ scopes: allScopes.filter((each) => each !== scope) })
    const { client, clients } = await trial.organization({
      keys: [
        {},
        { scopes: ["batches:write"] },
        without("batches:write"),
        { scopes: ["calls:read"] },
        without("calls:read"),
      ],
    })
    const [, writer, noWriter, reader, noReader] = clients
    if (writer === undefined || noWriter === undefined || reader === undefined || noReader === undefined) return
    const agentId = await activeAgent(trial, client)
    const made = trial.made(await client.post("/v2/batches", await bodyOf(trial, agentId)), 201)
    const batchId = made.string("batch_id")
    for (const [name, ask] of writes(agentId, batchId)) {
      check.refused(`${name}-without`, ["BATCH-ROUTES-8", "SCOPE-ENFORCED-7"], await ask(noWriter), 1102)
      const allowed = await ask(writer)
      check.that(`${name}-with`, ["SCOPE-6", "SCOPE-ENFORCED-7"], allowed.status !== 403, {
        expected: "not refused for its scopes",
        got: `HTTP ${allowed.status}`,
        at: allowed,
      })
    }
    for (const path of ["/v2/batches", `/v2/batches/${batchId}`, `/v2/batches/${batchId}/executions`]) {
      check.refused(`${path.split("/").length}-without`, "BATCH-ROUTES-9", await noReader.get(path), 1102)
      check.status(`${path.split("/").length}-with`, ["BATCH-ROUTES-9", "SCOPE-4"], await reader.get(path), 200)
    }
  },
}

/** Cases of the routes and scopes of batches. */
export const batchRouteCases: ReadonlyArray<Case> = [exist, scopes]
