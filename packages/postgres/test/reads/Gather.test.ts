import { DependencyUnavailable, limits, type PortError } from "@carillon/core"
import { CurrentParty } from "@carillon/core/ports"
import { Effect, Exit, Fiber, Scheduler, Semaphore } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { gather } from "../../src/reads/Gather.ts"
import { beBusy, InTurns } from "../InTurns.ts"

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("reads that are gathered", () => {
  it("answer each who asks with what stood when it asked or later, and read at the same time once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.integer({ min: 0, max: 4 })), { maxLength: 6 }), async (waves) => {
        let version = 0
        let statements = 0
        const read = gather<number, number>(Effect.forkDetach, String, (keys) =>
          Effect.gen(function* () {
            statements += 1
            expect(new Set(keys).size).toBe(keys.length)
            const seen = version
            yield* turn
            return () => seen
          }),
        )
        const ask = (key: number) =>
          Effect.suspend(() => {
            version += 1
            const written = version
            return Effect.map(read(key), (seen) => seen >= written)
          })
        const fresh = await Effect.runPromise(
          Effect.forEach(
            waves,
            (keys) => Effect.andThen(turn, Effect.forEach(keys, ask, { concurrency: "unbounded" })),
            {
              concurrency: "unbounded",
            },
          ),
        )
        expect(fresh.flat().every(Boolean)).toBe(true)
        expect(statements).toBeLessThanOrEqual(2 * waves.length)
      }),
      { numRuns: 50 },
    )
  })

  it("are asked for though whoever asked first is gone, wherever that was", async () => {
    for (let turns = 0; turns < 40; turns++) {
      const read = gather<string, string>(
        Effect.forkDetach,
        (key) => key,
        () => Effect.succeed((key: string) => key.toUpperCase()),
      )
      // It is cut off between any two operations.
      const gone = Effect.runFork(Effect.provideService(read("a"), Scheduler.MaxOpsBeforeYield, 2 + (turns % 4)))
      for (let nth = 0; nth < turns / 4; nth++) await new Promise((resolve) => setImmediate(resolve))
      gone.interruptUnsafe()
      expect(await Effect.runPromise(Effect.timeoutOption(read("a"), "2 seconds"))).toMatchObject({ value: "A" })
      await Effect.runPromise(Fiber.await(gone))
    }
  })

  it("fail all together, and go on with those who ask next", async () => {
    let isAway = true
    const away: PortError = new DependencyUnavailable({ dependency: "call_storage" })
    const read = gather<string, string>(
      Effect.forkDetach,
      (key) => key,
      () => (isAway ? Effect.fail(away) : Effect.succeed((key: string) => key.toUpperCase())),
    )
    const ask = (keys: ReadonlyArray<string>) =>
      Effect.runPromise(Effect.forEach(keys, (key) => Effect.exit(read(key)), { concurrency: "unbounded" }))
    expect(await ask(["a", "b", "a"])).toEqual([Exit.fail(away), Exit.fail(away), Exit.fail(away)])
    isAway = false
    expect(await ask(["a", "b"])).toEqual([Exit.succeed("A"), Exit.succeed("B")])
  })

  it("are asked for alone after a failure, so that only who asks for what fails is told of it", async () => {
    const poisoned = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(poisoned, fc.integer({ min: 1, max: 40 }), async (bad, count) => {
        const away: PortError = new DependencyUnavailable({ dependency: "agent_service" })
        const read = gather<number, number>(Effect.forkDetach, String, (keys) =>
          keys.some((key) => bad.includes(key)) ? Effect.fail(away) : Effect.succeed((key: number) => key),
        )
        const keys = Array.from({ length: count }, (_, key) => key)
        const answers = await Effect.runPromise(
          Effect.forEach(keys, (key) => Effect.exit(read(key)), { concurrency: "unbounded" }),
        )
        expect(answers).toEqual(keys.map((key) => (bad.includes(key) ? Exit.fail(away) : Exit.succeed(key))))
      }),
    )
  })

  it("take few keys of one party into a statement, whatever else waits, and all that the engine asks for itself", async () => {
    const statements: Array<ReadonlyArray<string>> = []
    const read = gather<string, string>(
      Effect.forkDetach,
      (key) => key,
      (keys) => {
        statements.push(keys)
        return Effect.as(turn, (key: string) => key)
      },
    )
    const of = (party: string, count: number) =>
      Array.from({ length: count }, (_, nth) =>
        Effect.provideService(read(`${party} ${nth}`), CurrentParty, party === "engine" ? "" : party),
      )
    const all = [...of("loud", 100), ...of("other", 40), ...of("quiet", 1), ...of("engine", 200)]
    await Effect.runPromise(Effect.all(all, { concurrency: "unbounded" }))
    const counts = statements.map((keys) => ({
      loud: keys.filter((key) => key.startsWith("loud")).length,
      other: keys.filter((key) => key.startsWith("other")).length,
      quiet: keys.filter((key) => key.startsWith("quiet")).length,
      engine: keys.filter((key) => key.startsWith("engine")).length,
    }))
    expect(counts).toEqual([
      { loud: 32, other: 32, quiet: 1, engine: 200 },
      { loud: 32, other: 8, quiet: 0, engine: 0 },
      { loud: 32, other: 0, quiet: 0, engine: 0 },
      { loud: 4, other: 0, quiet: 0, engine: 0 },
    ])
  })

  it("are answered by party in turn, a few in a turn of the event loop, however many one party asks for", async () => {
    const read = gather<string, string>(
      Effect.forkDetach,
      (key) => key,
      () => Effect.as(turn, (key: string) => key),
    )
    const woken = new InTurns()
    const order: Array<string> = []
    const ask = (party: string, key: string) =>
      Effect.provideService(
        Effect.map(read(key), () => {
          order.push(party)
          woken.count()
        }),
        CurrentParty,
        party,
      )
    const loud = Array.from({ length: 600 }, (_, nth) => ask("loud", `loud ${nth}`))
    // The quiet one comes last of all, and would not be in the first statement.
    const all = [...loud, ask("quiet", "quiet")]
    await Effect.runPromise(Effect.all(all, { concurrency: "unbounded" }))
    woken.stop()
    expect(order).toHaveLength(all.length)
    expect(order.indexOf("quiet")).toBeLessThan(2)
    // However many statements are under way.
    expect(woken.most).toBeLessThanOrEqual(limits.wokenInTurn.taken)
  })

  it("wake few of those who asked for one and the same key in a turn of the event loop, and one where each has much to do", async () => {
    for (const busyMs of [0, limits.wokenInTurn.ms]) {
      let statements = 0
      const read = gather<string, string>(
        Effect.forkDetach,
        (key) => key,
        () => {
          statements += 1
          return Effect.as(turn, (key: string) => key)
        },
      )
      const woken = new InTurns()
      const order: Array<string> = []
      const ask = (party: string) =>
        Effect.provideService(
          Effect.map(read("one key"), () => {
            order.push(party)
            woken.count()
            beBusy(busyMs)
          }),
          CurrentParty,
          party,
        )
      const all = [...Array.from({ length: 100 }, () => ask("loud")), ask("quiet")]
      await Effect.runPromise(Effect.all(all, { concurrency: "unbounded" }))
      woken.stop()
      expect(statements).toBe(1)
      expect(order).toHaveLength(all.length)
      expect(order.indexOf("quiet")).toBeLessThan(2)
      expect(woken.most).toBeLessThanOrEqual(busyMs === 0 ? limits.wokenInTurn.taken : 1)
    }
  })

  it("go on beside the answers of a party that has hundreds to come: who asks meanwhile waits for none of them", async () => {
    const read = gather<string, string>(
      Effect.forkDetach,
      (key) => key,
      () => Effect.as(turn, (key: string) => key),
    )
    const ask = (party: string, key: string) => Effect.provideService(read(key), CurrentParty, party)
    let answered = 0
    const each = (nth: number) =>
      Effect.map(ask("loud", `loud ${nth % 60}`), () => {
        answered += 1
        beBusy(limits.wokenInTurn.ms)
      })
    const loud = Effect.runPromise(
      Effect.forEach(
        Array.from({ length: 240 }, (_, nth) => nth),
        each,
        { concurrency: "unbounded" },
      ),
    )
    while (answered === 0) await new Promise((resolve) => setImmediate(resolve))
    await Effect.runPromise(ask("quiet", "quiet"))
    expect(answered).toBeLessThan(60)
    await loud
  })

  it("leave nothing behind of those who are gone before their turn, and answer all others", async () => {
    const read = gather<string, string>(
      Effect.forkDetach,
      (key) => key,
      () => Effect.as(turn, (key: string) => key),
    )
    const places = Semaphore.makeUnsafe(100)
    const answered: Array<number> = []
    const fibers = Array.from({ length: 100 }, (_, nth) =>
      Effect.runFork(
        places.withPermit(
          Effect.map(read("one key"), () => {
            answered.push(nth)
            // The first who goes on sends every other one away.
            if (answered.length === 1) for (let gone = 1; gone < 100; gone += 2) fibers[gone]?.interruptUnsafe()
          }),
        ),
      ),
    )
    await Effect.runPromise(Effect.forEach(fibers, Fiber.await))
    expect(answered).toEqual(Array.from({ length: 50 }, (_, nth) => 2 * nth))
    // All places are free again.
    expect(await Effect.runPromise(places.withPermitsIfAvailable(100)(Effect.succeed("had")))).toMatchObject({
      value: "had",
    })
    expect(await Effect.runPromise(read("another"))).toBe("another")
  })
})
