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
  world.send({ method: "PUT", target: `${campaign}/order`, body, ...(key === undefined ? {} : { key }) })

it("sets, reads and removes the order of a campaign", async () => {
  const campaign = await made()
  const target = `${campaign}/order`
  const missing = await world.send({ target })
  expect([missing.status, missing.json["message"]]).toEqual([404, "This campaign has no order."])
  const set = await put(campaign, { priority_column: "vip", contacts: "last_come" })
  expectDeclared("callOrders.set", set)
  expect(set.json).toMatchObject({ priority_column: "vip", contacts: "last_come" })
  const read = await world.send({ target })
  expectDeclared("callOrders.get", read)
  expect(read.json).toEqual(set.json)
  expect((await put(campaign, { priority_column: null })).json).toMatchObject({
    priority_column: null,
    contacts: "first_come",
  })
  const removed = await world.send({ method: "DELETE", target })
  expectDeclared("callOrders.remove", removed)
  expect([removed.status, removed.json]).toEqual([200, { deleted: true }])
  expect((await world.send({ method: "DELETE", target })).status).toBe(404)
})

it("is on no published answer, and a priority on those of contacts that were given one alone", async () => {
  const campaign = await made()
  const target = `${campaign}/contacts`
  const add = (vip: number) =>
    world.send({ method: "POST", target, body: { contacts: [{ to_number: "+15555550123", vip }] } })
  await add(3)
  await put(campaign, { priority_column: "vip" })
  await add(7)
  expect(Object.keys((await world.send({ target: campaign })).json).filter((name) => /order/.test(name))).toEqual([])
  const listed = await world.send({ target })
  expectDeclared("campaigns.contacts", listed)
  expect(listed.json["data"]).toMatchObject([{ variables: { vip: 3 } }, { variables: { vip: 7 }, priority: 7 }])
  const [first] = Array.isArray(listed.json["data"]) ? listed.json["data"] : []
  expect(Object.keys(Object(first))).not.toContain("priority")
})

it.each([
  ["priority_column", { priority_column: "" }, 422, 1001],
  ["priority_column", { priority_column: "x".repeat(101) }, 422, 1001],
  ["contacts", { contacts: "newest" }, 422, 1001],
  ["priority_column", {}, 400, 1000],
] as const)("refuses a wrong %s in %o", async (field, body, status, error) => {
  const answer = await put(await made(), body)
  expect([answer.status, answer.json["error"]]).toEqual([status, error])
  expect(answer.json["message"]).toContain(field)
})

it("is set by who may write batches, of a campaign that there is and that can be edited", async () => {
  const campaign = await made()
  const forbidden = await put(campaign, { contacts: "last_come" }, world.mint({ scopes: ["calls:read"] }))
  expect([forbidden.status, forbidden.json["error"]]).toEqual([403, 1102])
  expect((await put("/v2/campaigns/cmp_missing", { contacts: "last_come" })).status).toBe(404)
  await world.send({ method: "POST", target: `${campaign}/cancel` })
  const cancelled = await put(campaign, { contacts: "last_come" })
  expect([cancelled.status, cancelled.json["error"]]).toEqual([409, 1201])
})
