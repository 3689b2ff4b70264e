import { assert, describe, it } from "@effect/vitest"
import {
  type CountedBatch,
  followUpsHeldOf,
  isForFollowUps,
  undone,
  waitingOf,
} from "../../src/dispatch/rules/CountedBatch.ts"
import { type FollowUpPolicy, followUpPolicyDefaults } from "../../src/dispatch/rules/FollowUpPlan.ts"
import { sampleBatch, sampleCampaign } from "../../src/testing/Samples.ts"
import type { Tally } from "../../src/tallies/rules/Tally.ts"

const organizationId = "org_1"
const campaign = sampleCampaign(organizationId, { agent_id: "agt_1" })
const byCloser = { ...followUpPolicyDefaults, enabled: true, follow_up_agent_id: "agt_closer" }

const counted = (tally: Tally, followUps: FollowUpPolicy = byCloser): CountedBatch => ({
  batch: sampleBatch(organizationId, { agent_id: "agt_1", total_contacts: 10, follow_up_policy: followUps }),
  tally,
})

describe("what is counted of a batch", () => {
  it("leaves undone who is not over, and waiting who is not in a call either", () => {
    const each = counted({
      "contact:completed": 2,
      "contact:failed": 1,
      "contact:skipped": 1,
      "contact:in_progress": 3,
      "contact:follow_up_scheduled": 1,
    })
    assert.strictEqual(undone(each), 6)
    assert.strictEqual(waitingOf(each), 3)
  })

  it("asks its own agent for nothing once all who wait are followed up by another one", () => {
    const tally = { "contact:completed": 7, "contact:in_progress": 1, "contact:follow_up_scheduled": 2 }
    assert.isTrue(isForFollowUps(campaign, counted(tally)))
    assert.isFalse(isForFollowUps(campaign, counted({ ...tally, "contact:completed": 6 })))
    assert.isFalse(isForFollowUps(campaign, counted(tally, { ...byCloser, follow_up_agent_id: null })))
    assert.isFalse(isForFollowUps(campaign, counted({ "contact:completed": 10 })))
  })

  it("takes no more held ones for follow-ups than there are of either", () => {
    assert.strictEqual(followUpsHeldOf(counted({ held: 5, "contact:follow_up_scheduled": 2 })), 2)
    assert.strictEqual(followUpsHeldOf(counted({ held: 1, "contact:follow_up_scheduled": 2 })), 1)
  })
})
