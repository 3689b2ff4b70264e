import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, makeWorld, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const made = async () => {
  const { json } = await world.send({
    method: "POST",
    target: "/v2/campaigns",
    body: { name: "Campaign", agent_id: agentId },
  })
  return `/v2/campaigns/${String(json["campaign_id"])}`
}

const put = (campaign: string, body: object, key?: string) =>
  world.send({ method: "PUT", target: `${campaign}/breaker`, body, ...(key === undefined ? {} : { key }) })

it("sets, reads and removes the breaker of a campaign", async () => {
  const campaign = await made()
  const target = `${campaign}/breaker`
  const missing = await world.send({ target })
  expect([missing.status, missing.json["message"]]).toEqual([404, "This campaign has no breaker."])
  const set = await put(campaign, { failed_percent: 50 })
  expectDeclared("breakers.set", set)
  expect(set.json).toMatchObject({
    window_calls: 100,
    window_minutes: null,
    minimum_calls: 20,
    failed_percent: 50,
    error_percent: null,
    short_call_seconds: 10,
    resume_after_minutes: null,
    paused_reason: null,
    trip: null,
  })
  const read = await world.send({ target })
  expectDeclared("breakers.get", read)
  expect(read.json).toEqual(set.json)
  const replaced = await put(campaign, { voicemail_percent: 0, window_calls: 5 })
  expect(replaced.json).toMatchObject({ failed_percent: null, voicemail_percent: 0, window_calls: 5, minimum_calls: 5 })
  await world.send({ method: "POST", target: `${campaign}/pause` })
  expect((await world.send({ target })).json).toMatchObject({ paused_reason: "request", trip: null })
  const removed = await world.send({ method: "DELETE", target })
  expectDeclared("breakers.remove", removed)
  expect([removed.status, removed.json]).toEqual([200, { deleted: true }])
  expect((await world.send({ method: "DELETE", target })).status).toBe(404)
})

it("is on no published answer", async () => {
  const campaign = await made()
  await put(campaign, { failed_percent: 50 })
  const { json } = await world.send({ target: campaign })
  expect(Object.keys(json)).not.toContain("breaker")
})

it.each([
  ["failed_percent", { failed_percent: 100 }, 422, 1001],
  ["voicemail_percent", { voicemail_percent: -1 }, 422, 1001],
  ["window_calls", { failed_percent: 50, window_calls: 501 }, 422, 1001],
  ["window_minutes", { failed_percent: 50, window_minutes: 1_441 }, 422, 1001],
  ["minimum_calls", { failed_percent: 50, window_calls: 10, minimum_calls: 11 }, 422, 1001],
  ["short_call_seconds", { short_call_percent: 50, short_call_seconds: 0 }, 422, 1001],
  ["resume_after_minutes", { failed_percent: 50, resume_after_minutes: 0.5 }, 422, 1001],
  ["failed_percent", {}, 400, 1000],
] as const)("refuses a wrong %s in %o", async (field, body, status, error) => {
  const answer = await put(await made(), body)
  expect([answer.status, answer.json["error"]]).toEqual([status, error])
  expect(answer.json["message"]).toContain(field)
})

it("is set by who may write batches, of a campaign that there is and that can be edited", async () => {
  const campaign = await made()
  const key = world.mint({ scopes: ["calls:read"] })
  const forbidden = await put(campaign, { failed_percent: 50 }, key)
  expect([forbidden.status, forbidden.json["error"]]).toEqual([403, 1102])
  expect((await put("/v2/campaigns/cmp_none", { failed_percent: 50 })).json["message"]).toBe("Campaign not found.")
  await world.send({ method: "POST", target: `${campaign}/cancel` })
  const ended = await put(campaign, { failed_percent: 50 })
  expect([ended.status, ended.json["error"]]).toEqual([409, 1201])
})
