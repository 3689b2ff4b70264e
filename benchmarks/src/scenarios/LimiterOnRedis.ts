import { RateStore } from "@carillon/core"
import { RedisConnection, RedisRates } from "@carillon/redis"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Redis } from "ioredis"
import { RateLimiterRedis } from "rate-limiter-flexible"
import { type Comparison, type Contender, timed } from "../Harness.ts"
import { startRedis } from "../servers/RedisServer.ts"

const limit = 600
const inFlight = 32
const decisions = { normal: 10_000, overload: 200_000 } as const
/** Virtual milliseconds between two requests of a key below the ceiling; a flood comes in real time, far above it. */
const spacingMs = 200

type Load = keyof typeof decisions

const patientMs = 30_000

const ours = async (url: string, keys: number, load: Load): Promise<Contender> => {
  const scope = Scope.makeUnsafe()
  const services = await Effect.runPromise(
    Layer.buildWithScope(
      RedisRates.layer.pipe(
        Layer.provide(RedisConnection.layer({ url, prefix: `bench-${keys}-${load}`, answerMs: patientMs })),
      ),
      scope,
    ),
  )
  const store = Context.get(services, RateStore)
  let now = Date.UTC(2026, 0, 5)
  return {
    name: "Carillon",
    round: () =>
      timed(async () => {
        let asked = 0
        const worker = Effect.gen(function* () {
          while (asked < decisions[load]) {
            const nth = asked++
            if (load === "overload") now = Date.now()
            else if (nth % keys === 0) now += spacingMs
            yield* store.hit(`org_${nth % keys}`, "default", limit, now)
          }
        })
        await Effect.runPromise(
          Effect.all(
            Array.from({ length: inFlight }, () => worker),
            { concurrency: inFlight, discard: true },
          ),
        )
        return { operations: asked }
      }),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

const flexible = (url: string, keys: number, load: Load, remembers: boolean): Contender => {
  const client = new Redis(url)
  // It cannot be given a clock: a ceiling that is never reached puts it under the same load.
  const points = load === "normal" ? 1_000_000_000 : limit
  const limiter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: `flexible-${keys}-${load}-${remembers}`,
    points,
    duration: 60,
    ...(remembers ? { inMemoryBlockOnConsumed: points } : {}),
  })
  const count = remembers ? decisions[load] : decisions.normal
  return {
    name: remembers ? "rate-limiter-flexible, blocked in memory" : "rate-limiter-flexible",
    round: () =>
      timed(async () => {
        let asked = 0
        const worker = async () => {
          while (asked < count) {
            const nth = asked++
            await limiter.consume(`org_${nth % keys}`).catch(() => undefined)
          }
        }
        await Promise.all(Array.from({ length: inFlight }, worker))
        return { operations: count }
      }),
    close: async () => client.disconnect(),
  }
}

export const limiterOnRedis = async function* (): AsyncIterable<Comparison> {
  const server = await startRedis()
  if (server === null) return
  const comparison = async (title: string, keys: number, load: Load): Promise<Comparison> => ({
    title: `on Redis, ${inFlight} in flight: ${title}`,
    reference: "rate-limiter-flexible",
    contenders: [
      await ours(server.url, keys, load),
      flexible(server.url, keys, load, false),
      ...(load === "overload" ? [flexible(server.url, keys, load, true)] : []),
    ],
  })
  try {
    yield await comparison("1 key, below the ceiling", 1, "normal")
    yield await comparison("1,000 keys, below the ceiling", 1_000, "normal")
    yield await comparison("1 key, flooded far above the ceiling", 1, "overload")
  } finally {
    await server.close()
  }
}
