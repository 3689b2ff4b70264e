import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CallStore, newCall, directDial, Organizations, SlotStore, Store } from "@carillon/core"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { start } from "../examples/durable.ts"

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
})
