import { Plans, RateLimiter } from "@carillon/core"
import { buckets, defaultCeilings } from "@carillon/core/domain"
import { DomainClock, RateStore } from "@carillon/core/ports"
import { MemoryRates } from "@carillon/core/memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { away, epoch, World } from "../../src/testing/world/World.ts"

const startedWorld = Effect.fnUntraced(function* (isAway: () => boolean = () => false) {
  const world = new World({
    interpose: (operation, effect) => (isAway() && operation.startsWith("rates.") ? away : effect),
  })
  yield* world.start()
  return { world, limiter: world.service(RateLimiter) }
})

describe("RateLimiter", () => {
  it.effect("lets the ceiling pass, refuses the next, and counts neither refusals nor looks", () =>
    Effect.gen(function* () {
      const { world, limiter } = yield* startedWorld()
      for (let nth = 1; nth <= 20; nth++) {
        yield* limiter.figures("org_test", "standard")
        const figures = yield* limiter.check("org_test", "standard", "knowledge.upload")
        assert.deepInclude(figures, { allowed: true, limit: 20, remaining: 20 - nth, resetSeconds: 60 })
      }
      for (let nth = 0; nth < 3; nth++) {
        const figures = yield* limiter.check("org_test", "standard", "knowledge.upload")
        assert.deepInclude(figures, { allowed: false, limit: 20, remaining: 0 })
      }
      world.now += 60_000 + 3_000
      const { allowed, remaining } = yield* limiter.check("org_test", "standard", "knowledge.upload")
      // Three seconds into the next minute the last one still weighs nineteen.
      assert.deepStrictEqual({ allowed, remaining }, { allowed: true, remaining: 0 })
    }),
  )

  it.effect("keeps organizations and buckets apart, and tells the figures of all four", () =>
    Effect.gen(function* () {
      const { limiter } = yield* startedWorld()
      yield* limiter.check("org_test", "standard", "calls.create")
      const own = yield* limiter.figures("org_test", "standard")
      for (const bucket of buckets) {
        const used = bucket === "calls.create" ? 1 : 0
        assert.deepInclude(own[bucket], { limit: defaultCeilings[bucket], remaining: defaultCeilings[bucket] - used })
      }
      const other = yield* limiter.figures("org_other", "standard")
      assert.strictEqual(other["calls.create"].remaining, 600)
    }),
  )

  it.effect("fails open with full figures, and goes on counting where it was when the store is back", () =>
    Effect.gen(function* () {
      let isAway = false
      const { limiter } = yield* startedWorld(() => isAway)
      yield* limiter.check("org_test", "standard", "default")
      isAway = true
      for (let nth = 0; nth < 1_500; nth++) {
        const figures = yield* limiter.check("org_test", "standard", "default")
        assert.deepStrictEqual(figures, {
          allowed: true,
          limit: 1_000,
          remaining: 1_000,
          resetSeconds: 60,
          retryAfterSeconds: 0,
        })
      }
      assert.strictEqual((yield* limiter.figures("org_test", "standard")).default.remaining, 1_000)
      isAway = false
      assert.strictEqual((yield* limiter.check("org_test", "standard", "default")).remaining, 998)
    }),
  )

  it.effect("raises what a plan raises and leaves the rest, an unknown plan and no plan included", () =>
    Effect.gen(function* () {
      const sources = Layer.mergeAll(
        Layer.succeed(Plans, { scale: { "calls.create": 6_000 } }),
        Layer.succeed(DomainClock, { now: () => epoch }),
        MemoryRates.layer(),
      )
      const limiter = Context.get(yield* Layer.build(RateLimiter.layer.pipe(Layer.provide(sources))), RateLimiter)
      assert.strictEqual((yield* limiter.check("org_test", "scale", "calls.create")).limit, 6_000)
      assert.strictEqual((yield* limiter.check("org_test", "scale", "default")).limit, 1_000)
      assert.strictEqual(limiter.untouched("scale", "calls.create").limit, 6_000)
      for (const plan of ["unheard of", "toString", null]) {
        assert.strictEqual(limiter.untouched(plan, "calls.create").limit, 600)
      }
    }),
  )

  it.effect("lets requests pass with the store away even under a ceiling of none", () =>
    Effect.gen(function* () {
      const none = { standard: { default: 0 } }
      const broken = Layer.succeed(RateStore, { hit: () => away, peek: () => away })
      const sources = Layer.mergeAll(
        Layer.succeed(Plans, none),
        Layer.succeed(DomainClock, { now: () => epoch }),
        broken,
      )
      const limiter = Context.get(yield* Layer.build(RateLimiter.layer.pipe(Layer.provide(sources))), RateLimiter)
      assert.deepInclude(yield* limiter.check("org_test", "standard", "default"), { allowed: true, remaining: 0 })
      assert.isFalse(limiter.untouched("standard", "default").allowed)
    }),
  )

  it.effect("gives a request that is not counted the full ceiling and the time to the next minute", () =>
    Effect.gen(function* () {
      const { world, limiter } = yield* startedWorld()
      world.now = epoch + 12_345
      assert.deepStrictEqual(limiter.untouched(null, "default"), {
        allowed: true,
        limit: 1_000,
        remaining: 1_000,
        resetSeconds: 48,
        retryAfterSeconds: 0,
      })
    }),
  )
})
