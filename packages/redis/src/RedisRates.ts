import { type Bucket, SlidingWindow } from "@carillon/core/domain"
import { RateStore } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { Denials } from "./Denials.ts"
import { hitScript, readScript } from "./RateScripts.ts"
import { RedisConnection } from "./RedisConnection.ts"
import { redisLimits } from "./RedisLimits.ts"
import { numbers } from "./Reply.ts"

const decode = numbers("rate_limit_store")

/**
 * The rate counters on Redis. A script decides and counts; the figures are made of its counters by `SlidingWindow` itself. Who is over
 * the ceiling is refused without a round trip until that could change.
 */
export const layer: Layer.Layer<RateStore, never, RedisConnection> = Layer.effect(
  RateStore,
  Effect.gen(function* () {
    const redis = yield* RedisConnection
    const denials = new Denials(redisLimits.denials)
    const keyOf = (organizationId: string, bucket: Bucket) => `${redis.prefix}:rate:${bucket}:${organizationId}`

    const judge = (key: string, limit: number, now: number, reply: ReadonlyArray<number>) => {
      const [, window = 0, current = 0, previous = 0] = reply
      const state = { window, current, previous }
      const { state: after, ...figures } = SlidingWindow.hit(state, limit, now)
      if (!figures.allowed) denials.set(key, limit, now, after)
      return figures
    }

    return RateStore.of({
      hit: (organizationId, bucket, limit, now) => {
        const key = keyOf(organizationId, bucket)
        const denied = denials.get(key, limit, now)
        if (denied !== undefined) return Effect.succeed(SlidingWindow.peek(denied, limit, now))
        return redis.run("rate_limit_store", hitScript, [key], [limit, now, redisLimits.rateGarbageMs]).pipe(
          Effect.flatMap(decode),
          Effect.map((reply) => judge(key, limit, now, reply)),
        )
      },
      peek: (organizationId, bucket, limit, now) => {
        const key = keyOf(organizationId, bucket)
        return redis.run("rate_limit_store", readScript, [key], []).pipe(
          Effect.flatMap(decode),
          Effect.map(([, window = 0, current = 0, previous = 0]) =>
            SlidingWindow.peek({ window, current, previous }, limit, now),
          ),
        )
      },
    })
  }),
)
