import { type ChildProcess, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Postgres } from "@carillon/postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, describe, it } from "vitest"
import { freePort } from "../../../scripts/servers/FreePort.ts"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { RedisServer } from "../../../scripts/servers/RedisServer.ts"
import { adminProgram } from "../src/admin/AdminProgram.ts"
import { program } from "../src/Program.ts"

const main = new URL("../src/main.ts", import.meta.url).pathname
const token = "the-token"
/** What a customer keeps secret, and the key that seals it. */
const planted = [
  "whsec_PLANTED-by-a-customer",
  "Bearer PLANTED-for-an-endpoint",
  "sk-PLANTED-value-of-a-provider",
] as const
const sealingKey = Buffer.alloc(32, "k").toString("base64")
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
const ownNetwork = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`

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

/** What the operator's program says, beside the server. */
const admin = async (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const [lines, complaints]: [Array<string>, Array<string>] = [[], []]
  const code = await adminProgram([...args, "--json"], {
    environment,
    readFile: (path) => readFileSync(path, "utf8"),
    write: (line) => lines.push(line),
    complain: (line) => complaints.push(line),
  })
  const said: unknown = lines.length === 0 ? null : JSON.parse(lines.join("\n"))
  return { code, said: Object(said), complaints: complaints.join("\n") }
}

/** What an operator does beside a server that serves. */
const operated = async (
  environment: Readonly<Record<string, string>>,
  organization: string,
  firstKey: string,
  send: ReturnType<typeof client>,
): Promise<void> => {
  const ask = (...args: ReadonlyArray<string>) => admin(environment, ...args)
  assert.deepStrictEqual(
    (await ask("organizations", "list")).said.map((each: { organization_id: string }) => each.organization_id),
    [organization],
  )
  const changed = await ask("organizations", "change", organization, "--add=-20", "--lines", "none", "--plan", "scale")
  assert.strictEqual(changed.said.wallet.balance, 80)
  assert.deepInclude(changed.said, { plan: "scale", name: "Acme" })
  assert.isNull(changed.said.ceilings.organization)
  assert.deepInclude((await ask("organizations", "show", organization)).said.lines, { in_use: 0 })
  const given = await ask("keys", "give", organization, "--name", "Spare")
  assert.strictEqual((await ask("keys", "revoke", organization, firstKey)).said.status, "inactive")
  assert.deepStrictEqual((await ask("keys", "list", organization, "--page", "2")).said, [])
  assert.strictEqual((await ask("keys", "list", organization, "--page", "0")).code, 2)
  const keys = (await ask("keys", "list", organization)).said
  assert.deepStrictEqual(
    keys.map(({ description, status }: Record<string, string>) => [description, status]),
    [
      ["Spare", "active"],
      ["First key", "inactive"],
    ],
  )
  assert.notInclude(JSON.stringify(keys), given.said.key)
  const held = await ask("dialling", "hold", "Looking at the carrier.")
  assert.deepInclude(held.said, { held: true, reason: "Looking at the carrier." })
  assert.deepStrictEqual((await ask("dialling", "why")).said, held.said)
  assert.deepStrictEqual((await ask("dialling", "release")).said, { released: held.said })
  const verified = await ask("audit", "verify")
  assert.deepInclude(verified.said, { valid: true, organizations: 1 })
  // Two calls of the API, a key that was given and one that was revoked.
  assert.isAtLeast(verified.said.records, 4)
  assert.strictEqual((await ask("audit", "verify", organization, "--expected-count", "1000")).code, 1)
  const rows = await ask("rows", "verify", organization)
  assert.deepInclude(rows.said, { fault_count: 0, faults: [] })
  assert.deepInclude(rows.said.rows, { calls: 1, campaigns: 0 })
  assert.strictEqual(rows.code, 0)
  assert.deepInclude((await ask("rows", "verify")).said, { organizations: 1, fault_count: 0 })
  const longAgo = ["--before", new Date(Date.now() - 30 * 24 * 3_600_000).toISOString()]
  const gone = { calls: 0, contacts: 0, events: 0, deliveries: 0 }
  assert.deepInclude((await ask("rows", "purge", organization, ...longAgo)).said, { gone })
  assert.deepInclude((await ask("webhooks", "why", organization)).said, { subscriptions: [], next: null })
  // The server has brought the schema up to date.
  assert.deepStrictEqual(await ask("migrate"), { code: 0, said: { steps: [] }, complaints: "" })
  assert.deepStrictEqual((await ask("rows", "repair")).said, { repaired: true })
  for (const absent of [
    ["rows", "verify", "org_none"],
    ["rows", "purge", "org_none", ...longAgo],
    ["webhooks", "why", "org_none"],
    ["organizations", "show", "org_none"],
    ["calls", "why", "exec_none"],
    ["campaigns", "why", "cmp_none"],
  ])
    assert.strictEqual((await ask(...absent)).code, 1)
  assert.strictEqual((await send("GET", "/v2/agents")).status, 200)
}

/** Every row of every table, as text. */
const everyRow = (url: string): Promise<string> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
    const rows = yield* Effect.forEach(tables, ({ name }) =>
      sql.unsafe<{ readonly row: string }>(`SELECT t::text AS row FROM ${name} t`),
    )
    return rows.flatMap((found) => found.map(({ row }) => row)).join("\n")
  }).pipe(Effect.provide(Postgres.layerClient({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)

/** A customer's secrets come in, are used, and lie nowhere in the database as they are, or in another writing. */
const sealed = async (
  environment: Readonly<Record<string, string>>,
  url: string,
  send: ReturnType<typeof client>,
): Promise<void> => {
  const [secret, header, value] = planted
  const subscription = { callback_url: "https://hooks.example.com/", secret, headers: { Authorization: header } }
  const own = (await send("POST", "/v2/webhooks", subscription)).read("subscription_id")
  assert.strictEqual((await send("POST", "/v2/webhooks", subscription)).status, 409)
  assert.strictEqual((await send("PATCH", `/v2/webhooks/${own}`, { secret })).status, 200)
  const provider = { provider_name: "voice", provider_value: value }
  assert.strictEqual((await send("POST", "/v2/providers", provider)).read("provider_value_preview"), "...ider")
  const found = (await admin(environment, "secrets", "reseal")).said
  assert.deepStrictEqual(found, { secrets: 3, resealed: 0, unreadable: 0 })
  const rows = await everyRow(url)
  assert.strictEqual(rows.match(/carillon-sealed:2026-11:/g)?.length, 3)
  for (const each of planted) {
    const base64 = Buffer.from(each).toString("base64").slice(0, -4)
    for (const text of [each, base64, Buffer.from(each).toString("hex")]) assert.notInclude(rows, text)
  }
}

/** Webhooks reach what was set up of the own network, and nothing else of it. */
const reached = async (send: ReturnType<typeof client>): Promise<void> => {
  const test = (callback_url: string) => send("POST", "/v2/webhooks/test", { callback_url })
  const tested = await test(ownNetwork)
  assert.strictEqual(tested.status, 202)
  assert.strictEqual(tested.read("delivered"), "true")
  const { hostname } = new URL(ownNetwork)
  assert.strictEqual((await test(`http://${hostname}:1/`)).status, 400)
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

  it("brings a schema up to date for the operator, too, and tells the steps", async ({ skip }) => {
    if (typeof postgres === "string") return skip(`cannot be run: ${postgres}`)
    const fresh = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe("create database fresh"))
    const client = Postgres.layerClient({ url: Redacted.make(postgres.url()), maxConnections: 1 })
    await Effect.runPromise(Effect.provide(fresh, client))
    const environment = { CARILLON_DATABASE_URL: postgres.url("fresh") }
    const { code, said } = await admin(environment, "migrate")
    assert.strictEqual(code, 0)
    assert.include(said.steps, "1 rows")
    assert.deepStrictEqual((await admin(environment, "migrate")).said, { steps: [] })
  })

  it("ends with 1 where PostgreSQL cannot be reached; else serves a call through its carrier, leaves the balancer and ends with 0", async ({
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
      webhooks: { destinations: [new URL(ownNetwork).host] },
      public_url: "https://voice.example.com",
      carriers: ["main"],
      carrier: {
        main: {
          type: "twilio",
          account_sid: `AC${"0".repeat(32)}`,
          number: "+15005550006",
          voice: "say:Hello. Goodbye.",
          // The call ends at once, whatever it costs.
          price_wait_seconds: 0,
          base_url: ownNetwork,
        },
      },
    }
    writeFileSync(file, JSON.stringify(settings))
    const secrets = {
      CARILLON_CONFIG: file,
      CARILLON_DATABASE_URL: postgres.url(),
      CARILLON_CARRIER_MAIN_AUTH_TOKEN: token,
      CARILLON_SECRETS_KEYS: `2026-11=${sealingKey}`,
    }
    const steps: Array<string> = []
    const migrated = await program(["migrate"], {
      environment: secrets,
      readFile: (path) => readFileSync(path, "utf8"),
      write: (line) => steps.push(line),
      complain: (line) => assert.fail(line),
      stopped: () => assert.fail("it serves"),
    })
    assert.strictEqual(migrated, 0)
    assert.include(steps, "1 rows")
    const nobody = { CARILLON_DATABASE_URL: `postgres://carillon@127.0.0.1:${await freePort()}/db` }
    const refusing = run(["--log-json"], nobody)
    const { child, ended } = run([], secrets)
    const base = `http://127.0.0.1:${port}`
    await until(`${base}/readyz`, 200)
    const open = ["organizations", "open", "Acme", "--balance", "100", "--lines", "7", "--number", "+15005550006"]
    const { organization_id: organization, key, key_id: firstKey } = (await admin(secrets, ...open)).said
    const send = client(base, key)
    const agent = await send("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    const placed = await send("POST", "/v2/calls", { agent_id: agent.read("agent_id"), to_number: "+12125550100" })
    assert.strictEqual(placed.status, 201)
    assert.include(asked.get("Twiml"), "<Say>Hello. Goodbye.</Say>")
    assert.match(asked.get("StatusCallback") ?? "", /^https:\/\/voice\.example\.com\/carriers\/main\//)
    for (const status of ["initiated", "ringing", "in-progress"]) assert.strictEqual(await callback(base, status), 200)
    const why = await admin(secrets, "calls", "why", placed.read("execution_id"))
    assert.deepInclude(why.said, { organization_id: organization, status: "in-progress", waits_for: "carrier" })
    assert.deepInclude(why.said.lines.organization, { used: 1, ceiling: 7 })
    assert.strictEqual(await callback(base, "completed", { CallDuration: "4" }), 200)
    const read = await send("GET", `/v2/calls/${placed.read("execution_id")}`)
    assert.strictEqual(read.read("status"), "completed")
    await operated(secrets, organization, firstKey, send)
    await sealed(secrets, postgres.url(), send)
    await reached(send)
    const metrics = await (await fetch(`http://127.0.0.1:${inside}/metrics`)).text()
    assert.match(metrics, /carillon_dial_duration_seconds_count\{[^}]*carrier="main"/)
    assert.strictEqual((await fetch(`${base}/metrics`)).status, 404)
    assert.strictEqual((await fetch(`${base}/docs`)).status, 200)
    const refused = await refusing.ended
    assert.strictEqual(refused.code, 1)
    assert.include(refused.out, new URL(nobody.CARILLON_DATABASE_URL).host)
    assert.strictEqual(JSON.parse(refused.out).level, "FATAL")
    child.kill("SIGTERM")
    await until(`${base}/readyz`, 503)
    assert.strictEqual((await send("GET", "/v2/agents")).status, 200)
    const { code, complaints, out } = await ended
    assert.strictEqual(code, 0, complaints)
    const lines = out.trim().split("\n")
    for (const line of lines) assert.isString(JSON.parse(line).message, line)
    assert.include(out, "Counters: Redis. Carriers: main.")
    for (const secret of [token, "+12125550100", sealingKey, ...planted]) {
      assert.notInclude(out + complaints + metrics, secret)
    }
  })
})
