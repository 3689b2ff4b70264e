import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const { directory, remove } = await newPglite()

/** Two starts of an embedded PostgreSQL, each of several seconds of work, and thousands of its transactions. */
const hangsAfterMs = 900_000

interface Ready {
  readonly url: string
  readonly organization_id: string
  readonly key: string
}

interface Running extends Ready {
  readonly child: ChildProcess
}

const start = async (): Promise<Running> => {
  const flags = ["--port", "0", "--clock", "manual", "--print", "json", "--storage", `pglite:${directory}`]
  const child = spawn(process.execPath, ["--conditions=@carillon/source", main, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let said = ""
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  while (!said.includes("\n")) await Promise.race([once(child.stdout, "data"), once(child, "exit").then(failed)])
  const ready: Ready = JSON.parse(said)
  return { ...ready, child }
}

const failed = (): never => {
  throw new Error("The simulator ended before it was ready.")
}

const kill = async ({ child }: Running): Promise<void> => {
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
}

let running: Running | undefined

afterAll(async () => {
  if (running !== undefined) await kill(running)
  remove()
})

/** An answer of which the body is read as what the test expects of it. */
interface Answer<Body> {
  readonly status: number
  readonly replayed: string | null
  readonly body: Body
}

interface Made {
  readonly execution_id: string
  readonly campaign_id: string
  readonly key: string
}

const ask = async <Body = unknown>(
  { key, url }: Ready,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<Body>> => {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const read: Body = JSON.parse(text === "" ? "null" : text)
  return {
    status: response.status,
    replayed: response.headers.get("idempotent-replayed"),
    body: read,
  }
}

const minutes = (count: number) => ({ by_ms: count * 60_000 })

/** Everything that can be read of the organization. */
const everything = async (server: Ready, minted: string, campaign: string, calls: ReadonlyArray<string>) => {
  const paths = [
    "/v2/agents",
    "/v2/api-keys",
    "/v2/phone-numbers",
    "/v2/webhooks",
    "/v2/campaigns",
    `/v2/campaigns/${campaign}`,
    `/v2/campaigns/${campaign}/stats`,
    `/v2/campaigns/${campaign}/contacts`,
    `/v2/campaigns/${campaign}/explain`,
    "/v2/batches",
    "/v2/calls",
    ...calls.flatMap((id) => [`/v2/calls/${id}`, `/v2/calls/${id}/transcript`, `/v2/calls/${id}/timing`]),
    "/v2/webhooks/deliveries",
    "/v2/audit-logs",
    "/v2/audit-logs/verify",
    "/v2/usage?from_date=2026-01-01T00:00:00Z&to_date=2026-01-10T00:00:00Z&group_by=campaign",
    "/v2/user/me",
  ]
  const found: Record<string, unknown> = {}
  for (const path of paths) {
    const { body } = await ask<{ readonly at?: unknown; readonly rate_limits?: unknown }>(server, "GET", path)
    // Left out: the time of the answer, and what is counted in memory.
    const { at: _, rate_limits: __, ...kept } = body
    found[path] = kept
  }
  found["minted"] = (await ask({ ...server, key: minted }, "GET", "/v2/api-keys")).body
  // A route that is not there would be the same before and after.
  expect(Object.entries(found).filter(([, answer]) => Object.hasOwn(Object(answer), "message"))).toEqual([])
  return found
}

test(
  "a process that is killed and started again has everything, and goes on where it was",
  async () => {
    const first = await start()
    running = first
    const { demo } = (await ask<{ readonly demo: { readonly agent_id: string } }>(first, "GET", "/_sim")).body
    const other = await ask<{ readonly keys: ReadonlyArray<Made> }>(first, "POST", "/_sim/organizations", {
      name: "kept",
      keys: [{ keys_write: true }],
    })
    const owner = { ...first, key: other.body.keys[0]?.key ?? "" }
    const key = await ask<Made>(owner, "POST", "/v2/api-keys", { name: "kept" })
    expect(key.status).toBe(201)
    await ask(first, "POST", "/v2/webhooks", {
      agent_id: demo.agent_id,
      callback_url: "https://kept.inbox.test/hook",
      event_types: ["call_completed", "all_processing_completed"],
    })
    const dial = { agent_id: demo.agent_id, to_number: "+15555550100", variables: { '"quoted"': "\u0000", "\\": 1 } }
    const placed = await ask<Made>(first, "POST", "/v2/calls", dial, { "idempotency-key": "once" })
    expect(placed.status).toBe(201)
    await ask(first, "POST", "/_sim/clock/advance", minutes(5))
    const live = await ask<Made>(first, "POST", "/v2/calls", { ...dial, to_number: "+15555550150" })
    const campaign = await ask<Made>(first, "POST", "/v2/campaigns", {
      name: "kept",
      agent_id: demo.agent_id,
      contacts: Array.from({ length: 12 }, (_, n) => ({ to_number: `+1555555${1000 + n}`, variables: { n } })),
    })
    expect(campaign.status).toBe(201)
    await ask(first, "POST", "/_sim/clock/advance", { by_ms: 20_000 })
    const { campaign_id } = campaign.body
    const calls = [placed.body.execution_id, live.body.execution_id]
    const before = await everything(first, key.body.key, campaign_id, calls)
    await kill(first)

    const second = await start()
    running = second
    expect(second).toMatchObject({ organization_id: first.organization_id, key: first.key })
    expect(await everything(second, key.body.key, campaign_id, calls)).toEqual(before)
    const again = await ask(second, "POST", "/v2/calls", dial, { "idempotency-key": "once" })
    expect(again).toEqual({ ...placed, replayed: "true" })
    // The carrier of the simulator died with it, so what was live ends as a call of which nobody knows; retries follow.
    await ask(second, "POST", "/_sim/clock/advance", minutes(2 * 60))
    const { body } = await ask<{ readonly outcome_counts: unknown }>(
      second,
      "GET",
      `/v2/campaigns/${campaign_id}/stats`,
    )
    expect(body.outcome_counts).toMatchObject({ total: 12, in_flight: 0, pending: 0 })
    const ended = await ask<{ readonly is_terminal: boolean }>(second, "GET", `/v2/calls/${calls[1]}`)
    expect(ended.body.is_terminal).toBe(true)
    const next = await ask<Made>(second, "POST", "/v2/calls", dial)
    expect(next.status).toBe(201)
    expect(calls).not.toContain(next.body.execution_id)
    expect((await ask(second, "GET", "/v2/audit-logs/verify")).body).toMatchObject({ valid: true })
    expect((await ask(second, "GET", "/_sim/invariants")).body).toMatchObject({ violations: [] })
  },
  hangsAfterMs,
)

test(
  "a reset empties the database",
  async () => {
    if (running === undefined) return failed()
    expect((await ask(running, "POST", "/_sim/reset", {})).status).toBe(204)
    expect((await ask(running, "GET", "/v2/campaigns")).body).toMatchObject({ data: [] })
    expect((await ask(running, "GET", "/_sim/invariants")).body).toMatchObject({ violations: [] })
  },
  hangsAfterMs,
)
