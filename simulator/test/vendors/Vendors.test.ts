import { describe, expect, test } from "vitest"
import { seed } from "../../../scripts/seed.ts"
import { mistakes, planted } from "../../soak/vendors/Planted.ts"
import { twilioWorld } from "../../soak/vendors/TwilioWorld.ts"
import { vendorDay } from "../../soak/vendors/VendorDay.ts"
import { vendors } from "../../soak/vendors/Vendors.ts"

const contacts = 8

describe.each([...vendors])("a day at %s in a simulated world", (_, { unheard, vendor }) => {
  test("breaks no invariant, though words get lost and processes end", async () => {
    const report = await vendorDay(vendor, { seed, contacts, crashes: 2, unheard })
    expect(report.faults).toEqual([])
    expect([...report.checked]).toEqual(expect.arrayContaining(["S1", "S2", "S3", "S9", "S10", "S15", "S22"]))
    expect(report.processes).toBeGreaterThan(1)
    expect(report.contacts).toHaveLength(contacts)
    expect(report.legs.length).toBeGreaterThanOrEqual(contacts)
  })
})

test("a day at a vendor is a function of its seed", async () => {
  const traits = { seed, contacts: 2, crashes: 1, unheard: () => [] }
  expect(await vendorDay(twilioWorld, traits)).toEqual(await vendorDay(twilioWorld, traits))
})

test.each(Object.entries(mistakes))("a day finds an adapter that %s", async (_, { breaks, dial }) => {
  const report = await vendorDay(planted(twilioWorld, dial), { seed: 5, contacts: 5, crashes: 0, unheard: () => [] })
  expect(report.faults.filter((fault) => fault.includes(`"name":"${breaks}"`))).not.toEqual([])
})
