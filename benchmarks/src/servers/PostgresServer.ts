import { Postgres } from "@carillon/postgres"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import {
  type PostgresOptions,
  type PostgresServer,
  startPostgres as start,
} from "../../../scripts/servers/PostgresServer.ts"

/** A PostgreSQL of a scenario's own that is as durable as production's; where there is none, it is said that the scenario is left out. */
export const startPostgres = async (options: Omit<PostgresOptions, "durable"> = {}): Promise<PostgresServer | null> => {
  const server = await start({ ...options, durable: true })
  if (typeof server !== "string") return server
  process.stdout.write(`  left out: ${server}\n\n`)
  return null
}

/** An empty database of the server; its address. */
export const createDatabase = async (server: PostgresServer, name: string): Promise<string> => {
  const client = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 1 })
  await Effect.runPromise(
    Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`create database ${name}`)),
      client,
    ),
  )
  return server.url(name)
}
