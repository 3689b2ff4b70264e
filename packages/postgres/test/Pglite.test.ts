import { Migrations, Postgres, PostgresRates, PostgresSlots } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, expect, it } from "vitest"
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

everySuite("on PGlite", () => Layer.effectContext(Effect.promise(() => services)))

const query = async (text: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  const context = await services
  return Effect.runPromise(Context.get(context, SqlClient.SqlClient).unsafe(text))
}

it("the schema is the one that was agreed on", async () => {
  const columns = await query(`
    select c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
      case when a.attnotnull then ' not null' else '' end ||
      case when a.attidentity <> '' then ' identity' else '' end ||
      coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'carillon'::regnamespace and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`)
  const indexes = await query("select indexdef as line from pg_indexes where schemaname = 'carillon' order by 1")
  const lines = [...columns, "", ...indexes].map((row) => (typeof row === "string" ? row : String(row["line"])))
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("schema.txt")
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
