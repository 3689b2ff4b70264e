import { describe, expect, it } from "vitest"
import type { Call } from "../../src/calls/rules/Call.ts"
import { recalledCall } from "../../src/calls/rules/RecalledCall.ts"
import { sampleCall } from "../../src/testing/Samples.ts"

const told = (changes: Partial<Call>) => {
  const found = recalledCall(sampleCall("org_test", changes))
  switch (found._tag) {
    case "Made":
      return found.made._tag
    case "Refused":
      return found.error._tag
    case "Open":
      return found.until
    case "Nothing":
      return null
  }
}

describe("a call whose process is gone", () => {
  it("is nothing where there is no row", () => {
    expect(recalledCall(null)).toEqual({ _tag: "Nothing" })
  })

  it("was taken as it was dialled or booked, whatever became of it", () => {
    expect(told({ dial: "accepted" })).toBe("Queued")
    expect(told({ dial: "accepted", status: "failed" })).toBe("Queued")
    expect(told({ dial: "unconfirmed" })).toBe("Unconfirmed")
    // Its wallet ran dry while it was talked on: somebody was rung, and is not rung again.
    const dry = { status: "balance-low", hangup_reason: "balance_low" } as const
    expect(told({ dial: "accepted", ...dry })).toBe("Queued")
    expect(told({ dial: "unconfirmed", ...dry })).toBe("Unconfirmed")
    expect(told({ dial: "intended", ...dry })).toBe("Queued")
    expect(told({ dial: "refused", status: "failed", hangup_reason: "invalid_destination" })).toBe("Queued")
    expect(told({ scheduled_at: 1, status: "scheduled" })).toBe("Scheduled")
    // A booked call that ended so was taken all the same.
    expect(told({ scheduled_at: 1, status: "balance-low", hangup_reason: "balance_low" })).toBe("Scheduled")
    expect(told({ scheduled_at: 1, status: "queued", dial: "intended", due_at: 7 })).toBe("Scheduled")
  })

  it("was refused where its record says so", () => {
    expect(told({ status: "balance-low", hangup_reason: "balance_low" })).toBe("InsufficientCredits")
    expect(told({ dial: "refused", status: "error", hangup_reason: "carrier_error" })).toBe("DependencyUnavailable")
    expect(told({ dial: "refused", status: "error", hangup_reason: null })).toBe("DependencyTimeout")
  })

  it("is open while it is about to be dialled, until the carrier is asked", () => {
    expect(told({ dial: "intended", due_at: 7 })).toBe(7)
    expect(told({ dial: "intended", status: "error", due_at: null })).toBe("Queued")
  })
})
