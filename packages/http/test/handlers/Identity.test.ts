import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { makeWorld, organizationId, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

it("answers who is calling, with figures that its own request has already changed", async () => {
  const answer = await world.send({ target: "/v2/user/me" })
  expectDeclared("identity.me", answer)
  expect(answer.json).toMatchObject({
    organization_id: organizationId,
    developer: { id: "dev_1", name: "Ada" },
    rate_limits: { default: { limit: 1000, remaining: 999 }, "calls.create": { remaining: 600 } },
    concurrency: { max: 10_000, enforced: true, current: 0 },
  })
  await world.send({ target: "/v2/calls" })
  const again = await world.send({ target: "/v2/user/me" })
  expect(again.json["rate_limits"]).toMatchObject({
    default: { remaining: 998 },
    "executions.list": { remaining: 599 },
  })
})

it("answers what the key holds", async () => {
  const answer = await world.send({
    key: world.mint({ scopes: null, scopes_source: "grandfathered" }),
    target: "/v2/scopes",
  })
  expectDeclared("identity.scopes", answer)
  expect(answer.json["key"]).toMatchObject({ grandfathered: true, scopes_source: "grandfathered" })
})

it("answers 1501 for an organization whose account cannot be read", async () => {
  const answer = await world.send({ key: world.mint({ organization_id: "org_gone" }), target: "/v2/user/me" })
  expect(answer.json).toEqual({ error: 1501, message: "The account service is temporarily unavailable." })
})
