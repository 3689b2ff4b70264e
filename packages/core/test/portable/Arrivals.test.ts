import { assert, it } from "vitest"
import { arrivalOf } from "../../src/portable/steps/Arrivals.ts"
import { sampleBreaker, sampleCampaign, sampleEpoch } from "../../src/testing/Samples.ts"

it("a campaign that has paused itself does not go on by itself before all of its batches are there", () => {
  const trip = {
    rate: "failed",
    calls: 5,
    counted: 4,
    percent: 50,
    at: sampleEpoch,
    resume_at: sampleEpoch + 1,
  } as const
  const row = sampleCampaign("org_one", { status: "paused", breaker: { ...sampleBreaker, trip } })
  const [change] = arrivalOf({ kind: "campaign", row }, sampleEpoch).changes
  assert.deepNestedInclude(change, { "row.status": "paused", "row.breaker.trip": { ...trip, resume_at: null } })
})
