import { assert, it } from "@effect/vitest"
import { PlannedDays } from "../../src/dispatch/rules/PlannedDays.ts"

const zone = (timezone: string, revision: number) => ({ isGiven: false, timezone, revision })
const given = (revision: number) => ({ isGiven: true, timezone: "UTC", revision })

it("days that were never looked at may be others only where the campaign gives hours", () => {
  const days = new PlannedDays()
  assert.isFalse(days.mayHaveChanged("lane", zone("UTC", 1)))
  assert.isTrue(days.mayHaveChanged("lane", given(1)))
})

it("days change with the zone, and with every revision of a campaign that gives hours", () => {
  const days = new PlannedDays()
  days.areKnown("lane", zone("UTC", 1))
  assert.isFalse(days.mayHaveChanged("lane", zone("UTC", 2)))
  assert.isTrue(days.mayHaveChanged("lane", zone("Asia/Kolkata", 2)))
  days.areKnown("lane", given(2))
  assert.isFalse(days.mayHaveChanged("lane", given(2)))
  assert.isTrue(days.mayHaveChanged("lane", given(3)))
  assert.isTrue(days.mayHaveChanged("lane", zone("UTC", 2)))
  days.forget("lane")
  assert.isFalse(days.mayHaveChanged("lane", zone("UTC", 2)))
})
