import { Postgres } from "@carillon/postgres"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout as sleep } from "node:timers/promises"
import { createDatabase, startPostgres } from "../servers/PostgresServer.ts"
import { Child } from "./Child.ts"
import type { Customer, FromEngine, FromLoad, ToEngine, ToLoad } from "./Protocol.ts"

type Sql = SqlClient.SqlClient

/** Everything of a run: a database with an engine and its customers, each in a process of its own, and a connection to look at the rows. */
export interface Stage {
  readonly url: string
  /** Where its rows are. */
  readonly database: string
  readonly engine: Child<ToEngine, FromEngine>
  readonly load: Child<ToLoad, FromLoad>
  readonly query: <A>(statements: (sql: Sql) => Effect.Effect<A, unknown, Sql>) => Promise<A>
  readonly customers: readonly [Customer, Customer]
  readonly close: () => Promise<void>
}

const settleMs = 200

const unsettled = "select 1 from carillon.deliveries where due union all select 1 from carillon.events where waiting"

/** Starts all of it, with two organizations that have made a few calls, all of which were told of; null where there is no PostgreSQL. */
export const startStage = async (): Promise<Stage | null> => {
  const server = await startPostgres()
  if (server === null) return null
  const database = await createDatabase(server, "purge")
  const client = Postgres.layerClient({ url: Redacted.make(database), maxConnections: 1 })
  const runtime = ManagedRuntime.make(client)
  const query: Stage["query"] = (statements) =>
    runtime.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.andThen(sql.unsafe("set statement_timeout = 0"), statements(sql)),
      ),
    )
  const load = new Child<ToLoad, FromLoad>("./LoadProcess.ts")
  const hook = `http://127.0.0.1:${(await load.hear("listening")).port}/`
  const engine = new Child<ToEngine, FromEngine>("./EngineProcess.ts", [database])
  const { port } = await engine.hear("listening")
  const opened = async (name: string) => (await engine.ask({ type: "open", name, hook }, "opened")).customer
  const customers = [await opened("Large"), await opened("Other")] as const
  while ((await query((sql) => sql.unsafe(unsettled))).length > 0) await sleep(settleMs)
  const close = async () => {
    await Promise.all([engine.close(), load.close()])
    await runtime.dispose()
    await server.stop()
  }
  return { url: `http://127.0.0.1:${port}`, database, engine, load, query, customers, close }
}
