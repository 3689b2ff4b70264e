import { limits } from "@carillon/core"
import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, makeWorld, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const create = (body: object) => world.send({ method: "POST", target: "/v2/agents", body })

it("creates an agent from a name alone: 201, DRAFT, version 2", async () => {
  const answer = await create({ display_name: "Front desk" })
  expect(answer.status).toBe(201)
  expectDeclared("agents.create", answer)
  expect(answer.json).toMatchObject({ display_name: "Front desk", status: "DRAFT", version: 2, calling_guard: null })
  const read = await world.send({ target: `/v2/agents/${String(answer.json["agent_id"])}` })
  expectDeclared("agents.get", read)
  expect(read.json).toEqual(answer.json)
})

it("patches what was sent and raises the version", async () => {
  const { json } = await create({ display_name: "A", summary: "s", prompts: { conversation: { system: "x" } } })
  const target = `/v2/agents/${String(json["agent_id"])}`
  const answer = await world.send({ method: "PATCH", target, body: { summary: null, category: "c", unknown: 1 } })
  expect(answer.status).toBe(200)
  expectDeclared("agents.update", answer)
  expect(answer.json).toMatchObject({
    summary: null,
    category: "c",
    version: 3,
    prompts: { conversation: { system: "x" } },
  })
})

it.each<[object, number, number]>([
  [{}, 400, 1000],
  [{ unknown: 1 }, 400, 1000],
  [{ display_name: "" }, 422, 1001],
  [{ display_name: null }, 422, 1001],
])("refuses the patch %o", async (body, status, code) => {
  const { json } = await create({ display_name: "A" })
  const answer = await world.send({ method: "PATCH", target: `/v2/agents/${String(json["agent_id"])}`, body })
  expect([answer.status, answer.json["error"]]).toEqual([status, code])
})

it("names languages that could not be saved", async () => {
  const multilingual = { enabled: true, active_language: "en", languages: { en: { voice_id: "v" }, de: {} } }
  const { json } = await create({ display_name: "A", multilingual })
  expect(json["dropped_languages"]).toEqual(["de"])
})

it("refuses to edit an active agent, with 409", async () => {
  const answer = await world.send({ method: "PATCH", target: `/v2/agents/${agentId}`, body: { summary: "x" } })
  expect([answer.status, answer.json["error"]]).toEqual([409, 1201])
  const inactive = await world.send({ method: "PATCH", target: `/v2/agents/${agentId}`, body: { status: "INACTIVE" } })
  expect([inactive.status, inactive.json["status"]]).toEqual([200, "INACTIVE"])
})

it("lists with empty prompts and without knowledge base, filtered and sorted", async () => {
  await create({
    display_name: "Beta",
    category: "x",
    prompts: { conversation: { system: "s" } },
    knowledge_base: "kb",
  })
  world.clock.now += 1000
  await create({ display_name: "Alpha", category: "x" })
  const answer = await world.send({ target: "/v2/agents?category=x&sort_by=name&sort_order=asc&search=A&status=DRAFT" })
  expectDeclared("agents.list", answer)
  expect(answer.json["data"]).toMatchObject([
    { display_name: "Alpha" },
    { display_name: "Beta", prompts: {}, knowledge_base: null },
  ])
  expect(answer.json["pagination"]).toMatchObject({ total: 2 })
})

it.each([
  ["sort_by=age", "Invalid value for 'sort_by': 'age'. Valid values are created_at, updated_at, name and status."],
  ["sort_order=up", "Invalid value for 'sort_order': 'up'. Valid values are asc and desc."],
  ["status=active", "Unknown status 'active'. Valid values are: DRAFT, ACTIVE, INACTIVE, ARCHIVED."],
])("refuses %s with 1000", async (query, message) => {
  const answer = await world.send({ target: `/v2/agents?${query}` })
  expect([answer.status, answer.json]).toEqual([400, { error: 1000, message }])
})

it("refuses a patch that makes the agent too large with 1001 naming the field, and keeps the agent as it was", async () => {
  const { json } = await create({ display_name: "A" })
  const target = `/v2/agents/${String(json["agent_id"])}`
  const part = "x".repeat(limits.agentBytes / 2)
  const first = await world.send({ method: "PATCH", target, body: { settings: { first: part } } })
  expect(first.status).toBe(200)
  const second = await world.send({ method: "PATCH", target, body: { display_name: "B", settings: { second: part } } })
  expect([second.status, second.json["error"], second.json["message"]]).toEqual([
    422,
    1001,
    `Invalid value for 'settings': makes the agent larger than ${limits.agentBytes} bytes of JSON.`,
  ])
  expect((await world.send({ target })).json).toEqual(first.json)
})

it("refuses a page of large agents, and shows them all in smaller ones", async () => {
  const part = "x".repeat(limits.agentBytes - 1_000)
  const count = Math.ceil(limits.pageBytes / part.length)
  for (let nth = 0; nth < count; nth++) await create({ display_name: "Large", settings: { part } })
  const whole = await world.send({ target: "/v2/agents?search=Large&page_size=100" })
  expect([whole.status, whole.json["error"]]).toEqual([422, 1001])
  expect(whole.json["message"]).toContain("'page_size'")
  const half = await world.send({ target: `/v2/agents?search=Large&page_size=${Math.ceil(count / 2)}` })
  expect([half.status, half.json["pagination"]]).toMatchObject([200, { total: count }])
})
