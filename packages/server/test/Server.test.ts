import { type ChildProcess, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Layer, Redacted } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { freePort } from "../../../scripts/servers/FreePort.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { RedisServer } from "../../../scripts/servers/RedisServer.ts"
import { program } from "../src/Program.ts"

const main = new URL("../src/main.ts", import.meta.url).pathname
const token = "the-token"
const sid = `CA${"1".repeat(32)}`
const postgres = await startPostgres()
const redis = await RedisServer.open()
const folder = mkdtempSync(join(tmpdir(), "carillon-server-"))
const started: Array<ChildProcess> = []

let asked = new URLSearchParams()
/** As much of Twilio as a call needs. */
const vendor = createServer((request, response) => {
  void text(request).then((body) => {
    if (request.method === "POST") asked = new URLSearchParams(body)
    const call = { sid, status: "completed", duration: "4", price: "-0.014", price_unit: "USD" }
    response.writeHead(request.method === "POST" ? 201 : 200).end(JSON.stringify(call))
  })
})
await once(vendor.listen(0, "127.0.0.1"), "listening")

afterAll(async () => {
  for (const child of started) child.kill("SIGKILL")
  vendor.close().closeAllConnections()
  if (typeof postgres !== "string") await postgres.stop()
  await redis?.close()
  rmSync(folder, { recursive: true })
})

/** Starts the program as a process of its own. Nothing of this process' environment decides its settings. */
const run = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("CARILLON_"))
  const child = spawn(process.execPath, ["--conditions=@carillon/source", main, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  started.push(child)
  const written = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, "exit").then(async ([code]: Array<number | null>) => {
    const [out, complaints] = await written
    return { code, out, complaints }
  })
  return { child, ended }
}

const patienceMs = 60_000

/** Asks until it is answered so; a process that is starting answers nothing. */
const until = async (url: string, status: number): Promise<void> => {
  const end = Date.now() + patienceMs
  for (;;) {
    const answer = await fetch(url).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.status === status) return
    if (Date.now() > end) throw new Error(`${url} never answered ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const client = (base: string, key: string) => async (method: string, path: string, body?: object) => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  return { status: response.status, read: (field: string) => String(Reflect.get(Object(answer), field)) }
}

/** A callback as Twilio signs it, through a balancer that changes its host. */
const callback = async (base: string, CallStatus: string, more: Record<string, string> = {}) => {
  const parameters = new URLSearchParams({ ...more, CallSid: sid, CallStatus })
  const [url = ""] = (asked.get("StatusCallback") ?? "").split("#")
  const names = [...parameters.keys()].sort()
  const signed = url + names.map((name) => name + parameters.get(name)).join("")
  const signature = createHmac("sha1", token).update(signed).digest("base64")
  const { pathname, search } = new URL(url)
  const headers = { "x-twilio-signature": signature }
  return (await fetch(`${base}${pathname}${search}`, { method: "POST", headers, body: parameters })).status
}

/** Opens an organization on the server's rows. */
const openOrganization = async (url: string): Promise<string> => {
  const carrier = promiseCarrier({
    dial: async () => ({ _tag: "Refused", kind: "unreachable" }),
    hangup: async () => "Refused",
    find: async () => ({ _tag: "NoAnswer" }),
  })
  const rows = Postgres.layer({ url: Redacted.make(url), maxConnections: 2 })
  const ports = Layer.mergeAll(rows, MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport())
  const carillon = await Carillon.make({ ports })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  await carillon.close()
  return key
}

describe("the program", () => {
  it("names everything that is wrong with its settings, and ends with 2", async () => {
    const complaints: Array<string> = []
    const code = await program(["--config", "wrong.json"], {
      environment: { CARILLON_DATABSE_URL: "postgres://db/db" },
      readFile: () => JSON.stringify({ port: "many", carriers: ["twilio"] }),
      write: (line) => assert.fail(line),
      complain: (line) => complaints.push(line),
      stopped: () => assert.fail("it started"),
    })
    assert.strictEqual(code, 2)
    for (const name of ["port", "database.url", "CARILLON_DATABSE_URL", "public_url"]) {
      assert.isTrue(
        complaints.some((line) => line.startsWith(`carillon-server: ${name}: `)),
        name,
      )
    }
  })

  it("ends with 1 where a server cannot be reached, and says which", async () => {
    const port = await freePort()
    const url = `postgres://carillon@127.0.0.1:${port}/db`
    const { code, out } = await run(["migrate", "--log-json"], { CARILLON_DATABASE_URL: url }).ended
    assert.strictEqual(code, 1)
    assert.include(out, `127.0.0.1:${port}`)
    assert.strictEqual(JSON.parse(out).level, "FATAL")
  })

  it("migrates, serves a call through its carrier on PostgreSQL and Redis, leaves the balancer and ends with 0", async ({
    skip,
  }) => {
    if (typeof postgres === "string" || redis === null) return skip("cannot be run: PostgreSQL or Redis cannot be had")
    const [port, inside] = [await freePort(), await freePort()]
    const file = join(folder, "right.json")
    const settings = {
      host: "127.0.0.1",
      port,
      inside: { host: "127.0.0.1", port: inside },
      notice_seconds: 1,
      log: { format: "json" },
      redis: { url: redis.url },
      public_url: "https://voice.example.com",
      carriers: ["main"],
      carrier: {
        main: {
          type: "twilio",
          account_sid: `AC${"0".repeat(32)}`,
          number: "+15005550006",
          voice: "say:Hello. Goodbye.",
          base_url: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
        },
      },
    }
    writeFileSync(file, JSON.stringify(settings))
    const secrets = {
      CARILLON_CONFIG: file,
      CARILLON_DATABASE_URL: postgres.url(),
      CARILLON_CARRIER_MAIN_AUTH_TOKEN: token,
    }
    const migrated = await run(["migrate"], secrets).ended
    assert.strictEqual(migrated.code, 0, migrated.complaints)
    assert.include(migrated.out, "1 rows")
    const { child, ended } = run([], secrets)
    const base = `http://127.0.0.1:${port}`
    await until(`${base}/readyz`, 200)
    const send = client(base, await openOrganization(postgres.url()))
    const agent = await send("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    const placed = await send("POST", "/v2/calls", { agent_id: agent.read("agent_id"), to_number: "+12125550100" })
    assert.strictEqual(placed.status, 201)
    assert.include(asked.get("Twiml"), "<Say>Hello. Goodbye.</Say>")
    assert.match(asked.get("StatusCallback") ?? "", /^https:\/\/voice\.example\.com\/carriers\/main\//)
    for (const status of ["initiated", "ringing", "in-progress"]) assert.strictEqual(await callback(base, status), 200)
    assert.strictEqual(await callback(base, "completed", { CallDuration: "4" }), 200)
    const read = await send("GET", `/v2/calls/${placed.read("execution_id")}`)
    assert.strictEqual(read.read("status"), "completed")
    const metrics = await (await fetch(`http://127.0.0.1:${inside}/metrics`)).text()
    assert.match(metrics, /carillon_dial_duration_seconds_count\{[^}]*carrier="main"/)
    assert.strictEqual((await fetch(`${base}/metrics`)).status, 404)
    assert.strictEqual((await fetch(`${base}/docs`)).status, 200)
    child.kill("SIGTERM")
    await until(`${base}/readyz`, 503)
    assert.strictEqual((await send("GET", "/v2/agents")).status, 200)
    const { code, complaints, out } = await ended
    assert.strictEqual(code, 0, complaints)
    const lines = out.trim().split("\n")
    for (const line of lines) assert.isString(JSON.parse(line).message, line)
    assert.include(out, "Counters: Redis. Carriers: main.")
    for (const secret of [token, "+12125550100"]) assert.notInclude(out + complaints, secret)
  })
})
