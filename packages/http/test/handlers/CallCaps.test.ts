import { afterEach, beforeEach, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, makeWorld, type World } from "../World.ts"

let world: World

beforeEach(async () => {
  world = await makeWorld()
})
afterEach(() => world.close())

const target = "/v2/call-caps"

const put = (body: object, key?: string) =>
  world.send({ method: "PUT", target, body, ...(key === undefined ? {} : { key }) })

const dial = (changes: object = {}, key?: string) =>
  world.send({
    method: "POST",
    target: "/v2/calls",
    body: { agent_id: agentId, to_number: "+15551234567", ...changes },
    ...(key === undefined ? {} : { key }),
  })

it("sets, reads and removes call caps", async () => {
  expect((await world.send({ target })).status).toBe(404)
  const set = await put({ per_day: 3, minimum_rest_seconds: 3_600 })
  expectDeclared("callCaps.set", set)
  expect(set.json).toMatchObject({ per_day: 3, per_week: null, per_thirty_days: null, minimum_rest_seconds: 3_600 })
  const read = await world.send({ target })
  expectDeclared("callCaps.get", read)
  expect(read.json).toEqual(set.json)
  const replaced = await put({ per_week: 30, per_day: null })
  expect(replaced.json).toMatchObject({ per_day: null, per_week: 30, minimum_rest_seconds: null })
  const removed = await world.send({ method: "DELETE", target })
  expectDeclared("callCaps.remove", removed)
  expect([removed.status, removed.json]).toEqual([200, { deleted: true }])
  expect((await world.send({ method: "DELETE", target })).status).toBe(404)
})

it.each([{ per_day: 0 }, { per_week: 31 }, { per_thirty_days: 1.5 }, { minimum_rest_seconds: 2_592_001 }])(
  "refuses %o",
  async (body) => {
    const answer = await put(body)
    expect([answer.status, answer.json["error"]]).toEqual([422, 1001])
  },
)

it("says how long a number may rest at most in digits that can be read", async () => {
  const { json } = await put({ minimum_rest_seconds: 2_592_001 })
  expect(json["message"]).toBe("Invalid value for 'minimum_rest_seconds': must be between 1 and 2,592,000.")
})

it("refuses a call too many, and are set, and overridden, by who may write agents", async () => {
  const key = world.mint({ scopes: ["calls:write"] })
  expect((await put({}, key)).status).toBe(403)
  await put({ per_day: 1 })
  expect((await dial({}, key)).status).toBe(201)
  const refused = await dial({}, key)
  expect([refused.status, refused.json["error"]]).toEqual([409, 1201])
  expect(refused.text).toContain("This number was called as often as the call caps allow")
  const forbidden = await dial({ override_call_caps: true }, key)
  expect([forbidden.status, forbidden.json["error"]]).toEqual([403, 1102])
  expect((await dial({ override_call_caps: true })).status).toBe(201)
})
