import { Agents, Calls, Keys, Organizations } from "@carillon/core"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { afterAll, assert, describe, it } from "vitest"

// Nothing listens there: an engine begins, and goes on, without Redis.
process.env["REDIS_URL"] = "redis://127.0.0.1:1"
const { carillon } = await import("../examples/counters.ts")

afterAll(() => carillon.close())

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

describe("the guide's engine that counts on Redis", () => {
  it("is the file that is run here", () => {
    assert.include(text("docs/guides/redis.md"), text("docs/examples/counters.ts"))
  })

  it("places calls by the count of committed ones while Redis is away", async () => {
    const { status } = await carillon.run(
      Effect.gen(function* () {
        const tenant = yield* (yield* Organizations).open({
          name: "Acme",
          wallet: { balance: 100, currency: "USD" },
        })
        const key = yield* (yield* Keys).authenticate(tenant.key)
        assert(key !== null)
        const caller = { organization_id: tenant.organization.organization_id, request_id: "req_1", key }
        const { agent } = yield* (yield* Agents).create(caller, { display_name: "Reminder", status: "ACTIVE" })
        const { call } = yield* (yield* Calls).place(caller, {
          agent_id: agent.agent_id,
          to_number: "+15555550100",
          from_number: null,
          variables: {},
          metadata: {},
          scheduled_at: null,
          record: false,
          timeout_seconds: 30,
        })
        return call
      }),
    )
    assert.strictEqual(status, "queued")
  })
})
