import { LawShare } from "@carillon/core/testing"
import { Migrations, Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, expect, it } from "vitest"
import { schemaText } from "./Schema.ts"
import { everySuite } from "./Suites.ts"

// One database for all suites: starting it takes far longer than any of them.
const scope = Scope.makeUnsafe()
const services = Effect.runPromise(
  Layer.buildWithScope(
    Layer.provideMerge(
      Layer.mergeAll(Postgres.layerNoDeps, PostgresRates.layer, PostgresSlots.layer),
      Pglite.layerClient("memory://"),
    ),
    scope,
  ),
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

// The same statements run whole on PostgreSQL (Postgres.test.ts), ten times as fast.
const share = Layer.succeed(LawShare, 0.1)
everySuite("on PGlite", () => Layer.merge(Layer.effectContext(Effect.promise(() => services)), share))

const query = async (text: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  const context = await services
  return Effect.runPromise(Context.get(context, SqlClient.SqlClient).unsafe(text))
}

it("the schema is the one that was agreed on", async () => {
  await expect(await Effect.runPromise(Effect.provideContext(schemaText, await services))).toMatchFileSnapshot(
    "schema.txt",
  )
})

it("a second migration finds nothing to do", async () => {
  const context = await services
  expect(await Effect.runPromise(Effect.provideContext(Migrations.migrate, context))).toEqual([])
})

it("a transaction that fails leaves nothing behind for the next session or statement", async () => {
  const context = await services
  const sql = Context.get(context, SqlClient.SqlClient)
  const broken = sql.withTransaction(
    Effect.andThen(
      sql`insert into carillon.wakeups (kind, subject, at) values ('call', 'broken', 1)`,
      sql`select 1 / 0`,
    ),
  )
  expect(Exit.isFailure(await Effect.runPromiseExit(broken))).toBe(true)
  expect(await query("select * from carillon.wakeups where subject = 'broken'")).toEqual([])
})
