import { type Dependency, DependencyTimeout, DependencyUnavailable, type PortError } from "@carillon/core"
import { CurrentMeters, CurrentOutages, metrics, type Outages, outcomeOf, timed } from "@carillon/core/ports"
import { WrongSetting, wholeSetting } from "@carillon/core/carrier"
import { Context, Effect, Layer, type Scope } from "effect"
import { Link, type LinkNews, Subscription } from "./Link.ts"
import { redisLimits } from "./RedisLimits.ts"
import type { Script } from "./Script.ts"

/** Where the counters are. */
export interface RedisOptions {
  /** `redis://[user:password@]host[:port][/db]`, or `rediss://` for TLS. */
  readonly url: string
  /** What all keys begin with, so that several engines may share a server; `carillon` unless given. */
  readonly prefix?: string
  /** How long an answer may take, in milliseconds, up to a minute; 100 unless given. */
  readonly answerMs?: number
}

export interface RedisConnectionShape {
  readonly prefix: string
  readonly link: Link
  /** Runs a script. It is not torn by an interruption, and answers or fails within a tenth of a second. */
  readonly run: (
    dependency: Dependency,
    script: Script,
    keys: ReadonlyArray<string>,
    args: ReadonlyArray<string | number>,
  ) => Effect.Effect<unknown, PortError>
  /** Listens to a channel until the scope closes. */
  readonly subscribe: (channel: string, listener: (message: string) => void) => Effect.Effect<void, never, Scope.Scope>
}

const outcomes = {
  ok: "ok",
  DependencyUnavailable: "unavailable",
  DependencyTimeout: "timeout",
  InvalidField: "ok",
} as const

/** Measures a script, where the engine that asked is measured, and counts what went without an answer. */
const measured = (dependency: Dependency, { name }: Script, asked: Effect.Effect<unknown, PortError>) =>
  Effect.withFiber<unknown, PortError>((fiber) => {
    const outages = fiber.getRef(CurrentOutages)
    const counted = outages === null ? asked : Effect.tapError(asked, () => Effect.sync(() => outages.missed("redis")))
    return timed(fiber.getRef(CurrentMeters), Effect.uninterruptible(counted), (meters, seconds, exit) => {
      const outcome = outcomeOf(exit)
      if (outcome !== null) meters.record(metrics.database, ["redis", name, dependency, outcomes[outcome]], seconds)
    })
  })

const causes = { lost: "the connection broke", silent: "it is silent" } as const

/** Redis has a breaker of its own, which says when it is away and when it is back. */
const told = (outages: Outages, news: LinkNews): Effect.Effect<void> =>
  news === "back" ? outages.answered("redis", Infinity) : outages.failed("redis", causes[news])

const said: Readonly<Record<LinkNews, Effect.Effect<void>>> = {
  lost: Effect.logWarning("The connection to Redis broke: what it counts is given by other means until it is back."),
  silent: Effect.logWarning("Redis does not answer: what it counts is given by other means until it does."),
  back: Effect.logInfo("Redis answers again."),
}

/** Throws `WrongSetting` for what no server will ever answer under; the address may have a password, so it is not told. */
const checked = ({ answerMs = redisLimits.answerMs, prefix = "carillon", url }: RedisOptions) => {
  const protocol = URL.parse(url)?.protocol
  if (protocol !== "redis:" && protocol !== "rediss:") {
    throw new WrongSetting("url must be a redis:// or rediss:// address.")
  }
  return { url, prefix, answerMs: wholeSetting("answerMs", answerMs, 1, redisLimits.answerMsMost) }
}

/** The connection that the counters share. It opens and closes with its scope and needs no Redis to open: what is not there fails. */
export class RedisConnection extends Context.Service<RedisConnection, RedisConnectionShape>()(
  "@carillon/redis/RedisConnection",
) {
  /** Throws `WrongSetting` for an address or a time that cannot be meant. */
  static readonly layer = (options: RedisOptions): Layer.Layer<RedisConnection> => {
    const { answerMs, prefix, url } = checked(options)
    return Layer.effect(
      RedisConnection,
      Effect.gen(function* () {
        const link = yield* Effect.acquireRelease(
          Effect.sync(() => new Link(url, prefix, answerMs)),
          (opened) => Effect.sync(() => opened.close()),
        )
        yield* Effect.callback<void>((resume) => {
          const goOn = () => {
            clearTimeout(timer)
            stop()
            resume(Effect.void)
          }
          const stop = link.onUp(goOn)
          const timer = setTimeout(goOn, redisLimits.startMs)
          link.connect()
          return Effect.sync(goOn)
        })
        const outages = yield* CurrentOutages
        if (!link.isUp) {
          yield* outages === null
            ? Effect.logWarning("Redis cannot be reached: what it counts is given by other means until it can.")
            : outages.failed("redis", "it cannot be reached")
        }
        const run = Effect.runForkWith(yield* Effect.context<never>())
        link.onNews = (news) => void run(outages === null ? said[news] : told(outages, news))
        return RedisConnection.of({
          prefix,
          link,
          run: (dependency, script, keys, args) =>
            measured(
              dependency,
              script,
              Effect.callback<unknown, PortError>((resume) =>
                link.ask(
                  script,
                  keys,
                  args,
                  (reply) => resume(Effect.succeed(reply)),
                  (silence) =>
                    resume(
                      Effect.fail(
                        silence === "timeout"
                          ? new DependencyTimeout({ dependency })
                          : new DependencyUnavailable({ dependency }),
                      ),
                    ),
                ),
              ),
            ),
          subscribe: (channel, listener) =>
            Effect.asVoid(
              Effect.acquireRelease(
                Effect.sync(() => new Subscription(url, channel, listener)),
                (subscription) => Effect.sync(() => subscription.close()),
              ),
            ),
        })
      }),
    )
  }
}
