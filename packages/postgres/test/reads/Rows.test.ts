import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { expect, it, vi } from "vitest"
import { makeAnyRow } from "../../src/reads/AnyRow.ts"
import { rowById } from "../../src/reads/Rows.ts"
import { makeSubscriptionStore } from "../../src/reads/Webhooks.ts"

it("nobody is asked for an id that is longer than any", async () => {
  const sql = { unsafe: () => Effect.die("asked") } as unknown as SqlClient.SqlClient
  const find = rowById(sql, { dependency: "agent_service", id: "agent_id", name: "agents" })
  expect(await Effect.runPromise(find("\\".repeat(1_000_000)))).toBeNull()
})

it("nobody is asked who listens to an agent by an id that is longer than any", async () => {
  const asked: Array<unknown> = []
  const unsafe = (_: string, parameters: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      asked.push(...parameters)
      return []
    })
  const store = makeSubscriptionStore({ unsafe } as unknown as SqlClient.SqlClient)
  expect(await Effect.runPromise(store.listeners("org_1", "\\".repeat(1_000_000)))).toEqual({ own: [], fallback: null })
  expect(asked).toEqual(["org_1", ""])
})

it("a row that is asked for by its id is read when it is handed out, and not before", async () => {
  const ids = Array.from({ length: 20 }, (_, nth) => `agt_${nth}`)
  const found = ids.map((id, nth) => ({ id, nth: nth + 1, row: Buffer.from(JSON.stringify({ agent_id: id })) }))
  const sql = {
    unsafe: () => Effect.succeed(found),
    transactionService: Context.Service("none"),
  } as unknown as SqlClient.SqlClient
  const find = rowById<{ readonly agent_id: string }>(sql, {
    dependency: "agent_service",
    id: "agent_id",
    name: "agents",
  })
  const rows = makeAnyRow(sql)
  const ways: ReadonlyArray<(id: string) => Effect.Effect<unknown, unknown>> = [
    find,
    (id) => rows([{ kind: "agent", organization_id: "org_1", id }]),
  ]
  for (const read of ways) {
    const parse = vi.spyOn(JSON, "parse")
    const ask = (id: string) => Effect.map(read(id), () => parse.mock.calls.length)
    const readByThen = await Effect.runPromise(Effect.forEach(ids, ask, { concurrency: "unbounded" }))
    parse.mockRestore()
    expect(readByThen).toEqual(ids.map((_, nth) => nth + 1))
  }
})
