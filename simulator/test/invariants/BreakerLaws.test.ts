import { sampleBreaker, sampleCall, sampleCampaign, sampleCampaignEntry, sampleEpoch } from "@carillon/core/testing"
import type { Campaign, Change } from "@carillon/core/ports"
import { expect, it } from "vitest"
import { breakerLaws } from "../../src/invariants/BreakerLaws.ts"
import { Invariants } from "../../src/invariants/Invariants.ts"

const breaker = { ...sampleBreaker, minimum_calls: 2 }
const campaign = sampleCampaign("org_one", { campaign_id: "cmp_one", status: "active", breaker })

/** How many violations there are of a world with that campaign, so many calls of which were busy, and so many completed. */
const violations = (
  of: Campaign,
  { busy = 0, completed = 0 },
  changes: ReadonlyArray<Change> = [{ put: "campaign", row: of }],
): number => {
  const invariants = new Invariants(() => sampleEpoch)
  const call = (status: "busy" | "completed") =>
    sampleCall("org_one", { campaign_id: of.campaign_id, watched: true, status, completed_at: sampleEpoch + 1 })
  const items = [
    ...Array.from({ length: busy }, () => call("busy")),
    ...Array.from({ length: completed }, () => call("completed")),
  ]
  const laws = breakerLaws(invariants, {
    calls: { page: () => ({ items, total: items.length }) },
    campaigns: { get: () => of },
  })
  laws.observe({ changes })
  laws.lookAtRest()
  return invariants.violations.length
}

it("S26: a campaign is left running though too many of its calls failed", () => {
  expect(violations(campaign, { busy: 2 })).toBe(1)
  expect(violations(campaign, { busy: 2, completed: 2 })).toBe(0)
  expect(violations(campaign, { busy: 1 })).toBe(0)
  expect(violations({ ...campaign, status: "paused" }, { busy: 2 })).toBe(0)
})

it("S26: a campaign that pauses itself does not say why, or is not paused", () => {
  const at = sampleEpoch + 5
  const trip = { rate: "failed", calls: 2, counted: 2, percent: 50, at, resume_at: null } as const
  const paused: Campaign = { ...campaign, status: "paused", updated_at: at, breaker: { ...breaker, trip } }
  const row: Change = { put: "campaign", row: paused }
  const entry: Change = {
    put: "campaign_entry",
    row: sampleCampaignEntry("org_one", { campaign_id: "cmp_one", event: "paused", details: { reason: "breaker" } }),
  }
  expect(violations(paused, {}, [row, entry])).toBe(0)
  expect(violations(paused, {}, [row])).toBe(1)
  const anew: Campaign = { ...paused, breaker: { ...breaker, trip, updated_at: at + 1 } }
  expect(violations(anew, {}, [{ put: "campaign", row: anew }])).toBe(0)
  expect(violations(paused, {}, [{ put: "campaign", row: { ...paused, status: "active" } }, entry])).toBe(1)
})
