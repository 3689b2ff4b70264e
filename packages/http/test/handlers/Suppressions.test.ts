import { limits } from "@carillon/core"
import { suppressedMessage } from "@carillon/core/domain"
import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { formOf } from "../Forms.ts"
import { agentId, makeWorld, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const one = "+15551234567"
const other = "+15551234568"

const post = (target: string, body: object, key?: string) =>
  world.send({ method: "POST", target, body, ...(key === undefined ? {} : { key }) })

const dial = (to_number: string, more: object = {}, key?: string) =>
  post("/v2/calls", { agent_id: agentId, to_number, ...more }, key)

it("suppresses numbers, lists, checks and removes them", async () => {
  const added = await post("/v2/suppressions", { to_numbers: [one, other, one], reason: "opt_out", note: "by phone" })
  expectDeclared("suppressions.add", added)
  expect([added.status, added.json]).toEqual([201, { added: 2, replaced: 0, unchanged: 0, refused: 0 }])
  const again = await post("/v2/suppressions", { to_numbers: [one], reason: "opt_out", note: "by phone" })
  expect(again.json).toMatchObject({ added: 0, unchanged: 1 })
  const listed = await world.send({ target: "/v2/suppressions" })
  expectDeclared("suppressions.list", listed)
  expect(listed.json).toMatchObject({ data: [{ to_number: other }, { to_number: one }], pagination: { total: 2 } })
  const removed = await post("/v2/suppressions/remove", { to_numbers: [one, "+15550000000"] })
  expectDeclared("suppressions.remove", removed)
  expect(removed.json).toEqual({ removed: 1 })
  const checked = await post("/v2/suppressions/check", { to_numbers: [one, other] })
  expectDeclared("suppressions.check", checked)
  expect(checked.json).toMatchObject({
    data: [
      { to_number: one, suppressions: [] },
      { to_number: other, suppressions: [{ agent_id: null, reason: "opt_out", note: "by phone", in_force: true }] },
    ],
  })
  expect((await dial(one)).status).toBe(201)
  const refused = await dial(other)
  expect([refused.status, refused.json]).toEqual([409, { error: 1201, message: suppressedMessage }])
})

it("takes numbers from a file, national ones by their calling code", async () => {
  const form = formOf([
    { name: "file", filename: "list.txt", value: "555,1234567\n555,1234568\n" },
    { name: "calling_code", value: "1" },
    { name: "source", value: "a public list" },
  ])
  const added = await world.send({ method: "POST", target: "/v2/suppressions", ...form })
  expectDeclared("suppressions.add", added)
  expect(added.json).toMatchObject({ added: 2 })
  expect((await dial(one)).status).toBe(409)
})

it("takes in one file of an organization at a time, which is held in memory until its last number is written", async () => {
  const upload = (value: string, key?: string) =>
    world.send({
      method: "POST",
      target: "/v2/suppressions",
      ...formOf([{ name: "file", filename: "list.txt", value }]),
      ...(key === undefined ? {} : { key }),
    })
  const list = Array.from({ length: 5_000 }, (_, nth) => `${2_000_000 + nth}`).join("\n")
  const neighbour = world.mint({ organization_id: "org_2" })
  const [json, others, ...files] = await Promise.all([
    post("/v2/suppressions", { to_numbers: [one] }),
    upload(list, neighbour),
    upload(list),
    upload(list),
    upload(list),
  ])
  expect([json.status, others.status]).toEqual([201, 201])
  const refusals = files.filter(({ status }) => status !== 201)
  expect(refusals.length).toBe(2)
  for (const refused of refusals) {
    expect([refused.status, refused.headers["Retry-After"], refused.json]).toEqual([
      429,
      `${limits.suppressionFileRetryAfterSeconds}`,
      { error: 1300, message: "Another file of suppressions of this organization is in progress." },
    ])
  }
  // The place is given back, also by one that is refused.
  expect((await upload("number\nx\n")).status).toBe(422)
  expect((await upload(list)).json).toMatchObject({ unchanged: 5_000 })
})

it("stands for the calls of an agent where it says so, and to its end", async () => {
  const expires_at = new Date(world.clock.now + 60_000).toISOString()
  await post("/v2/suppressions", { to_numbers: [one], agent_id: agentId, expires_at })
  expect((await dial(one)).status).toBe(409)
  world.clock.now += 60_000
  expect((await dial(one)).status).toBe(201)
})

it.each<[object, number, number]>([
  [{}, 400, 1002],
  [{ to_numbers: [] }, 422, 1001],
  [{ to_numbers: ["5551234567"] }, 422, 1001],
  [{ to_numbers: [one], agent_id: "agt_none" }, 404, 1200],
  [{ to_numbers: [one], campaign_id: "cmp_none" }, 404, 1200],
  [{ to_numbers: [one], agent_id: agentId, campaign_id: "cmp_none" }, 422, 1001],
  [{ to_numbers: [one], expires_at: "2020-01-01T00:00:00Z" }, 422, 1001],
])("refuses %o", async (body, status, code) => {
  const answer = await post("/v2/suppressions", body)
  expect([answer.status, answer.json["error"]]).toEqual([status, code])
})

it("is overridden, and removed, by who may write agents", async () => {
  await post("/v2/suppressions", { to_numbers: [one] })
  const caller = world.mint({ scopes: ["calls:write"] })
  const refused = await dial(one, { override_suppression: true }, caller)
  expect([refused.status, refused.json["error"]]).toEqual([403, 1102])
  expect(refused.json["message"]).toContain("agents:write")
  expect((await post("/v2/suppressions/remove", { to_numbers: [one] }, caller)).status).toBe(403)
  expect((await dial(one, { override_suppression: true })).status).toBe(201)
  const trail = await world.send({ target: "/v2/audit-logs?action=call.create" })
  expect(trail.text).toContain('"override_suppression":true')
})

it("never ends what stands earlier, whoever adds, and takes a later end", async () => {
  const end = (ms: number) => new Date(world.clock.now + ms).toISOString()
  await post("/v2/suppressions", { to_numbers: [one], reason: "opt_out" })
  const caller = world.mint({ scopes: ["calls:write"] })
  const again = await post("/v2/suppressions", { to_numbers: [one], expires_at: end(1_000), reason: "mine" }, caller)
  expect(again.json).toMatchObject({ unchanged: 1, replaced: 0 })
  world.clock.now += 1_000
  expect((await dial(one)).status).toBe(409)
  await post("/v2/suppressions", { to_numbers: [other], expires_at: end(1_000), reason: "a week" })
  expect((await post("/v2/suppressions", { to_numbers: [other] }, caller)).json).toMatchObject({ replaced: 1 })
  world.clock.now += 1_000
  expect((await dial(other)).status).toBe(409)
})

it("checks a number that is named twice once, and bounds what it answers", async () => {
  const note = "€".repeat(1_000)
  const some = Array.from({ length: 2_000 }, (_, nth) => `+1555${3_000_000 + nth}`)
  expect((await post("/v2/suppressions", { to_numbers: some, note })).status).toBe(201)
  const twice = await post("/v2/suppressions/check", { to_numbers: [one, one, other, one] })
  expectDeclared("suppressions.check", twice)
  expect(twice.json).toMatchObject({ data: [{ to_number: one }, { to_number: other }] })
  expect((await post("/v2/suppressions/check", { to_numbers: some.slice(0, 500) })).status).toBe(200)
  const tooMany = await post("/v2/suppressions/check", { to_numbers: some })
  expect([tooMany.status, tooMany.json["error"]]).toEqual([422, 1001])
})

it("refuses to remove for an agent that is not there, or for an agent and a campaign", async () => {
  const remove = (scope: object) => post("/v2/suppressions/remove", { to_numbers: [one], ...scope })
  expect((await remove({ agent_id: "agt_none" })).status).toBe(404)
  expect((await remove({ agent_id: agentId, campaign_id: "cmp_none" })).status).toBe(422)
})

const rules = (body: object, key?: string) =>
  world.send({ method: "PUT", target: "/v2/suppressions/rules", body, ...(key === undefined ? {} : { key }) })

it("says at which ends of calls numbers are suppressed, and reads it", async () => {
  const before = await world.send({ target: "/v2/suppressions/rules" })
  expectDeclared("suppressions.rules", before)
  expect(before.json).toEqual({ suppress_on: [] })
  const set = await rules({ suppress_on: [{ extracted: [{ field: "opt_out", equals: [true, "yes"] }], days: 30 }] })
  expectDeclared("suppressions.setRules", set)
  const said = {
    agent_id: null,
    campaign_id: null,
    outcomes: [],
    hangup_reasons: [],
    extracted: [{ field: "opt_out", equals: [true, "yes"] }],
    suppress_for: "organization",
    days: 30,
    reason: null,
  }
  expect([set.status, set.json]).toEqual([200, { suppress_on: [said] }])
  expect((await world.send({ target: "/v2/suppressions/rules" })).json).toEqual({ suppress_on: [said] })
})

it.each<[object, number, number]>([
  [{}, 400, 1002],
  [{ suppress_on: [{}] }, 422, 1001],
  [{ suppress_on: [{ outcomes: ["ringing"] }] }, 422, 1001],
  [{ suppress_on: [{ outcomes: ["busy"], days: 0 }] }, 422, 1001],
  [{ suppress_on: [{ extracted: [{ field: "opt_out", equals: [] }] }] }, 422, 1001],
  [{ suppress_on: [{ outcomes: ["busy"], agent_id: "agt_none" }] }, 404, 1200],
  [{ suppress_on: [{ outcomes: ["busy"], agent_id: agentId, campaign_id: "cmp_none" }] }, 422, 1001],
])("refuses the rules %o", async (body, status, code) => {
  const answer = await rules(body)
  expect([answer.status, answer.json["error"]]).toEqual([status, code])
})

it("lets who may only call set no rules", async () => {
  expect((await rules({ suppress_on: [] }, world.mint({ scopes: ["calls:write"] }))).status).toBe(403)
})
