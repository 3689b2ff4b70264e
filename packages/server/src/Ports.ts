import { AllowedDestinations, NumberOwnership, plainSecrets, type SecretsShape } from "@carillon/core"
import type { RateStore, SlotStore } from "@carillon/core/ports"
import type { Ports } from "@carillon/http"
import { nodeSecrets, secretKeysOf } from "@carillon/http/secrets"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { NodeTextExtractor } from "@carillon/knowledge-node"
import { Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { RedisConnection, RedisRates, RedisSlots } from "@carillon/redis"
import { Effect, Layer, Redacted } from "effect"
import type { ServerCarriers } from "./carriers/Carriers.ts"
import type { Settings } from "./settings/Settings.ts"

/** The connections of this process to PostgreSQL. */
export const database = ({ databaseConnections, databaseUrl }: Settings) =>
  Postgres.layerClient({ url: databaseUrl, maxConnections: databaseConnections })

const onPostgres = Layer.merge(PostgresSlots.layer, PostgresRates.layer)

const onRedis = (url: Redacted.Redacted, { redisAnswerMs, redisPrefix }: Settings) =>
  Layer.merge(RedisSlots.layer, RedisRates.layer).pipe(
    Layer.provide(RedisConnection.layer({ url: Redacted.value(url), prefix: redisPrefix, answerMs: redisAnswerMs })),
  )

/** The counters, on Redis where there is one. */
const counters = (
  settings: Settings,
): Layer.Layer<
  SlotStore | RateStore,
  Layer.Error<typeof onPostgres>,
  Layer.Services<typeof onPostgres | ReturnType<typeof onRedis>>
> => (settings.redisUrl === undefined ? onPostgres : onRedis(settings.redisUrl, settings))

/** Every port of the engine, as it was set up. */
export const ports = (settings: Settings, carriers: ServerCarriers): Layer.Layer<Ports, unknown> =>
  Layer.mergeAll(counters(settings), carriers.port, nodeWebhookTransport(), NodeTextExtractor.layer()).pipe(
    Layer.provideMerge(Postgres.layerNoDeps),
    Layer.provide(database(settings)),
    Layer.provideMerge(Layer.succeed(AllowedDestinations, settings.destinations)),
  )

/** Which numbers customers may register, as it was set up. The operator's own program is not asked. */
export const numberOwnership = ({ numberRegistration }: Pick<Settings, "numberRegistration">): Layer.Layer<never> =>
  numberRegistration === "first"
    ? Layer.empty
    : Layer.succeed(NumberOwnership, { mayRegister: () => Effect.succeed(false) })

/** How customers' secrets are kept, as it was set up. Throws a `TypeError` where an id is given to two keys. */
export const secrets = ({ secretKeys }: Pick<Settings, "secretKeys">): SecretsShape =>
  secretKeys === undefined ? plainSecrets : nodeSecrets({ keys: secretKeysOf(Redacted.value(secretKeys)) })
