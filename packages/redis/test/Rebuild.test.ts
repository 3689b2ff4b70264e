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
    lapse: run(lapseScript, 1, "granted"),
    acquire: (id: string, runId = "run") =>
      run(acquireScript, runId, id, "org_1", 20_000, -1, id, ...lines.flatMap((line) => [line, 2])),
  }
})

const notComplete = [-1]

onRedis("a rebuild", () => {
  it.live("that another one overtakes loses nothing of what either has entered", () =>
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

  it.live("begins anew where everything was lost meanwhile, or another server answers", () =>
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

  it.live("follows where one key was lost without the others, and throws away what is left", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, lapse, redis } = yield* scripts
      yield* begin("one")
      yield* end("one")
      yield* acquire("exec_1")
      const [slots = "", lost = ""] = keys
      yield* Effect.promise(() => redis.command((client) => client.del(lost)))
      yield* lapse
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
})
