import { assert, describe, it } from "vitest"
import type { Campaign, Change } from "@carillon/core/ports"
import type { Call } from "../../src/calls/rules/Call.ts"
import { atBreaker, leftRunning } from "../../src/testing/interleavings/BreakerLaw.ts"
import { RowsByKind } from "../../src/testing/RowsByKind.ts"
import {
  sampleBreaker,
  sampleCall,
  sampleCampaign,
  sampleCampaignEntry,
  sampleEpoch,
} from "../../src/testing/Samples.ts"

const organization_id = "org_one"
const campaign_id = "cmp_one"
const breaker = { ...sampleBreaker, minimum_calls: 2, window_calls: 3, window_minutes: 5 }
const campaign = sampleCampaign(organization_id, { campaign_id, status: "active", breaker })

const minute = 60_000

const call = (at: number, changes: Partial<Call> = {}): Change => ({
  put: "call",
  row: sampleCall(organization_id, {
    campaign_id,
    watched: true,
    status: "busy",
    completed_at: sampleEpoch + at * minute,
    ...changes,
  }),
})

const rowsOf = (changes: ReadonlyArray<Change>, of: Campaign = campaign): RowsByKind => {
  const rows = new RowsByKind()
  rows.apply({ put: "campaign", row: of })
  for (const change of changes) rows.apply(change)
  return rows
}

const isLeft = (changes: ReadonlyArray<Change>, of?: Campaign): boolean =>
  [...leftRunning(rowsOf(changes, of))].length > 0

describe("a campaign whose breaker says so is paused", () => {
  it("by the calls of its window alone", () => {
    assert.isTrue(isLeft([call(1), call(2)]))
    assert.isFalse(isLeft([call(1), call(2, { status: "completed" })]))
    assert.isFalse(isLeft([call(1)]))
    assert.isFalse(isLeft([call(-1), call(2)]))
    assert.isFalse(isLeft([call(1), call(7)]))
    assert.isFalse(isLeft([call(1), call(2, { folded_into: "exec_other" })]))
    assert.isFalse(isLeft([call(1), call(2, { campaign_id: "cmp_two" })]))
    assert.isFalse(isLeft([call(1), call(2)], { ...campaign, status: "paused" }))
    const good = [2, 3, 4].map((at) => call(at, { status: "completed" }))
    assert.isFalse(isLeft([call(1), call(1), ...good]))
  })

  it("by each of its rates", () => {
    const only = (rate: object) => ({ ...campaign, breaker: { ...breaker, failed_percent: null, ...rate } })
    const both = (changes: Partial<Call>) => [call(1, changes), call(2, changes)]
    assert.isTrue(isLeft(both({ status: "error" }), only({ error_percent: 0 })))
    assert.isFalse(isLeft(both({ status: "busy" }), only({ error_percent: 0 })))
    const short = { status: "completed", duration_seconds: 9 } as const
    assert.isTrue(isLeft(both(short), only({ short_call_percent: 0 })))
    assert.isFalse(isLeft(both({ ...short, answered_by_voicemail: true }), only({ short_call_percent: 0 })))
    assert.isTrue(isLeft(both({ ...short, answered_by_voicemail: true }), only({ voicemail_percent: 0 })))
  })
})

describe("a campaign whose breaker says so", () => {
  const dials = (of: Campaign, at: number) => {
    const dialled = sampleCall(organization_id, { campaign_id, dial: "intended" })
    const changes: ReadonlyArray<Change> = [{ put: "call", row: dialled }]
    return [...atBreaker(rowsOf([call(0), call(0)], of), changes, sampleEpoch + at)].length === 0
  }

  it("dials nobody once it has had the time to pause itself", () => {
    assert.isTrue(dials(campaign, 999))
    assert.isFalse(dials(campaign, 1_000))
    assert.isTrue(dials({ ...campaign, breaker: { ...breaker, minimum_calls: 3 } }, 1_000))
    assert.isTrue(dials({ ...campaign, status: "paused" }, 1_000))
  })
})

describe("a campaign that pauses itself", () => {
  const trip = {
    rate: "failed",
    calls: 2,
    counted: 2,
    percent: 50,
    at: sampleEpoch,
    resume_at: sampleEpoch + 5,
  } as const
  const tripped: Campaign = { ...campaign, status: "paused", breaker: { ...breaker, trip } }
  const entry = (event: "paused" | "resumed"): Change => ({
    put: "campaign_entry",
    row: sampleCampaignEntry(organization_id, { campaign_id, number: 1, event, details: { reason: "breaker" } }),
  })
  const isBroken = (of: Campaign, at: number, ...changes: ReadonlyArray<Change>) =>
    [...atBreaker(rowsOf([], of), changes, sampleEpoch + at)].length > 0

  it("says why, and ran before", () => {
    assert.isFalse(isBroken(campaign, 0, { put: "campaign", row: tripped }, entry("paused")))
    assert.isTrue(isBroken(campaign, 0, { put: "campaign", row: tripped }))
    assert.isTrue(isBroken(campaign, 0, { put: "campaign", row: { ...tripped, status: "active" } }, entry("paused")))
    const paused: Campaign = { ...campaign, status: "paused" }
    assert.isTrue(isBroken(paused, 0, { put: "campaign", row: tripped }, entry("paused")))
  })

  it("goes on by itself in its time, and never where somebody has paused it", () => {
    const on: Change = { put: "campaign", row: campaign }
    assert.isFalse(isBroken(tripped, 5, on, entry("resumed")))
    assert.isTrue(isBroken(tripped, 4, on, entry("resumed")))
    assert.isTrue(isBroken({ ...campaign, status: "paused" }, 5, on, entry("resumed")))
    assert.isFalse(isBroken({ ...campaign, status: "paused" }, 5, on))
  })
})
