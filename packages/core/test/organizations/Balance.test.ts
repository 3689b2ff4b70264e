import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { balanceAfter, isSpent } from "../../src/organizations/rules/Balance.ts"

const organization_id = "org_1"
const currency = "USD"

/** What calls cost, in millionths: the decimals that are told. */
const costs = fc.array(fc.integer({ min: 1, max: 5_000_000 }), { minLength: 1, maxLength: 200 })

const left = (balance: number, spent: ReadonlyArray<number>): number =>
  spent.reduce((rest, cost) => balanceAfter(rest, { put: "debit", organization_id, amount: cost / 1e6 }), balance)

describe("a wallet", () => {
  it("is spent once calls have cost what was in it, whatever dust their sum leaves", () => {
    assert.isTrue(isSpent({ balance: left(0.6, [100_000, 100_000, 100_000, 100_000, 100_000, 100_000]), currency }))
    fc.assert(
      fc.property(costs, (spent) => {
        const whole = spent.reduce((sum, cost) => sum + cost, 0)
        assert.isTrue(isSpent({ balance: left(whole / 1e6, spent), currency }))
        assert.isFalse(isSpent({ balance: left((whole + 1) / 1e6, spent), currency }))
      }),
    )
  })

  it("is spent at zero and below", () => {
    for (const balance of [0, -0, -1e-9, -5]) assert.isTrue(isSpent({ balance, currency }))
    for (const balance of [1e-6, 1, 1e300]) assert.isFalse(isSpent({ balance, currency }))
  })
})
