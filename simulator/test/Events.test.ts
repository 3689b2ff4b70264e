import { readExposition } from "../../scripts/servers/Exposition.ts"
import { expect, test } from "vitest"
import { serve } from "../src/server/Server.ts"
import { Client } from "./Client.ts"

interface Seen {
  readonly sequence: number
  readonly at: string
  readonly type: string
  readonly [field: string]: unknown
}

/** The events of a stream's text. */
const read = (text: string): ReadonlyArray<Seen> =>
  text
    .split("\n\n")
    .flatMap((frame) => frame.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice(6)))

/** Reads a stream until an event of it fits, and goes away. */
const follow = async (response: Response, isLast: (event: Seen) => boolean): Promise<ReadonlyArray<Seen>> => {
  expect(response.headers.get("content-type")).toContain("text/event-stream")
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The stream ended: ${text}`)
    text += value
    const events = read(text.slice(0, text.lastIndexOf("\n\n")))
    if (!events.some(isLast)) continue
    await reader.cancel()
    return events
  }
}

const open = (client: Client, query = "", headers: Record<string, string> = {}) =>
  client.simulator.fetch(new Request(`http://sim.test/_sim/events${query}`, { headers }))

const isEnd = ({ type }: Seen) => type === "all_processing_completed"

test("tell every domain event with its virtual time, and how calls go, in their order", async () => {
  const client = await Client.start()
  const { body } = await client.dial("+999000100000001")
  await client.idle()
  const events = await follow(await open(client), isEnd)
  const own = events.filter(({ execution_id }) => execution_id === body.execution_id)
  const types = own.map(({ type, status }) => (type === "call" ? status : type))
  expect(types).toEqual([
    "queued",
    "initiated",
    "ringing",
    "call_ringing",
    "in-progress",
    "call_started",
    "completed",
    "call_completed",
    "recording_completed",
    "platform_analysis_completed",
    "client_analysis_completed",
    "all_processing_completed",
  ])
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  const times = own.map(({ at }) => Date.parse(at))
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(own.at(-1)!.at > own[0]!.at).toBe(true)
})

test("are told as they happen, from the latest on, or after the one a client saw last", async () => {
  const client = await Client.start()
  await client.dial("+999010000000001")
  await client.idle()
  const all = await follow(await open(client), isEnd)
  const live = follow(await open(client, "?after=latest"), isEnd)
  await client.dial("+999010000000002")
  await client.idle()
  const [next] = await live
  expect(next!.sequence).toBe(all.length + 1)
  const rest = await follow(await open(client, "", { "last-event-id": "3" }), ({ sequence }) => sequence > all.length)
  expect(rest[0]!.sequence).toBe(4)
  expect((await open(client, "?after=x")).status).toBe(422)
})

test("tell of faults, of the clock, of webhooks, of campaigns and of a reset", async () => {
  const client = await Client.start()
  const stream = await open(client)
  const until = follow(stream, ({ type }) => type === "reset")
  await client.put("/_sim/faults", { account: { mode: "error", times: 1 } })
  await client.put("/_sim/faults", { account: null })
  await client.put("/_sim/clock", { mode: "manual" })
  await client.post("/v2/webhooks", { callback_url: "https://all.inbox.test/" })
  const { agent_id } = client.simulator.info
  const contacts = [{ to_number: "+999000100000001" }]
  expect((await client.post("/v2/campaigns", { name: "Spring", agent_id, contacts })).status).toBeLessThan(300)
  await client.idle()
  await client.post("/_sim/reset")
  const events = await until
  const types = new Set(events.map(({ type }) => type))
  for (const type of ["faults", "clock", "delivery", "campaign", "batch", "call"]) expect(types).toContain(type)
  expect(events.find(({ type }) => type === "faults")).toMatchObject({ faults: { account: { mode: "error" } } })
  expect(events.filter(({ type }) => type === "delivery").at(-1)).toMatchObject({ status: "delivered", attempts: 1 })
})

test("are remembered up to the retention", async () => {
  const client = await Client.start({ retention: 5 })
  for (let nth = 0; nth < 5; nth++) await client.dial(`+99901000000000${nth}`)
  await client.idle()
  const [first] = await follow(await open(client), isEnd)
  expect(first!.sequence).toBeGreaterThan(5)
})

test("want the control token where there is one", async () => {
  const client = await Client.start({ controlToken: "t" })
  expect((await open(client)).status).toBe(401)
  const stream = await open(client, "", { authorization: "Bearer t" })
  expect(stream.status).toBe(200)
  await stream.body!.cancel()
})

test("are served on a socket, and end with the simulator", async () => {
  const client = await Client.start()
  const server = await serve(client.simulator, "127.0.0.1", 0)
  const stream = await fetch(`${server.url}/_sim/events`)
  const text = stream.text()
  await client.dial("+999010000000001")
  await client.idle()
  await server.close()
  expect(read(await text).some(isEnd)).toBe(true)
})

test("metrics are Prometheus text: lines and ceilings, rates, calls and invariants", async () => {
  const client = await Client.start()
  await client.dial("+999500900000001")
  await client.advance({ by_ms: 1_000 })
  const { headers, text } = await client.get("/_sim/metrics")
  expect(headers.get("content-type")).toContain("text/plain; version=0.0.4")
  const { organization_id } = client.simulator.info
  const lines = text.split("\n")
  expect(lines).toContain('carillon_lines_used{level="platform"} 1')
  expect(lines).toContain('carillon_lines_ceiling{level="platform"} 1000')
  expect(lines).toContain(`carillon_lines_used{level="organization",organization="${organization_id}"} 1`)
  expect(lines).toContain(`carillon_lines_ceiling{level="organization",organization="${organization_id}"} 20`)
  expect(lines).toContain(`carillon_rate_used{organization="${organization_id}",bucket="calls.create"} 1`)
  expect(lines).toContain("carillon_live_legs 1")
  expect(lines).toContain("carillon_invariant_violations_total 0")
  const families = readExposition(text)
  expect(
    families.get("carillon_dial_duration_seconds")?.samples.find(({ name }) => name.endsWith("_count"))?.value,
  ).toBe(1)
  const route = { http_request_method: "POST", http_route: "/v2/calls", http_response_status_class: "2xx" }
  const requests = families.get("http_server_request_duration_seconds")?.samples ?? []
  const counts = requests.filter(({ name }) => name.endsWith("_count"))
  expect(counts.map(({ labels, value }) => ({ ...Object.fromEntries(labels), value }))).toEqual([
    { ...route, value: 1 },
  ])
})
