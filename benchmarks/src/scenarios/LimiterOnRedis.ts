import { RateStore } from "@carillon/core/ports"
import { RedisConnection, RedisRates } from "@carillon/redis"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { Redis } from "ioredis"
import { RateLimiterRedis } from "rate-limiter-flexible"
import { type Comparison, type Contender, type Scale, sized, timed } from "../Harness.ts"
import { startRedis } from "../servers/RedisServer.ts"

const limit = 600
/** Virtual milliseconds between two requests of a key below the ceiling; a flood comes in real time, far above it. */
const spacingMs = 200

type Load = "normal" | "overload"

/** What a limiter is asked. */
interface Asked {
  readonly keys: number
  readonly load: Load
  readonly inFlight: number
  readonly decisions: number
}

/** Of a key that nobody floods nothing is refused; of one that is flooded no more is admitted than the ceiling of two windows, which a round may touch. */
const wrong = (admitted: number, { decisions, load }: Asked): number =>
  load === "normal" ? decisions - admitted : admitted > 2 * limit ? 1 : 0

const patientMs = 30_000

const ours = async (url: string, asked: Asked): Promise<Contender> => {
  const { decisions, inFlight, keys, load } = asked
  const scope = Scope.makeUnsafe()
  const services = await Effect.runPromise(
    Layer.buildWithScope(
      RedisRates.layer.pipe(
        Layer.provide(RedisConnection.layer({ url, prefix: `bench-${keys}-${load}-${inFlight}`, answerMs: patientMs })),
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
        let begun = 0
        let admitted = 0
        const worker = Effect.gen(function* () {
          while (begun < decisions) {
            const nth = begun++
            if (load === "overload") now = Date.now()
            else if (nth % keys === 0) now += spacingMs
            const { allowed } = yield* store.hit(`org_${nth % keys}`, "default", limit, now)
            if (allowed) admitted += 1
          }
        })
        await Effect.runPromise(
          Effect.all(
            Array.from({ length: inFlight }, () => worker),
            { concurrency: inFlight, discard: true },
          ),
        )
        return { operations: decisions, errors: wrong(admitted, asked) }
      }),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

const flexible = (url: string, asked: Asked, remembers: boolean): Contender => {
  const { inFlight, keys, load } = asked
  const client = new Redis(url)
  // It cannot be given a clock: a ceiling that is never reached puts it under the same load.
  const points = load === "normal" ? 1_000_000_000 : limit
  const limiter = new RateLimiterRedis({
    storeClient: client,
    keyPrefix: `flexible-${keys}-${load}-${remembers}-${inFlight}`,
    points,
    duration: 60,
    ...(remembers ? { inMemoryBlockOnConsumed: points } : {}),
  })
  // Who asks the server about each request of a flood needs fewer for a figure.
  const decisions = load === "overload" && !remembers ? Math.round(asked.decisions / 10) : asked.decisions
  return {
    name: remembers ? "rate-limiter-flexible, blocked in memory" : "rate-limiter-flexible",
    round: () =>
      timed(async () => {
        let begun = 0
        let admitted = 0
        const count = () => {
          admitted += 1
        }
        const worker = async () => {
          while (begun < decisions) await limiter.consume(`org_${begun++ % keys}`).then(count, () => undefined)
        }
        await Promise.all(Array.from({ length: inFlight }, worker))
        return { operations: decisions, errors: wrong(admitted, { ...asked, decisions }) }
      }),
    close: async () => client.disconnect(),
  }
}

export const limiterOnRedis = async function* (scale: Scale): AsyncIterable<Comparison> {
  const server = await startRedis()
  if (server === null) return
  const comparison = async (title: string, asked: Asked): Promise<Comparison> => ({
    title: `on Redis, ${asked.inFlight} in flight: ${title}`,
    reference: "rate-limiter-flexible",
    contenders: [
      await ours(server.url, asked),
      flexible(server.url, asked, false),
      ...(asked.load === "overload" ? [flexible(server.url, asked, true)] : []),
    ],
  })
  const normal = { load: "normal", decisions: sized(scale, 2_000, 100_000) } as const
  const overload = { load: "overload", decisions: sized(scale, 5_000, 500_000) } as const
  try {
    for (const inFlight of [32, 128]) {
      yield await comparison("1 key, below the ceiling", { ...normal, inFlight, keys: 1 })
      yield await comparison("1,000 keys, below the ceiling", { ...normal, inFlight, keys: 1_000 })
      yield await comparison("1 key, flooded far above the ceiling", { ...overload, inFlight, keys: 1 })
    }
  } finally {
    await server.close()
  }
}
