import { assert, describe, it } from "vitest"
import { buckets, ceilingFor, defaultCeilings, defaultPlans } from "../../src/limits/rules/Buckets.ts"

describe("ceilings", () => {
  it("are those of the specification on the standard plan", () => {
    const ceilings = buckets.map((bucket) => [bucket, ceilingFor(defaultPlans, "standard", bucket)])
    assert.deepEqual(ceilings, [
      ["calls.create", 600],
      ["executions.list", 600],
      ["knowledge.upload", 20],
      ["default", 1000],
    ])
  })

  it("are raised only in the buckets that a plan names", () => {
    const plans = { ...defaultPlans, growth: { "calls.create": 2000 } }
    assert.deepEqual(
      buckets.map((bucket) => ceilingFor(plans, "growth", bucket)),
      [2000, 600, 20, 1000],
    )
  })

  it.each(["", "unknown", "Standard", "constructor", "toString", "__proto__"])(
    "are the defaults for plan %j",
    (plan) => {
      for (const bucket of buckets) assert.strictEqual(ceilingFor(defaultPlans, plan, bucket), defaultCeilings[bucket])
    },
  )
})
