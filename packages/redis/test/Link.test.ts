import { RateStore } from "@carillon/core/ports"
import { RedisConnection, RedisRates } from "@carillon/redis"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { acquire, demandsOf, openProcess, Truth } from "./Line.ts"
import { onRedis, RedisProcess } from "./RedisServer.ts"

const epoch = Date.UTC(2026, 0, 5, 9)

const server = Effect.acquireRelease(
  Effect.promise(() => RedisProcess.open()),
  (opened) => Effect.promise(() => opened.close()),
)

const ratesAt = (url: string, answerMs?: number) =>
  Effect.map(
    Layer.build(
      RedisRates.layer.pipe(
        Layer.provide(RedisConnection.layer({ url, ...(answerMs === undefined ? {} : { answerMs }) })),
      ),
    ),
    (context) => Context.get(context, RateStore),
  )

const failureOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure : null))

/** Until it holds, however long a busy machine takes. */
const until = Effect.fnUntraced(function* <E>(holds: Effect.Effect<boolean, E>) {
  while (!(yield* holds)) yield* Effect.sleep(5)
})

onRedis("the connection", () => {
  it.live("opens without Redis, fails at once, and serves when it comes", () =>
    Effect.gen(function* () {
      const redis = yield* server
      yield* Effect.promise(() => redis.kill())
      const rates = yield* ratesAt(redis.url)
      const hit = rates.hit("org", "default", 5, epoch)
      const failure = yield* failureOf(hit)
      assert.deepInclude(failure, { _tag: "DependencyUnavailable", dependency: "rate_limit_store" })
      yield* Effect.promise(() => redis.start())
      yield* until(Effect.map(failureOf(hit), (error) => error === null))
    }).pipe(Effect.scoped),
  )

  it.live("fails a question that gets no answer, stops asking after a few, and asks again once there are answers", () =>
    Effect.gen(function* () {
      const redis = yield* server
      const rates = yield* ratesAt(redis.url)
      const hit = rates.hit("org", "default", 1_000_000, epoch)
      yield* hit
      yield* Effect.promise(() => redis.command((client) => client.call("CLIENT", "PAUSE", "60000", "WRITE")))
      const failures: Array<string> = []
      yield* until(
        Effect.map(failureOf(hit), (failure) => {
          failures.push(failure?._tag ?? "answered")
          return failure?._tag === "DependencyUnavailable"
        }),
      )
      // It is not asked any more: only the first few were kept waiting.
      assert.deepStrictEqual(failures.slice(0, -1), ["DependencyTimeout", "DependencyTimeout", "DependencyTimeout"])
      for (let n = 0; n < 100; n++) assert.strictEqual((yield* failureOf(hit))?._tag, "DependencyUnavailable")
      yield* Effect.promise(() => redis.command((client) => client.call("CLIENT", "UNPAUSE")))
      yield* until(Effect.map(failureOf(hit), (failure) => failure === null))
    }).pipe(Effect.scoped),
  )

  it.live("does not blame Redis for a process that was busy itself: what came meanwhile is read first", () =>
    Effect.gen(function* () {
      const redis = yield* server
      const rates = yield* ratesAt(redis.url, 50)
      yield* rates.hit("org", "default", 5, epoch)
      const busy = Effect.sync(() => {
        const end = performance.now() + 500
        while (performance.now() < end);
      })
      const [answer] = yield* Effect.all([Effect.result(rates.hit("org", "default", 5, epoch)), busy], {
        concurrency: 2,
      })
      assert.isTrue(Result.isSuccess(answer))
    }).pipe(Effect.scoped),
  )
})

onRedis("waiting dials of several processes", () => {
  it.live("are told when another process frees the line for them", () =>
    Effect.gen(function* () {
      const redis = yield* server
      const truth = new Truth()
      const patient = 30_000
      const [one, other] = yield* Effect.all([openProcess(redis, truth, patient), openProcess(redis, truth, patient)])
      const demands = demandsOf(1).map((demand) => ({ ...demand, ceiling: 1 }))
      const first = yield* acquire(one, truth, "exec_first", demands)
      assert(first._tag === "Acquired")
      assert.strictEqual((yield* acquire(other, truth, "exec_second", demands, 60_000))._tag, "Blocked")
      const listening = Effect.promise(() =>
        redis.command((client) => client.call("PUBSUB", "NUMSUB", "carillon:granted")),
      )
      yield* until(Effect.map(listening, (counts) => Array.isArray(counts) && counts[1] === 2))
      assert.deepStrictEqual(yield* one.slots.release("exec_first", first.fence, truth.now()), ["exec_second"])
      yield* until(Effect.sync(() => other.told.has("exec_second")))
      assert.strictEqual((yield* acquire(other, truth, "exec_second", demands))._tag, "Acquired")
    }).pipe(Effect.scoped),
  )

  it.live("leave nothing behind where the answer to an acquire was lost", () =>
    Effect.gen(function* () {
      const redis = yield* server
      const truth = new Truth()
      const process = yield* openProcess(redis, truth)
      const demands = demandsOf(1).map((demand) => ({ ...demand, ceiling: 1 }))
      const { slots } = process
      process.proxy.delayMs = 400
      const lost = yield* failureOf(acquire(process, truth, "exec_lost", demands))
      assert.deepInclude(lost, { _tag: "DependencyTimeout" })
      process.proxy.mend()
      // Taken back by its token, long before the reservation would lapse, and nobody was told of a fence.
      yield* until(
        Effect.map(
          Effect.result(slots.members(null, 10)),
          (result) => Result.isSuccess(result) && result.success.length === 0,
        ),
      )
      yield* until(
        Effect.map(
          Effect.result(acquire(process, truth, "exec_next", demands)),
          (result) => Result.isSuccess(result) && result.success._tag === "Acquired",
        ),
      )
    }).pipe(Effect.scoped),
  )
})
