import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { acquireArguments } from "../src/RedisSlots.ts"
import type { Script } from "../src/Script.ts"
import { olderSlotKeys, slotKeys, tailOf } from "../src/SlotKeys.ts"
import {
  abandonScript,
  acquireScript,
  beginRebuildScript,
  endRebuildScript,
  holdScript,
  lapseScript,
  leaveScript,
  releaseScript,
  restoreScript,
  usedScript,
} from "../src/SlotScripts.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const keys = slotKeys("carillon")
const olderKeys = olderSlotKeys("carillon")
const hourMs = 3_600_000

const levelsOf = (dial: number) =>
  [
    { level: "platform", key: "platform" },
    { level: "organization", key: `org_${dial % 2}` },
    { level: "agent", key: `agt_${dial % 3}` },
  ] as const

const gate = Effect.gen(function* () {
  const redis = yield* Effect.acquireRelease(
    Effect.promise(() => RedisProcess.open()),
    (opened) => Effect.promise(() => opened.close()),
  )
  const run = (script: Script, ...args: ReadonlyArray<string | number>): Promise<unknown> =>
    redis.command((client) => {
      const all = [...keys, ...olderKeys]
      return client.eval(script.lua, all.length, ...all, ...args)
    })
  const begin = async () => {
    await run(beginRebuildScript, "test", 60_000)
    await run(endRebuildScript, "test", "run")
  }
  yield* Effect.promise(begin)
  const acquire = (dial: number, waits: boolean, now: number) => {
    const levels = levelsOf(dial).map((level, nth) => ({ ...level, ceiling: nth === 0 ? 3 : 2 }))
    const about = { execution_id: `exec_${dial}`, organization_id: `org_${dial % 2}`, levels, now }
    const times = { reservedUntil: now + 20_000, waitUntil: waits ? now + 5_000 : null }
    return run(acquireScript, ...acquireArguments({ ...about, ...times }, "run", `token_${dial}`))
  }
  /** Counts all memberships anew, whenever that was last done. */
  const lapse = (now: number) => run(lapseScript, now, "granted", 0, hourMs)
  return { redis, run, acquire, lapse, used: (...lines: ReadonlyArray<string>) => run(usedScript, "run", ...lines) }
})

const dials = 6
const dial = fc.nat(dials - 1)
const command = fc.record({
  what: fc.constantFrom(
    "acquire",
    "acquire",
    "wait",
    "hold",
    "release",
    "release",
    "leave",
    "abandon",
    "restore",
    "lapse",
  ),
  dial,
  seconds: fc.constantFrom(0, 0, 1, 30),
})

onRedis("the scripts of the gate", () => {
  it.live("count what their memberships say, whatever is done", () =>
    Effect.gen(function* () {
      const { acquire, lapse, run } = yield* gate
      let now = 0
      const property = fc.asyncProperty(fc.array(command, { maxLength: 40, size: "max" }), async (commands) => {
        const fences = new Map<number, number>()
        for (const { dial: nth, seconds, what } of commands) {
          now += seconds * 1_000
          const [id, fence] = [`exec_${nth}`, `${fences.get(nth) ?? 0}\0`]
          if (what === "acquire" || what === "wait") {
            const answer = await acquire(nth, what === "wait", now)
            if (Array.isArray(answer) && answer[0] === 1) fences.set(nth, Number(answer[1]))
          }
          if (what === "hold") await run(holdScript, id, fence)
          if (what === "release") await run(releaseScript, id, fence, now, "granted")
          if (what === "leave") await run(leaveScript, id, now, "granted")
          if (what === "abandon") await run(abandonScript, id, `token_${nth}`, now, "granted")
          if (what === "restore") await run(restoreScript, id, 7, tailOf(`org_${nth % 2}`, levelsOf(nth), "", 0))
          if (what !== "lapse") continue
          const reply = await lapse(now)
          assert.deepStrictEqual(Array.isArray(reply) ? reply[1] : reply, 0)
        }
        const reply = await lapse(now)
        assert.deepStrictEqual(Array.isArray(reply) ? reply[1] : reply, 0)
      })
      yield* Effect.promise(() => fc.assert(property, { numRuns: 25 }))
    }).pipe(Effect.scoped),
  )

  it.live("put counts right that are wrong, say how many, and give what comes free to those who wait for it", () =>
    Effect.gen(function* () {
      const { acquire, lapse, redis, run, used } = yield* gate
      const said: Array<unknown> = []
      yield* Effect.promise(async () => {
        await acquire(0, false, 0)
        const [slots = ""] = keys
        await redis.command((client) => client.hset(slots, "#platform platform", 3, "#agent agt_9", 4))
        said.push(await used("#platform platform", "#agent agt_9"), await acquire(1, true, 0), await lapse(1))
        said.push(await used("#platform platform", "#agent agt_9", "#agent agt_1"), await lapse(2))
        await run(releaseScript, "exec_0", "0\0", 0, "granted")
      })
      assert.deepStrictEqual(said, [
        [3, 4],
        [0, 1, 3, 3],
        [["exec_1"], 2],
        [2, 0, 1],
        [[], 0],
      ])
    }).pipe(Effect.scoped),
  )

  it.live("take away what an older release has left once nobody of it has told the time for an hour", () =>
    Effect.gen(function* () {
      const { lapse, redis } = yield* gate
      const [slots = "", lines = ""] = olderKeys
      const there = () => redis.command((client) => client.exists(slots, lines))
      const found = yield* Effect.promise(async () => {
        await redis.command((client) => client.multi().hset(slots, "#clock", 1_000).zadd(lines, 0, "#").exec())
        await lapse(1_000 + hourMs)
        const before = await there()
        await lapse(1_001 + hourMs)
        return [before, await there()]
      })
      assert.deepStrictEqual(found, [2, 0])
    }).pipe(Effect.scoped),
  )
})
