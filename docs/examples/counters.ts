import { Telephony } from "@carillon/core"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { RedisConnection, RedisRates, RedisSlots } from "@carillon/redis"
import { Effect, Layer } from "effect"

const carrier = Layer.succeed(Telephony, {
  dial: (call) => Effect.succeed({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})
const storage = MemoryStore.layer(new MemoryTables())
const redis = RedisConnection.layer({ url: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379" })
const counters = Layer.mergeAll(RedisSlots.layer, RedisRates.layer).pipe(Layer.provide(redis))

export const carillon = await Carillon.make({
  ports: Layer.mergeAll(counters, carrier, nodeWebhookTransport()).pipe(Layer.provideMerge(storage)),
})
