import { RateStore } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { reading } from "./Failures.ts"
import { hitRate, peekRate } from "./queries/HitRate.ts"
import { upToDate } from "./Migrations.ts"

/**
 * The counters of the request rate beside the rows, for hosts without Redis: exact over any number of processes, at the price of one
 * statement for each request. It asks for the client that the storage has, so give both the same layer of it.
 */
export const layer = Layer.effect(
  RateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* upToDate
    return RateStore.of({
      hit: (organizationId, bucket, limit, now) =>
        reading("rate_limit_store", hitRate(sql, organizationId, bucket, limit, now)),
      peek: (organizationId, bucket, limit, now) =>
        reading("rate_limit_store", peekRate(sql, organizationId, bucket, limit, now)),
    })
  }),
)
