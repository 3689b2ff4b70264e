import { assert, describe, it } from "vitest"
import { limits } from "../../src/Limits.ts"
import type { Listeners } from "../../src/webhooks/rules/Subscription.ts"
import { ListenerMemory } from "../../src/webhooks/rules/ListenerMemory.ts"

const listeners = (count: number, hasFallback = false): Listeners => {
  const listener = (nth: number) => ({ subscription_id: `sub_${nth}`, revision: 1, enabled: true, event_types: [] })
  return { own: Array.from({ length: count }, (_, nth) => listener(nth)), fallback: hasFallback ? listener(-1) : null }
}

const read = (memory: ListenerMemory, organizationId: string, agentId: string, found: Listeners, now: number) =>
  memory.end(memory.begin(organizationId, agentId), found, now)

describe("who listens to agents", () => {
  it("is remembered while it is fresh, and forgotten of the organization in which it changed", () => {
    const memory = new ListenerMemory({ organization: 10, process: 20 }, 60)
    read(memory, "org_a", "agt_1", listeners(2), 0)
    read(memory, "org_b", "agt_1", listeners(3, true), 0)
    assert.strictEqual(memory.size, 8)
    assert.deepStrictEqual(memory.get("org_a", "agt_1", 59), listeners(2))
    assert.isUndefined(memory.get("org_a", "agt_1", 60))
    memory.forget("org_a")
    assert.isUndefined(memory.get("org_a", "agt_1", 0))
    assert.deepStrictEqual(memory.get("org_b", "agt_1", 0), listeners(3, true))
    read(memory, "org_b", "agt_1", listeners(1), 1)
    assert.strictEqual(memory.size, 2)
  })

  it("is not remembered where it may have changed while it was read, or could not be read", () => {
    const memory = new ListenerMemory({ organization: 10, process: 20 }, 60)
    const [old, fresh, failed] = [
      memory.begin("org_a", "agt_1"),
      memory.begin("org_b", "agt_1"),
      memory.begin("org_a", "agt_2"),
    ]
    memory.forget("org_a")
    memory.end(old, listeners(1), 0)
    memory.end(fresh, listeners(1), 0)
    memory.end(failed, null, 0)
    assert.isUndefined(memory.get("org_a", "agt_1", 0))
    assert.isUndefined(memory.get("org_a", "agt_2", 0))
    assert.deepStrictEqual(memory.get("org_b", "agt_1", 0), listeners(1))
  })

  it("is remembered of one organization up to its share: what it read longest ago goes, and nothing of anybody else", () => {
    const memory = new ListenerMemory({ organization: 10, process: 20 }, 60)
    read(memory, "org_quiet", "agt_1", listeners(1), 0)
    for (let nth = 0; nth < 100; nth++) read(memory, "org_loud", `agt_${nth}`, listeners(3), nth)
    assert.strictEqual(memory.size, 2 + 8)
    assert.deepStrictEqual(memory.get("org_quiet", "agt_1", 1), listeners(1))
    assert.isUndefined(memory.get("org_loud", "agt_97", 100))
    assert.deepStrictEqual(memory.get("org_loud", "agt_98", 100), listeners(3))
  })

  it("is no more of all organizations together than a process may remember", () => {
    const memory = new ListenerMemory({ organization: 10, process: 20 }, 60)
    for (let nth = 0; nth < 100; nth++) read(memory, `org_${nth}`, "agt_1", listeners(4), nth)
    assert.strictEqual(memory.size, 20)
    assert.isUndefined(memory.get("org_95", "agt_1", 100))
    assert.deepStrictEqual(memory.get("org_96", "agt_1", 100), listeners(4))
  })

  it("leaves room for the listeners of one agent, however many it has", () => {
    const most = limits.subscriptionsPerAgent + 2
    assert.isAtMost(most, limits.cachedListeners.organization)
    assert.isAtMost(limits.cachedListeners.organization, limits.cachedListeners.process / 2)
  })
})
