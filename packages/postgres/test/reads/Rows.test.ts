import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { rowById } from "../../src/reads/Rows.ts"

it("nobody is asked for an id that is longer than any", async () => {
  const sql = { unsafe: () => Effect.die("asked") } as unknown as SqlClient.SqlClient
  const find = rowById(sql, { dependency: "agent_service", id: "agent_id", name: "agents" })
  expect(await Effect.runPromise(find("\\".repeat(1_000_000)))).toBeNull()
})
