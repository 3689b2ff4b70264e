import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, makeWorld, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const target = "/v2/callee-hours"

const put = (body: object, query = "", key?: string) =>
  world.send({ method: "PUT", target: `${target}${query}`, body, ...(key === undefined ? {} : { key }) })

it("sets, reads, checks and removes callee hours", async () => {
  expect((await world.send({ target })).status).toBe(404)
  const set = await put({ countries: { US: { preset: "US" }, FR: null }, elsewhere: { monday: [] } })
  expectDeclared("calleeHours.set", set)
  expect(set.json).toMatchObject({
    agent_id: null,
    enabled: true,
    timezone_column: "timezone",
    countries: { US: { monday: [{ start: "08:00", end: "21:00" }] }, FR: null },
    elsewhere: { monday: [], holidays: [] },
  })
  const read = await world.send({ target })
  expectDeclared("calleeHours.get", read)
  expect(read.json).toEqual(set.json)
  const body = { to_numbers: ["+12125550100", "+33123456789", "+493012345678"], at: "2026-01-05T09:00:00Z" }
  const checked = await world.send({ method: "POST", target: `${target}/check`, body })
  expectDeclared("calleeHours.check", checked)
  expect(checked.json).toMatchObject({
    data: [
      {
        zones: [{ timezone: "America/New_York", country: "US" }],
        is_open: false,
        opens_at: "2026-01-05T13:00:00.000Z",
      },
      { is_open: true, opens_at: "2026-01-05T09:00:00.000Z", closes_at: null },
      { is_open: false, opens_at: null, closes_at: null },
    ],
  })
  const far = await world.send({
    method: "POST",
    target: `${target}/check`,
    body: { ...body, at: "2300-01-01T00:00:00Z" },
  })
  expect([far.status, far.json["error"], far.json["message"]]).toEqual([
    422,
    1001,
    "Invalid value for 'at': must be at most 732 days from now.",
  ])
  const removed = await world.send({ method: "DELETE", target })
  expectDeclared("calleeHours.remove", removed)
  expect([removed.status, removed.json]).toEqual([200, { deleted: true }])
  expect((await world.send({ method: "DELETE", target })).status).toBe(404)
})

it("lists presets with their sources, and dates of calendars", async () => {
  const presets = await world.send({ target: `${target}/presets` })
  expectDeclared("calleeHours.presets", presets)
  expect(presets.text).toContain('"retrieved":"2026-11-24"')
})

it("keeps the hours of an agent beside those of all", async () => {
  await put({ elsewhere: {} })
  await put({ enabled: false }, `?agent_id=${agentId}`)
  expect((await world.send({ target: `${target}?agent_id=${agentId}` })).json).toMatchObject({ enabled: false })
  expect((await world.send({ target })).json).toMatchObject({ enabled: true })
  const dial = { agent_id: agentId, to_number: "+15551234567" }
  expect((await world.send({ method: "POST", target: "/v2/calls", body: dial })).status).toBe(201)
})

it("reads, sets and removes hours of an agent or of a campaign, not of both", async () => {
  const query = `?agent_id=${agentId}&campaign_id=cmp_none`
  const message = "Invalid value for 'campaign_id': must not be given beside agent_id."
  const answers = [
    await world.send({ target: `${target}${query}` }),
    await put({}, query),
    await world.send({ method: "DELETE", target: `${target}${query}` }),
  ]
  expect(answers.map(({ json, status }) => [status, json["message"]])).toEqual(answers.map(() => [422, message]))
})

it("checks by the hours that bind calls of a scope, its own or wider ones, and anybody may be called where none do", async () => {
  const check = async (scope: object = {}) => {
    const body = { to_numbers: ["+12125550100"], at: "2026-01-05T09:00:00Z", ...scope }
    const answer = await world.send({ method: "POST", target: `${target}/check`, body })
    const [first] = [answer.json["data"]].flat()
    return [answer.status, answer.json["error"] ?? Object(first).is_open]
  }
  expect(await check()).toEqual([200, true])
  expect(await check({ agent_id: agentId })).toEqual([200, true])
  expect(await check({ agent_id: "agt_none" })).toEqual([404, 1200])
  expect(await check({ campaign_id: "cmp_none" })).toEqual([404, 1200])
  expect(await check({ campaign_id: "cmp_none", agent_id: agentId })).toEqual([422, 1001])
  await put({ elsewhere: {} })
  const body = { name: "x", agent_id: agentId }
  const made = await world.send({ method: "POST", target: "/v2/campaigns", body })
  const { campaign_id } = made.json
  for (const scope of [{}, { agent_id: agentId }, { campaign_id }]) expect(await check(scope)).toEqual([200, false])
  await put({ enabled: false }, `?agent_id=${agentId}`)
  expect([await check(), await check({ agent_id: agentId }), await check({ campaign_id })]).toEqual([
    [200, false],
    [200, true],
    [200, true],
  ])
  await put({ elsewhere: {} }, `?campaign_id=${campaign_id}`)
  expect([await check({ agent_id: agentId }), await check({ campaign_id })]).toEqual([
    [200, true],
    [200, false],
  ])
})

it.each<[object, string, number, number]>([
  [{ countries: { XX: null } }, "", 422, 1001],
  [{ elsewhere: { monday: [{ start: "18:00", end: "09:00" }] } }, "", 422, 1001],
  [{ elsewhere: { preset: "nowhere" } }, "", 422, 1001],
  [{ elsewhere: { holidays: ["2026-02-30"] } }, "", 422, 1001],
  [{ unknown_timezone: "nowhere" }, "", 422, 1001],
  [{}, "?agent_id=agt_none", 404, 1200],
  [{}, "?campaign_id=cmp_none", 404, 1200],
  [{}, `?campaign_id=cmp_none&agent_id=${agentId}`, 422, 1001],
])("refuses %o%s", async (body, query, status, code) => {
  const answer = await put(body, query)
  expect([answer.status, answer.json["error"]]).toEqual([status, code])
})

it("are set, and overridden, by who may write agents", async () => {
  await put({ elsewhere: {} })
  const caller = world.mint({ scopes: ["calls:write"] })
  expect((await put({}, "", caller)).status).toBe(403)
  const body = { agent_id: agentId, to_number: "+15551234567", override_callee_hours: true }
  const refused = await world.send({ method: "POST", target: "/v2/calls", body, key: caller })
  expect([refused.status, refused.json["error"]]).toEqual([403, 1102])
  const never = await world.send({
    method: "POST",
    target: "/v2/calls",
    body: { ...body, override_callee_hours: false },
  })
  expect([never.status, never.json["error"]]).toEqual([409, 1201])
  expect((await world.send({ method: "POST", target: "/v2/calls", body })).status).toBe(201)
})
