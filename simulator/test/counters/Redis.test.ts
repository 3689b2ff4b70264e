import { expect, it } from "vitest"
import { onRedis, RedisProcess } from "../../../packages/redis/test/RedisServer.ts"
import type { SimulatorOptions } from "../../src/Simulator.ts"
import { Client } from "../Client.ts"

/** A world with its counters on a Redis of its own. */
const onServer = async (
  run: (redis: RedisProcess, start: (options?: SimulatorOptions) => Promise<Client>) => Promise<void>,
): Promise<void> => {
  const redis = await RedisProcess.open()
  const clients: Array<Client> = []
  try {
    await run(redis, async (options = {}) => {
      const client = await Client.start({ counters: `redis://default:secret@127.0.0.1:${redis.port}`, ...options })
      clients.push(client)
      return client
    })
  } finally {
    for (const { simulator } of clients) await simulator.close()
    await redis.close()
  }
}

const keysOf = (redis: RedisProcess): Promise<ReadonlyArray<string>> =>
  redis.command((client) => client.keys("*carillon-sim:*:gate*"))

/** A campaign under a low ceiling, direct dials beside it, requests over their rate, and a fault of each store. Returns everything that can be seen of it. */
const live = async (client: Client): Promise<unknown> => {
  const made = await client.post("/_sim/organizations", { concurrency: { organization: 4, per_agent: 3 } })
  client.key = made.body.keys[0]!.key
  const agent_id = String((await client.post("/v2/agents", { display_name: "Own", status: "ACTIVE" })).body["agent_id"])
  await client.post("/v2/webhooks", { callback_url: "https://all.inbox.test/", event_types: ["call_completed"] })
  const contacts = Array.from({ length: 25 }, (_, n) => ({
    to_number: `+999${["00", "01", "10", "60"][n % 4]}01${String(n).padStart(8, "0")}`,
  }))
  const campaign = await client.post("/v2/campaigns", { name: "Live", agent_id, contacts, max_concurrent_calls: 3 })
  const answers: Array<unknown> = []
  const dials: Array<Promise<unknown>> = []
  for (let nth = 0; nth < 8; nth++) {
    const asked = client.post("/v2/calls", { agent_id, to_number: `+9990001${String(nth).padStart(8, "0")}` })
    dials.push(asked.then(({ body, status }) => answers.push([nth, status, body.error, body.execution_id])))
    await client.advance({ by_ms: 700 })
    if (nth === 3) await client.put("/_sim/faults", { slot_store: { mode: "timeout", for_ms: 9_000 } })
    if (nth === 6) await client.put("/_sim/faults", { rate_limit_store: { mode: "unreachable", times: 3 } })
  }
  await client.advance({ by: "PT2H" })
  await Promise.all(dials)
  const rates = []
  for (let nth = 0; nth < 40; nth++) {
    const { headers, status } = await client.get("/v2/calls")
    rates.push([status, headers.get("x-ratelimit-remaining"), headers.get("retry-after")])
  }
  await client.idle()
  return {
    answers,
    rates,
    legs: await client.legs(),
    campaign: (await client.get(`/v2/campaigns/${String(campaign.body["campaign_id"])}`)).body,
    inbox: (await client.get("/_sim/inbox/all")).body.data,
    stats: { ...(await client.get("/_sim/stats")).body, events_per_second: null },
    violations: await client.violations(),
  }
}

onRedis("a world with its counters on Redis", () => {
  it("is the same as with its counters in memory, faults included, and can be kept and brought back", () =>
    onServer(async (_redis, start) => {
      const memory = await live(await Client.start())
      expect(memory).toMatchObject({ violations: [] })
      const client = await start()
      const { snapshot_id } = (await client.post("/_sim/snapshot")).body
      expect(await live(client)).toEqual(memory)
      client.key = client.simulator.info.key
      expect((await client.post("/_sim/restore", { snapshot_id })).status).toBe(204)
      expect(await live(client)).toEqual(memory)
    }))

  it("is called as its server, without the password", () =>
    onServer(async ({ port }, start) => {
      const client = await start()
      expect((await client.get("/_sim")).body["counters"]).toBe(`redis://127.0.0.1:${port}`)
    }))

  it("has counters of its own: a reset begins with none, and nothing of the gate is left behind", () =>
    onServer(async (redis, start) => {
      const [client, other] = [await start(), await start()]
      await client.dial("+999500100000001")
      await other.dial("+999500100000001")
      const before = await keysOf(redis)
      expect((await client.post("/_sim/reset", {})).status).toBe(204)
      const { body } = await client.get("/v2/user/me")
      expect(body["concurrency"]).toMatchObject({ current: 0 })
      expect((await other.get("/v2/user/me")).body["concurrency"]).toMatchObject({ current: 1 })
      await client.dial("+999500100000001")
      const after = await keysOf(redis)
      const kept = after.filter((key) => before.includes(key))
      expect(kept.length).toBeGreaterThan(0)
      expect(kept.length).toBeLessThan(before.length)
      await client.simulator.close()
      expect(await keysOf(redis)).toEqual(kept)
      await other.simulator.close()
      expect(await keysOf(redis)).toEqual([])
    }))

  it("loses no call and no line where its process ends, wherever that is", () =>
    onServer(async (_redis, start) => {
      for (let steps = 0; steps < 40; steps += 3) {
        const client = await start({ seed: steps })
        const dials = [client.dial("+999000100000001"), client.dial("+999000100000002")]
        await client.simulator.crash(steps)
        for (const { status } of await Promise.all(dials)) expect([201, 503]).toContain(status)
        await client.advance({ by: "PT1H" })
        expect(await client.violations()).toEqual([])
        expect((await client.get("/_sim/stats")).body["slots"]).toMatchObject({ platform: 0 })
        await client.simulator.close()
      }
    }))

  it("keeps every ceiling while Redis is really away, and has all lines again after it came back", () =>
    onServer(async (redis, start) => {
      const client = await start()
      const made = await client.post("/_sim/organizations", { concurrency: { organization: 3 } })
      client.key = made.body.keys[0]!.key
      const agent_id = String(
        (await client.post("/v2/agents", { display_name: "A", status: "ACTIVE" })).body["agent_id"],
      )
      const contacts = Array.from({ length: 60 }, (_, n) => ({ to_number: `+9990001${String(n).padStart(8, "0")}` }))
      const campaign = await client.post("/v2/campaigns", { name: "Away", agent_id, contacts })
      const path = `/v2/campaigns/${String(campaign.body["campaign_id"])}/stats`
      await client.advance({ by_ms: 20_000 })
      await redis.kill()
      await client.advance({ by: "PT1M" })
      await redis.start()
      await client.advance({ by: "PT2M" })
      await redis.command((one) => one.flushall())
      await client.advance({ by: "PT2H" })
      const { body } = await client.get(path)
      expect(body["outcome_counts"]).toMatchObject({ total: 60, in_flight: 0, pending: 0 })
      expect((await client.legs()).peak_live).toBe(3)
      expect(await client.violations()).toEqual([])
    }))
})

onRedis("a world that is closed in the middle of a long advance", () => {
  it("ends at once, and leaves nothing behind on the server", () =>
    onServer(async (redis, start) => {
      const client = await start()
      const { agent_id } = client.simulator.info
      const contacts = Array.from({ length: 20_000 }, (_, nth) => ({
        to_number: `+1555555${String(nth).padStart(5, "0")}`,
      }))
      expect((await client.post("/v2/campaigns", { name: "Long", agent_id, contacts })).status).toBe(201)
      const from = Date.parse((await client.get("/_sim/clock")).body.now)
      const advancing = client.advance({ by: "P365D" })
      await new Promise((resolve) => setTimeout(resolve, 100))
      await client.simulator.close()
      const { now, reached } = await advancing
      expect(reached).toBe(false)
      expect(Date.parse(now) - from).toBeLessThan(365 * 86_400_000)
      expect(await keysOf(redis)).toEqual([])
    }))
})
