import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { controlRoutes } from "../src/control/Routes.ts"
import { Client } from "./Client.ts"

let client: Client

beforeAll(async () => {
  client = await Client.start()
})

afterAll(() => client.simulator.close())

test("says what it is", async () => {
  const { body } = await client.get("/_sim")
  expect(body).toEqual({
    name: "@carillon/simulator",
    version: expect.any(String),
    contract: 1,
    seed: "1",
    clock: { now: "2026-01-05T09:00:00.000Z", mode: "manual", speed: 0 },
    storage: "memory:",
    counters: "memory:",
    limits: "spec",
    demo: client.simulator.info,
  })
  const me = await client.get("/v2/user/me")
  expect(me.body.organization_id).toBe(client.simulator.info.organization_id)
  const agent = await client.get(`/v2/agents/${client.simulator.info.agent_id}`)
  expect(agent.body.status).toBe("ACTIVE")
})

test("declares what a conformance run may rely on, and no more", async () => {
  const { body } = await client.get("/_sim/capabilities")
  expect(body).toMatchObject({
    contract: 1,
    clock: true,
    telephony: true,
    magic: true,
    organizations: true,
    platform: true,
  })
  for (const [capability, path] of [
    ["snapshot", "/_sim/snapshot"],
    ["dns", "/_sim/dns"],
    ["inbox", "/_sim/inbox/"],
  ]) {
    expect(body[capability!]).toBe(controlRoutes.some((route) => route.path.startsWith(path!)))
  }
  const faults = body["faults"] as Record<string, ReadonlyArray<string>>
  for (const [dependency, modes] of Object.entries(faults)) {
    for (const mode of modes) {
      expect((await client.put("/_sim/faults", { [dependency]: { mode } })).status).toBe(200)
    }
  }
  await client.put("/_sim/faults", {})
})

describe("errors have the envelope", () => {
  test.each([
    ["GET", "/_sim/nothing", undefined, 404, 1200],
    ["DELETE", "/_sim/clock", undefined, 404, 1200],
    ["PUT", "/_sim/clock", "{", 400, 1000],
    ["PUT", "/_sim/clock", "[]", 400, 1000],
    ["PUT", "/_sim/clock", "{}", 400, 1002],
    ["POST", "/_sim/reset", { epoch: "now" }, 422, 1001],
  ])("%s %s %j", async (method, path, body, status, error) => {
    const answer = await client.send(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toBe(error)
    expect(Object.keys(answer.body)).toEqual(["error", "message"])
    expect(answer.body.message).toMatch(/\.$/)
    expect(answer.headers.get("content-type")).toBe("application/json")
  })
})

test("a control token is asked for where there is one, and opens nothing else", async () => {
  const guarded = await Client.start({ controlToken: "open-sesame" })
  const ask = (authorization: string) => guarded.send("GET", "/_sim", undefined, { authorization })
  expect((await ask("Bearer open-sesame")).status).toBe(200)
  for (const wrong of ["Bearer open", "Bearer open-sesame-street", "open-sesame", "Basic open-sesame", ""]) {
    const answer = await ask(wrong)
    expect([wrong, answer.status, answer.body.error]).toEqual([wrong, 401, 1100])
  }
  expect((await guarded.get("/v2/user/me")).status).toBe(200)
})

describe("limits", () => {
  test("as specified, nothing is said of them", async () => {
    expect((await client.get("/v2/calls")).headers.get("x-sim-limits")).toBeNull()
  })

  test("off: neither the rate nor the lines of an organization run out", async () => {
    const free = await Client.start({ limits: "off" })
    for (let nth = 0; nth < 30; nth++) {
      const answer = await free.dial(`+9995001000000${String(nth).padStart(2, "0")}`)
      expect([answer.status, answer.headers.get("x-sim-limits")]).toEqual([201, "off"])
    }
    expect((await free.get("/_sim")).headers.get("x-sim-limits")).toBe("off")
    expect(await free.violations()).toEqual([])
  })

  test("xN: every ceiling times N, whatever the plan", async () => {
    const wide = await Client.start({ limits: "x3" })
    const me = await wide.get("/v2/user/me")
    expect(me.body["concurrency"]).toMatchObject({ max: 60, levels: { platform: 3_000, organization: 60, agent: 60 } })
    expect(me.headers.get("x-ratelimit-limit")).toBe("3000")
    const { body } = await wide.post("/_sim/organizations", {
      plan: "scale",
      concurrency: { organization: 100, per_agent: 5 },
    })
    const other = await wide.send("GET", "/v2/user/me", undefined, { authorization: `Bearer ${body.keys[0]!.key}` })
    expect(other.headers.get("x-ratelimit-limit")).toBe("3000")
    expect(other.body["concurrency"]).toMatchObject({ levels: { organization: 300, agent: 300 } })
  })
})

test("the pages about the API are served beside it", async () => {
  const document = await client.get("/openapi.json")
  expect(document.body).toMatchObject({ paths: expect.objectContaining({ "/v2/calls": expect.anything() }) })
  const page = await client.get("/docs")
  expect(page.headers.get("content-type")).toMatch(/^text\/html/)
  expect((await client.get("/nothing")).status).toBe(404)
})
