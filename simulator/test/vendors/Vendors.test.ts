import { describe, expect, onTestFinished, test } from "vitest"
import { seed } from "../../../scripts/seed.ts"
import { mistakes, planted } from "../../soak/vendors/Planted.ts"
import { twilioWorld } from "../../soak/vendors/TwilioWorld.ts"
import { soakWorldAt } from "../../soak/WorldSoak.ts"
import { vendorDay } from "../../soak/vendors/VendorDay.ts"
import { vendors } from "../../soak/vendors/Vendors.ts"
import { Client } from "../Client.ts"

const contacts = 6

describe.each([...vendors])("a day at %s in a simulated world", (_, { unheard, vendor }) => {
  test("breaks no invariant, though words get lost and processes end", async () => {
    const report = await vendorDay(vendor, { seed, contacts, crashes: 2, unheard })
    expect(report.faults).toEqual([])
    expect([...report.checked]).toEqual(expect.arrayContaining(["S1", "S2", "S3", "S9", "S10", "S15", "S22"]))
    expect(report.processes).toBeGreaterThan(1)
    expect(report.contacts).toHaveLength(contacts)
    expect(report.legs.length).toBeGreaterThanOrEqual(contacts)
  })

  test("a world that begins anew is lived at the vendor too, and leaves nothing behind", async () => {
    const platform = globalThis.fetch
    const client = await Client.start({ seed, vendor })
    onTestFinished(() => client.simulator.close())
    expect((await client.post("/_sim/reset", {})).status).toBe(204)
    client.key = client.simulator.info.key
    const rows = Array.from({ length: contacts }, (_, nth) => ({ to_number: `+1212555${1_000 + nth}` }))
    const { agent_id } = client.simulator.info
    const campaign = await client.post("/v2/campaigns", { agent_id, name: "again", contacts: rows })
    expect(campaign.status).toBe(201)
    await client.post("/_sim/clock/advance", { by_ms: 3_600_000 })
    const invariants = await client.get("/_sim/invariants")
    expect(invariants.body.violations).toEqual([])
    const { data } = (await client.get("/_sim/telephony/legs")).body
    expect(data.length).toBeGreaterThanOrEqual(contacts)
    await client.simulator.close()
    expect(globalThis.fetch).toBe(platform)
  })
})

test("a day at a vendor is a function of its seed", async () => {
  const traits = { seed, contacts: 2, crashes: 1, unheard: () => [] }
  expect(await vendorDay(twilioWorld, traits)).toEqual(await vendorDay(twilioWorld, traits))
})

test("a random world in which customers do everything breaks none either", async () => {
  const { faults, goals } = await soakWorldAt(twilioWorld, 4)
  expect(faults).toEqual([])
  expect([...goals]).toContain("status completed")
})

const planting = Object.entries(mistakes).flatMap(([what, { breaks, dial, seeds }]) =>
  seeds.map(([name, drawn]) => ({ what, name, breaks, dial, drawn })),
)

test.each(planting)("a day finds an adapter to $name that $what", async ({ breaks, dial, drawn, name }) => {
  const known = vendors.get(name)
  if (known === undefined) return expect.fail(`nobody knows ${name}`)
  const { unheard, vendor } = known
  const report = await vendorDay(planted(vendor, dial), { seed: drawn, contacts: 5, crashes: 0, unheard })
  expect(report.faults.filter((fault) => fault.includes(`"name":"${breaks}"`))).not.toEqual([])
})
