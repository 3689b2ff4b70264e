import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
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
