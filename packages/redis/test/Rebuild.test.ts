import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Script } from "../src/Script.ts"
import { slotKeys } from "../src/SlotKeys.ts"
import { acquireScript, beginRebuildScript, endRebuildScript, lapseScript, restoreScript } from "../src/SlotScripts.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const keys = slotKeys("carillon")
const lines = ["platform platform", "organization org_1"]

/** The scripts themselves, in whatever order several processes may send them. */
const scripts = Effect.gen(function* () {
  const redis = yield* Effect.acquireRelease(
    Effect.promise(() => RedisProcess.open()),
    (opened) => Effect.promise(() => opened.close()),
  )
  const run = (script: Script, ...args: ReadonlyArray<string | number>) =>
    Effect.promise(() => redis.command((client) => client.eval(script.lua, keys.length, ...keys, ...args)))
  return {
    redis,
    begin: (who: string) => run(beginRebuildScript, who, 60_000),
    restore: (id: string) => run(restoreScript, id, "org_1", 7, ...lines),
    end: (who: string, runId = "run") => run(endRebuildScript, who, runId),
    lapse: (now: number) => run(lapseScript, now, "granted"),
    acquire: (id: string, runId = "run") =>
      run(acquireScript, runId, id, "org_1", 20_000, -1, id, ...lines.flatMap((line) => [line, 2])),
  }
})

const notComplete = [-1]

onRedis("the gate on Redis itself", () => {
  it.live("loses nothing of what either of two rebuilds has entered", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, restore } = yield* scripts
      yield* begin("one")
      yield* restore("exec_1")
      yield* begin("other")
      yield* restore("exec_2")
      assert.deepStrictEqual(yield* acquire("exec_3"), notComplete)
      assert.strictEqual(yield* end("one"), 1)
      assert.deepStrictEqual(yield* acquire("exec_3"), [0, 1, 2, 2])
      assert.strictEqual(yield* end("other"), 1)
    }).pipe(Effect.scoped),
  )

  it.live("is rebuilt anew where everything was lost meanwhile, or another server answers", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, redis } = yield* scripts
      yield* begin("one")
      yield* Effect.promise(() => redis.command((client) => client.flushall()))
      assert.strictEqual(yield* end("one"), 0)
      assert.deepStrictEqual(yield* acquire("exec_1"), notComplete)
      yield* begin("one")
      assert.strictEqual(yield* end("one"), 1)
      assert.deepStrictEqual(yield* acquire("exec_1", "another run"), notComplete)
      assert.strictEqual(yield* end("two", "another run"), 0)
    }).pipe(Effect.scoped),
  )

  it.live("is rebuilt where one key was lost without the others, and what is left is thrown away", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, lapse, redis } = yield* scripts
      yield* begin("one")
      yield* end("one")
      yield* acquire("exec_1")
      const [slots = "", lost = ""] = keys
      yield* Effect.promise(() => redis.command((client) => client.del(lost)))
      yield* lapse(1)
      assert.deepStrictEqual(yield* acquire("exec_2"), notComplete)
      assert.strictEqual(yield* end("two"), 0)
      yield* begin("two")
      assert.isNull(yield* Effect.promise(() => redis.command((client) => client.hget(slots, "exec_1"))))
      yield* end("two")
      for (const id of ["exec_2", "exec_3"])
        assert.isNumber(yield* Effect.map(acquire(id), (answer) => (Array.isArray(answer) ? answer[1] : answer)))
      assert.deepStrictEqual(yield* acquire("exec_4"), [0, 1, 2, 2])
    }).pipe(Effect.scoped),
  )

  it.live("keeps the time: it only goes on, whichever process tells it", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, lapse, redis } = yield* scripts
      yield* begin("one")
      yield* end("one")
      yield* lapse(30_000)
      // Reserved until 20,000 by a process whose clock is behind, which then says that it is 10,000.
      yield* acquire("exec_1")
      yield* lapse(10_000)
      const [slots = ""] = keys
      assert.isNull(yield* Effect.promise(() => redis.command((client) => client.hget(slots, "exec_1"))))
    }).pipe(Effect.scoped),
  )
})
