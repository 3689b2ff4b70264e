import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Client } from "./Client.ts"

let client: Client

beforeEach(async () => {
  client = await Client.start()
})

afterEach(async () => {
  expect(await client.violations()).toEqual([])
  await client.simulator.close()
})

const start = Date.UTC(2026, 0, 5, 9)
const at = (ms: number) => new Date(start + ms).toISOString()

describe("a clock that moves only when told", () => {
  test("begins on a Monday morning and stands still", async () => {
    const clock = (await client.get("/_sim/clock")).body
    expect(clock).toEqual({ now: at(0), mode: "manual", speed: 0, next_due: null, waiting: [] })
  })

  test("moves by milliseconds, by an ISO duration, and to a moment", async () => {
    expect(await client.advance({ by_ms: 1_500 })).toMatchObject({ now: at(1_500), events: 0, reached: true })
    expect((await client.advance({ by: "PT2M" })).now).toBe(at(121_500))
    expect((await client.advance({ by: "P1DT1H0.5S" })).now).toBe(at(121_500 + 25 * 3_600_000 + 500))
    expect((await client.advance({ to: "2026-02-01T00:00:00+01:00" })).now).toBe("2026-01-31T23:00:00.000Z")
    expect((await client.post("/_sim/clock/advance", { to: at(0) })).status).toBe(422)
  })

  test("next_due is where the next thing happens, and an advance to it runs it", async () => {
    const { body } = await client.dial("+999000500000001")
    const due = (await client.get("/_sim/clock")).body.next_due
    expect(due).not.toBeNull()
    expect((await client.advance({ to: due })).events).toBe(1)
    expect((await client.call(body.execution_id)).status).toBe("initiated")
  })

  test("an advance until a status stops there, or at its bound", async () => {
    const { body } = await client.dial("+999000500000001")
    const until = { execution_id: body.execution_id, status: "in-progress" }
    expect((await client.advance({ until })).reached).toBe(true)
    expect((await client.call(body.execution_id)).status).toBe("in-progress")
    const missed = await client.advance({ until: { ...until, status: "busy" }, max_ms: 3_600_000 })
    expect(missed.reached).toBe(false)
    expect((await client.call(body.execution_id)).status).toBe("completed")
    const unknown = await client.post("/_sim/clock/advance", { until: { execution_id: "exec_x", status: "busy" } })
    expect(unknown.status).toBe(404)
  })

  test("an advance until idle stops where nothing but housekeeping is left", async () => {
    await client.dial("+999500100000001")
    const idle = await client.idle()
    expect(idle.reached).toBe(true)
    expect((await client.get("/_sim/clock")).body.next_due).toBeNull()
    expect(await client.idle()).toMatchObject({ now: idle.now, events: 0, reached: true })
    expect(Date.parse(idle.now) - start).toBeLessThan(120_000)
  })

  test("an advance until idle goes no further than its bound", async () => {
    await client.dial("+999500900000001")
    expect(await client.advance({ until_idle: true, max_ms: 60_000 })).toMatchObject({
      now: at(60_000),
      reached: false,
    })
  })

  test("a month in which nothing happens has no events", async () => {
    await client.dial("+999000500000001")
    await client.idle()
    expect(await client.advance({ by: "P30D" })).toMatchObject({ events: 0, reached: true })
  })

  test("a booked call rings when its time has come, not before", async () => {
    const { body, status } = await client.dial("+999000100000001", { scheduled_at: at(3 * 3_600_000) })
    expect(status).toBe(202)
    await client.advance({ by_ms: 3 * 3_600_000 - 1 })
    expect((await client.call(body.execution_id)).status).toBe("scheduled")
    expect((await client.legs()).data).toEqual([])
    await client.advance({ by_ms: 1 })
    expect((await client.call(body.execution_id)).status).toBe("queued")
    expect((await client.legs()).data).toMatchObject([{ placed_at: at(3 * 3_600_000), live: true }])
  })

  test("a dial that waits for a line is listed until it is answered", async () => {
    for (let serial = 0; serial < 20; serial++) await client.dial(`+9995009000000${String(serial).padStart(2, "0")}`)
    const dial = client.dial("+999000100000001")
    let { body } = await client.get("/_sim/clock")
    while (body.waiting.length === 0) body = (await client.get("/_sim/clock")).body
    expect(body.waiting).toEqual([
      { request_id: expect.stringMatching(/^req_/), method: "POST", path: "/v2/calls", since: at(0) },
    ])
    expect(body.next_due! <= at(5_000)).toBe(true)
    expect((await client.advance({ by_ms: 4_999 })).waiting).toHaveLength(1)
    expect((await client.advance({ by_ms: 1 })).waiting).toEqual([])
    const answer = await dial
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "5"])
    expect(answer.body.message).toBe("Account concurrency limit reached (20 of 20 lines in use).")
  })

  test("concurrent advances add up", async () => {
    await client.dial("+999500100000001")
    const advances = await Promise.all(Array.from({ length: 5 }, () => client.advance({ by_ms: 1_000 })))
    expect(advances.map(({ now }) => now).sort()).toEqual([1, 2, 3, 4, 5].map((n) => at(n * 1_000)))
  })

  test("an advance waits for rows that are read and written elsewhere", async () => {
    const elsewhere = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.andThen(
        Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
        effect,
      )
    const slow = await Client.start({
      decorate: (ports) => ({
        ...ports,
        store: { ...ports.store, commit: (commit) => elsewhere(ports.store.commit(commit)) },
        calls: { ...ports.calls, locate: (id) => elsewhere(ports.calls.locate(id)) },
      }),
    })
    const told = async (one: Client) => {
      const { agent_id, key } = one.simulator.info
      const headers = new Map([
        ["authorization", `Bearer ${key}`],
        ["content-type", "application/json"],
      ])
      const body = new TextEncoder().encode(JSON.stringify({ agent_id, to_number: "+999000100000001" }))
      const header = (name: string) => headers.get(name) ?? null
      // Nobody waits for the answer: the advance comes right behind the dial, and still finds all of it done.
      one.simulator.handle({ method: "POST", target: "/v2/calls", header, body }, () => {})
      const idle = await one.idle()
      const { data } = (await one.get("/v2/calls")).body
      return [idle.events, data, await one.violations()]
    }
    expect(await told(client)).toEqual([7, [expect.objectContaining({ status: "completed" })], []])
    expect(await told(slow)).toEqual(await told(await Client.start()))
  })

  test.each([
    [{}, 400, "by_ms"],
    [{ by_ms: -1 }, 422, "by_ms"],
    [{ by_ms: 1.5 }, 422, "by_ms"],
    [{ by: "P1M" }, 422, "by"],
    [{ by: "PT" }, 422, "by"],
    [{ to: "2026-01-06T00:00:00" }, 422, "to"],
    [{ by_ms: 1, to: at(1) }, 422, "to"],
    [{ by_ms: 1, max_ms: 1 }, 422, "max_ms"],
    [{ until: { execution_id: "x", status: "done" } }, 422, "until.status"],
    [{ until: { status: "busy" } }, 400, "until.execution_id"],
    [{ until_idle: false }, 422, "until_idle"],
    [{ by_ms: 1, quickly: true }, 422, "quickly"],
  ])("refuses %j", async (goal, status, field) => {
    const answer = await client.post("/_sim/clock/advance", goal)
    expect(answer.status).toBe(status)
    expect(Object.keys(answer.body)).toEqual(["error", "message"])
    expect(answer.body.message).toContain(`'${field}'`)
  })
})

describe("a clock that moves by itself", () => {
  test("goes on from the present virtual time, and runs what becomes due", async () => {
    await client.advance({ by: "P1D" })
    const { body } = await client.dial("+999000100000001")
    const set = (await client.put("/_sim/clock", { mode: "scaled", speed: 100_000 })).body
    expect(set).toMatchObject({ mode: "scaled", speed: 100_000 })
    expect(Date.parse(set.now)).toBeGreaterThanOrEqual(start + 24 * 3_600_000)
    expect((await client.post("/_sim/clock/advance", { by_ms: 1 })).status).toBe(409)
    while ((await client.call(body.execution_id)).status !== "completed") {
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    const manual = (await client.put("/_sim/clock", { mode: "manual" })).body
    expect((await client.get("/_sim/clock")).body.now).toBe(manual.now)
  })

  test("ends the patience of a waiting request without being told", async () => {
    await client.put("/_sim/clock", { mode: "scaled", speed: 10_000 })
    expect((await client.dial("+999210000000001")).status).toBe(202)
    await client.put("/_sim/clock", { mode: "manual" })
  })

  test.each([
    [{ mode: "fast" }, 422],
    [{ mode: "scaled" }, 400],
    [{ mode: "scaled", speed: 0 }, 422],
    [{ mode: "manual", speed: 2 }, 422],
  ])("refuses %j", async (mode, status) => {
    expect((await client.put("/_sim/clock", mode)).status).toBe(status)
  })
})
