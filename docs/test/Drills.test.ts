import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promiseCarrier } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Clock, Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, describe, it, vi } from "vitest"
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

/** The clock of a machine that somebody sets. */
const settable = () => {
  const real = Effect.runSync(Clock.Clock)
  const machine = { offsetMs: 0 }
  const now = () => real.currentTimeMillisUnsafe() + machine.offsetMs
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe(),
    currentTimeNanos: real.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
  }
  return { machine, clock: Layer.succeed(Clock.Clock, clock) }
}

describe("the time of a process", () => {
  it("is told of in the log and by metrics when the clock is set", async () => {
    const { clock, machine } = settable()
    const lines: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    const ports = Layer.merge(MemoryStore.layer(new MemoryTables()), outside)
    const carillon = await Carillon.make({ ports, telemetry: Layer.merge(clock, logger) })
    await vi.waitFor(async () => assert.include(await carillon.metrics(), "carillon_clock_time_seconds "))
    machine.offsetMs = 600_000
    await vi.waitFor(() => assert.match(lines.join("\n"), /went forward by 6\d\d\.\d s at once/), 10_000)
    assert.include(await carillon.metrics(), 'carillon_clock_jumps_total{direction="forward"} 1')
    const [, time = ""] = /^carillon_clock_time_seconds (\S+)$/m.exec(await carillon.metrics()) ?? []
    assert.isAbove(Number(time) * 1_000, Date.now() + 599_000)
    await carillon.close()
  })

  it("stands still while the clock is behind, and is right again in the next process", async () => {
    const tables = new MemoryTables()
    const { clock, machine } = settable()
    const start = () => {
      const ports = Layer.merge(MemoryStore.layer(tables), outside)
      return Carillon.make({ ports, telemetry: clock })
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
    machine.offsetMs = -hourMs
    assert.isAtLeast(await madeAt(first), before)
    machine.offsetMs = hourMs
    const ahead = await madeAt(first)
    assert.isAtLeast(ahead, before + hourMs)
    machine.offsetMs = 0
    assert.isAtLeast(await madeAt(first), ahead)
    const next = await start()
    assert.isBelow(await madeAt(next), before + hourMs)
    await Promise.all([first.close(), next.close()])
  })
})
