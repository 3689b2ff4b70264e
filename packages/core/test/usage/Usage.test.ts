import { assert, describe, it } from "@effect/vitest"
import { type Call, Usage } from "@carillon/core"
import { isTerminal, usageGroups, type UsageFigures, type UsageQuery } from "@carillon/core/domain"
import { noUsage } from "@carillon/core/ports"
import { addUsage, sumUsage, usageDelta } from "../../src/usage/rules/Usage.ts"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { agentId, epoch, organizationId, ordinary, type Script, World } from "../../src/testing/world/World.ts"

const day = 24 * 3_600_000

const report = (world: World, query: UsageQuery = {}) =>
  world.run(Effect.flatMap(Usage, (usage) => usage.report(organizationId, query)))

/** Usage said as plainly as can be: every call looked at. */
const scan = (calls: ReadonlyArray<Call>): UsageFigures =>
  calls.reduce((sum, call) => {
    const delta = usageDelta(null, call)
    return delta === null ? sum : addUsage(sum, delta)
  }, noUsage)

const calls = (world: World): ReadonlyArray<Call> =>
  world.tables.calls.page(organizationId, {}, { page: 1, page_size: 10_000 }).items

/** The answer is told after the end. */
const lateAnswer: Script = {
  end: { status: "call-disconnected", duration_seconds: 9 },
  reports: [
    [300, "initiated"],
    [9_000, "ended"],
    [9_500, "answered"],
    [10_000, "final"],
  ],
}

/** Rings, is busy, is lost, is refused, is recovered under another record: by the last digit of the number. */
const varied = () =>
  new World({
    script: ({ to_number }) => {
      switch (Number(to_number.at(-1)) % 6) {
        case 0:
          return ordinary
        case 1:
          return {
            reports: [
              [300, "initiated"],
              [900, "ended"],
              [1_200, "final"],
              [5_000, "corrected"],
            ],
          }
        case 2:
          return { outcome: { _tag: "Refused", kind: "invalid_destination" } }
        case 3:
          return {
            reports: [
              [300, "initiated"],
              [700, "recovered"],
            ],
            asked: { _tag: "Unknown" },
          }
        case 4:
          return { outcome: { _tag: "Unknown" } }
        default:
          return lateAnswer
      }
    },
  })

describe("usage", () => {
  it.effect("equals what looking at every call would find, at any moment of their lives", () =>
    Effect.gen(function* () {
      const world = varied()
      yield* world.start()
      for (let n = 0; n < 15; n++) {
        yield* world.place({ to_number: `+1555555010${n % 10}` })
        yield* world.advance(n % 3 === 0 ? 45_000 : 1_000)
        const { total } = yield* report(world)
        assert.deepStrictEqual(total, scan(calls(world)))
      }
      yield* world.advance(600_000)
      const { total } = yield* report(world)
      assert.deepStrictEqual(total, scan(calls(world)))
      assert.strictEqual(total.calls, 15)
      assert.isTrue(calls(world).every(({ status }) => isTerminal(status)))
      assert.isAtLeast(Object.keys(total.status_counts).length, 3)
    }),
  )

  it.effect("counts a call as connected whose answer was told after its end", () =>
    Effect.gen(function* () {
      const world = new World({ script: () => lateAnswer })
      yield* world.start()
      yield* world.place()
      yield* world.advance(9_000)
      assert.strictEqual((yield* report(world)).total.connected_calls, 0)
      yield* world.advance(60_000)
      assert.deepInclude((yield* report(world)).total, { calls: 1, connected_calls: 1 })
    }),
  )

  it.effect("counts by creation, groups by day and agent, and leaves out what lies outside", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      yield* world.place({ to_number: "+15555550101" })
      yield* world.advance(day)
      yield* world.place({ to_number: "+15555550102" })
      yield* world.place({ to_number: "+15555550103" })
      yield* world.advance(60_000)
      const byDay = yield* report(world, { group_by: "day" })
      assert.deepStrictEqual(
        byDay.parts.map(({ figures, key }) => [key, figures.calls]),
        [
          ["2026-01-05", 1],
          ["2026-01-06", 2],
        ],
      )
      const byAgent = yield* report(world, { group_by: "agent" })
      assert.deepStrictEqual(
        byAgent.parts.map(({ figures, key }) => [key, figures.calls]),
        [[agentId, 3]],
      )
      assert.strictEqual((yield* report(world, { agent_id: "agt_other" })).total.calls, 0)
      const later = yield* report(world, { from_date: epoch + 60_000 })
      assert.strictEqual(later.total.calls, 2)
      const first = yield* report(world, { from_date: epoch, to_date: epoch })
      assert.strictEqual(first.total.calls, 1)
    }),
  )

  it.effect("counts of a range exactly what is listed for it, so that adjacent ranges count no call twice", () =>
    Effect.gen(function* () {
      const world = varied()
      yield* world.start()
      for (let n = 0; n < 40; n++) {
        yield* world.place({ to_number: `+1555555010${n % 10}` })
        yield* world.advance((n * 7_919) % 30_011)
      }
      yield* world.advance(600_000)
      const all = calls(world)
      const moments = fc.oneof(
        fc.integer({ min: epoch - 60_000, max: world.now }),
        fc.constantFrom(...all).chain(({ created_at }) => fc.constantFrom(created_at - 1, created_at, created_at + 1)),
      )
      const group_by = fc.constantFrom(...usageGroups, undefined)
      yield* law(fc.tuple(fc.tuple(moments, moments, moments), group_by), ([three, group]) =>
        Effect.gen(function* () {
          const [from = 0, middle = 0, to = 0] = three.toSorted((a, b) => a - b)
          const counted = (from_date: number, to_date: number) =>
            Effect.gen(function* () {
              const asked = { from_date, to_date }
              const found = yield* report(world, { ...asked, ...(group === undefined ? {} : { group_by: group }) })
              const { items } = world.tables.calls.page(organizationId, asked, { page: 1, page_size: 10_000 })
              assert.deepStrictEqual(found.total, scan(items))
              const parts = found.parts.reduce((sum, { figures }) => sumUsage(sum, figures), noUsage)
              if (group !== undefined) assert.deepStrictEqual(parts, scan(items))
              return found.total.calls
            })
          const parts = [yield* counted(from, middle), yield* counted(middle + 1, Math.max(to, middle + 1))]
          if (to > middle) assert.strictEqual(yield* counted(from, to), (parts[0] ?? 0) + (parts[1] ?? 0))
        }),
      )
    }),
  )

  it.effect("reads 32 days and no more, and not backwards", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* world.start()
      const asked = (query: UsageQuery) => Effect.map(Effect.result(report(world, query)), Result.isSuccess)
      assert.isTrue(yield* asked({ from_date: epoch, to_date: epoch + 32 * day }))
      assert.isFalse(yield* asked({ from_date: epoch, to_date: epoch + 32 * day + 1 }))
      assert.isFalse(yield* asked({ from_date: epoch + 1, to_date: epoch }))
      const { from_date, to_date } = yield* report(world)
      assert.deepStrictEqual([from_date, to_date], [Date.UTC(2026, 0, 1), epoch])
    }),
  )
})
