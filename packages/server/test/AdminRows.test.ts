import { limits, Verification } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect } from "effect"
import { assert, describe, expect, it, vi } from "vitest"
import { asker, command, installation } from "./AdminStage.ts"

const dayMs = 24 * 3_600_000
const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Does something as if it were so many days ago. */
const daysAgo = async <A>(days: number, what: () => Promise<A>): Promise<A> => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - days * dayMs })
  try {
    return await what()
  } finally {
    vi.useRealTimers()
  }
}

/** An organization of which calls were refused for want of funds, the first of them the longest ago: the clock of an engine never goes back. */
const withCalls = async (carillon: Carillon, name: string, days: ReadonlyArray<number>) => {
  const made = await daysAgo(days[0] ?? 0, async () => {
    const { key, organization } = await carillon.organizations.open({ name })
    const ask = asker(carillon, key)
    const { agent_id } = (await ask("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })).body
    return { agent_id, ask, id: organization.organization_id }
  })
  const { agent_id, ask, id } = made
  for (const each of days) {
    const placed = await daysAgo(each, () => ask("/v2/calls", { agent_id, to_number: "+12125550101" }))
    assert.strictEqual(placed.status, 402)
  }
  return { ask, id, calls: async () => Object((await ask("/v2/calls")).body["pagination"]).total }
}

describe("rows purge", () => {
  it("takes away what has ended before a time, of one organization, and tells how much", async () => {
    const carillon = await daysAgo(100, installation)
    const acme = await withCalls(carillon, "Acme", [90, 60, 1])
    const other = await withCalls(carillon, "Other", [0])
    const before = timeOf(Date.now() - 30 * dayMs)
    const { isWell, said } = await command("rows purge", carillon, acme.id, { before: [before] })
    assert.isTrue(isWell)
    assert.deepStrictEqual(said, {
      organization_id: acme.id,
      before,
      gone: { calls: 2, contacts: 0, events: 0, deliveries: 0 },
    })
    assert.strictEqual(await acme.calls(), 1)
    assert.strictEqual(await other.calls(), 1)
    const purged = async (id: string) => Object((await command("organizations show", carillon, id)).said).purge
    const nothingMore = { calls: 0, contacts: 0, events: 0, deliveries: 0 }
    assert.deepInclude(await purged(acme.id), { ended_before: before, at: "over", gone: nothingMore })
    assert.match((await purged(acme.id)).began_at, /^\d{4}-/)
    assert.isNull(await purged(other.id))
    const again = await command("rows purge", carillon, acme.id, { before: [before] })
    assert.deepInclude(Object(again.said).gone, { calls: 0 })
    assert.deepInclude((await command("rows verify", carillon, acme.id)).said, { fault_count: 0 })
    await carillon.close()
  })

  it("refuses what it must not do, and does nothing then", async () => {
    const carillon = await installation()
    const { calls, id } = await withCalls(carillon, "Acme", [0])
    const purge = (organizationId: string, ...before: Array<string>) =>
      command("rows purge", carillon, organizationId, before.length === 0 ? {} : { before })
    const longAgo = timeOf(Date.now() - 30 * dayMs)
    await expect(purge(id)).rejects.toThrow("--before TIME")
    await expect(purge(id, "yesterday")).rejects.toThrow("--before: must be a time")
    await expect(purge(id, "2026-01-31T00:00:00")).rejects.toThrow("--before: must be a time")
    await expect(purge(id, timeOf(Date.now() - (limits.retentionDays.min - 1) * dayMs))).rejects.toThrow("days ago")
    await expect(purge("org_none", longAgo)).rejects.toThrow("Organization not found.")
    await carillon.organizations.change(id, { retention_days: 30 })
    await expect(purge(id, longAgo)).rejects.toThrow("kept for 30 days already")
    assert.strictEqual(await calls(), 1)
    await carillon.close()
  })
})

describe("rows verify", () => {
  /** The installation as it would be if these organizations had so many faults each. */
  const broken = (carillon: Carillon, faults: ReadonlyMap<string, number>): Carillon => ({
    ...carillon,
    run: (effect) =>
      carillon.run(
        Effect.flatMap(Verification, (verification) => {
          const verify: typeof verification.verify = (id) =>
            Effect.map(verification.verify(id), (report) => {
              const count = faults.get(id) ?? 0
              const found = Array.from({ length: count }, (_, nth) => ({ law: "a law", detail: `${id} ${nth}` }))
              return { ...report, fault_count: count, faults: found.slice(0, limits.verificationFaults) }
            })
          return Effect.provideService(effect, Verification, Verification.of({ verify }))
        }),
      ),
  })

  it("looks at every organization where none is named, and names whose rows are broken", async () => {
    const carillon = await installation()
    const ids: Array<string> = []
    // More than one page of them.
    for (let nth = 0; nth <= limits.organizationPage; nth++) {
      ids.push((await carillon.organizations.open({ name: `Tenant ${nth}` })).organization.organization_id)
    }
    for (const id of ids.slice(0, 3)) await carillon.organizations.giveKey(id, "Spare")
    const well = await command("rows verify", carillon, "")
    assert.isTrue(well.isWell)
    assert.deepInclude(well.said, { organizations: ids.length, broken_organizations: 0, fault_count: 0, faults: [] })
    assert.strictEqual(Object(well.said).rows.audit_records, 3)
    const [one = "", two = ""] = ids
    const many = limits.verificationFaults
    const { isWell, said } = await command(
      "rows verify",
      broken(
        carillon,
        new Map([
          [one, many],
          [two, 2 * many],
        ]),
      ),
      "",
    )
    assert.isFalse(isWell)
    assert.deepInclude(said, { organizations: ids.length, broken_organizations: 2, fault_count: 3 * many })
    assert.lengthOf(Object(said).faults, many)
    for (const { detail, organization_id } of Object(said).faults) assert.include(detail, organization_id)
    await carillon.close()
  })
})

describe("rows rebuild-wakeups", () => {
  it("sets what the rows ask for anew, and tells how many", async () => {
    const carillon = await installation()
    const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 1, currency: "USD" } })
    const ask = asker(carillon, key)
    const { agent_id } = (await ask("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })).body
    const rebuilt = async () => Number(Object((await command("rows rebuild-wakeups", carillon, "")).said).wakeups)
    const before = await rebuilt()
    const scheduled_at = timeOf(Date.now() + 3_600_000)
    for (const to_number of ["+12125550101", "+12125550102"]) {
      assert.strictEqual((await ask("/v2/calls", { agent_id, to_number, scheduled_at })).status, 202)
    }
    assert.strictEqual(await rebuilt(), before + 2)
    await carillon.close()
  })
})

describe("people erase", () => {
  it("erases a person, says what is under way, and is done only when nothing is", async () => {
    const carillon = await installation()
    const { calls, id } = await withCalls(carillon, "Acme", [0])
    const erase = (number: string) => command("people erase", carillon, `${id} ${number}`)
    const { isWell, said } = await erase("+12125550101")
    assert.isTrue(isWell)
    assert.deepInclude(said, { calls: 1, is_whole: true, under_way: [] })
    assert.strictEqual(await calls(), 1)
    assert.deepInclude((await erase("+12125550101")).said, { calls: 0, is_whole: true })
    await carillon.organizations.change(id, { wallet: { balance: 1, currency: "USD" } })
    const { key } = await carillon.organizations.giveKey(id, "Spare")
    const ask = asker(carillon, key)
    const { agent_id } = (await ask("/v2/agents", { display_name: "Another", status: "ACTIVE" })).body
    const booked = { agent_id, to_number: "+12125550102", scheduled_at: timeOf(Date.now() + 3_600_000) }
    const { execution_id } = (await ask("/v2/calls", booked)).body
    const waiting = await erase("+12125550102")
    assert.isFalse(waiting.isWell)
    assert.deepInclude(waiting.said, { calls: 0, under_way: [String(execution_id)] })
    await expect(erase("12125550101")).rejects.toThrow()
    await expect(command("people erase", carillon, "org_none +12125550101")).rejects.toThrow("Organization not found.")
    await carillon.close()
  })
})

describe("organizations list", () => {
  it("goes on after an organization, so many at a time", async () => {
    const carillon = await installation()
    const ids: Array<string> = []
    for (const name of ["One", "Two", "Three"]) {
      ids.push((await carillon.organizations.open({ name })).organization.organization_id)
    }
    ids.sort()
    const list = async (options: Record<string, Array<string>>) => {
      const { said } = await command("organizations list", carillon, "", options)
      return Array.isArray(said) ? said.map((each) => Object(each).organization_id) : said
    }
    assert.deepStrictEqual(await list({}), ids)
    assert.deepStrictEqual(await list({ limit: ["2"] }), ids.slice(0, 2))
    assert.deepStrictEqual(await list({ after: [ids[1] ?? ""] }), ids.slice(2))
    assert.deepStrictEqual(await list({ after: [ids[2] ?? ""] }), [])
    await expect(list({ limit: ["0"] })).rejects.toThrow()
    await carillon.close()
  })
})
