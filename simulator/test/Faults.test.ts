import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Client } from "./Client.ts"

let client: Client

beforeEach(async () => {
  client = await Client.start()
})

afterEach(async () => {
  await client.put("/_sim/faults", {})
  await client.idle()
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})

const fault = (faults: object) => client.put("/_sim/faults", faults)
const unreachable = { mode: "unreachable" }
const timeout = { mode: "timeout" }
const number = "+999000300000001"

describe("which faults are in force", () => {
  test("named ones are set, null clears one, an empty body clears all", async () => {
    expect((await fault({ account: unreachable, key_store: timeout })).body).toEqual({
      key_store: timeout,
      account: unreachable,
    })
    expect((await fault({ account: null })).body).toEqual({ key_store: timeout })
    expect((await fault({})).body).toEqual({})
  })

  test.each([
    [{ account: { mode: "slow" } }, "account.mode"],
    [{ account: { mode: "error", rate: 2 } }, "account.rate"],
    [{ account: { mode: "error", times: 0 } }, "account.times"],
    [{ moon: null }, "moon"],
  ])("refuses %j", async (faults, field) => {
    const answer = await fault(faults)
    expect(answer.status).toBe(422)
    expect(answer.body.message).toContain(`'${field}'`)
  })

  test("skip lets the first through, times fails so many, for_ms ends it", async () => {
    const statuses = async (count: number) => {
      const seen: Array<number> = []
      for (let nth = 0; nth < count; nth++) seen.push((await client.get("/v2/calls")).status)
      return seen
    }
    await fault({ call_store: { mode: "error", skip: 2, times: 2 } })
    expect(await statuses(6)).toEqual([200, 200, 503, 503, 200, 200])
    await fault({ call_store: { mode: "timeout", for_ms: 1_000 } })
    expect(await statuses(1)).toEqual([504])
    await client.advance({ by_ms: 1_000 })
    expect(await statuses(1)).toEqual([200])
    expect((await fault({ account: null })).body).toEqual({})
  })

  test("a phone number is registered and changed whole or not at all: its record tells of calls in progress", async () => {
    await fault({ call_store: unreachable })
    const body = { phone_number: "+12125550177" }
    expect((await client.post("/v2/phone-numbers", body)).status).toBe(503)
    await fault({})
    const { body: made, status } = await client.post("/v2/phone-numbers", body)
    expect([status, made["calls_in_progress"]]).toEqual([201, 0])
    await fault({ call_store: unreachable })
    const path = `/v2/phone-numbers/${String(made["phone_number_id"])}`
    expect((await client.patch(path, { label: "Front desk" })).status).toBe(503)
    await fault({})
    expect((await client.get(path)).body["label"]).toBeNull()
    expect((await client.patch(path, { label: "Front desk" })).body["label"]).toBe("Front desk")
  })

  test("a rate is a function of the seed", async () => {
    const run = async (one: Client) => {
      await one.put("/_sim/faults", { agent_store: { mode: "error", rate: 0.5 } })
      const seen: Array<number> = []
      for (let nth = 0; nth < 40; nth++) seen.push((await one.get("/v2/agents")).status)
      return seen
    }
    const seen = await run(client)
    expect(new Set(seen)).toEqual(new Set([200, 503]))
    expect(await run(await Client.start())).toEqual(seen)
  })
})

test("key_store: a cold key is refused with 1501, a cached one served, writes need the store", async () => {
  await client.get("/v2/user/me")
  const { body } = await client.post("/_sim/organizations", { keys: [{ scopes: null, keys_write: true }, {}] })
  const [warm, cold] = body.keys.map(({ key }) => ({ authorization: `Bearer ${key}` }))
  await client.send("GET", "/v2/scopes", undefined, warm)
  await fault({ key_store: unreachable })
  expect((await client.send("GET", "/v2/scopes", undefined, cold)).body).toEqual({
    error: 1501,
    message: "Authentication service is temporarily unavailable.",
  })
  expect((await client.send("GET", "/v2/scopes", undefined, warm)).status).toBe(200)
  const mint = await client.send("POST", "/v2/api-keys", { name: "x" }, warm)
  expect([mint.status, mint.body.error]).toEqual([503, 1501])
  expect((await client.send("GET", "/v2/api-keys", undefined, warm)).body.message).toContain("API key store")
})

test("rate_limit_store: nothing is refused, and the headers show the full limit", async () => {
  await client.get("/v2/calls")
  await fault({ rate_limit_store: unreachable })
  const { headers, status } = await client.get("/v2/calls")
  expect([status, headers.get("x-ratelimit-remaining")]).toEqual([200, "600"])
})

test("slot_store: the ceilings hold exactly while it is away, and the lines agree after it", async () => {
  await fault({ slot_store: unreachable })
  const dials = Array.from({ length: 22 }, (_, n) => client.dial(`+9995001000000${String(n).padStart(2, "0")}`))
  while ((await client.get("/_sim/clock")).body.waiting.length < 2);
  await client.advance({ by_ms: 5_000 })
  const answers = await Promise.all(dials)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
  const [refused] = answers.filter(({ status }) => status === 429)
  expect(refused?.body.message).toBe("Account concurrency limit reached; all lines are in use.")
  expect((await client.legs()).peak_live).toBe(20)
  await fault({})
  await client.idle()
  await client.advance({ by: "PT1M" })
  expect((await client.get("/v2/user/me")).body["concurrency"]).toMatchObject({ current: 0 })
})

test.each([
  ["unreachable", 503, 1501, "Call storage is temporarily unavailable."],
  ["timeout", 504, 1502, "Call storage did not respond in time."],
])(
  "call_store %s: call routes fail, and nothing is dialled that is not stored",
  async (mode, status, error, message) => {
    await fault({ call_store: { mode } })
    const dial = await client.dial(number)
    expect([dial.status, dial.body.error, dial.body.message]).toEqual([status, error, message])
    expect((await client.get("/v2/calls")).status).toBe(status)
    expect((await client.legs()).data).toEqual([])
    await fault({ call_store: null })
    expect((await client.dial(number)).status).toBe(201)
  },
)

test("call_store: the carrier repeats what could not be stored, and nothing is lost", async () => {
  const { body } = await client.dial(number)
  await fault({ call_store: { mode: "error", for_ms: 600_000 } })
  await client.advance({ by: "PT9M" })
  await client.advance({ by: "PT1M" })
  await client.idle()
  const call = await client.call(body.execution_id)
  expect(call).toMatchObject({ status: "completed", duration_seconds: 30 })
  expect(call["recording_url"]).toEqual(expect.any(String))
})

test("telephony: a dial is 1501 with no leg, or unconfirmed with one", async () => {
  await fault({ telephony: unreachable })
  expect((await client.dial(number)).body.error).toBe(1501)
  expect((await client.legs()).data).toEqual([])
  await fault({ telephony: timeout })
  const { body, status } = await client.dialThrough(number)
  expect([status, body["dispatch"]]).toEqual([202, "pending_confirmation"])
  await client.idle()
  expect((await client.call(body.execution_id)).status).toBe("completed")
})

test("agent_store: routes that need the agent fail by its name", async () => {
  await fault({ agent_store: timeout })
  const dial = await client.dial(number)
  expect([dial.status, dial.body.message]).toEqual([504, "Agent service did not respond in time."])
  await fault({ agent_store: unreachable })
  expect((await client.get(`/v2/agents/${client.simulator.info.agent_id}`)).body.error).toBe(1501)
})

test("scheduler: nothing is booked without it, and what is due waits for it", async () => {
  const booked = await client.dial(number, { scheduled_at: "2026-01-05T10:00:00Z" })
  await fault({ scheduler: unreachable })
  const refused = await client.dial(number, { scheduled_at: "2026-01-05T10:00:00Z" })
  expect([refused.status, refused.body.message]).toEqual([503, "Scheduling service is temporarily unavailable."])
  await client.advance({ by: "PT2H" })
  expect((await client.call(booked.body.execution_id)).status).toBe("scheduled")
  await fault({ scheduler: null })
  await client.idle()
  expect((await client.call(booked.body.execution_id)).status).toBe("completed")
  expect((await client.legs()).data).toHaveLength(1)
})

test("scheduler: housekeeping does not use it up", async () => {
  await fault({ scheduler: { mode: "error", times: 1 } })
  expect((await client.dial(number)).status).toBe(201)
  const book = () => client.dial(number, { scheduled_at: "2026-01-05T10:00:00Z" })
  expect([(await book()).status, (await book()).status]).toEqual([503, 202])
})

test("scheduler: when it comes back by itself, what was due is looked at within seconds", async () => {
  const { body } = await client.dial(number, { scheduled_at: "2026-01-05T10:00:00Z" })
  await fault({ scheduler: { mode: "error", for_ms: 2 * 3_600_000 } })
  await client.advance({ to: "2026-01-05T11:00:10Z" })
  expect((await client.call(body.execution_id)).status).not.toBe("scheduled")
})

test("account: the identity and dials need it", async () => {
  await fault({ account: unreachable })
  expect((await client.get("/v2/user/me")).body.message).toBe("The account service is temporarily unavailable.")
  expect((await client.dial(number)).body.error).toBe(1501)
})
