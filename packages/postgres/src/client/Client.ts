import { PgClient, PgPool } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { Session } from "./Session.ts"
import { Transaction } from "./Transaction.ts"

/**
 * The connections of a process, each of them one statement's or one transaction's at a time. A statement for itself is cancelled where nobody waits for it
 * any more. A transaction takes the next statement before it has answered the one before.
 */
const make = Effect.fnUntraced(function* (options: PgPool.Config) {
  const pool = yield* PgPool.make({ ...options, multiplex: true, multiplexConcurrency: 1 })
  const reserve = Effect.map(pool.reserve, (session) => new Session(session))
  const client = yield* SqlClient.make({
    acquirer: reserve,
    transactionAcquirer: Effect.map(pool.get, (session) => new Transaction(session, pool.invalidate(session))),
    prepareTransactionControls: true,
    commit: (connection) => (connection instanceof Transaction ? connection.commit : Effect.die("not a transaction")),
    isTransaction: (connection) => connection instanceof Transaction && connection.isOpen,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]],
  })
  // Whoever reserves a connection begins no transaction by that.
  return Object.assign(client, { reserve })
})

/** A client on a pool of sessions with a server. */
export const layer = (options: PgPool.Config) =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))
