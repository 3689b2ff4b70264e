import { expect, test } from "vitest"
import type { WorldView } from "../../src/dashboard/WorldView.ts"
import { Simulator } from "../../src/Simulator.ts"
import { Client } from "../Client.ts"

/** A look at the world; what it says is what the page is typed with. */
const look = async (client: Client, query = ""): Promise<WorldView> => {
  const { text } = await client.get(`/_sim/ui/world${query}`)
  return JSON.parse(text)
}

const contacts = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ to_number: `+9990003${String(index).padStart(8, "0")}` }))

test("looking leaves no trace: not in the journal, not in the rates, not in time", async () => {
  const client = await Client.start()
  await client.dial("+15555550100")
  const traces = async () => [
    (await client.get("/_sim/journal")).text,
    (await client.get("/v2/user/me")).body["rate_limits"],
    (await client.get("/_sim/clock")).body,
  ]
  const [journal, , clock] = await traces()
  const rates = (await look(client)).rates
  for (let times = 0; times < 50; times++) await look(client, "?calls=live&window_ms=900000")
  const [call] = (await look(client)).calls.rows
  await client.get(`/_sim/ui/call?execution_id=${call?.execution_id}`)
  expect((await look(client)).rates).toEqual(rates)
  const [after, , clockAfter] = await traces()
  // The only new entries are those of reading `/v2/user/me` here.
  const others = (text: unknown) =>
    String(text)
      .split("\n")
      .filter((line) => !line.includes("/v2/user/me"))
  expect(others(after)).toEqual(others(journal))
  expect(clockAfter).toEqual(clock)
})

test("shows campaigns with used, floor, demand and what holds them", async () => {
  const client = await Client.start()
  const { agent_id } = client.simulator.info
  const own = { name: "Capped", agent_id, max_concurrent_calls: 3, contacts: contacts(30) }
  await client.post("/v2/campaigns", own)
  await client.post("/v2/campaigns", { name: "Open", agent_id, contacts: contacts(30) })
  await client.advance({ by_ms: 1_000 })
  const { campaigns, chart, verdict } = await look(client)
  const named = (name: string) => campaigns.find((one) => one.name === name)
  expect(named("Capped")).toMatchObject({
    used: 3,
    floor: 3,
    ceiling: 3,
    demand: 27,
    held_by: { reason: "campaign_ceiling" },
  })
  expect(named("Open")).toMatchObject({
    used: 17,
    floor: 10,
    demand: 13,
    held_by: { reason: "organization_lines_full" },
  })
  expect(verdict).toMatchObject({ tone: "limited", level: "organization" })
  const lines = chart.lines.map(({ ceiling, level, own, used }) => [level, used, ceiling, own])
  expect(lines).toEqual([
    ["platform", 20, 1_000, true],
    ["organization", 20, 20, true],
    ["agent", 20, 20, false],
    ["campaign", 3, 3, true],
  ])
  const stats = (await client.get("/_sim/stats")).body as unknown as { campaigns: ReadonlyArray<{ used: number }> }
  const descending = (rows: ReadonlyArray<{ used: number }>) => rows.map(({ used }) => used).toSorted((a, b) => b - a)
  expect(descending(campaigns)).toEqual(descending(stats.campaigns))
})

test("lists are bounded however many calls there are, and find what is asked for", async () => {
  const client = await Client.start({ limits: "x20" })
  const { agent_id } = client.simulator.info
  await client.post("/v2/campaigns", { name: "Many", agent_id, contacts: contacts(250) })
  await client.advance({ by_ms: 180_000 })
  const all = await look(client, "?limit=200")
  expect(all.calls.total).toBe(250)
  expect(all.calls.rows).toHaveLength(200)
  const { execution_id = "", to_number = "" } = all.calls.rows[0] ?? {}
  for (const text of [execution_id, to_number]) {
    const { calls } = await look(client, `?search=${encodeURIComponent(text)}`)
    expect(calls.rows.map((row) => row.execution_id)).toEqual([execution_id])
  }
  expect((await look(client, "?search=nobody")).calls).toEqual({ rows: [], total: 0 })
  expect((await client.get("/_sim/ui/world?limit=201")).status).toBe(422)
  expect((await client.get("/_sim/ui/world?organization_id=org_nobody")).status).toBe(404)
})

test("a call's history has its phases end to end, its attempts and its webhooks", async () => {
  const client = await Client.start()
  const { organization_id } = client.simulator.info
  await client.patch(`/_sim/organizations/${organization_id}`, {
    webhook_secret: "s3cret",
    webhook_default: { callback_url: "http://demo.inbox.test/events" },
  })
  const { body } = await client.dial("+15555550100")
  await client.idle()
  const { body: call } = await client.get(`/_sim/ui/call?execution_id=${body.execution_id}`)
  const { moments, phases } = call as unknown as {
    phases: ReadonlyArray<{ name: string; from: number; to: number }>
    moments: ReadonlyArray<{ at: number; what: string }>
  }
  expect(phases.map(({ name }) => name)).toEqual(["dialling", "ringing", "talking", "processing"])
  for (const [index, { from }] of phases.entries()) if (index > 0) expect(from).toBe(phases[index - 1]?.to)
  expect(moments.map(({ at }) => at)).toEqual(moments.map(({ at }) => at).toSorted((a, b) => a - b))
  expect(moments.at(-1)?.what).toBe("Webhook all_processing_completed")
  const { received } = await look(client)
  expect(received).toMatchObject([{ inbox: "demo", signature: "valid", attempt: 1, answered: 200 }])
  const whole = await client.get(`/_sim/ui/received?id=${encodeURIComponent(received[0]?.id ?? "")}`)
  expect(JSON.parse(String(whole.body["body"]))).toMatchObject({ call_id: body.execution_id })
})

test("the signature of another secret, and none at all, are told apart", async () => {
  const client = await Client.start()
  const { organization_id } = client.simulator.info
  const subscribe = (webhook_secret: string | null) =>
    client.patch(`/_sim/organizations/${organization_id}`, {
      webhook_secret,
      webhook_default: { callback_url: "http://demo.inbox.test/events" },
    })
  await subscribe("first")
  await client.dial("+15555550100")
  await client.idle()
  await subscribe("second")
  expect((await look(client)).received).toMatchObject([{ signature: "mismatch" }])
  await subscribe(null)
  // Subscriptions are cached for a minute.
  await client.advance({ by_ms: 60_000 })
  await client.dial("+15555550100")
  await client.idle()
  expect((await look(client)).received).toMatchObject([{ signature: "unsigned" }, { signature: "mismatch" }])
})

test("the page is served with a policy that lets it load nothing but its own files", async () => {
  const simulator = await Simulator.start({ controlToken: "secret" })
  const get = (path: string, headers: Record<string, string> = {}) =>
    simulator.fetch(new Request(`http://sim.test${path}`, { headers }))
  const page = await get("/_sim/ui")
  expect(page.status).toBe(200)
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
  const html = await page.text()
  expect(html).not.toMatch(/style=|<script(?![^>]*src=)|https?:\/\//)
  const files = [...html.matchAll(/(?:src|href)="(\/_sim\/ui\/[^"]+)"/g)].map(([, path]) => path ?? "")
  expect(files.length).toBe(3)
  // A module's imports are files of the page, too.
  for (let path = files.pop(); path !== undefined; path = files.pop()) {
    const file = await get(path)
    expect([path, file.status]).toEqual([path, 200])
    expect(file.headers.get("x-content-type-options")).toBe("nosniff")
    if (!path.endsWith("/main.js")) continue
    const imports = [...(await file.text()).matchAll(/from "\.\/([\w-]+\.js)"/g)]
    expect(imports.length).toBeGreaterThan(5)
    files.push(...imports.map(([, name]) => `/_sim/ui/${name}`))
  }
  for (const path of ["/_sim/ui/..%2fPage.ts", "/_sim/ui/tsconfig.json", "/_sim/ui/nothing.js", "/_sim/ui/world"]) {
    expect((await get(path)).status).toBe(401)
  }
  const authorized = { authorization: "Bearer secret" }
  expect((await get("/_sim/ui/world", authorized)).status).toBe(200)
  expect((await get("/_sim/ui/nothing.js", authorized)).status).toBe(404)
  await simulator.close()
})
