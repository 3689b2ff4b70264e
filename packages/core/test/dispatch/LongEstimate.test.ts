import { limits } from "@carillon/core"
import { FinishEstimate } from "@carillon/core/domain"
import { describe, expect, it } from "vitest"
import { sampleBatch, sampleCampaign, sampleEpoch } from "../../src/testing/Samples.ts"

const hour = 3_600_000
const minute = 60_000

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

/** A campaign that dials for a minute a day, one call after another, each of a minute. */
const campaign = sampleCampaign("org_1", {
  status: "active",
  working_hours: Object.fromEntries(weekdays.map((day) => [day, { start: "09:00", end: "09:01" }])),
  working_hours_enforced: true,
})

const estimateOf = (batches: number, contacts: number) => {
  const unfinished = Array.from({ length: batches }, (_, nth) => ({
    batch: sampleBatch("org_1", {
      campaign_id: campaign.campaign_id,
      status: "scheduled",
      scheduled_at: sampleEpoch + (nth + 1) * hour,
      total_contacts: contacts,
    }),
    tally: {},
  }))
  const nobody = { contacts: 0, next_due: null }
  return FinishEstimate.finishEstimate(
    {
      campaign,
      tally: { line_calls: 10, line_ms: 10 * minute, dialled: 10, "call:completed": 10 },
      unfinished,
      times: { held: nobody, planned: nobody, last: { anytime: null, in_hours: null } },
      callable: sampleEpoch,
      ceilings: { platform: null, organization: 1, agent: null },
      beside: { direct: 0, others: [] },
      stop: null,
    },
    sampleEpoch,
  )
}

describe("an estimate", () => {
  it("looks a year of openings ahead, and not one for each of its booked batches", () => {
    expect(estimateOf(1, 200).at).not.toBeNull()
    expect(estimateOf(10, 30).at).not.toBeNull()
    expect(estimateOf(2, 200)).toEqual({ at: null, because: "outside_hours" })
    expect(estimateOf(limits.movableBatches, 300)).toEqual({ at: null, because: "outside_hours" })
  })
})
