import { limits } from "@carillon/core"
import { callbackHandler, type CallbackStatus, noRecording, type ReadsBody } from "@carillon/core/carrier"
import { afterEach, assert, describe, it, vi } from "vitest"
import { sentSlowly, slowCallback } from "./SlowBody.ts"

const url = "https://host.test/status"
const mebibyte = 1024 * 1024

const handlerOf = (status: (request: Request, body: ReadsBody) => Promise<CallbackStatus>) =>
  callbackHandler({ topics: { status }, recording: async () => noRecording(404) })

/** Takes whatever is posted. */
const taking = (bytesMax = 4 * mebibyte) =>
  handlerOf(async (_, body) => {
    const read = await body(bytesMax)
    return typeof read === "number" ? read : 200
  })

const post = async (handle: (request: Request) => Promise<Response>, body: string, headers = {}) =>
  (await handle(new Request(url, { method: "POST", headers, body }))).status

const counted = (statuses: ReadonlyArray<number>) =>
  Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]))

afterEach(() => void vi.useRealTimers())

describe("bodies of callbacks", () => {
  it("have room for so many bytes together, and a short one is always taken", async () => {
    const handle = taking()
    const slow = await sentSlowly(handle, 40, () => slowCallback(url, {}, mebibyte))
    const most = limits.callbackBytes / mebibyte
    // The first 16 KiB of each need no room.
    assert.deepStrictEqual(counted(slow.refused), { 503: 40 - most })
    assert.strictEqual(await post(handle, "x".repeat(16 * 1024)), 200)
    assert.strictEqual(await post(handle, "x".repeat(mebibyte)), 503)
    assert.deepStrictEqual(counted(await slow.end()), { 200: most, 503: 40 - most })
    // What was held was given back.
    assert.strictEqual(await post(handle, "x".repeat(4 * mebibyte)), 200)
  })

  it("hold their room until they are answered, also where nobody can be told of what they say", async () => {
    const judged = Promise.withResolvers<CallbackStatus>()
    const handle = handlerOf(async (_, body) => {
      const read = await body(limits.callbackBytes)
      return typeof read === "number" ? read : judged.promise
    })
    const first = post(handle, "x".repeat(limits.callbackBytes))
    const slow = slowCallback(url, {}, mebibyte)
    assert.strictEqual((await handle(slow.request)).status, 503)
    judged.reject(new Error("away"))
    assert.strictEqual(await first, 503)
    const next = slowCallback(url, {}, mebibyte)
    next.end()
    assert.strictEqual((await handle(next.request)).status, 503)
    assert.isAbove(next.reads(), 1)
  })

  it("are refused where they say that they are too long, before anything is read of them", async () => {
    const slow = slowCallback(url, { "content-length": "1025" }, 1)
    assert.strictEqual((await taking(1024)(slow.request)).status, 413)
    assert.strictEqual(slow.reads(), 0)
    assert.strictEqual(await post(taking(1024), "x".repeat(1025)), 413)
    assert.strictEqual(await post(taking(1024), "x".repeat(1024)), 200)
  })

  it("have their time to come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const slow = slowCallback(url, {}, 1)
    let status = 0
    const answered = taking()(slow.request).then((answer) => (status = answer.status))
    await vi.advanceTimersByTimeAsync(limits.callbackBodyMs - 1)
    assert.strictEqual(status, 0)
    await vi.advanceTimersByTimeAsync(1)
    assert.strictEqual(await answered, 503)
  })

  it("are judged a few in a turn of the event loop, however many have come at once", async () => {
    let judged = 0
    const handle = handlerOf(async (_, body) => {
      const read = await body(64 * 1024)
      judged += 1
      return typeof read === "number" ? read : 200
    })
    const slow = await sentSlowly(handle, 50, () => slowCallback(url, {}, 64 * 1024))
    let most = 0
    let isOver = false
    const look = (before: number) => {
      most = Math.max(most, judged - before)
      if (!isOver) setImmediate(look, judged)
    }
    setImmediate(look, 0)
    assert.deepStrictEqual(counted(await slow.end()), { 200: 50 })
    isOver = true
    // The turn in which they are let on may end between two looks.
    assert.isAtMost(most, 2)
  })
})
