import { expect, test } from "vitest"
import { Client } from "./Client.ts"

/** Outcomes that a campaign meets: told in time, late, twice, not at all, under another id, and dials that are taken back. */
const outcomes = ["00", "01", "02", "03", "04", "05", "06", "10", "20", "21", "24", "25", "30", "31", "32", "33"]

const byStatus = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
  const counts: Record<string, number> = {}
  for (const { status } of rows) counts[String(status)] = (counts[String(status)] ?? 0) + 1
  return counts
}

test("the figures of a world count the calls that are listed", async () => {
  const client = await Client.start()
  const { agent_id } = client.simulator.info
  const contacts = outcomes.map((outcome) => ({ to_number: `+999${outcome}0100000001` }))
  const retry_policy = { max_retries: 1, base_delay_minutes: 1 }
  await client.post("/v2/campaigns", { name: "x", agent_id, contacts, retry_policy })
  for (const by of ["PT1S", "PT4S", "PT20S", "PT2M", "PT10M", "PT2H"]) {
    await client.advance({ by })
    const { data } = (await client.get("/v2/calls?page_size=100")).body
    const { calls_by_status } = (await client.get("/_sim/stats")).body
    expect([by, calls_by_status]).toEqual([by, byStatus(data)])
  }
  expect(await client.violations()).toEqual([])
})
