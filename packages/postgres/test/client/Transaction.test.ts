import { Postgres } from "@carillon/postgres"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { atOnce } from "../../src/AtOnce.ts"
import { startPostgres } from "../../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())
  const connection = Postgres.layerClient({ url: Redacted.make(server.url()), maxConnections: 2 })
  const run = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.runPromise(Effect.provide(effect, connection))

  const rowsOf = (table: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe<{ readonly n: number }>(`select n from ${table} order by n`),
    )

  it("is never told of as written where nobody waited for one of its answers: the server has undone it", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("create table given_up (n integer)")
        const gaveUp = yield* Effect.exit(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe("insert into given_up values (1)")
              yield* Effect.timeoutOption(sql.unsafe("select pg_sleep(30)"), "50 millis")
            }),
          ),
        )
        assert.isTrue(Exit.isFailure(gaveUp))
        assert.deepEqual(yield* rowsOf("given_up"), [])
        // The next one has a session of its own.
        yield* sql.withTransaction(sql.unsafe("insert into given_up values (2)"))
        assert.deepEqual(yield* rowsOf("given_up"), [{ n: 2 }])
      }),
    ))

  it("is undone as a whole where one of the statements that were sent together fails, and tells of that one", () =>
    run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe("create table undone (n integer)")
        const failed = yield* Effect.flip(
          sql.withTransaction(
            atOnce([
              sql.unsafe("insert into undone values (3)"),
              sql.unsafe("select 1 / 0"),
              sql.unsafe("insert into undone values (4)"),
            ]),
          ),
        )
        assert.include(String(failed.reason.cause), "division by zero")
        assert.deepEqual(yield* rowsOf("undone"), [])
      }),
    ))
}
