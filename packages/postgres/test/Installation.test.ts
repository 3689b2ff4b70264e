import { AccountStore, type Platform } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { schemaText } from "./Schema.ts"
import { afterAll, describe, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  afterAll(() => server.stop())

  const on = <A, E>(
    database: string,
    effect: Effect.Effect<A, E, SqlClient.SqlClient>,
    user = "carillon",
  ): Promise<A> => {
    const url = Redacted.make(server.url(database).replace("carillon@", `${user}@`))
    return Effect.runPromise(
      Effect.provide(effect, PgClient.layer({ url, maxConnections: 2, applicationName: "carillon" })),
    )
  }

  const run = (database: string, ...texts: ReadonlyArray<string>): Promise<void> =>
    on(
      database,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const text of texts) yield* sql.unsafe(text)
      }),
    )

  /** Starts a process on the database, as far as its storage, and tells what it finds. */
  const start = (database: string, user?: string): Promise<Platform | null> =>
    on(
      database,
      Effect.scoped(
        Effect.gen(function* () {
          const ports = yield* Layer.build(Postgres.layerNoDeps)
          return yield* Context.get(ports, AccountStore).platform
        }),
      ),
      user,
    )

  const reason = "These rows were written in another database: they were restored or copied."

  let nth = 0
  const fresh = async (from?: string): Promise<string> => {
    const database = `installation_${nth++}`
    await run("postgres", `create database ${database}${from === undefined ? "" : ` template ${from}`}`)
    return database
  }

  /** What a dump leaves of a database: every row of the schema is written anew. */
  const restoreInPlace = async (database: string): Promise<void> => {
    await run(
      database,
      `do $$ declare t record; begin
        for t in select tablename as name from pg_tables where schemaname = 'carillon' loop
          execute format('create temporary table dump on commit drop as select * from carillon.%I', t.name);
          execute format('truncate carillon.%I', t.name);
          execute format('insert into carillon.%I overriding system value select * from dump', t.name);
          drop table dump;
        end loop;
      end $$`,
    )
  }

  it("the schema on a server is that on PGlite", async () => {
    const database = await fresh()
    await start(database)
    await expect(await on(database, schemaText)).toMatchFileSnapshot("schema.txt")
  })

  it("the steps of the schema are numbered without gaps: a later one of a lower number would never be taken", async () => {
    const database = await fresh()
    await start(database)
    const taken = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ readonly step: number }>`select migration_id as step from carillon.migrations order by 1`,
    )
    const steps = (await on(database, taken)).map(({ step }) => step)
    expect(steps).toEqual(steps.map((_, nth) => nth + 1))
  })

  describe("a database", () => {
    it("that is new, or started again, or vacuumed to the bone, is not held", async () => {
      const database = await fresh()
      expect(await start(database)).toBeNull()
      expect(await start(database)).toBeNull()
      await run(database, "vacuum (full, freeze) carillon.installation")
      expect(await start(database)).toBeNull()
    })

    const setReadOnly = (database: string, value: "on" | "off") =>
      run("postgres", `alter database ${database} set default_transaction_read_only = ${value}`)

    it("that takes no writes is read where nothing has to be written first, and told of where something has", async () => {
      const [database, empty] = [await fresh(), await fresh()]
      await start(database)
      for (const each of [database, empty]) await setReadOnly(each, "on")
      expect(await start(database)).toBeNull()
      await expect(start(empty)).rejects.toThrow("PostgreSQL is read-only, and the step 0001_rows of its schema")
      const copy = await fresh(database)
      await setReadOnly(copy, "on")
      await expect(start(copy)).rejects.toThrow(`PostgreSQL is read-only, and dialling cannot be held. ${reason}`)
      // Once it takes writes all is as ever.
      for (const each of [empty, copy]) await setReadOnly(each, "off")
      expect(await start(empty)).toBeNull()
      expect(await start(copy)).toMatchObject({ hold: { reason } })
    })

    it("that was copied is held, once, and its original is not", async () => {
      const original = await fresh()
      await start(original)
      const copy = await fresh(original)
      const held = await start(copy)
      expect(held).toMatchObject({ platform_id: "platform", revision: 1, concurrency: 1000, hold: { reason } })
      expect(await start(copy)).toEqual(held)
      await run(copy, "update carillon.platform set row = (row::jsonb - 'hold')::json, revision = revision + 1")
      expect((await start(copy))?.hold).toBeUndefined()
      expect(await start(original)).toBeNull()
    })

    it("whose rows were put back from a dump is held, also under its own name on its own server; ceilings are kept", async () => {
      const database = await fresh()
      await start(database)
      await run(
        database,
        `insert into carillon.platform (platform_id, revision, row)
         values ('platform', 4, '{"platform_id":"platform","revision":4,"concurrency":70}')`,
      )
      await restoreInPlace(database)
      expect(await start(database)).toMatchObject({ revision: 5, concurrency: 70, hold: { reason } })
    })

    it("is held where an operator says that it was put back", async () => {
      const database = await fresh()
      await start(database)
      await run(database, "update carillon.installation set written_by = 0")
      expect((await start(database))?.hold?.reason).toBe(reason)
    })

    it("is recognised by any number of processes that start at once: one of them holds it, all see it", async () => {
      const database = await fresh()
      await start(database)
      await run(database, "update carillon.installation set written_by = 0")
      const seen = await Promise.all(Array.from({ length: 5 }, () => start(database)))
      expect(new Set(seen.map((platform) => platform?.revision))).toEqual(new Set([1]))
      expect(seen.every((platform) => platform?.hold?.reason === reason)).toBe(true)
    })

    it("is recognised by a role that may do no more than it must, and by one that may not ask which server it is", async () => {
      await run("postgres", "create role plain login")
      const database = await fresh()
      await run(database, `grant create on database ${database} to plain`)
      expect(await start(database, "plain")).toBeNull()
      await run(database, "revoke execute on function pg_control_system() from public")
      expect(await start(database, "plain")).toBeNull()
      await restoreInPlace(database)
      expect((await start(database, "plain"))?.hold?.reason).toBe(reason)
      expect(await start(database, "plain")).toMatchObject({ revision: 1 })
    })
  })
}
