import { Telephony } from "@carillon/core"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { RedisConnection, RedisRates, RedisSlots } from "@carillon/redis"
import { Effect, Layer, Redacted } from "effect"

const carrier = Layer.succeed(Telephony, {
  dial: (call) => Effect.succeed({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

/** One engine of any number on the same PostgreSQL and the same Redis. */
export const start = (database: string, redis: string) => {
  const rows = Postgres.layer({ url: Redacted.make(database), maxConnections: 10 })
  const counters = Layer.mergeAll(RedisSlots.layer, RedisRates.layer).pipe(
    Layer.provide(RedisConnection.layer({ url: redis })),
  )
  return Carillon.make({
    ports: Layer.mergeAll(counters, carrier, nodeWebhookTransport()).pipe(Layer.provideMerge(rows)),
  })
}
