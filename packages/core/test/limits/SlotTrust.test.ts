import { limits } from "@carillon/core"
import { assert, it } from "@effect/vitest"
import { SlotTrust } from "../../src/limits/rules/SlotTrust.ts"

it("a slot store that failed is asked again once it holds what the rows say", () => {
  const trust = new SlotTrust()
  assert.isTrue(trust.isTrusted)
  assert.isFalse(trust.holds())
  assert.isTrue(trust.fails(0))
  assert.isFalse(trust.fails(1))
  assert.isFalse(trust.isTrusted)
  assert.isTrue(trust.holds())
  assert.isTrue(trust.isTrusted)
})

it("a slot store that failed is compared with the rows a while after its last failure, and every while", () => {
  const trust = new SlotTrust()
  assert.isFalse(trust.isToCompare(Number.MAX_SAFE_INTEGER))
  trust.fails(0)
  trust.fails(1)
  assert.isFalse(trust.isToCompare(limits.reconcileMs))
  assert.isTrue(trust.isToCompare(limits.reconcileMs + 1))
  assert.isFalse(trust.isToCompare(limits.reconcileMs + 2))
  assert.isTrue(trust.isToCompare(2 * limits.reconcileMs + 1))
  trust.holds()
  assert.isFalse(trust.isToCompare(Number.MAX_SAFE_INTEGER))
})

it("a process that has just begun tells it first of the lines that others left behind", () => {
  const [told, compared] = [new SlotTrust(), new SlotTrust()]
  assert.isFalse(told.isOpened)
  told.opened()
  compared.fails(0)
  assert.isFalse(compared.isOpened)
  compared.holds()
  assert.isTrue(told.isOpened && compared.isOpened)
})
