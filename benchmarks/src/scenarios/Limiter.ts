import { SlidingWindow } from "@carillon/core/domain"
import { MemoryRates } from "@carillon/core/memory"
import { Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { RateLimiterMemory } from "rate-limiter-flexible"
import { type Comparison, type Contender, type Scenario, timed } from "../Harness.ts"
import { limiterOnRedis } from "./LimiterOnRedis.ts"

const limit = 600
const decisions = 200_000
/** Virtual milliseconds between two requests of a key, so that the load is a fraction or a multiple of the ceiling. */
const spacing = { normal: 200, overload: 10 } as const

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `org_${index}`)

const ours = (keys: ReadonlyArray<string>, load: keyof typeof spacing): Contender => {
  const stepMs = spacing[load]
  let now = Date.UTC(2026, 0, 5)
  const table = new MemoryRates.RateTable()
  return {
    name: "Carillon",
    round: () =>
      timed(() => {
        let refused = 0
        for (let i = 0; i < decisions; i++) {
          if (i % keys.length === 0) now += stepMs
          if (!table.hit(keys[i % keys.length] ?? "", "default", limit, now).allowed) refused += 1
        }
        // Nothing is refused below the ceiling; at ten times it nine of ten are, but for what the first window lets in.
        const expected = load === "normal" ? 0 : 0.9 * decisions
        return {
          operations: decisions,
          errors: Math.abs(refused - expected) <= 2 * limit * (expected > 0 ? 1 : 0) ? 0 : 1,
        }
      }),
  }
}

const flexible = (keys: ReadonlyArray<string>, points: number): Contender => {
  const limiter = new RateLimiterMemory({ points, duration: 60 })
  return {
    name: "rate-limiter-flexible",
    round: () =>
      timed(async () => {
        for (let i = 0; i < decisions; i++) await limiter.consume(keys[i % keys.length] ?? "").catch(() => undefined)
        return { operations: decisions }
      }),
  }
}

const effectLimiter = (keys: ReadonlyArray<string>, points: number): Contender => {
  const layer = RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory))
  const count = decisions / 10
  return {
    name: "effect RateLimiter",
    round: () =>
      timed(async () => {
        const work = Effect.gen(function* () {
          const limiter = yield* RateLimiter.RateLimiter
          for (let i = 0; i < count; i++) {
            yield* Effect.ignore(
              limiter.consume({ key: keys[i % keys.length] ?? "", limit: points, window: Duration.minutes(1) }),
            )
          }
        })
        await Effect.runPromise(Effect.provide(work, layer))
        return { operations: count }
      }),
  }
}

/** How many requests are admitted, against a log that keeps every moment: the two counters are an estimate. */
const accuracy = (): string => {
  let state = SlidingWindow.emptyWindow
  const log: Array<number> = []
  let first = 0
  let wrong = 0
  let asked = 0
  let now = Date.UTC(2026, 0, 5)
  for (let i = 0; i < 100_000; i++) {
    now += 40 + ((i * 7919) % 121)
    while ((log[first] ?? Infinity) <= now - SlidingWindow.windowMs) first += 1
    const exact = log.length - first < limit
    const hit = SlidingWindow.hit(state, limit, now)
    state = hit.state
    if (hit.allowed) log.push(now)
    if (exact !== hit.allowed) wrong += 1
    asked += 1
  }
  return `of ${asked} decisions at the ceiling, ${((wrong / asked) * 100).toFixed(2)} % differ from an exact log`
}

const comparison = (title: string, keys: ReadonlyArray<string>, load: keyof typeof spacing): Comparison => {
  // The others cannot be given a clock: a ceiling that is never or always reached puts them under the same load.
  const points = load === "normal" ? 1_000_000_000 : 1
  return {
    title,
    reference: "rate-limiter-flexible",
    contenders: [ours(keys, load), flexible(keys, points), effectLimiter(keys, points)],
  }
}

export const limiter: Scenario = {
  name: "limiter",
  question: "How many sliding-window decisions a second, in memory and on Redis?",
  comparisons: async function* (scale) {
    yield comparison("1 key, below the ceiling", keysOf(1), "normal")
    yield comparison("1,000 keys, below the ceiling", keysOf(1000), "normal")
    yield comparison("1 key, ten times the ceiling", keysOf(1), "overload")
    process.stdout.write(`  accuracy: ${accuracy()}\n\n`)
    yield* limiterOnRedis(scale)
  },
}
