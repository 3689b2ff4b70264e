import { randomUUID } from "node:crypto"
import { CallStore, counterPorts } from "@carillon/core/ports"
import { RedisConnection, RedisRates, RedisSlots } from "@carillon/redis"
import { Context, Effect, Exit, Layer, Logger, References, Scope } from "effect"
import { type CounterPlace, CountersAway } from "./CounterPlace.ts"

/** A world waits this long for an answer: it is to come out the same on a busy machine. */
const answerMs = 1_000

/** Counters on a Redis server, those of each world under a prefix of its own. Throws `CountersAway` where no Redis answers. */
export const redisCounters = async (url: string, name: string): Promise<CounterPlace> => {
  const connection = (prefix: string) => RedisConnection.layer({ url, prefix, answerMs })
  const answers = Effect.map(RedisConnection, ({ link }) => link.isUp)
  // That there is none is told in one line, by whoever asked for it.
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const isThere = await Effect.runPromise(Effect.provide(answers, Layer.provide(connection("carillon-sim"), quiet)))
  if (!isThere) throw new CountersAway(`no Redis answers at ${name}`)
  return {
    name,
    open: async (calls) => {
      const scope = Scope.makeUnsafe()
      const counters = Layer.merge(RedisSlots.layer, RedisRates.layer).pipe(
        Layer.provide(Layer.succeed(CallStore, calls)),
        Layer.provideMerge(connection(`carillon-sim:${randomUUID()}`)),
      )
      const context = await Effect.runPromise(
        Effect.provide(
          Layer.buildWithScope(counters, scope),
          Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
        ),
      )
      const forgotten = Effect.ignore(Effect.provideContext(RedisSlots.forget, Context.pick(RedisConnection)(context)))
      return {
        ...counterPorts(context),
        close: () => Effect.runPromise(Effect.andThen(forgotten, Scope.close(scope, Exit.void))),
      }
    },
  }
}
