import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Client } from "./Client.ts"

let client: Client

beforeAll(async () => {
  client = await Client.start()
})

afterAll(async () => {
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})

const make = async (fixture: object) => {
  const answer = await client.post("/_sim/organizations", fixture)
  expect(answer.status).toBe(201)
  return answer.body
}

const as = (key: string, method: string, path: string, body?: unknown) =>
  client.send(method, path, body, { authorization: `Bearer ${key}` })

test("an organization comes with one grandfathered key and two numbers", async () => {
  const { keys, organization_id, phone_numbers } = await make({})
  expect(phone_numbers).toHaveLength(2)
  expect(keys).toMatchObject([{ key: expect.stringMatching(/^gat_/), scopes: null }])
  const me = await as(keys[0]!.key, "GET", "/v2/user/me")
  expect(me.body).toMatchObject({ organization_id, developer: { key_id: keys[0]!.key_id }, plan: "standard" })
  const scopes = await as(keys[0]!.key, "GET", "/v2/scopes")
  expect(scopes.body["key"]).toMatchObject({ grandfathered: true })
  expect((await as(keys[0]!.key, "POST", "/v2/api-keys", { name: "x" })).status).toBe(403)
})

test("the key zoo", async () => {
  const { keys } = await make({
    keys: [
      { name: "reader", scopes: ["calls:read"] },
      { scopes: [] },
      { scopes: null, keys_write: true },
      { status: "inactive" },
      { bound: false },
    ],
  })
  const [reader, powerless, minter, inactive, unbound] = keys.map(({ key }) => key)
  expect((await as(reader!, "GET", "/v2/calls")).status).toBe(200)
  expect((await as(reader!, "GET", "/v2/agents")).body).toMatchObject({ error: 1102 })
  expect((await as(powerless!, "GET", "/v2/calls")).status).toBe(403)
  expect((await as(powerless!, "GET", "/v2/user/me")).status).toBe(200)
  expect((await as(minter!, "POST", "/v2/api-keys", { name: "made" })).status).toBe(201)
  expect((await as(inactive!, "GET", "/v2/user/me")).body).toMatchObject({ error: 1100 })
  expect((await as(unbound!, "GET", "/v2/user/me")).body).toMatchObject({ error: 1102 })
})

test("one organization does not see the calls of another", async () => {
  const { keys } = await make({})
  const { body } = await client.dial("+999000100000001")
  expect((await as(keys[0]!.key, "GET", `/v2/calls/${body.execution_id}`)).status).toBe(404)
})

test("an empty wallet refuses, a filled one carries", async () => {
  const { keys, organization_id } = await make({ wallet: { balance: 0, currency: "EUR" } })
  const key = keys[0]!.key
  const agent = await as(key, "POST", "/v2/agents", { display_name: "A", status: "ACTIVE" })
  const dial = () => as(key, "POST", "/v2/calls", { agent_id: agent.body["agent_id"], to_number: "+12125550001" })
  expect((await dial()).status).toBe(402)
  const patched = await client.patch(`/_sim/organizations/${organization_id}`, { wallet: { balance: 1 } })
  expect(patched.body).toMatchObject({ organization_id, wallet: { balance: 1, currency: "EUR" } })
  expect((await dial()).status).toBe(201)
})

test("a changed ceiling is seen within a minute", async () => {
  const { keys, organization_id } = await make({ concurrency: { organization: 3 } })
  const max = async () => (await as(keys[0]!.key, "GET", "/v2/user/me")).body["concurrency"]
  expect(await max()).toMatchObject({ max: 3, enforced: true })
  await client.patch(`/_sim/organizations/${organization_id}`, { concurrency: { organization: 5, enforced: false } })
  await client.advance({ by: "PT1M" })
  expect(await max()).toMatchObject({ max: 5, enforced: false })
  await client.patch("/_sim/platform", { concurrency: 2 })
  await client.advance({ by: "PT1M" })
  expect(await max()).toMatchObject({ max: 2 })
  await client.patch("/_sim/platform", { concurrency: 1000 })
})

test("the keys of an organization move to its new plan", async () => {
  const { keys, organization_id } = await make({})
  await client.patch(`/_sim/organizations/${organization_id}`, { plan: "scale" })
  await client.advance({ by: "PT1M" })
  expect((await as(keys[0]!.key, "GET", "/v2/user/me")).body).toMatchObject({ plan: "scale" })
  expect((await as(keys[0]!.key, "GET", "/v2/api-keys")).body.data).toMatchObject([{ plan: "scale" }])
})

describe("what is refused", () => {
  test.each([
    ["POST", "/_sim/organizations", { wallet: { balance: 1 } }, 400, "wallet.currency"],
    ["POST", "/_sim/organizations", { phone_numbers: ["12"] }, 422, "phone_numbers[0]"],
    ["POST", "/_sim/organizations", { keys: [{ status: "gone" }] }, 422, "keys[0].status"],
    ["POST", "/_sim/organizations", { colour: "red" }, 422, "colour"],
    ["PATCH", "/_sim/platform", { concurrency: -1 }, 422, "concurrency"],
    ["PATCH", "/_sim/platform", {}, 400, "concurrency"],
  ])("%s %s %j", async (method, path, body, status, field) => {
    const answer = await client.send(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain(`'${field}'`)
  })

  test("an organization that is not there", async () => {
    expect((await client.patch("/_sim/organizations/org_x", {})).body).toEqual({
      error: 1200,
      message: "Organization not found.",
    })
  })
})
