import {
  AccountStore,
  AgentStore,
  AuditStore,
  BatchStore,
  CalleeStore,
  CallStore,
  CampaignStore,
  ContactStore,
  DeliveryStore,
  ExperimentStore,
  IdempotencyStore,
  KeyStore,
  KnowledgeStore,
  LaneStore,
  NumberStore,
  ProviderStore,
  RetrievalIndex,
  Store,
  SubscriptionStore,
  TallyStore,
  UploadPlaces,
  UsageStore,
  Wakeups,
} from "@carillon/core/ports"
import { wholeSetting } from "@carillon/core/carrier"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "./client/Client.ts"
import { holdIfRestored } from "./Installation.ts"
import { upToDate } from "./Migrations.ts"
import { isReadOnly } from "./ReadOnly.ts"
import { forgetForeignLanes } from "./queries/TouchLanes.ts"
import { makeAccountStore, makeKeyStore, makeNumberStore, makeProviderStore } from "./reads/Accounts.ts"
import { makeAgentStore, makeExperimentStore } from "./reads/Agents.ts"
import { makeAuditStore } from "./reads/Audit.ts"
import { makeCalleeStore } from "./reads/Callees.ts"
import { makeCallStore } from "./reads/Calls.ts"
import { makeBatchStore, makeCampaignStore, makeLaneStore, makeTallyStore } from "./reads/Campaigns.ts"
import { makeContactStore } from "./reads/Contacts.ts"
import { makeIdempotencyStore } from "./reads/Idempotency.ts"
import { makeKnowledgeStore, makeUploadPlaces } from "./reads/Knowledge.ts"
import { makeRetrievalIndex } from "./reads/Retrieval.ts"
import { makeUsageStore } from "./reads/Usage.ts"
import { makeWakeups } from "./reads/Wakeups.ts"
import { makeDeliveryStore, makeSubscriptionStore } from "./reads/Webhooks.ts"
import { makeStore } from "./Store.ts"

const stores = (sql: SqlClient.SqlClient) =>
  Layer.mergeAll(
    Layer.succeed(Store, makeStore(sql)),
    Layer.succeed(CallStore, makeCallStore(sql)),
    Layer.succeed(CalleeStore, makeCalleeStore(sql)),
    Layer.succeed(AgentStore, makeAgentStore(sql)),
    Layer.succeed(KeyStore, makeKeyStore(sql)),
    Layer.succeed(AccountStore, makeAccountStore(sql)),
    Layer.succeed(ExperimentStore, makeExperimentStore(sql)),
    Layer.succeed(NumberStore, makeNumberStore(sql)),
    Layer.succeed(ProviderStore, makeProviderStore(sql)),
    Layer.succeed(UsageStore, makeUsageStore(sql)),
    Layer.succeed(IdempotencyStore, makeIdempotencyStore(sql)),
    Layer.succeed(AuditStore, makeAuditStore(sql)),
    Layer.succeed(SubscriptionStore, makeSubscriptionStore(sql)),
    Layer.succeed(DeliveryStore, makeDeliveryStore(sql)),
    Layer.succeed(CampaignStore, makeCampaignStore(sql)),
    Layer.succeed(BatchStore, makeBatchStore(sql)),
    Layer.succeed(ContactStore, makeContactStore(sql)),
    Layer.succeed(TallyStore, makeTallyStore(sql)),
    Layer.succeed(LaneStore, makeLaneStore(sql)),
    Layer.succeed(KnowledgeStore, makeKnowledgeStore(sql)),
    Layer.succeed(UploadPlaces, makeUploadPlaces(sql)),
    Layer.effect(RetrievalIndex, makeRetrievalIndex(sql)),
    Layer.succeed(Wakeups, makeWakeups(sql)),
  )

/**
 * Every storage port on the client that the host provides; the schema is brought up to date first, and dialling held on restored rows. A server that
 * takes no writes is read, where there is nothing to be written first.
 */
export const layerNoDeps = Layer.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* upToDate
    yield* holdIfRestored
    if (!(yield* isReadOnly)) yield* forgetForeignLanes(sql)
    return stores(sql)
  }),
)

/** How a server is reached and used. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: Redacted.Redacted
  /** Connections that this process opens at most: 1 to 10,000. */
  readonly maxConnections?: number
}

const maxConnectionsDefault = 10
const maxConnectionsMost = 10_000

/**
 * The largest message that is taken from a server; a larger one ends its connection for everybody who waits on it. What is written is far below
 * (`limits.rowBytes`, `limits.pageBytes`, `limits.knowledgePieceBytes`); but there are rows from before there was a bound.
 */
export const maxMessageSize = 64 * 1024 * 1024

/** The server ends a statement, or a transaction in which nothing happens any more, before the engine gives up on it. */
const sessionLimits = { statement_timeout: "8s", idle_in_transaction_session_timeout: "8s" }

/** The connections of this process to a server. Throws `WrongSetting` for a pool in which nothing would ever get its turn. */
export const layerClient = ({ url, maxConnections: asked = maxConnectionsDefault }: PostgresOptions) => {
  const maxConnections = wholeSetting("maxConnections", asked, 1, maxConnectionsMost)
  return Client.layer({
    url,
    maxConnections,
    applicationName: "carillon",
    startupParameters: sessionLimits,
    maxMessageSize,
  })
}

/** Every storage port on a PostgreSQL server (15 or later). Throws `WrongSetting` as `layerClient` does. */
export const layer = (options: PostgresOptions) => Layer.provide(layerNoDeps, layerClient(options))
