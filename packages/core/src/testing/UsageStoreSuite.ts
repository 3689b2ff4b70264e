import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { callStatuses } from "../calls/rules/CallStatus.ts"
import { Store } from "../engine/ports/Store.ts"
import { limits } from "../Limits.ts"
import {
  addUsage,
  noUsage,
  sumUsage,
  usageDayMs,
  usageDelta,
  type UsageDelta,
  type UsageFigures,
  usageMinuteMs,
} from "../usage/rules/Usage.ts"
import { UsageStore } from "../usage/ports/UsageStore.ts"
import { type UsageGroup, usageGroups } from "../usage/rules/UsageParts.ts"
import { law } from "./Law.ts"
import { oddVariables } from "./Odd.ts"
import { fresh, sampleCall, sampleCommit, sampleEpoch } from "./Samples.ts"

const midnight = Math.floor(sampleEpoch / usageDayMs) * usageDayMs

const minutes = fc.integer({ min: -2 * 24 * 60, max: 2 * 24 * 60 }).map((minute) => midnight + minute * usageMinuteMs)

const status = fc.constantFrom(...callStatuses)

// Quarters, so that sums are exact in every adapter.
const quarters = fc.nat(40).map((n) => n / 4)

const deltas = fc.array(
  fc.record({
    agent_id: fc.constantFrom("agt_a", "agt_b"),
    campaign_id: fc.constantFrom(null, "cmp_a"),
    at: fc.tuple(minutes, fc.nat(usageMinuteMs - 1)).map(([minute, ms]) => minute + ms),
    calls: fc.constant(1),
    connected_calls: fc.nat(1),
    duration_seconds: quarters,
    cost: quarters,
    cost_breakdown: fc.option(
      fc.record({
        llm: quarters,
        network: quarters,
        platform: quarters,
        synthesizer: quarters,
        telephony: quarters,
        transcriber: quarters,
      }),
    ),
    status_counts: status.map((one) => ({ [one]: 1 })),
  }),
  { maxLength: 20 },
)

/** Calls that are created within ten milliseconds, the day's change in their middle. */
const calls = fc.record({
  agent_id: fc.constantFrom("agt_a", "agt_b"),
  campaign_id: fc.constantFrom(null, "cmp_a"),
  created_at: fc.nat(9).map((ms) => midnight + ms - 5),
  status,
  answered_at: fc.constantFrom(null, sampleEpoch),
  duration_seconds: fc.option(quarters),
  cost: fc.option(
    fc.record({
      total: quarters,
      currency: fc.constant("USD"),
      breakdown: fc.record({
        llm: quarters,
        network: quarters,
        platform: quarters,
        synthesizer: quarters,
        telephony: quarters,
        transcriber: quarters,
      }),
    }),
  ),
  folded_into: fc.constantFrom(null, null, null, "exec_survivor"),
  variables: oddVariables,
})

const keyOf = (delta: Pick<UsageDelta, "agent_id" | "campaign_id" | "at">, group: UsageGroup): string | null =>
  group === "agent"
    ? delta.agent_id
    : group === "campaign"
      ? delta.campaign_id
      : new Date(delta.at).toISOString().slice(0, 10)

/** Lays down what every adapter of `UsageStore` must do. Tallies are written through `Store`. */
export const suite = <E>(name: string, layer: Layer.Layer<Store | UsageStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("adds up what lies in the range, by day, agent and campaign", () =>
      law(
        fc.record({
          deltas,
          bounds: fc.tuple(minutes, minutes).map((two) => two.toSorted((a, b) => a - b)),
          agent_id: fc.constantFrom(null, "agt_a"),
          group: fc.constantFrom(...usageGroups),
        }),
        Effect.fnUntraced(function* ({ agent_id, bounds, deltas, group }) {
          const store = yield* Store
          const usage = yield* UsageStore
          const organizationId = fresh("org_")
          for (const delta of deltas) {
            const own = { ...delta, organization_id: organizationId }
            const foreign = { ...delta, organization_id: fresh("org_") }
            yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "usage", delta: own }] }))
            yield* store.commit(sampleCommit(foreign.organization_id, { changes: [{ put: "usage", delta: foreign }] }))
          }
          const [from = 0, to = 0] = bounds
          const expected = new Map<string | null, UsageFigures>()
          for (const delta of deltas) {
            if (delta.at < from || delta.at >= to || (agent_id !== null && delta.agent_id !== agent_id)) continue
            const key = keyOf(delta, group)
            const before = expected.get(key) ?? noUsage
            expected.set(key, addUsage(before, { ...delta, organization_id: organizationId }))
          }
          const parts = yield* usage.parts(organizationId, { from, to, agent_id }, group)
          const cells = yield* usage.cells(organizationId, { from, to })
          const own = cells.filter((cell) => agent_id === null || cell.agent_id === agent_id)
          const sums = Map.groupBy(own, (cell) => keyOf(cell, group))
          for (const { figures, key } of parts) {
            const all = (sums.get(key) ?? []).map((cell) => cell.figures)
            assert.deepStrictEqual(all.reduce(sumUsage, noUsage), figures)
          }
          assert.strictEqual(sums.size, parts.length)
          assert.deepStrictEqual(
            parts,
            [...expected]
              .map(([key, figures]) => ({ key, figures: sumUsage(noUsage, figures) }))
              .toSorted((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1)),
          )
        }),
        { numRuns: 60 },
      ),
    )

    it.effect("counts the listed calls of a stretch to the millisecond", () =>
      law(
        fc.record({
          calls: fc.array(calls, { maxLength: 20 }),
          bounds: fc.tuple(fc.nat(10), fc.nat(10)).map((two) => two.toSorted((a, b) => a - b)),
          agent_id: fc.constantFrom(null, "agt_a"),
          group: fc.constantFrom(...usageGroups),
        }),
        Effect.fnUntraced(function* ({ agent_id, bounds, calls, group }) {
          const store = yield* Store
          const usage = yield* UsageStore
          const organizationId = fresh("org_")
          const rows = calls.map((changes) => sampleCall(organizationId, { execution_id: fresh("exec_"), ...changes }))
          for (const row of rows) {
            yield* store.commit(sampleCommit(organizationId, { changes: [{ put: "call", row }] }))
          }
          const [from = 0, to = 0] = bounds.map((ms) => midnight + ms - 5)
          const expected = new Map<string | null, UsageFigures>()
          for (const row of rows) {
            const { created_at, folded_into } = row
            if (folded_into !== null || created_at < from || created_at >= to) continue
            if (agent_id !== null && row.agent_id !== agent_id) continue
            const delta = usageDelta(null, row)
            assert.isNotNull(delta)
            const key = keyOf(delta, group)
            expected.set(key, addUsage(expected.get(key) ?? noUsage, delta))
          }
          assert.deepStrictEqual(
            yield* usage.edge(organizationId, { from, to, agent_id }, group),
            [...expected]
              .map(([key, figures]) => ({ key, figures: sumUsage(noUsage, figures) }))
              .toSorted((a, b) => ((a.key ?? "") < (b.key ?? "") ? -1 : 1)),
          )
        }),
        { numRuns: 60 },
      ),
    )

    it.effect("reads one agent, or campaign, more than a report may have, and all days", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const usage = yield* UsageStore
        const organizationId = fresh("org_")
        const name = (nth: number): string => String(nth).padStart(5, "0")
        const delta = (nth: number): UsageDelta => ({
          organization_id: organizationId,
          agent_id: `agt_${name(nth)}`,
          campaign_id: nth === 0 ? null : `cmp_${name(nth)}`,
          at: midnight + (nth % 3) * usageMinuteMs - nth * usageDayMs,
          calls: 1,
          connected_calls: 0,
          duration_seconds: 0,
          cost: 0,
          cost_breakdown: null,
          status_counts: { busy: 1 },
        })
        const deltas = Array.from({ length: limits.usageGroups + 2 }, (_, nth) => delta(nth))
        const changes = deltas.toReversed().map((each) => ({ put: "usage", delta: each }) as const)
        yield* store.commit(sampleCommit(organizationId, { changes }))
        const range = { from: 0, to: midnight + usageDayMs, agent_id: null }
        const keysBy = (group: UsageGroup) =>
          Effect.map(usage.parts(organizationId, range, group), (parts) => parts.map(({ key }) => key))
        const first = deltas.slice(0, limits.usageGroups + 1)
        assert.deepStrictEqual(
          yield* keysBy("agent"),
          first.map(({ agent_id }) => agent_id),
        )
        assert.deepStrictEqual(
          yield* keysBy("campaign"),
          first.map(({ campaign_id }) => campaign_id),
        )
        assert.strictEqual((yield* keysBy("day")).length, deltas.length)
        const own = { ...range, agent_id: `agt_${name(limits.usageGroups + 1)}` }
        assert.strictEqual((yield* usage.parts(organizationId, own, "agent")).length, 1)
      }),
    )

    it.effect("moves a call from one status to the next, and forgets a status that no call has", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const usage = yield* UsageStore
        const organization_id = fresh("org_")
        const delta: UsageDelta = {
          organization_id,
          agent_id: "agt_a",
          campaign_id: null,
          at: sampleEpoch,
          calls: 1,
          connected_calls: 0,
          duration_seconds: 0,
          cost: 0,
          cost_breakdown: null,
          status_counts: { queued: 1 },
        }
        const moved: UsageDelta = { ...delta, calls: 0, status_counts: { queued: -1, completed: 1 } }
        for (const change of [delta, moved]) {
          yield* store.commit(sampleCommit(organization_id, { changes: [{ put: "usage", delta: change }] }))
        }
        const range = { from: sampleEpoch, to: sampleEpoch + usageMinuteMs, agent_id: null }
        const [part] = yield* usage.parts(organization_id, range, "agent")
        assert.deepStrictEqual(part, {
          key: "agt_a",
          figures: { ...noUsage, calls: 1, status_counts: { completed: 1 } },
        })
      }),
    )
  })
