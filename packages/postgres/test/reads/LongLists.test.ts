import { limits } from "@carillon/core"
import { type Callee, calleeId, Pacing } from "@carillon/core/ports"
import { samplePhoneNumber } from "@carillon/core/testing"
import { Migrations } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { documentOf } from "../../src/Documents.ts"
import { makeAccountStore } from "../../src/reads/Accounts.ts"
import { makeCalleeStore } from "../../src/reads/Callees.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const database = Effect.runPromise(
  Effect.gen(function* () {
    const sql = Context.get(yield* Layer.buildWithScope(Pglite.layerClient("memory://"), scope), SqlClient.SqlClient)
    yield* Effect.provideService(Migrations.migrate, SqlClient.SqlClient, sql)
    return sql
  }),
)

it("all numbers of an organization are one row, and no document of them is read", async () => {
  const sql = await database
  const texts = Array.from({ length: 500 }, (_, nth) => `+1212555${5_000 + ((nth * 7) % 500)}`)
  const insert = `insert into carillon.phone_numbers (phone_number_id, organization_id, revision, created_at, phone_number, row)
    values ($1, 'org_numbers', 1, 0, $2, $3::text::json)`
  for (const text of texts) {
    const row = samplePhoneNumber("org_numbers", text)
    await Effect.runPromise(sql.unsafe(insert, [row.phone_number_id, text, documentOf(row)]))
  }
  let rows = 0
  let characters = 0
  const counting = new Proxy(sql, {
    get: (target, name) =>
      name === "unsafe"
        ? (text: string, parameters?: ReadonlyArray<unknown>) =>
            Effect.tap(target.unsafe(text, parameters), (found) =>
              Effect.sync(() => {
                rows += found.length
                characters += JSON.stringify(found).length
              }),
            )
        : Reflect.get(target, name),
  })
  assert.deepStrictEqual(await Effect.runPromise(makeAccountStore(counting).numbers("org_numbers")), texts)
  assert.strictEqual(rows, 1)
  assert.isAtMost(characters, 20 * texts.length)
})

it("hundreds of large callees are read in many turns", async () => {
  const sql = await database
  const numbers = Array.from({ length: limits.suppressionChunk }, (_, nth) => `+1212555${1_000 + nth}`)
  const insert = `insert into carillon.callees (callee_id, organization_id, revision, suppressed, row)
    values ($1, 'org_callees', 1, true, $2::text::json)`
  const suppression = {
    agent_id: null,
    campaign_id: null,
    created_at: 0,
    expires_at: null,
    note: "x".repeat(limits.suppressionRowBytes),
    reason: null,
    source: null,
  }
  const rows = numbers.map((to_number): Callee => ({
    organization_id: "org_callees",
    to_number,
    revision: 1,
    suppressions: [suppression],
  }))
  for (const row of rows) {
    await Effect.runPromise(sql.unsafe(insert, [calleeId("org_callees", row.to_number), documentOf(row)]))
  }
  let turns = 0
  const pacing = Effect.sync(() => void (turns += 1))
  const found = await Effect.runPromise(
    Effect.provideService(makeCalleeStore(sql).several("org_callees", numbers), Pacing, pacing),
  )
  assert.sameDeepMembers([...found], rows)
  assert.isAtLeast(turns, 30)
})
