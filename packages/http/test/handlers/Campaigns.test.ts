import { limits } from "@carillon/core"
import { newPhoneNumber } from "@carillon/core/domain"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { formOf, type Part } from "../Forms.ts"
import { agentId, makeWorld, start, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const number = (nth: number) => `+1555${String(1_000_000 + nth)}`
const contacts = (count: number) => Array.from({ length: count }, (_, nth) => ({ to_number: number(nth), nth }))
const campaign = { name: "Spring", agent_id: agentId }

const create = (body: object) => world.send({ method: "POST", target: "/v2/campaigns", body })
const upload = (...parts: ReadonlyArray<Part>) =>
  world.send({ method: "POST", target: "/v2/campaigns", ...formOf(parts) })
const post = (target: string) => world.send({ method: "POST", target })
const read = (target: string) => world.send({ target })
const fields: ReadonlyArray<Part> = [
  { name: "name", value: "Spring" },
  { name: "agent_id", value: agentId },
]
const file = (value: string | Uint8Array): Part => ({ name: "file", filename: "contacts.csv", value })
const total = async () => (await read("/v2/campaigns")).json["pagination"]

describe("a campaign", () => {
  it("is created with contacts in one request: 201, created, with its batch", async () => {
    const answer = await create({ ...campaign, contacts: contacts(3), working_hours: { sunday: { enabled: false } } })
    expect(answer.status).toBe(201)
    expectDeclared("campaigns.create", answer)
    expect(answer.json).toMatchObject({ status: "created", total_contacts: 3, total_batches: 1, timezone: "UTC" })
    expect(answer.json["batch_id"]).toMatch(/^bat_/)
    const target = `/v2/campaigns/${String(answer.json["campaign_id"])}`
    const again = await read(target)
    expectDeclared("campaigns.get", again)
    expect(again.json).toEqual({ ...answer.json, batch_id: null })
  })

  it("is a policy only without contacts", async () => {
    const answer = await create(campaign)
    expect(answer.json).toMatchObject({ status: "created", total_contacts: 0, total_batches: 0, batch_id: null })
  })

  it("lists newest first with an honest total, by status", async () => {
    for (const name of ["a", "b", "c"]) {
      await create({ ...campaign, name })
      world.clock.now += 1_000
    }
    const answer = await read("/v2/campaigns?page_size=2&status=created")
    expectDeclared("campaigns.list", answer)
    expect(answer.json["data"]).toMatchObject([{ name: "c" }, { name: "b" }])
    expect(answer.json["pagination"]).toMatchObject({ total: 3, total_pages: 2, has_more: true })
    const refused = await read("/v2/campaigns?status=running")
    expect([refused.status, refused.json["error"]]).toEqual([400, 1000])
    expect(refused.json["message"]).toBe(
      "Unknown status 'running'. Valid values are: created, active, paused, completed, cancelled, expired, archived.",
    )
  })

  it("answers its sub-resources as declared", async () => {
    const { json } = await create({ ...campaign, contacts: contacts(2) })
    const target = `/v2/campaigns/${String(json["campaign_id"])}`
    const stats = await read(`${target}/stats`)
    expectDeclared("campaigns.stats", stats)
    expect(stats.json["outcome_counts"]).toEqual({ completed: 0, failed: 0, in_flight: 0, pending: 2, total: 2 })
    const batches = await read(`${target}/batches`)
    expectDeclared("campaigns.batches", batches)
    expect(batches.json["data"]).toMatchObject([{ batch_id: json["batch_id"], total_contacts: 2 }])
    const listed = await read(`${target}/contacts?page_size=1&page=2`)
    expectDeclared("campaigns.contacts", listed)
    expect(listed.json["data"]).toMatchObject([{ to_number: number(1), status: "pending", attempts: 0 }])
    const explained = await read(`${target}/explain`)
    expectDeclared("campaigns.explain", explained)
    expect(explained.json["dialable"]).toBe(2)
  })

  it("is steered: pause, resume, cancel, revive with 200, and conflicts with 409", async () => {
    const { json } = await create({ ...campaign, contacts: contacts(1) })
    const target = `/v2/campaigns/${String(json["campaign_id"])}`
    for (const [move, status] of [
      ["pause", "paused"],
      ["pause", "paused"],
      ["resume", "active"],
      ["cancel", "cancelled"],
      ["revive", "active"],
    ] as const) {
      const answer = await post(`${target}/${move}`)
      expect([answer.status, answer.json["status"]]).toEqual([200, status])
      expectDeclared(`campaigns.${move}`, answer)
    }
    const conflict = await post(`${target}/revive`)
    expect([conflict.status, conflict.json["error"]]).toEqual([409, 1201])
    const running = await world.send({ method: "DELETE", target })
    expect([running.status, running.json["error"]]).toEqual([409, 1201])
  })

  it("is deleted with 204 and an empty body, twice", async () => {
    const { json } = await create(campaign)
    const target = `/v2/campaigns/${String(json["campaign_id"])}`
    for (let time = 0; time < 2; time++) {
      const answer = await world.send({ method: "DELETE", target })
      expect([answer.status, answer.text]).toEqual([204, null])
      expect(answer.headers).not.toHaveProperty("Content-Type")
      expect(answer.headers).toHaveProperty("X-RateLimit-Limit")
    }
    expect((await read(target)).json["status"]).toBe("archived")
  })

  it("is edited: fields of policies one by one, null back to the default, an empty body not at all", async () => {
    const { json } = await create({ ...campaign, retry_policy: { max_retries: 5 }, end_time: "2026-02-01T00:00:00Z" })
    const target = `/v2/campaigns/${String(json["campaign_id"])}`
    const patch = (body: object) => world.send({ method: "PATCH", target, body })
    const answer = await patch({ retry_policy: { strategy: "linear_backoff" }, end_time: null, name: "Summer" })
    expectDeclared("campaigns.update", answer)
    expect(answer.json).toMatchObject({
      name: "Summer",
      end_time: null,
      retry_policy: { max_retries: 5, strategy: "linear_backoff" },
    })
    expect((await patch({ retry_policy: null })).json).toMatchObject({ retry_policy: { max_retries: 3 } })
    for (const body of [{}, { unknown: 1 }]) {
      const empty = await patch(body)
      expect([empty.status, empty.json["error"]]).toEqual([400, 1000])
    }
  })

  it("takes more contacts, as JSON or as a file, each as one more batch", async () => {
    const { json } = await create(campaign)
    const target = `/v2/campaigns/${String(json["campaign_id"])}/contacts`
    const first = await world.send({ method: "POST", target, body: { contacts: contacts(2) } })
    expect(first.status).toBe(201)
    expectDeclared("campaigns.append", first)
    const second = await world.send({ method: "POST", target, ...formOf([file(`phone,name\n${number(7)},Ada\n`)]) })
    expect(second.json).toMatchObject({ file_name: "contacts.csv", total_contacts: 1 })
    const listed = await read(target)
    expect(listed.json["data"]).toMatchObject([{}, {}, { variables: { name: "Ada", callee_name: "Ada" } }])
    const none = await world.send({ method: "POST", target, body: {} })
    expect([none.status, none.json["error"]]).toEqual([400, 1002])
  })

  it.each<[object, number, number]>([
    [{ name: "a" }, 400, 1002],
    [{ name: "", agent_id: agentId }, 422, 1001],
    [{ name: "a", agent_id: "agt_none" }, 404, 1200],
    [{ ...campaign, contacts: [] }, 400, 1000],
    [{ ...campaign, contacts: [{ to_number: number(1) }, { name: "x" }] }, 422, 1001],
    [{ ...campaign, contacts: [1] }, 422, 1001],
    [{ ...campaign, timezone: "Mars/Olympus" }, 400, 1000],
    [{ ...campaign, timezone: "" }, 400, 1000],
    [{ ...campaign, working_hours: { monday: { start: "9am", end: "17:00" } } }, 400, 1000],
    [{ ...campaign, start_time: "2026-02-01T00:00:00Z", end_time: "2026-02-01T01:00:00+01:00" }, 400, 1000],
    [{ ...campaign, phone_numbers: ["+15555550199"] }, 422, 1001],
    [{ ...campaign, follow_up_policy: { follow_up_agent_id: "agt_none" } }, 404, 1200],
    [{ ...campaign, metadata: { a: "x".repeat(limits.settingsBytes) } }, 422, 1001],
    [{ ...campaign, contacts: [{ to_number: number(1), a: "x".repeat(limits.contactBytes) }] }, 422, 1001],
  ])("is refused with %o, and nothing is stored", async (body, status, code) => {
    const answer = await create(body)
    expect([answer.status, answer.json["error"]]).toEqual([status, code])
    expect(await total()).toMatchObject({ total: 0 })
  })

  it("needs a content type that the route takes", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(campaign))
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      const headers = { "content-type": type }
      const answer = await world.send({ method: "POST", target: "/v2/campaigns", headers, bytes })
      expect([answer.status, answer.json["error"]]).toEqual([400, 1000])
    }
    const form = await world.send({ method: "POST", target: "/v2/calls", ...formOf(fields) })
    expect([form.status, form.json["error"]]).toEqual([400, 1000])
  })
})

describe("an uploaded campaign", () => {
  it("carries its settings in form fields: objects as JSON, scalars as text", async () => {
    const answer = await upload(
      file(`mobile,name,city\n${number(1)},"Ada, L.",London\n`),
      ...fields,
      { name: "working_hours", value: '{"monday":{"start":"09:00","end":"17:00"}}' },
      { name: "working_hours_enforced", value: "True" },
      { name: "max_concurrent_calls", value: "12" },
      { name: "retry_policy", value: '{"max_retries":1}' },
      { name: "start_time", value: "2026-02-01T00:00:00+05:30" },
      { name: "metadata", value: '{"a":[1]}' },
      { name: "unknown", value: "ignored" },
    )
    expect(answer.status).toBe(201)
    expectDeclared("campaigns.create", answer)
    expect(answer.json).toMatchObject({
      total_contacts: 1,
      working_hours_enforced: true,
      max_concurrent_calls: 12,
      retry_policy: { max_retries: 1, base_delay_minutes: 15 },
      start_time: "2026-01-31T18:30:00.000Z",
      metadata: { a: [1] },
    })
    const listed = await read(`/v2/campaigns/${String(answer.json["campaign_id"])}/contacts`)
    expect(listed.json["data"]).toMatchObject([
      { variables: { name: "Ada, L.", callee_name: "Ada, L.", city: "London" } },
    ])
  })

  it.each([
    [[{ name: "phone_numbers", value: '["+15555550198","+15555550199"]' }]],
    [
      [
        { name: "phone_numbers", value: "+15555550198" },
        { name: "phone_numbers", value: "+15555550199" },
      ],
    ],
  ])("names caller IDs as a JSON array or a repeated field", async (parts) => {
    for (const [nth, phone_number] of ["+15555550198", "+15555550199"].entries()) {
      const row = newPhoneNumber({
        phone_number_id: `pn_${nth}`,
        phone_number,
        organization_id: "org_1",
        created_at: start,
      })
      world.write({ put: "phone_number", row })
    }
    const answer = await upload(...fields, ...parts, file(`to_number\n${number(1)}\n`))
    expect(answer.json["phone_numbers"]).toEqual(["+15555550198", "+15555550199"])
  })

  it.each<[string, ReadonlyArray<Part>, number, number]>([
    ["no file", fields, 400, 1002],
    ["no name", [fields[1]!, file(`to_number\n${number(1)}\n`)], 400, 1002],
    [
      "malformed JSON in a field",
      [...fields, { name: "metadata", value: "{" }, file(`to_number\n${number(1)}\n`)],
      400,
      1000,
    ],
    [
      "a JSON field that is no object",
      [...fields, { name: "metadata", value: "3" }, file(`to_number\n${number(1)}\n`)],
      422,
      1001,
    ],
    [
      "a flag that is none",
      [...fields, { name: "working_hours_enforced", value: "1" }, file(`to_number\n${number(1)}\n`)],
      422,
      1001,
    ],
    [
      "a count that is none",
      [...fields, { name: "max_concurrent_calls", value: "many" }, file(`to_number\n${number(1)}\n`)],
      422,
      1001,
    ],
    ["a repeated scalar", [...fields, fields[0]!, file(`to_number\n${number(1)}\n`)], 422, 1001],
    ["two files", [...fields, file(`to_number\n${number(1)}\n`), file(`to_number\n${number(2)}\n`)], 422, 1001],
    ["an empty file", [...fields, file("")], 400, 1000],
    ["only a header", [...fields, file("to_number\n")], 400, 1000],
    ["no phone column", [...fields, file("name\nAda\n")], 400, 1000],
    ["duplicate headers", [...fields, file(`to_number,a,a\n${number(1)},1,2\n`)], 400, 1000],
    ["an open quote", [...fields, file(`to_number,a\n${number(1)},"x\n`)], 400, 1000],
    [
      "bytes that are not UTF-8",
      [...fields, file(new Uint8Array([0x70, 0x68, 0x6f, 0x6e, 0x65, 10, 0xff, 10]))],
      400,
      1000,
    ],
    ["bad rows", [...fields, file(`to_number\n${number(1)}\nabc\n`)], 422, 1001],
    [
      "an unknown agent",
      [fields[0]!, { name: "agent_id", value: "agt_no" }, file(`to_number\n${number(1)}\n`)],
      404,
      1200,
    ],
    ["fields that are not UTF-8", [{ name: "name", value: new Uint8Array([0xff]) }, fields[1]!, file("")], 400, 1000],
  ])("is refused with %s, and nothing is stored", async (_, parts, status, code) => {
    const answer = await upload(...parts)
    expect([answer.status, answer.json["error"]]).toEqual([status, code])
    expect(await total()).toMatchObject({ total: 0 })
  })

  it("is refused with the lines of bad rows, the header being line 1", async () => {
    const answer = await upload(...fields, file(`to_number,a\nx,1\n\n${number(1)},2\n${number(2)}\n`))
    expect(answer.json["message"]).toContain("2, 5")
  })

  it("is refused above 20 MiB of file and 1 MiB of field, with 413", async () => {
    const row = `${number(1)},${"x".repeat(1_000)}\n`
    const large = `to_number,a\n${row.repeat(Math.ceil((20 * 1024 * 1024) / row.length) + 1)}`
    for (const parts of [[...fields, file(large)], [{ name: "metadata", value: " ".repeat(1024 * 1024 + 1) }]]) {
      const answer = await upload(...parts)
      expect([answer.status, answer.json["error"]]).toEqual([413, 1000])
    }
  })

  it("takes one file", async () => {
    const answer = await upload(...fields, file(`to_number\n${number(1)}\n`), file(`to_number\n${number(2)}\n`))
    expect([answer.status, answer.json["message"]]).toEqual([422, "Invalid value for 'file': must be one CSV file."])
  })

  it("that breaks off is refused wherever it does, and nothing is stored", async () => {
    const whole = formOf([...fields, file(`to_number\n${number(1)}\n`)])
    for (let length = 0; length < whole.bytes.length - 2; length++) {
      const broken = { ...whole, bytes: whole.bytes.subarray(0, length) }
      const answer = await world.send({ method: "POST", target: "/v2/campaigns", ...broken })
      expect([length, answer.status, answer.json["error"]]).toEqual([length, 400, 1000])
      world.clock.now += 1000
    }
    expect((await world.send({ target: "/v2/campaigns" })).json["data"]).toEqual([])
  })

  /** The form with the heads of its parts, from the nth on, cut off in the middle. */
  const headless = (nth: number): Uint8Array => {
    let part = 0
    const text = Buffer.from(formOf(fields).bytes).toString("latin1")
    return Buffer.from(
      text.replace(/(Content-Disp)[^]*?(?=\r\n--)/g, (whole, start: string) => (part++ < nth ? whole : start)),
      "latin1",
    )
  }

  it.each([
    ["no boundary", { headers: { "content-type": "multipart/form-data" } }],
    ["no end", { bytes: formOf(fields).bytes.subarray(0, -8) }],
    ["no body", { bytes: null }],
    ["a first part that ends within its head", { bytes: headless(0) }],
    ["a later part that does", { bytes: headless(1) }],
    ["something else", { bytes: new TextEncoder().encode("{}") }],
  ])("is refused where the form has %s", async (_, broken) => {
    const answer = await world.send({ method: "POST", target: "/v2/campaigns", ...formOf(fields), ...broken })
    expect([answer.status, answer.json["error"]]).toEqual([400, 1000])
  })
})

describe("scopes", () => {
  it("are those of batches for writes and of calls for reads, as batches have them", async () => {
    const reader = world.mint({ scopes: ["calls:read"] })
    const writer = world.mint({ scopes: ["batches:write"] })
    const nothing = world.mint({ scopes: [] })
    const write = (key: string) => world.send({ method: "POST", target: "/v2/campaigns", body: campaign, key })
    const list = (key: string) => world.send({ target: "/v2/campaigns", key })
    expect((await write(writer)).status).toBe(201)
    expect((await list(reader)).status).toBe(200)
    for (const answer of [await write(reader), await list(writer), await write(nothing), await list(nothing)]) {
      expect([answer.status, answer.json["error"]]).toEqual([403, 1102])
    }
  })
})

it("is refused for the first offending field in schema order, contacts among them", async () => {
  const told = async (answer: Promise<{ readonly json: object }>) => String(Object((await answer).json).message)
  const contacts = [{ to_number: "+15551000001" }, { to_number: "+1" }]
  const body = { name: "Spring", agent_id: agentId, contacts, max_concurrent_calls: 0 }
  const target = "/v2/campaigns"
  const json = (more: object = {}) => told(world.send({ method: "POST", target, body: { ...body, ...more } }))
  expect(await json()).toContain("'contacts[1].to_number'")
  expect(await json({ name: "" })).toContain("'name'")
  expect(await json({ contacts: 1 })).toContain("'contacts'")
  expect(await json({ contacts: [] })).toBe("At least one contact is required.")
  expect(await json({ contacts: contacts.slice(0, 1) })).toContain("'max_concurrent_calls'")
  const form = (csv: string, agent = agentId) =>
    told(
      upload({ name: "name", value: "Spring" }, { name: "agent_id", value: agent }, file(csv), {
        name: "max_concurrent_calls",
        value: "0",
      }),
    )
  expect(await form("phone\n+1\n")).toContain("line 2")
  expect(await form("phone\n+1\n", "")).toContain("'agent_id'")
  expect(await form("phone\n+15551000001\n")).toContain("'max_concurrent_calls'")
})
