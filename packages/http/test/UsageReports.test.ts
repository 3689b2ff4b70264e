import { limits } from "@carillon/core"
import { type UsageDelta, usageMinuteMs } from "@carillon/core/ports"
import { assert, it } from "@effect/vitest"
import { Layer } from "effect"
import { UnderWay } from "./UnderWay.ts"
import { makeWorld, organizationId, start } from "./World.ts"

/** Two edges of a minute each, and whole minutes between them. */
const range = "from_date=2026-01-05T00:00:30.000Z&to_date=2026-01-05T08:30:30.000Z"

it("a report reads one thing after the other, so those of an organization have a connection for each of their places", async () => {
  const underWay = new UnderWay()
  const world = await makeWorld(
    Layer.empty,
    underWay.counting((operation) => operation.startsWith("usage.")),
  )
  const key = world.mint({})
  const target = `/v2/usage?group_by=agent&${range}`
  const answers = await Promise.all(Array.from({ length: 20 }, () => world.send({ key, target })))
  assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.strictEqual(underWay.reads, 60)
  assert.strictEqual(underWay.most, limits.pagesAtOnce)
  await world.close()
})

it("a report of more agents or campaigns than it may have is refused, and is not without them", async () => {
  const world = await makeWorld()
  const key = world.mint({})
  const delta = (nth: number): UsageDelta => ({
    organization_id: organizationId,
    agent_id: `agt_${nth}`,
    campaign_id: `cmp_${nth}`,
    at: start - (2 + (nth % 100)) * usageMinuteMs,
    calls: 1,
    connected_calls: 1,
    duration_seconds: 1,
    cost: 0.5,
    cost_breakdown: null,
    status_counts: { completed: 1 },
  })
  const ask = (query: string) => world.send({ key, target: `/v2/usage?${query}` })
  world.write(...Array.from({ length: limits.usageGroups }, (_, nth) => ({ put: "usage" as const, delta: delta(nth) })))
  for (const group of ["agent", "campaign"]) {
    const { json, status } = await ask(`group_by=${group}`)
    assert.strictEqual(status, 200)
    assert.strictEqual(Array.isArray(json["buckets"]) ? json["buckets"].length : 0, limits.usageGroups)
  }
  world.write({ put: "usage", delta: delta(limits.usageGroups) })
  for (const group of ["agent", "campaign"]) {
    const { status, text } = await ask(`group_by=${group}`)
    assert.strictEqual(status, 422)
    assert.include(text ?? "", `Invalid value for 'group_by': more than ${limits.usageGroups} ${group}s had calls`)
  }
  for (const query of ["", "group_by=day", `group_by=agent&agent_id=agt_${limits.usageGroups}`]) {
    const { json, status } = await ask(query)
    assert.strictEqual(status, 200)
    assert.strictEqual(json["total_calls"], query.includes("agent_id") ? 1 : limits.usageGroups + 1)
  }
  await world.close()
})
