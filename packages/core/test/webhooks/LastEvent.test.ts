import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { sampleDelivery } from "../../src/testing/Samples.ts"
import type { Delivery } from "../../src/webhooks/rules/Delivery.ts"
import { eventTypes } from "../../src/webhooks/rules/EventType.ts"
import { asksForOneType, isOnFirstWay, mayWaitForOthers } from "../../src/webhooks/LastEvent.ts"

const created_at = Date.UTC(2026, 0, 5, 9)
const attempt = { attempt: 1, started_at: created_at, duration_ms: 1, http_status: 500, error_class: null }

const delivery = (changes: Partial<Delivery>): Delivery => sampleDelivery("org_1", { created_at, ...changes })

describe("the last event of a call", () => {
  it("is the only one that waits for others, once and for a while", () => {
    for (const event_type of eventTypes) {
      const isLast = event_type === "all_processing_completed"
      const end = created_at + limits.webhookBehindMaxMs
      assert.strictEqual(mayWaitForOthers(delivery({ event_type }), end - 1), isLast)
      assert.isFalse(mayWaitForOthers(delivery({ event_type }), end))
      assert.isFalse(mayWaitForOthers(delivery({ event_type, attempts: [attempt] }), end - 1))
    }
  })

  it("waits for nobody where its subscription asks for no other, whichever of the agent's it is", () => {
    const one = {
      subscription_id: "sub_1",
      revision: 1,
      enabled: true,
      event_types: ["all_processing_completed"],
    } as const
    const two = {
      subscription_id: "sub_2",
      revision: 1,
      enabled: true,
      event_types: ["call_completed", "all_processing_completed"],
    } as const
    for (const listeners of [
      { own: [one, two], fallback: null },
      { own: [two], fallback: one },
    ]) {
      assert.isTrue(asksForOneType(listeners, "sub_1"))
      assert.isFalse(asksForOneType(listeners, "sub_2"))
      assert.isFalse(asksForOneType(listeners, "sub_3"))
    }
  })

  it("waits for others that were not attempted yet, and for no further one of its own kind", () => {
    for (const event_type of eventTypes) {
      const isOther = event_type !== "all_processing_completed"
      assert.strictEqual(isOnFirstWay(delivery({ event_type })), isOther)
      assert.isFalse(isOnFirstWay(delivery({ event_type, attempts: [attempt] })))
      assert.isFalse(isOnFirstWay(delivery({ event_type, status: "failed" })))
    }
  })
})
