import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Dialling, Organizations } from "@carillon/core"
import { newCall, directDial } from "@carillon/core/domain"
import { CallStore, SlotStore, Store } from "@carillon/core/ports"
import * as Pglite from "@carillon/postgres/pglite"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, describe, it } from "vitest"
import { start } from "../examples/durable.ts"
import { release } from "../examples/release.ts"

const directory = mkdtempSync(join(tmpdir(), "carillon-docs-"))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** A call that is under way, as a process leaves it behind that dies. */
const underWay = (organizationId: string) => {
  const dial = {
    agent_id: "agt_sample",
    to_number: "+15555550100",
    from_number: null,
    variables: {},
    metadata: {},
    scheduled_at: null,
    record: true,
    timeout_seconds: 30,
  }
  const call = newCall(organizationId, "exec_sample", dial, directDial, Date.now())
  const levels = [{ level: "organization" as const, key: organizationId }]
  return { ...call, dial: "accepted" as const, slot: { member: call.execution_id, fence: 7, levels } }
}

describe("the example of a durable engine", () => {
  it("is the file that is run here", () => {
    assert.include(text("docs/guides/production.md"), text("docs/examples/durable.ts"))
  })

  it("finds its rows again, and the lines of live calls before it gives any", async () => {
    const first = await start(directory)
    const tenant = await first.run(
      Effect.flatMap(Organizations, (organizations) =>
        organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
      ),
    )
    const { organization_id } = tenant.organization
    const call = underWay(organization_id)
    await first.run(
      Effect.flatMap(Store, (store) =>
        store.commit({
          id: "cmt_sample",
          organization_id,
          expect: [],
          changes: [{ put: "call", row: call }],
          wakeups: [],
          events: [],
          audit: [],
        }),
      ),
    )
    await first.close()
    const second = await start(directory)
    const found = await second.run(Effect.flatMap(CallStore, (calls) => calls.find(organization_id, call.execution_id)))
    assert.deepStrictEqual(found, call)
    const [used] = await second.run(Effect.flatMap(SlotStore, (slots) => slots.used(call.slot.levels)))
    assert.strictEqual(used, 1)
    await second.close()
  })

  it("holds its dialling where somebody says that its rows were put back, until it is released as the guide says", async () => {
    const guide = text("docs/guides/production.md")
    assert.include(guide, text("docs/examples/release.ts"))
    const statement = "update carillon.installation set written_by = 0"
    assert.include(guide, statement)
    await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)),
        Pglite.layerClient(directory),
      ),
    )
    const restored = await start(directory)
    const standing = Effect.flatMap(Dialling, (dialling) => dialling.standing)
    const hold = await restored.run(standing)
    assert.include(hold?.reason, "restored")
    assert.deepStrictEqual(await release(restored), hold)
    assert.isNull(await restored.run(standing))
    await restored.close()
  })
})
