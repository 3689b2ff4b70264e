import { assert, describe, it } from "@effect/vitest"
import { limits } from "../../src/Limits.ts"
import { failed, unknownStanding } from "../../src/operating/rules/Outage.ts"
import { endpointKey, FailingMemory } from "../../src/webhooks/rules/FailingMemory.ts"

const keyOf = (organizationId: string, nth: number) => endpointKey(organizationId, `sub-${nth}`, "hooks.test")
const failing = { standing: failed(unknownStanding, 0, { failures: 1, calmMs: 0 }), isTold: true }
const isKnown = (memory: FailingMemory, key: string): boolean => memory.of(key).standing.streak > 0

describe("what a process remembers of failing endpoints", () => {
  const { organization, process } = limits.webhookFailingEndpoints

  it("is of one organization never what another's would need", () => {
    const memory = new FailingMemory()
    memory.set(keyOf("quiet", 0), failing)
    for (let nth = 0; nth < 2 * process; nth += 1) memory.set(keyOf("noisy", nth), failing)
    assert.isTrue(isKnown(memory, keyOf("quiet", 0)))
    assert.isFalse(isKnown(memory, keyOf("noisy", 2 * process - organization - 1)))
    assert.isTrue(isKnown(memory, keyOf("noisy", 2 * process - organization)))
    assert.lengthOf(memory.failing(0), organization + 1)
  })

  it("is bounded, however many organizations there are", () => {
    const memory = new FailingMemory()
    for (let nth = 0; nth <= process; nth += 1) memory.set(keyOf(`o${nth}`, 0), failing)
    assert.lengthOf(memory.failing(0), process)
    assert.isFalse(isKnown(memory, keyOf("o0", 0)))
  })

  it("is forgotten of who takes them again, so that its place is free", () => {
    const memory = new FailingMemory()
    memory.set(keyOf("a", 0), failing)
    memory.set(keyOf("a", 0), { standing: unknownStanding, isTold: false })
    for (let nth = 1; nth <= organization; nth += 1) memory.set(keyOf("a", nth), failing)
    assert.isTrue(isKnown(memory, keyOf("a", 1)))
  })
})
