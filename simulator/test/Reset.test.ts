import { expect, test } from "vitest"
import { Client } from "./Client.ts"

/** A day in the life of a world, as every word it says. */
const live = async (client: Client): Promise<ReadonlyArray<string>> => {
  client.key = client.simulator.info.key
  const said: Array<string> = []
  const say = async (answer: Promise<{ readonly text: string; readonly headers: Headers }>) => {
    const { text, headers } = await answer
    said.push(`${headers.get("x-request-id")} ${text}`)
    return text
  }
  await say(client.get("/_sim"))
  for (const number of ["+12125550001", "+12125550002", "+999250000000001", "+999240000000001", "+12125550001"]) {
    await say(client.dial(number))
    await say(client.post("/_sim/clock/advance", { by_ms: 700 }))
  }
  await say(client.post("/_sim/organizations", { name: "Second", keys: [{ scopes: ["calls:read"] }] }))
  await say(client.post("/v2/agents", { display_name: "Another" }))
  await say(client.dial("+12125550003", { scheduled_at: "2026-01-05T12:00:00Z" }))
  await say(client.post("/_sim/clock/advance", { until_idle: true }))
  await say(client.get("/v2/calls?include_transcript=true&page_size=100"))
  await say(client.get("/_sim/telephony/legs"))
  await say(client.get("/_sim/invariants"))
  return said
}

test("two worlds of one seed say the same, word for word; another seed says other things", async () => {
  const [first, second, other] = await Promise.all([
    Client.start({ seed: "s" }).then(live),
    Client.start({ seed: "s" }).then(live),
    Client.start({ seed: "t" }).then(live),
  ])
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})

test("a reset world equals a fresh one, whatever happened before", async () => {
  const fresh = await live(await Client.start({ seed: "s" }))
  const client = await Client.start({ seed: "s" })
  await live(client)
  await client.put("/_sim/telephony/rules", { rules: [], default: { result: "busy" } })
  await client.put("/_sim/faults", { account: { mode: "error" } })
  const reset = await client.post("/_sim/reset")
  expect([reset.status, reset.text]).toEqual([204, ""])
  expect(await live(client)).toEqual(fresh)
})

test("a reset takes another seed and another time", async () => {
  const client = await Client.start({ seed: "s" })
  await client.post("/_sim/reset", { seed: 7, epoch: "2030-05-05T00:00:00Z" })
  const info = (await client.get("/_sim")).body
  expect(info).toMatchObject({ seed: "7", clock: { now: "2030-05-05T00:00:00.000Z", mode: "manual" } })
  expect((await client.get("/v2/user/me")).status).toBe(401)
  client.key = client.simulator.info.key
  expect((await client.get("/v2/user/me")).status).toBe(200)
})

test.each([
  ["a dial that waits for its acknowledgement", "+999210000000001", 0],
  ["a dial that waits for a line", "+999000000000001", 20],
])("a reset answers %s with 1501", async (_, number, others) => {
  const client = await Client.start()
  for (let serial = 0; serial < others; serial++) await client.dial(`+9995009000000${String(serial).padStart(2, "0")}`)
  const dial = client.dial(number)
  while ((await client.get("/_sim/clock")).body.waiting.length === 0);
  await client.post("/_sim/reset")
  const answer = await dial
  expect([answer.status, answer.body.error]).toEqual([503, 1501])
  expect(answer.headers.get("x-ratelimit-limit")).toBe("600")
  expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(600 - others - 1))
  expect((await client.get("/_sim/clock")).body.waiting).toEqual([])
})

test("how requests are interleaved does not change how calls go", async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => `+1212555${String(index).padStart(4, "0")}`)
  const outcomes = async (order: ReadonlyArray<string>, width: number) => {
    const client = await Client.start({ seed: "load", limits: "off" })
    const queue = [...order]
    const dialler = async () => {
      for (let number = queue.shift(); number !== undefined; number = queue.shift()) await client.dial(number)
    }
    await Promise.all(Array.from({ length: width }, dialler))
    await client.idle()
    const { data } = await client.legs()
    return new Map(data.map(({ to_number, result }) => [to_number, result]))
  }
  const one = await outcomes(numbers, 1)
  const many = await outcomes([...numbers].reverse(), 16)
  expect(one.size).toBe(200)
  expect(new Set(one.values()).size).toBeGreaterThan(3)
  for (const number of numbers) expect(many.get(number)).toBe(one.get(number))
})
