import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type DialOutcome, promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon, probes } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, describe, it } from "vitest"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"

// What was committed before it is killed is there afterwards, as in production.
const server = await startPostgres({ durable: true })

/** Long enough for a busy machine; what is waited for comes within seconds. */
const patienceMs = 60_000
const number = "+15555550137"
const secret = "the caller's own words"

interface Line {
  readonly at: number
  readonly level: string
  readonly text: string
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + patienceMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("It did not come about.")
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

if (typeof server === "string") it(`cannot be run: the log of an outage (${server})`, ({ skip }) => skip())
describe.skipIf(typeof server === "string")("the log of an outage", async () => {
  if (typeof server === "string") return
  const lines: Array<Line> = []
  const logger = Logger.make(({ logLevel, message }) => {
    const text = (Array.isArray(message) ? message : [message]).map((part) =>
      typeof part === "string" ? part : JSON.stringify(part),
    )
    lines.push({ at: Date.now(), level: logLevel, text: text.join(" ") })
  })
  let answer: DialOutcome = { _tag: "Accepted", call_sid: null }
  const carrier = promiseCarrier({
    dial: async () => answer,
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  })
  const rows = Postgres.layer({ url: Redacted.make(server.url()), maxConnections: 4 })
  const ports = Layer.mergeAll(rows, MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport())
  const carillon = await Carillon.make({ ports, telemetry: Logger.layer([logger]) })
  const host = createServer(nodeListener(carillon.handle, { fallback: probes(carillon) }))
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  afterAll(async () => {
    host.close().closeAllConnections()
    await carillon.close()
    await server.stop()
  })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const post = (path: string, body: object) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
  const agent = Object(await (await post("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })).json())
  const dial = async () => {
    const call = { agent_id: agent.agent_id, to_number: number, variables: { note: secret } }
    return (await post("/v2/calls", call)).status
  }
  const said = (words: string) => lines.filter(({ text }) => text.includes(words))
  const tellNobody = () => {
    for (const { text } of lines) {
      for (const hidden of [number, number.slice(1), secret, key, "scheduling_service", "call_storage"]) {
        assert.notInclude(text, hidden)
      }
    }
  }

  it("names PostgreSQL, since when and how many went without it: one line when it goes, one when it is back", async () => {
    assert.strictEqual(await dial(), 201)
    lines.length = 0
    await server.kill()
    const end = Date.now() + 4_000
    const refused: Array<number> = []
    while (Date.now() < end) {
      refused.push(...(await Promise.all([dial(), dial(), dial()])))
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    assert.isTrue(refused.every((status) => status === 503 || status === 504))
    assert.strictEqual((await fetch(`${url}/readyz`)).status, 503)
    await server.start()
    await until(() => said("PostgreSQL answers again").length > 0)
    await until(async () => (await dial()) === 201)
    const [away] = said("PostgreSQL does not answer")
    assert.strictEqual(said("PostgreSQL does not answer").length, 1)
    assert.match(away?.text ?? "", /^PostgreSQL does not answer \(\w+( \w+)?\): what needs it/)
    assert.strictEqual(said("PostgreSQL answers again").length, 1)
    const [, operations = "0", requests = "0"] =
      /: (\d+) operations and (\d+) requests/.exec(said("PostgreSQL answers again")[0]?.text ?? "") ?? []
    assert.isAtLeast(Number(operations), 10)
    assert.isAtLeast(Number(requests), refused.length / 2)
    // What follows from an outage is told by its own lines, which are few: none comes with every attempt.
    assert.isAtMost(lines.length, 6, JSON.stringify(lines))
    tellNobody()
  })

  it("names the carrier in the same way, and each dial that it refused before", async () => {
    lines.length = 0
    answer = { _tag: "Refused", kind: "unreachable" }
    for (let nth = 0; nth < 12; nth++) assert.strictEqual(await dial(), 503)
    answer = { _tag: "Accepted", call_sid: null }
    // It is back once it has answered for two seconds. The calls that show it take a line each, of twenty.
    await until(async () => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.strictEqual(await dial(), 201)
      return said("The carrier answers again").length > 0
    })
    assert.strictEqual(said("The carrier refused a dial: unreachable.").length, 3)
    assert.strictEqual(said("The carrier does not answer").length, 1)
    // What the outage before this one has set going may come only now.
    const others = lines.length - said("Nobody may have heard how live calls went on").length
    assert.strictEqual(others, 5, JSON.stringify(lines))
    tellNobody()
  })

  it("names PostgreSQL, and says that it is read-only, where it answers and writes nothing", async () => {
    lines.length = 0
    const set = (value: "on" | "off") =>
      Effect.runPromise(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.andThen(
            sql.unsafe(`alter system set default_transaction_read_only = ${value}`),
            sql.unsafe("select pg_reload_conf()"),
          ),
        ).pipe(Effect.provide(Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 1 }))),
      )
    await set("on")
    await until(async () => (await dial()) === 503)
    for (let nth = 0; nth < 20; nth++) assert.include([503, 504], await dial())
    assert.strictEqual((await fetch(`${url}/v2/agents`, { headers })).status, 200)
    await set("off")
    await until(async () => (await dial()) === 201)
    await until(() => said("PostgreSQL answers again").length > 0)
    assert.strictEqual(said("PostgreSQL does not answer (it is read-only, 25006)").length, 1)
    assert.isAtMost(lines.length, 6, JSON.stringify(lines))
    tellNobody()
  })
})
