import { CallStore, SlotStore } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { RedisConnection, RedisSlots } from "@carillon/redis"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Redis } from "ioredis"
import { Semaphore } from "redis-semaphore"
import { type Comparison, type Contender, type Scale, sized, timed } from "../Harness.ts"
import { startRedis } from "../servers/RedisServer.ts"
import { percentile } from "../Statistics.ts"

const inFlight = 32
const organizations = 10
const agents = 50

/** The ceilings bind for a moment now and then: 32 dials are in flight over 10 organizations of 4 lines each. */
const demandsOf = (nth: number) =>
  [
    { level: "platform", key: "platform", ceiling: 30 },
    { level: "organization", key: `org_${nth % organizations}`, ceiling: 4 },
    { level: "agent", key: `agt_${nth % agents}`, ceiling: 3 },
    { level: "campaign", key: `cmp_${nth % agents}`, ceiling: 2 },
  ] as const

/** Who is inside by the callers' own count: what no contender may let exceed a ceiling. */
class Judge {
  readonly #inside = new Map<string, number>()
  over = 0

  enter(nth: number): void {
    for (const { key, ceiling } of demandsOf(nth)) {
      const inside = (this.#inside.get(key) ?? 0) + 1
      this.#inside.set(key, inside)
      if (inside > ceiling) this.over += 1
    }
  }

  leave(nth: number): void {
    for (const { key } of demandsOf(nth)) this.#inside.set(key, (this.#inside.get(key) ?? 1) - 1)
  }
}

/** A line is held for a moment, so that two may hold it at once where they may not. */
const turn = () => new Promise<void>((resume) => setImmediate(resume))

const patientMs = 30_000

/** CPU time that the server has used, in microseconds: it does not grow with what else the machine does. */
const serverCpu = async (client: Redis): Promise<number> => {
  const used = [...(await client.info("cpu")).matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)]
  return used.reduce((sum, [, seconds]) => sum + Number(seconds), 0) * 1e6
}

/** It tells more of its last round. */
interface Ours extends Contender {
  readonly lastRound: () => ReadonlyArray<string>
}

const ours = async (url: string, pairs: number): Promise<Ours> => {
  const scope = Scope.makeUnsafe()
  const noCalls = Layer.effect(CallStore, CallStore).pipe(Layer.provide(MemoryStore.layer(new MemoryTables())))
  const services = await Effect.runPromise(
    Layer.buildWithScope(
      RedisSlots.layer.pipe(Layer.provide(RedisConnection.layer({ url, answerMs: patientMs })), Layer.provide(noCalls)),
      scope,
    ),
  )
  const slots = Context.get(services, SlotStore)
  const waiting = new Map<string, () => void>()
  const granted = new Set<string>()
  const watch = new Redis(url)
  const shown: Array<string> = []
  let call = 0
  return {
    name: "Carillon",
    lastRound: () => shown.slice(-1),
    round: () =>
      timed(async () => {
        const judge = new Judge()
        const latencies: Array<number> = []
        const cpuBefore = await serverCpu(watch)
        let done = 0
        let begun = 0
        const worker = Effect.gen(function* () {
          while (begun < pairs) {
            const nth = begun++
            const execution_id = `exec_${call++}`
            const ask = (waitUntil: number | null) => {
              const askedAt = performance.now()
              return Effect.tap(
                slots.acquire({
                  execution_id,
                  organization_id: `org_${nth % organizations}`,
                  levels: demandsOf(nth),
                  now: nth,
                  reservedUntil: nth + 20_000,
                  waitUntil,
                }),
                () => Effect.sync(() => latencies.push(performance.now() - askedAt)),
              )
            }
            // As the engine does: it waits in line until a release hands it a line, and then asks for its fence.
            let answer = yield* ask(Number.MAX_SAFE_INTEGER)
            if (answer._tag === "Blocked") {
              yield* Effect.callback<void>((resume) => {
                if (granted.delete(execution_id)) resume(Effect.void)
                else waiting.set(execution_id, () => resume(Effect.void))
              })
              answer = yield* ask(null)
            }
            if (answer._tag === "Blocked") continue
            judge.enter(nth)
            yield* Effect.promise(turn)
            judge.leave(nth)
            const handedOn = yield* slots.release(execution_id, answer.fence, nth)
            for (const id of handedOn) {
              const wake = waiting.get(id)
              waiting.delete(id)
              if (wake === undefined) granted.add(id)
              else wake()
            }
            done += 1
          }
        })
        await Effect.runPromise(
          Effect.all(
            Array.from({ length: inFlight }, () => worker),
            { concurrency: inFlight, discard: true },
          ),
        )
        const micros = ((await serverCpu(watch)) - cpuBefore) / pairs
        const [half, most] = [percentile(latencies, 0.5), percentile(latencies, 0.99)]
        shown.push(
          `acquire p50 ${half.toFixed(2)} ms, p99 ${most.toFixed(2)} ms; ${micros.toFixed(0)} µs of the server's CPU for a pair`,
        )
        return { operations: done, errors: judge.over + (pairs - done) }
      }),
    close: async () => {
      watch.disconnect()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

/** What a user would write: one semaphore for each level, taken one after the other and given back in reverse. */
const semaphores = (url: string, pairs: number): Contender => {
  const client = new Redis(url)
  return {
    name: "four redis-semaphores",
    round: () =>
      timed(async () => {
        const judge = new Judge()
        let begun = 0
        const worker = async () => {
          while (begun < pairs) {
            const nth = begun++
            const taken: Array<Semaphore> = []
            for (const { key, ceiling } of demandsOf(nth)) {
              const semaphore = new Semaphore(client, key, ceiling, {
                lockTimeout: 20_000,
                acquireTimeout: 60_000,
                refreshInterval: 0,
                retryInterval: 1,
              })
              await semaphore.acquire()
              taken.push(semaphore)
            }
            judge.enter(nth)
            await turn()
            judge.leave(nth)
            for (const semaphore of taken.toReversed()) await semaphore.release()
          }
        }
        await Promise.all(Array.from({ length: inFlight }, worker))
        return { operations: pairs, errors: judge.over }
      }),
    close: async () => client.disconnect(),
  }
}

export const gateOnRedis = async function* (scale: Scale): AsyncIterable<Comparison> {
  const server = await startRedis()
  if (server === null) return
  const pairs = sized(scale, 300, 20_000)
  const carillon = await ours(server.url, pairs)
  try {
    yield {
      title: `on Redis, ${inFlight} in flight: acquire + release at four levels`,
      reference: "four redis-semaphores",
      contenders: [carillon, semaphores(server.url, Math.round(pairs / 2))],
      notes: async () => carillon.lastRound(),
    }
  } finally {
    await server.close()
  }
}
