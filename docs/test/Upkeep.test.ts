import { readFileSync } from "node:fs"
import type { CarrierReport } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { promiseCarrier } from "@carillon/core"
import { Layer } from "effect"
import { afterAll, assert, expect, it, vi } from "vitest"
import { keysOf, purge, rebuildWakeups, repair, verify } from "../examples/upkeep.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const carrier = promiseCarrier({
  dial: async () => ({ _tag: "Accepted", call_sid: null }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})
const tables = new MemoryTables()
const open = (takesWork: boolean) => {
  const outside = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport())
  return Carillon.make({ ports: Layer.merge(MemoryStore.layer(tables), outside), takesWork, metrics: false })
}
/** One works, and the other one looks after the rows, as `carillon-admin` does. */
const [working, looking] = await Promise.all([open(true), open(false)])
afterAll(() => Promise.all([working.close(), looking.close()]))

const patienceMs = 60_000

/** The last words of a call that nobody has taken. */
const over = (execution_id: string): CarrierReport => ({
  execution_id,
  at: Date.now(),
  call_sid: null,
  type: "final",
  end: {
    status: "no-answer",
    duration_seconds: 0,
    answered_by_voicemail: null,
    hangup_by: null,
    hangup_reason: null,
    error: null,
  },
  facts: { recording_url: null, cost: null, media: null },
})

it("rows are looked after as the guide says: verified, repaired, taken away, and keys listed", async () => {
  assert.include(text("guides/embedding.md"), text("examples/upkeep.ts"))
  const { key, organization } = await working.organizations.open({
    name: "Acme",
    wallet: { balance: 100, currency: "USD" },
  })
  const { organization_id } = organization
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const request = new Request(`http://engine/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    return Object(await (await webHandler(working.handle)(request)).json())
  }
  const { agent_id } = await post("/agents", { display_name: "Reminder", status: "ACTIVE" })
  const { execution_id } = await post("/calls", { agent_id, to_number: "+15555550100" })

  await repair(looking)
  assert.isAtLeast(await rebuildWakeups(looking), 1)
  // Who is on the line is not taken away.
  assert.strictEqual((await purge(looking, organization_id, new Date(Date.now() + patienceMs))).calls, 0)
  await working.report(over(String(execution_id)))
  await vi.waitFor(async () => {
    assert.strictEqual((await purge(looking, organization_id, new Date(Date.now() + 1))).calls, 1)
  }, patienceMs)
  assert.deepInclude(await verify(looking, organization_id), { fault_count: 0, moving: 0, faults: [] })
  await expect(verify(looking, "org_of_nobody")).rejects.toMatchObject({ _tag: "NotFound" })

  for (let nth = 0; nth < 101; nth++) await working.organizations.giveKey(organization_id, `Key ${nth}`)
  const names = new Set<string>()
  for await (const { key_id } of keysOf(looking, organization_id)) names.add(key_id)
  assert.strictEqual(names.size, 102)
})
