import { expect } from "vitest"
import type { Simulator } from "../src/Simulator.ts"
import { simulatorTest } from "../src/vitest.ts"

const test = simulatorTest({ seed: 7, controlToken: "control" })
const other = simulatorTest({ seed: 7 })

const seen: Array<{ readonly simulator: Simulator; readonly organization_id: string }> = []

for (const nth of ["one", "another"]) {
  test(`${nth} test of a file has the file's world, and an organization of its own`, async ({
    fetch,
    simulator,
    tenant,
  }) => {
    for (const before of seen) {
      expect(before.simulator).toBe(simulator)
      expect(before.organization_id).not.toBe(tenant.organization_id)
    }
    seen.push({ simulator, organization_id: tenant.organization_id })
    const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" }
    const body = JSON.stringify({ agent_id: tenant.agent_id, to_number: "+999000100000001" })
    const placed = await fetch("http://carillon.test/v2/calls", { method: "POST", headers, body })
    expect(placed.status).toBe(201)
    // Nobody else's call is in the list.
    const listed = await fetch("http://any.test/v2/calls", { headers })
    expect(await listed.json()).toMatchObject({ pagination: { total: 1 } })
    await simulator.advance({ until_idle: true })
    const ended = await fetch("http://any.test/v2/calls?status=completed", { headers })
    expect(await ended.json()).toMatchObject({ pagination: { total: 1 } })
  })
}

test("a socket leads to the same world", async ({ simulator, tenant, url }) => {
  const read = await fetch(`${url}/v2/calls`, { headers: { authorization: `Bearer ${tenant.key}` } })
  expect(await read.json()).toMatchObject({ pagination: { total: 0 } })
  expect(simulator.glance().calls).toBe(2)
})

other("other options are another world", ({ simulator }) => {
  expect(seen.map((one) => one.simulator)).not.toContain(simulator)
  expect(simulator.glance().calls).toBe(0)
})
