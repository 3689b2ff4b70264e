import { CallStore } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { RedisConnection, RedisRates, RedisSlots } from "@carillon/redis"
import { Effect, Layer } from "effect"
import { RedisServer } from "./RedisServer.ts"

/** No test rests on how fast a busy machine answers. */
const patientMs = 30_000

/** The connection to the tests' server. */
const connection = Layer.unwrap(
  Effect.map(RedisServer, ({ url }) => RedisConnection.layer({ url, answerMs: patientMs })),
)

const noCalls = Layer.effect(CallStore, CallStore).pipe(Layer.provide(MemoryStore.layer(new MemoryTables())))

export const slots = RedisSlots.layer.pipe(
  Layer.provide(connection),
  Layer.provide(noCalls),
  Layer.provideMerge(RedisServer.layer),
)

export const rates = RedisRates.layer.pipe(Layer.provide(connection), Layer.provideMerge(RedisServer.layer))
