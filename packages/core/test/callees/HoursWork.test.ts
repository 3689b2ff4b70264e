import { assert, describe, it } from "@effect/vitest"
import { HoursSettings, InvalidField, limits } from "@carillon/core"
import type { HoursRequest } from "@carillon/core/domain"
import { CurrentPieceClock, Pacing } from "@carillon/core/ports"
import { Effect } from "effect"
import { campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { zonesOfNumbers } from "../../src/callees/rules/NumberZones.ts"
import { zonesAtHand } from "../../src/callees/ZonesAtHand.ts"
import { caller, epoch, organizationId } from "../../src/testing/world/World.ts"

const forAll = { agent_id: null, campaign_id: null }
const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

/** Eight openings of one minute a day: clocks that are a quarter or half an hour apart are never open together. */
const brief = Object.fromEntries(
  days.map((each) => [
    each,
    Array.from({ length: 8 }, (_, nth) => ({ start: `${10 + nth}:00`, end: `${10 + nth}:01` })),
  ]),
)

const request: HoursRequest = { enabled: true, timezone_column: null, elsewhere: brief }

/** Nothing is known of them, so they may be in any zone. */
const anywhere = (count: number) => Array.from({ length: count }, (_, nth) => `+999${10_000_000 + nth}`)

const dayMs = 86_400_000

const check = (toNumbers: ReadonlyArray<string>, at: number | null) =>
  Effect.flatMap(HoursSettings, (hours) => hours.check(organizationId, forAll, toNumbers, at))

/** A generous bound, in milliseconds of CPU time: a hundred numbers took 2,000, each as long as the first. */
const enoughMs = 1_000

describe("a check of callee hours", () => {
  it.effect("takes little for numbers that may be anywhere", () =>
    Effect.gen(function* () {
      const { world } = yield* campaigning(() => ending("completed"))
      yield* world.run(Effect.flatMap(HoursSettings, (hours) => hours.set(caller, forAll, request)))
      const before = process.cpuUsage()
      const checked = yield* world.run(check(anywhere(100), null))
      const cpuMs = process.cpuUsage(before).user / 1_000
      assert.lengthOf(checked, 100)
      assert.isTrue(checked.every((each) => !each.is_open && each.opens_at === null))
      assert.isBelow(cpuMs, enoughMs)
    }),
  )

  it.effect("is made for a moment within two years, in the past, too", () =>
    Effect.gen(function* () {
      const { world } = yield* campaigning(() => ending("completed"))
      yield* world.run(Effect.flatMap(HoursSettings, (hours) => hours.set(caller, forAll, request)))
      const most = limits.calleeHoursCheckDays * dayMs
      for (const at of [epoch - most, epoch + most]) assert.lengthOf(yield* world.run(check(anywhere(1), at)), 1)
      for (const at of [epoch - most - 1, epoch + most + 1, Date.UTC(2300, 0, 1)]) {
        const fault = yield* Effect.flip(world.run(check(anywhere(1), at)))
        assert.isTrue(fault instanceof InvalidField && fault.field === "at")
      }
    }),
  )

  it.effect("gives others their turn between numbers that have not the same zones", () =>
    Effect.gen(function* () {
      const { world } = yield* campaigning(() => ending("completed"))
      yield* world.run(Effect.flatMap(HoursSettings, (hours) => hours.set(caller, forAll, request)))
      let turns = 0
      const counted = Effect.provideService(
        check([...anywhere(50), "+18005550100", "+18885550100", "+79161234567"], null),
        Pacing,
        Effect.sync(() => void turns++),
      )
      assert.lengthOf(yield* world.run(counted), 53)
      // Freephone numbers have one prefix.
      assert.strictEqual(turns, 3)
    }),
  )
})

describe("what clocks show in all zones", () => {
  it.effect("is read some zones in a turn, once, and in no turns where a world has a clock of its own", () =>
    Effect.gen(function* () {
      const made: Array<number> = []
      const formats = Intl.DateTimeFormat
      Intl.DateTimeFormat = new Proxy(formats, {
        construct: (target, args) => {
          made[made.length - 1] = (made.at(-1) ?? 0) + 1
          return Reflect.construct(target, args)
        },
      })
      const counted = Effect.provideService(
        zonesAtHand(Date.UTC(2090, 0, 1)),
        Pacing,
        Effect.sync(() => void made.push(0)),
      )
      const clock = {
        now: () => 0,
        afterTurn: (work: () => void) => work(),
        later: (_ms: number, work: () => void) => work(),
      }
      const paced = Effect.provideService(counted, CurrentPieceClock, clock)
      yield* counted
      assert.deepStrictEqual(made, [])
      yield* Effect.ensuring(
        paced,
        Effect.sync(() => {
          Intl.DateTimeFormat = formats
        }),
      )
      assert.isAtMost(Math.max(...made), 4)
      assert.strictEqual(made.reduce((sum, each) => sum + each, 0) % zonesOfNumbers().length, 0)
      const before = made.length
      assert.isAtLeast(before, zonesOfNumbers().length / 4)
      yield* paced
      assert.lengthOf(made, before)
    }),
  )
})
