import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Starts an effect that outlives whoever started it. */
export type Start = (effect: Effect.Effect<void>) => Effect.Effect<unknown>

/** Starts what is done for several at a time: it runs in no transaction that whoever starts it may be in. */
export const detached =
  (sql: SqlClient.SqlClient): Start =>
  (effect) =>
    Effect.forkDetach(
      Effect.updateContext(effect, (context: Context.Context<never>) => Context.omit(sql.transactionService)(context)),
    )
