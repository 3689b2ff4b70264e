import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { acquireArguments } from "../src/RedisSlots.ts"
import type { Script } from "../src/Script.ts"
import { olderSlotKeys, slotKeys, tailOf } from "../src/SlotKeys.ts"
import { acquireScript, beginRebuildScript, endRebuildScript, lapseScript, restoreScript } from "../src/SlotScripts.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const keys = slotKeys("carillon")
const allKeys = [...keys, ...olderSlotKeys("carillon")]
const levels = [
  { level: "platform", key: "platform" },
  { level: "organization", key: "org_1" },
] as const

/** The scripts themselves, in whatever order several processes may send them. */
const scripts = Effect.gen(function* () {
  const redis = yield* Effect.acquireRelease(
    Effect.promise(() => RedisProcess.open()),
    (opened) => Effect.promise(() => opened.close()),
  )
  const run = (script: Script, ...args: ReadonlyArray<string | number>) =>
    Effect.promise(() => redis.command((client) => client.eval(script.lua, allKeys.length, ...allKeys, ...args)))
  return {
    redis,
    begin: (who: string) => run(beginRebuildScript, who, 60_000),
    restore: (id: string) => run(restoreScript, id, 7, tailOf("org_1", levels, "", 0)),
    end: (who: string, runId = "run") => run(endRebuildScript, who, runId),
    lapse: (now: number) => run(lapseScript, now, "granted", 0, 3_600_000),
    acquire: (id: string, runId = "run") => {
      const demands = levels.map((level) => ({ ...level, ceiling: 2 }))
      const request = { execution_id: id, organization_id: "org_1", levels: demands, now: 0 }
      return run(acquireScript, ...acquireArguments({ ...request, reservedUntil: 20_000, waitUntil: null }, runId, id))
    },
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

  it.live("is rebuilt where the memberships were lost without the other keys, and what is left is thrown away", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, lapse, redis } = yield* scripts
      yield* begin("one")
      yield* end("one")
      yield* acquire("exec_1")
      const [slots = "", , deadlines = ""] = keys
      yield* Effect.promise(() => redis.command((client) => client.del(slots)))
      yield* lapse(1)
      assert.deepStrictEqual(yield* acquire("exec_2"), notComplete)
      assert.strictEqual(yield* end("two"), 0)
      yield* begin("two")
      assert.strictEqual(yield* Effect.promise(() => redis.command((client) => client.exists(deadlines))), 0)
      yield* end("two")
      for (const id of ["exec_2", "exec_3"])
        assert.isNumber(yield* Effect.map(acquire(id), (answer) => (Array.isArray(answer) ? answer[1] : answer)))
      assert.deepStrictEqual(yield* acquire("exec_4"), [0, 1, 2, 2])
    }).pipe(Effect.scoped),
  )

  it.live("lets reservations lapse though their deadlines were lost", () =>
    Effect.gen(function* () {
      const { acquire, begin, end, lapse, redis } = yield* scripts
      yield* begin("one")
      yield* end("one")
      yield* acquire("exec_1")
      const [slots = "", , deadlines = ""] = keys
      yield* Effect.promise(() => redis.command((client) => client.del(deadlines)))
      yield* lapse(1)
      yield* lapse(20_000)
      assert.isNull(yield* Effect.promise(() => redis.command((client) => client.hget(slots, "exec_1"))))
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
