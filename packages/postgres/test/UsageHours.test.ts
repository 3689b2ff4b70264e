import { noUsage, Store, type UsageDelta, UsageStore } from "@carillon/core/ports"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import { newPglite } from "../../../scripts/servers/PgliteDirectory.ts"
import { beforeCountedDays } from "./EarlierSchema.ts"
import { differingHours } from "./Hours.ts"

const embedded = await newPglite()
afterAll(() => embedded.remove())

const organizationId = "org_of_hours"
const dayMs = 24 * 3_600_000
const began = Date.UTC(2026, 0, 5)

const moments = fc.integer({ min: 0, max: 2 * dayMs }).map((ms) => began + ms)
const quarters = fc.integer({ min: -8, max: 40 }).map((n) => n / 4)

const deltas = fc.array(
  fc.record({
    organization_id: fc.constantFrom(organizationId, "org_other"),
    agent_id: fc.constantFrom("agt_a", "agt_b"),
    campaign_id: fc.constantFrom(null, "cmp_a"),
    at: moments,
    calls: fc.constantFrom(0, 1),
    connected_calls: fc.nat(1),
    duration_seconds: quarters,
    cost: quarters,
    cost_breakdown: fc.constant(null),
    status_counts: fc.constantFrom({ completed: 1 }, { busy: 1 }, {}),
  }),
  { minLength: 1, maxLength: 30 },
)

it("hours are the sums of their minutes, whoever has written those, and before", { timeout: 120_000 }, async () => {
  const program = Effect.gen(function* () {
    const store = yield* Store
    const usage = yield* UsageStore
    let commits = 0
    const write = (some: ReadonlyArray<UsageDelta>) =>
      Effect.forEach(some, (delta) =>
        store.commit({
          id: `cmt_of_hours_${commits++}`,
          organization_id: delta.organization_id,
          expect: [],
          changes: [{ put: "usage", delta }],
          wakeups: [],
          events: [],
          audit: [],
        }),
      )
    const drawn = fc.sample(deltas, { seed: 18, numRuns: 12 })
    for (const some of drawn) yield* write(some)
    assert.deepStrictEqual(yield* differingHours, [])
    yield* beforeCountedDays(Effect.forEach(drawn, write))
    assert.deepStrictEqual(yield* differingHours, [])
    for (const some of drawn) yield* write(some)
    assert.deepStrictEqual(yield* differingHours, [])
    const all = drawn.flat().filter((delta) => delta.organization_id === organizationId)
    for (const [from, to] of fc.sample(fc.tuple(moments, moments), { seed: 18, numRuns: 40 })) {
      const range = { from: from - (from % 60_000), to: to - (to % 60_000), agent_id: null }
      const parts = yield* usage.parts(organizationId, range, "agent")
      const expected = all.filter(({ at }) => at >= range.from && at < range.to)
      for (const name of ["calls", "connected_calls", "duration_seconds", "cost"] as const) {
        assert.strictEqual(
          parts.reduce((sum, { figures }) => sum + figures[name], noUsage[name]),
          3 * expected.reduce((sum, delta) => sum + delta[name], 0),
          name,
        )
      }
    }
  })
  const layer = Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient(embedded.directory))
  await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
})
