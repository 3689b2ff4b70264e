import { type Bucket, RateStore, SlidingWindow } from "@carillon/core"
import { MemoryRates } from "@carillon/core/memory"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { rates } from "./Counters.ts"
import { onRedis, RedisServer } from "./RedisServer.ts"

const epoch = Date.UTC(2026, 0, 5, 9)

const windowMs = SlidingWindow.windowMs

// Clocks of several processes differ, so time falls back now and then.
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.nat(2_000) },
  { weight: 2, arbitrary: fc.nat(30_000) },
  { weight: 1, arbitrary: fc.integer({ min: 59_000, max: 200_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
)

const asks = fc.array(
  fc.record({
    step,
    bucket: fc.constantFrom<Bucket>("calls.create", "default"),
    limit: fc.constantFrom(5, 5, 5, 3, 0, 12),
    counts: fc.constantFrom(true, true, true, false),
  }),
  { maxLength: 80, size: "max" },
)

/** A refusal rolls no window, neither here nor where it was known before; so time falls back beyond one only where nothing is refused. */
const script = fc.record({ asks, roomy: fc.boolean() })

let nth = 0

onRedis("one script on the rule, in memory and on Redis", () =>
  layer(rates, { excludeTestServices: true })((it) => {
    it.effect("gives the same integers at every step, also where clocks fall back", () =>
      Effect.gen(function* () {
        const redis = yield* RateStore
        const run = Effect.runPromiseWith(yield* Effect.context())
        const holds = Effect.fnUntraced(function* ({
          asks: asked,
          roomy,
        }: typeof script extends fc.Arbitrary<infer A> ? A : never) {
          const memory = new MemoryRates.RateTable()
          const states = new Map<Bucket, SlidingWindow.WindowState>()
          const organizationId = `org_${nth++}`
          let now = epoch
          for (const ask of asked) {
            const { bucket, counts } = ask
            const limit = roomy ? 1_000 : ask.limit
            now = Math.max(now + ask.step, roomy ? 0 : Math.floor(now / windowMs) * windowMs)
            const state = states.get(bucket) ?? SlidingWindow.emptyWindow
            const { state: after, ...hit } = SlidingWindow.hit(state, limit, now)
            const { allowed, remaining, resetSeconds, retryAfterSeconds } = counts
              ? memory.hit(organizationId, bucket, limit, now)
              : memory.peek(organizationId, bucket, limit, now)
            const answer = yield* redis[counts ? "hit" : "peek"](organizationId, bucket, limit, now)
            assert.deepStrictEqual(answer, { allowed, remaining, resetSeconds, retryAfterSeconds })
            assert.deepStrictEqual(answer, counts ? hit : SlidingWindow.peek(state, limit, now))
            if (counts) states.set(bucket, after)
          }
        })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(script, (steps) => run(holds(steps))),
            { numRuns: 150 },
          ),
        )
      }),
    )

    it.effect("needs no round trip to refuse what it knows to be refused", () =>
      Effect.gen(function* () {
        const redis = yield* RateStore
        const server = yield* RedisServer
        const asked = Effect.promise(() =>
          server.command(async (client) => /cmdstat_evalsha:calls=(\d+)/.exec(await client.info("commandstats"))?.[1]),
        )
        const limit = 3
        const hit = (at: number) => Effect.map(redis.hit("org_over", "default", limit, at), ({ allowed }) => allowed)
        for (let n = 0; n < limit; n++) assert.isTrue(yield* hit(epoch))
        assert.isFalse(yield* hit(epoch))
        const before = yield* asked
        for (let n = 0; n < 1_000; n++) assert.isFalse(yield* hit(epoch + n))
        assert.strictEqual(yield* asked, before)
        // A third of the ceiling is free again 20 seconds into the next window, to the millisecond.
        assert.isFalse(yield* hit(epoch + 60_000))
        assert.isTrue(yield* hit(epoch + 60_001))
      }),
    )
  }),
)
