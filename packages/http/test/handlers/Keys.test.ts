import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { makeWorld, organizationId, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const mint = (body: object, key?: string) =>
  world.send({ method: "POST", target: "/v2/api-keys", body, ...(key === undefined ? {} : { key }) })

it("mints a key that works, lists it without its secret, and revokes it at once", async () => {
  const minted = await mint({ name: "CI", scopes: ["calls:read"] })
  expect(minted.status).toBe(201)
  expectDeclared("keys.mint", minted)
  const key = String(minted.json["key"])
  expect(key).toMatch(/^gat_[A-Za-z0-9_-]{43}$/)
  expect((await world.send({ key, target: "/v2/calls" })).status).toBe(200)
  const list = await world.send({ key, target: "/v2/api-keys" })
  expectDeclared("keys.list", list)
  expect(list.text).not.toContain(key)
  expect(list.json["data"]).toMatchObject([{ is_current: true, description: "CI" }, { is_current: false }])

  const target = `/v2/api-keys/${String(minted.json["key_id"])}`
  const revoked = await world.send({ method: "DELETE", target })
  expectDeclared("keys.revoke", revoked)
  expect(revoked.json).toMatchObject({ key_id: minted.json["key_id"], status: "inactive", revoked: true })
  expect((await world.send({ method: "DELETE", target })).json).toEqual(revoked.json)
  const refused = await world.send({ key, target: "/v2/calls" })
  expect(refused.json).toEqual({ error: 1100, message: "API key is inactive." })
})

it.each<[object, number, number]>([
  [{}, 400, 1002],
  [{ name: "" }, 422, 1001],
  [{ name: "a", scopes: ["nope:read"] }, 422, 1001],
  [{ name: "a", scopes: ["keys:write"] }, 422, 1001],
  [{ name: "a", scopes: "calls:read" }, 422, 1001],
])("refuses %o", async (body, status, code) => {
  const answer = await mint(body)
  expect([answer.status, answer.json["error"]]).toEqual([status, code])
})

it("passes on only what the minting key holds", async () => {
  const answer = await mint(
    { name: "a", scopes: ["calls:read"] },
    world.mint({ scopes: ["agents:read", "keys:write"] }),
  )
  expect([answer.status, answer.json["error"]]).toEqual([403, 1102])
  expect(answer.json["message"]).toContain("calls:read")
})

it("records that a key asked for scopes that it may not pass on", async () => {
  const before = world.tables.auditTrail(organizationId).length
  await mint(
    { name: "a", scopes: ["calls:read", "audit:read", "agents:read"] },
    world.mint({ scopes: ["agents:read", "keys:write"] }),
  )
  expect(world.tables.auditTrail(organizationId).slice(before)).toMatchObject([
    {
      action: "scope.denied",
      outcome: "denied",
      resource: { type: "route", id: "POST /v2/api-keys" },
      error_code: 1102,
      http_status: 403,
      details: { scope: "calls:read, audit:read" },
    },
  ])
})
