import { RateStore } from "@carillon/core/ports"
import { RateDifferentialSuite } from "@carillon/core/testing"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { rates } from "./Counters.ts"
import { onRedis, RedisServer } from "./RedisServer.ts"

const epoch = Date.UTC(2026, 0, 5, 9)

onRedis("one script on the rule, in memory and on Redis", () => {
  RateDifferentialSuite.suite("RateStore on Redis", rates, { numRuns: 150 })

  layer(rates, { excludeTestServices: true })((it) => {
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
  })
})
