import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, describe, it } from "vitest"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/guides/drills.md"), "utf8")
const postgres = await startPostgres()

afterAll(async () => {
  if (typeof postgres !== "string") await postgres.stop()
})

const dials: Array<string> = []
const carrier = promiseCarrier({
  dial: async ({ execution_id }) => {
    dials.push(execution_id)
    return { _tag: "Accepted", call_sid: null }
  },
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})
const outside = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport())

const ask = async (carillon: Carillon, key: string, method: string, path: string, body?: object) => {
  const response = await webHandler(carillon.handle)(
    new Request(`http://engine/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  const answer: unknown = await response.json()
  return { status: response.status, read: (field: string): unknown => Reflect.get(Object(answer), field) }
}

const tenant = { name: "Acme", wallet: { balance: 100, currency: "USD" } }
const agent = { display_name: "Reminder", status: "ACTIVE" }

describe("the page of drills", () => {
  it("names tests that there are", () => {
    const executed = [...page.matchAll(/^- \*\*Executed by\*\* (.+)$/gm)].map(([, list = ""]) => list)
    assert.strictEqual(executed.length, page.match(/^## /gm)?.length)
    for (const list of executed) {
      const named = [...list.matchAll(/`([\w/.]+\.test\.ts)`(?: \("([^"]+)"\))?/g)]
      assert.isNotEmpty(named)
      for (const [, file = "", title = ""] of named) {
        assert.isTrue(existsSync(join(root, file)), file)
        assert.include(readFileSync(join(root, file), "utf8"), title)
      }
    }
  })
})

describe("a disk that is full", () => {
  it("refuses what writes, dials nobody, serves what reads, and goes on once there is room", async ({ skip }) => {
    if (typeof postgres === "string") return skip(`cannot be run: there is no PostgreSQL server (${postgres})`)
    const url = Redacted.make(postgres.url())
    const carillon = await Carillon.make({ ports: Layer.merge(Postgres.layer({ url }), outside) })
    const sql = (text: string) =>
      Effect.runPromise(
        Effect.provide(
          Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe(text)),
          Postgres.layerClient({ url }),
        ),
      )
    const { key } = await carillon.organizations.open(tenant)
    const agent_id = (await ask(carillon, key, "POST", "/agents", agent)).read("agent_id")
    const call = { agent_id, to_number: "+12125550100" }
    await sql(`create function carillon.no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    await sql(
      "create trigger no_room before insert or update on carillon.calls for each row execute function carillon.no_room()",
    )
    dials.length = 0
    const refused = await ask(carillon, key, "POST", "/calls", call)
    assert.deepStrictEqual([refused.status, refused.read("error")], [503, 1501])
    assert.strictEqual((await ask(carillon, key, "GET", "/calls")).read("data") instanceof Array, true)
    assert.deepStrictEqual(dials, [])
    await sql("drop trigger no_room on carillon.calls")
    assert.strictEqual((await ask(carillon, key, "POST", "/calls", call)).status, 201)
    assert.lengthOf(dials, 1)
    await carillon.close()
  })
})

describe("the time of a process", () => {
  it("stands still while the clock is behind, and is right again in the next process", async () => {
    const tables = new MemoryTables()
    let offsetMs = 0
    const start = async () => {
      const real = Effect.runSync(Clock.Clock)
      const jumping: Clock.Clock = {
        currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + offsetMs,
        currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + offsetMs),
        currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
        currentTimeNanos: real.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: real.monotonicTimeNanos,
        sleep: (duration) => real.sleep(duration),
      }
      const ports = Layer.merge(MemoryStore.layer(tables), outside)
      return Carillon.make({ ports, telemetry: Layer.succeed(Clock.Clock, jumping) })
    }
    const first = await start()
    const { key } = await first.organizations.open(tenant)
    const agent_id = (await ask(first, key, "POST", "/agents", agent)).read("agent_id")
    const madeAt = async (carillon: Carillon) => {
      const placed = await ask(carillon, key, "POST", "/calls", { agent_id, to_number: "+12125550100" })
      assert.strictEqual(placed.status, 201)
      const read = await ask(carillon, key, "GET", `/calls/${String(placed.read("execution_id"))}`)
      return Date.parse(String(read.read("created_at")))
    }
    const hourMs = 3_600_000
    const before = await madeAt(first)
    offsetMs = -hourMs
    assert.isAtLeast(await madeAt(first), before)
    offsetMs = hourMs
    const ahead = await madeAt(first)
    assert.isAtLeast(ahead, before + hourMs)
    offsetMs = 0
    assert.isAtLeast(await madeAt(first), ahead)
    const next = await start()
    assert.isBelow(await madeAt(next), before + hourMs)
    await Promise.all([first.close(), next.close()])
  })
})
