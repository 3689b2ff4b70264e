import { limits } from "@carillon/core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { formOf } from "../Forms.ts"
import { agentId, makeWorld, start, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const number = (nth: number) => `+1555${String(1_000_000 + nth)}`
const contacts = (count: number) => Array.from({ length: count }, (_, nth) => ({ phone_number: number(nth), nth }))
const create = (body: object) =>
  world.send({ method: "POST", target: "/v2/batches", body: { agent_id: agentId, contacts: contacts(2), ...body } })
const post = (target: string, body?: object) => world.send({ method: "POST", target, body })
const iso = (afterMs: number) => new Date(start + afterMs).toISOString()

it("is created, read and listed, newest first, by status, agent and campaign", async () => {
  const answer = await create({
    name: "First",
    concurrency_limit: 3,
    metadata: { a: 1 },
    retry_policy: { max_retries: 0 },
  })
  expect(answer.status).toBe(201)
  expectDeclared("batches.create", answer)
  expect(answer.json).toMatchObject({
    name: "First",
    campaign_id: null,
    total_contacts: 2,
    pending_contacts: 2,
    concurrency_limit: 3,
    retry_policy: { max_retries: 0 },
  })
  world.clock.now += 1_000
  await create({ name: "Second", scheduled_at: iso(3_600_000) })
  const list = await world.send({ target: "/v2/batches?page_size=5" })
  expectDeclared("batches.list", list)
  expect(list.json["data"]).toMatchObject([{ name: "Second", status: "scheduled" }, { name: "First" }])
  const filtered = await world.send({ target: `/v2/batches?status=scheduled&agent_id=${agentId}` })
  expect(filtered.json["data"]).toMatchObject([{ name: "Second" }])
  const none = await world.send({ target: "/v2/batches?campaign_id=cmp_none" })
  expect(none.json["data"]).toEqual([])
  const bad = await world.send({ target: "/v2/batches?status=canceled" })
  expect([bad.status, bad.json["error"]]).toEqual([400, 1000])
  const read = await world.send({ target: `/v2/batches/${String(answer.json["batch_id"])}` })
  expectDeclared("batches.get", read)
})

it("is uploaded under a campaign", async () => {
  const campaign = await post("/v2/campaigns", { name: "Spring", agent_id: agentId })
  const answer = await world.send({
    method: "POST",
    target: "/v2/batches/upload",
    ...formOf([
      { name: "agent_id", value: agentId },
      { name: "campaign_id", value: String(campaign.json["campaign_id"]) },
      { name: "concurrency_limit", value: "7" },
      { name: "file", filename: "list.csv", value: `msisdn\n${number(1)}\n` },
    ]),
  })
  expect(answer.status).toBe(201)
  expectDeclared("batches.upload", answer)
  expect(answer.json).toMatchObject({
    campaign_id: campaign.json["campaign_id"],
    file_name: "list.csv",
    concurrency_limit: 7,
    valid_contacts: 1,
  })
  const json = await post("/v2/batches/upload", { agent_id: agentId })
  expect([json.status, json.json["error"]]).toEqual([400, 1000])
})

it("is steered: schedule, pause, stop with 200, resume with 202, and a finished one not at all", async () => {
  const { json } = await create({ scheduled_at: iso(3_600_000) })
  const target = `/v2/batches/${String(json["batch_id"])}`
  const moves: ReadonlyArray<readonly ["schedule" | "pause" | "resume" | "stop", number, string, object?]> = [
    ["schedule", 200, "scheduled", { scheduled_at: iso(7_200_000) }],
    ["pause", 200, "paused"],
    ["pause", 200, "paused"],
    ["resume", 202, "scheduled"],
    ["stop", 200, "cancelled"],
  ]
  for (const [move, status, becomes, body] of moves) {
    const answer = await post(`${target}/${move}`, body)
    expect([answer.status, answer.json["status"]]).toEqual([status, becomes])
    expectDeclared(`batches.${move}`, answer)
  }
  const finished = await post(`${target}/pause`)
  expect([finished.status, finished.json]).toEqual([
    409,
    { error: 1201, message: "This batch has already finished (status=cancelled) and cannot be paused." },
  ])
})

it.each([
  [60_000, 422],
  [31 * 86_400_000, 422],
  [180_000, 200],
])("is scheduled within two minutes and 30 days: %d ms ahead is %d", async (ahead, status) => {
  const { json } = await create({ scheduled_at: iso(3_600_000) })
  const answer = await post(`/v2/batches/${String(json["batch_id"])}/schedule`, { scheduled_at: iso(ahead) })
  expect(answer.status).toBe(status)
})

it("is refused with settings that are too large to be stored, by the field that is", async () => {
  const answer = await create({ metadata: { a: "x".repeat(limits.settingsBytes) } })
  expect([answer.status, answer.json["error"], answer.json["message"]]).toEqual([
    422,
    1001,
    `Invalid value for 'metadata': makes the batch larger than ${limits.settingsBytes} bytes of JSON.`,
  ])
})

it("lists its calls once it is known at all", async () => {
  const { json } = await create({})
  const answer = await world.send({ target: `/v2/batches/${String(json["batch_id"])}/executions?status=busy,failed` })
  expectDeclared("batches.executions", answer)
  const unknown = await world.send({ target: "/v2/batches/bat_none/executions" })
  expect([unknown.status, unknown.json]).toEqual([404, { error: 1200, message: "Batch not found." }])
})

it("takes fifty thousand contacts and not one more", async () => {
  const accepted = await create({ contacts: contacts(50_000) })
  expect([accepted.status, accepted.json["total_contacts"]]).toEqual([201, 50_000])
  const refused = await create({ contacts: contacts(50_001) })
  expect([refused.status, refused.json["error"]]).toEqual([422, 1001])
  const { json } = await world.send({ target: "/v2/batches" })
  expect(json["pagination"]).toMatchObject({ total: 1 })
})
