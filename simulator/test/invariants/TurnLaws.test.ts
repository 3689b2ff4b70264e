import { expect, test } from "vitest"
import { Invariants } from "../../src/invariants/Invariants.ts"
import { type Runner, turnLaws } from "../../src/invariants/TurnLaws.ts"
import { Client } from "../Client.ts"

const share = 2
const runner = (lane_id: string, changes: Partial<Runner> = {}): Runner => ({
  lane_id,
  used: share,
  fit: true,
  until: null,
  ...changes,
})

const course = () => {
  let now = 1_000_000
  const invariants = new Invariants(() => now)
  const laws = turnLaws(invariants, { now: () => now })
  const start = (lane_id: string, runners: ReadonlyArray<Runner> = [runner("a"), runner("b")]) =>
    laws.started("org", { lane_id, share, runners })
  const starts = (count: number, lane_id: string, runners?: ReadonlyArray<Runner>) => {
    for (let nth = 0; nth < count; nth++) start(lane_id, runners)
  }
  const wait = (ms: number) => {
    now += ms
  }
  return { invariants, laws, start, starts, wait }
}

/** Two, and those that may be saved under the share. */
const ahead = 2 + share

test("S7: a campaign that takes more turns than it may have saved is seen", () => {
  const { invariants, starts } = course()
  starts(ahead, "a")
  expect(invariants.violations).toEqual([])
  starts(1, "a")
  expect(invariants.violations.map(({ name }) => name)).toEqual(["S7"])
})

test("S7: it is the stretch that counts, not the sum", () => {
  const { invariants, starts } = course()
  starts(ahead - 1, "b")
  starts(ahead, "a")
  expect(invariants.violations).toEqual([])
  starts(1, "a")
  expect(invariants.violations).toHaveLength(1)
})

test("S7: lines below the floor are no turns, and who could not dial begins anew", () => {
  const { invariants, laws, start, starts, wait } = course()
  starts(20, "a", [runner("a", { used: share - 1 }), runner("b")])
  starts(ahead, "a")
  start("a", [runner("a"), runner("b", { fit: false })])
  starts(ahead, "a")
  laws.disturbed("org", "b")
  starts(ahead, "a")
  laws.disturbed("org", "b")
  start("a", [runner("a"), runner("b", { until: 1_000_500 })])
  wait(500)
  starts(ahead, "a")
  laws.missed("org")
  starts(ahead, "a")
  laws.resized("org")
  starts(20, "a")
  wait(60_001)
  starts(ahead, "a")
  expect(invariants.violations).toEqual([])
})

test("S7: who sets many contacts aside lets others go first, and who sets few aside does not", () => {
  const { invariants, laws, start, starts } = course()
  const sets = (count: number) => {
    for (let nth = 0; nth < count; nth++) laws.written("org", "b")
  }
  starts(ahead, "a")
  sets(250)
  starts(ahead, "a")
  sets(249)
  start("b")
  sets(249)
  starts(1, "a")
  expect(invariants.violations).toEqual([])
  starts(1, "a")
  expect(invariants.violations.map(({ name }) => name)).toEqual(["S7"])
})

test("S7 holds where every other contact of a campaign is set aside", async () => {
  const client = await Client.start({ mix: { completed: 1 } })
  const { agent_id, organization_id } = client.simulator.info
  const numbers = (count: number, from: number) =>
    Array.from({ length: count }, (_, row) => `+1555${1_000_000 + from + row}`)
  const suppressed = numbers(30, 500)
  expect((await client.post("/v2/suppressions", { to_numbers: suppressed, reason: "opt_out" })).status).toBe(201)
  const own = numbers(30, 0).flatMap((to_number, row) => [{ to_number: suppressed[row] }, { to_number }])
  const others = [1, 2].map((nth) => numbers(30, 1_000 * nth).map((to_number) => ({ to_number })))
  const concurrency = { organization: 2, per_agent: null }
  expect((await client.patch(`/_sim/organizations/${organization_id}`, { concurrency })).status).toBe(200)
  // Ceilings are cached for a minute.
  await client.advance({ by_ms: 61_000 })
  for (const contacts of [own, ...others]) await client.post("/v2/campaigns", { name: "x", agent_id, contacts })
  await client.idle()
  expect(await client.violations()).toEqual([])
})

test("S7 holds where campaigns of all sizes retry, pause and resume, and is really looked at", async () => {
  const client = await Client.start({ mix: { completed: 0.5, busy: 0.3, "no-answer": 0.2 } })
  const { agent_id } = client.simulator.info
  const ids: Array<string> = []
  for (const [nth, size] of [90, 40, 40, 25, 8].entries()) {
    const contacts = Array.from({ length: size }, (_, row) => ({ to_number: `+1555${1_000_000 + nth * 100 + row}` }))
    const retry_policy = { max_retries: 2, base_delay_minutes: 1 }
    const max_concurrent_calls = nth === 1 ? 3 : null
    const body = {
      name: "x",
      agent_id,
      contacts,
      retry_policy,
      ...(max_concurrent_calls === null ? {} : { max_concurrent_calls }),
    }
    ids.push(String((await client.post("/v2/campaigns", body)).body.campaign_id))
  }
  for (const move of ["pause", "resume"]) {
    await client.advance({ by_ms: 40_000 })
    await client.post(`/v2/campaigns/${ids[2]}/${move}`)
  }
  await client.idle()
  expect(await client.violations()).toEqual([])
  const { body } = await client.get("/_sim/invariants")
  const s7 = body.checked.find(({ name }) => name === "S7")
  expect(s7?.checks).toBeGreaterThan(50)
})
