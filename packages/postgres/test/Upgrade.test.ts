import { IdempotencyStoreSuite, LawShare, RateStoreSuite, StoreDifferentialSuite } from "@carillon/core/testing"
import { Migrations, Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, describe, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"
import { rowSuites } from "./Suites.ts"

const server = await startPostgres()

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const database = "upgraded"
  const on = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> =>
    Effect.runPromise(
      Effect.provide(effect, PgClient.layer({ url: Redacted.make(server.url(database)), maxConnections: 1 })),
    )
  const query = <Row extends object>(text: string) =>
    on(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(text)))

  await Effect.runPromise(
    Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`create database ${database}`)),
      PgClient.layer({ url: Redacted.make(server.url()) }),
    ),
  )
  const scope = Scope.makeUnsafe()
  // A process that has been running since before the schema went on: its connections have prepared their statements already.
  const running = await Effect.runPromise(
    Layer.buildWithScope(
      Layer.provide(
        Layer.mergeAll(Postgres.layerNoDeps, PostgresRates.layer, PostgresSlots.layer),
        Postgres.layerClient({ url: Redacted.make(server.url(database)), maxConnections: 4 }),
      ),
      scope,
    ),
  )
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server.stop()
  })
  const ports = Layer.effectContext(Effect.succeed(running))

  /** What the policy lets a later release do at once: every table gets a column and an index on it, and there are tables and sequences more. */
  const expand = async (name: string): Promise<void> => {
    const tables = await query<{ readonly name: string }>(
      "select tablename as name from pg_tables where schemaname = 'carillon' and tablename <> 'migrations' order by 1",
    )
    await on(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(
              `insert into carillon.migrations (migration_id, name)
               select max(migration_id) + 1, '${name}' from carillon.migrations`,
            )
            for (const table of tables) {
              yield* sql.unsafe(`alter table carillon.${table.name} add column added_later text`)
              yield* sql.unsafe(`alter table carillon.${table.name} add column counted_later bigint not null default 0`)
              yield* sql.unsafe(
                `create index ${table.name}_later on carillon.${table.name} (added_later) where added_later is not null`,
              )
            }
            yield* sql.unsafe("create table carillon.added_later (id text primary key)")
            yield* sql.unsafe("create sequence carillon.drawn_later")
          }),
        )
      }),
    )
  }

  // One script of everything that is written and read prepares the statements.
  StoreDifferentialSuite.suite("A store of plain maps, and the one before the schema goes on", ports, { numRuns: 10 })
  RateStoreSuite.suite("RateStore before the schema goes on", ports)
  IdempotencyStoreSuite.suite("IdempotencyStore before the schema goes on", ports)

  describe("while the schema goes on", () => {
    it("a step of the next release is taken beside a process of this one", async () => {
      await expand("whatever_comes_next")
      expect(await on(Migrations.migrate)).toEqual([])
    })
  })

  // What a statement that was prepared before does now, its first uses show; whether it is right, those of Postgres.test.ts.
  rowSuites("of a process that has run since before", () => Layer.merge(ports, Layer.succeed(LawShare, 0.25)))

  describe("a process of this release", () => {
    it("that starts on the schema of the next one leaves it as it is", async () => {
      const steps = await query("select * from carillon.migrations order by migration_id")
      expect(await on(Effect.scoped(Effect.as(Layer.build(Postgres.layerNoDeps), "started")))).toBe("started")
      expect(await query("select * from carillon.migrations order by migration_id")).toEqual(steps)
    })

    it("is refused, with the step that it would have to know, by a schema that has gone on too far", async () => {
      const [last] = await query<{ readonly id: number }>("select max(migration_id) as id from carillon.migrations")
      const later = (last?.id ?? 0) + 1
      const known = later - 2
      const began = (needed: number) =>
        query(`insert into carillon.migrations (migration_id, name) values (${later}, 'drop_columns_needs_${needed}')`)
      await began(known)
      expect(await on(Migrations.migrate)).toEqual([])
      await query(`delete from carillon.migrations where migration_id = ${later}`)
      await began(known + 1)
      const refusal = await on(Effect.flip(Migrations.migrate))
      expect(refusal).toMatchObject({ _tag: "SchemaTooNew", known, needed: known + 1 })
      expect(refusal.message).toContain("Run a later release.")
    })
  })
}
