import { afterEach, assert, describe, it } from "vitest"
import { type Came, type Dress, type DressOptions, inEffect, inPromises } from "./Dresses.ts"
import { type Fate, type Flaky, flaky } from "./Flaky.ts"

/** Talks for ten seconds. */
const answered = "+999000100000001"

const refusal = (status: number, code: number, headers: Record<string, string> = {}): Fate => ({
  status,
  headers,
  body: JSON.stringify({ error: code, message: "Try again." }),
})

const busy = refusal(503, 1501, { "retry-after": "3" })
const tooMany = refusal(429, 1300, { "retry-after": "7" })

const failed = (came: Came): number | string | null => ("failed" in came ? came.failed : null)

const field = (came: Came, name: string): unknown => {
  assert.property(came, "ok", JSON.stringify(came))
  return "ok" in came ? (came.ok as Readonly<Record<string, unknown>>)[name] : null
}

const callsOf = async ({ simulator }: Flaky): Promise<number> => {
  const headers = { authorization: `Bearer ${simulator.info.key}` }
  const response = await simulator.fetch(new Request("http://localhost/v2/calls", { headers }))
  const page: { readonly pagination: { readonly total: number } } = JSON.parse(await response.text())
  return page.pagination.total
}

const dresses = { promises: inPromises, Effect: inEffect }
const ways = { "in process": false, "over HTTP": true }

const combinations = Object.entries(dresses).flatMap(([dress, wear]) =>
  Object.entries(ways).map(([way, onSocket]) => ({ name: `${dress}, ${way}`, wear, onSocket })),
)

describe.each(combinations)("a client in $name", ({ onSocket, wear }) => {
  let open: Flaky | undefined

  afterEach(async () => {
    await open?.[Symbol.asyncDispose]()
    open = undefined
  })

  const start = async (fates: Array<Fate>, options?: DressOptions): Promise<Dress & { readonly world: Flaky }> => {
    const world = await flaky(...fates)
    open = world
    return { ...wear(world, onSocket ? await world.listen() : null, options), world }
  }

  it("asks and is answered", async () => {
    const { me, world } = await start([])
    assert.strictEqual(field(await me(), "organization_id"), world.simulator.info.organization_id)
    assert.deepStrictEqual(world.sent, [{ what: "GET /v2/user/me", idempotencyKey: null }])
  })

  it("fails with the code of the refusal", async () => {
    const { create, place, read, removeCampaign } = await start([])
    assert.deepStrictEqual(
      [await read("exec_of_nobody"), await removeCampaign("cmp_of_nobody"), await place(answered, "x".repeat(256))].map(
        failed,
      ),
      [1200, 1200, 1000],
    )
    // The one in Effect knows the schemas, and does not even send what the service would refuse.
    assert.include([1001, "SchemaError"], failed(await create("")))
  })

  it("waits as long as it is asked to, and asks again", async () => {
    const { me, waits, world } = await start([busy, tooMany])
    assert.isString(field(await me(), "plan"))
    assert.deepStrictEqual(waits, [3000, 7000])
    assert.lengthOf(world.sent, 3)
  })

  it("backs off by itself where nobody says how long", async () => {
    const { me, waits } = await start([{ status: 504 }, "drop", { status: 502 }], { retries: 3 })
    assert.isString(field(await me(), "plan"))
    assert.lengthOf(waits, 3)
    for (const [index, wait] of waits.entries()) assert.isTrue(wait <= 500 * 2 ** index && wait >= 375 * 2 ** index)
  })

  it("hands on what it must not, or not so long, wait for", async () => {
    const { me, waits, world } = await start([tooMany, busy, busy, busy, refusal(500, 1500)], {
      longestWaitMs: 5_000,
    })
    assert.strictEqual(failed(await me()), 1300)
    assert.strictEqual(failed(await me()), 1501)
    assert.deepStrictEqual(waits, [3000, 3000])
    assert.strictEqual(failed(await me()), 1500)
    assert.lengthOf(world.sent, 5)
  })

  it("dials once where answers are lost, with one key for all attempts", async () => {
    const { place, world } = await start(["lose", "drop"])
    const execution_id = field(await place(answered), "execution_id")
    assert.isString(execution_id)
    assert.strictEqual(await callsOf(world), 1)
    const keys = world.sent.map(({ idempotencyKey }) => idempotencyKey)
    assert.lengthOf(keys, 3)
    assert.lengthOf(new Set(keys), 1)
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  })

  it("dials once for a key of the caller's, and anew without one", async () => {
    const { place, world } = await start([])
    const ids = [
      field(await place(answered, "order-17"), "execution_id"),
      field(await place(answered, "order-17"), "execution_id"),
      field(await place("+999000100000002"), "execution_id"),
      field(await place("+999000100000002"), "execution_id"),
    ]
    assert.strictEqual(ids[0], ids[1])
    assert.lengthOf(new Set(ids), 3)
    assert.strictEqual(await callsOf(world), 3)
  })

  it("does nothing twice that would harm: a write without a key whose answer is lost", async () => {
    const { create, names, world } = await start(["lose"])
    assert.strictEqual(failed(await create("once")), "NoAnswer")
    assert.lengthOf(world.sent, 1)
    const found = await names(10)
    assert.deepStrictEqual("ok" in found && Array.isArray(found.ok) && found.ok.filter((name) => name === "once"), [
      "once",
    ])
  })

  it("sends such a write again where nothing was done, and not where something may have been", async () => {
    const { create, waits, world } = await start([tooMany, refusal(409, 1201, { "retry-after": "2" })])
    assert.isString(field(await create("late"), "agent_id"))
    assert.deepStrictEqual(waits, [7000, 2000])
    world.fates.push(busy)
    assert.strictEqual(failed(await create("unsure")), 1501)
    world.fates.push(refusal(409, 1201))
    assert.strictEqual(failed(await create("never")), 1201)
    assert.lengthOf(world.sent, 5)
  })

  it("gives up an attempt that takes too long, and in the end all of them", async () => {
    const { me, waits } = await start(["hang", "hang"], { retries: 1, timeoutMs: 20 })
    assert.strictEqual(failed(await me()), "NoAnswer")
    // One wait lies between two attempts; on a busy machine they are given up before they arrive.
    assert.lengthOf(waits, 1)
  })

  it("tells what is no answer of the contract from a refusal", async () => {
    const { me } = await start([
      { status: 418, body: "<h1>I am a teapot</h1>" },
      { status: 200, body: "<h1>Hello</h1>" },
    ])
    const came = [failed(await me()), failed(await me())]
    assert.isTrue(
      came.every((name) => name === "UnexpectedAnswer" || name === "SchemaError"),
      String(came),
    )
  })

  it("walks through pages for as long as it is asked, and no further", async () => {
    const { create, names, world } = await start([])
    for (const name of ["a", "b", "c", "d"]) await create(name)
    world.sent.length = 0
    const few = await names(3)
    assert.deepStrictEqual(few, { ok: ["d", "c", "b"] })
    assert.lengthOf(world.sent, 2)
    const all = await names(100)
    assert.isTrue("ok" in all && Array.isArray(all.ok) && all.ok.length === 5)
    assert.lengthOf(world.sent, 5)
  })

  it("waits for a call's end, in the time of the world", async () => {
    const { callEnd, place, waits, world } = await start([], {
      onWait: (ms) => world.simulator.advance({ by_ms: ms }),
    })
    const execution_id = String(field(await place(answered), "execution_id"))
    assert.strictEqual(failed(await callEnd(execution_id, 3_000)), "CallStillRunning")
    assert.deepStrictEqual(waits, [2000])
    const ended = await callEnd(execution_id, 60_000)
    assert.strictEqual(field(ended, "status"), "completed")
    assert.strictEqual(field(ended, "duration_seconds"), 10)
  })

  it("goes on when a line is free, where all were in use", async () => {
    const { place, waits, world } = await start([], { onWait: () => world.simulator.advance({ until_idle: true }) })
    const { organization_id } = world.simulator.info
    const changed = await world.simulator.fetch(
      new Request(`http://localhost/_sim/organizations/${organization_id}`, {
        method: "PATCH",
        body: JSON.stringify({ concurrency: { organization: 1 } }),
      }),
    )
    assert.strictEqual(changed.status, 200)
    assert.isString(field(await place(answered), "execution_id"))
    const late = place(answered)
    await world.simulator.waiting()
    await world.simulator.advance({ by_ms: 5_000 })
    assert.isString(field(await late, "execution_id"))
    assert.deepStrictEqual(waits, [5000])
  })

  it("refuses identifiers that would lead elsewhere", async () => {
    const { read, world } = await start([])
    for (const id of ["", ".", ".."]) assert.include(["TypeError", "UnusableParam"], failed(await read(id)))
    assert.lengthOf(world.sent, 0)
    assert.strictEqual(failed(await read("../user/me")), 1200)
  })
})
