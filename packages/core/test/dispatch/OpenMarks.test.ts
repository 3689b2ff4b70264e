import { assert, describe, it } from "@effect/vitest"
import { HoursSettings, limits } from "@carillon/core"
import { Effect } from "effect"
import type { CalleeHours } from "../../src/callees/rules/CalleeHours.ts"
import type { HoursEntry } from "../../src/callees/rules/HoursRow.ts"
import { markOf } from "../../src/callees/rules/Marks.ts"
import { numberZoneData } from "../../src/callees/rules/NumberZoneData.ts"
import { openMarks } from "../../src/dispatch/rules/OpenMarks.ts"
import { openMarksInTurns } from "../../src/dispatch/MarksInTurns.ts"
import { Pacing } from "../../src/engine/ports/Pacing.ts"
import { campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId, World } from "../../src/testing/world/World.ts"

const hour = 3_600_000

const prefixes = numberZoneData.prefixes.flatMap(([, some]) => some.split(" "))

/** Zones of no country. */
const zones = [
  ...Array.from({ length: 12 }, (_, nth) => `Etc/GMT+${nth + 1}`),
  ...Array.from({ length: 14 }, (_, nth) => `Etc/GMT-${nth + 1}`),
]

/** Contacts of each zone and prefix, one for each mark that there can be. */
const contactsByMark = () => {
  const byMark = new Map<string, { readonly to_number: string; readonly variables: { readonly timezone: string } }>()
  for (const timezone of zones) {
    for (const prefix of prefixes) {
      const to_number = `+${prefix}5550100`
      byMark.set(markOf({ to_number, timezone }), { to_number, variables: { timezone } })
    }
  }
  return byMark
}

const daily = (start: number, end: number): NonNullable<CalleeHours["elsewhere"]> => ({
  days: Array.from({ length: 7 }, () => [{ start: start * 60, end: end * 60 }]),
  holidays: [],
})

/** An entry that counts how often a mark is judged by it. */
const counting = (hours: CalleeHours, judged: () => void): HoursEntry => ({
  agent_id: null,
  campaign_id: null,
  enabled: true,
  timezone_column: "timezone",
  updated_at: 0,
  get hours() {
    judged()
    return hours
  },
})

/** Closed at the epoch of the world, a Monday, in all zones. */
const setTuesday = (world: World) =>
  world.run(
    Effect.flatMap(HoursSettings, (settings) =>
      settings.set(
        caller,
        { agent_id: null, campaign_id: null },
        { enabled: true, timezone_column: "timezone", elsewhere: { tuesday: [{ start: "11:00", end: "12:00" }] } },
      ),
    ),
  )

/** Counts from now on how often somebody is judged by the hours of the world's organization in one turn of the event loop; tells the most. */
const countInTurns = (world: World) => {
  const row = world.tables.calleeHours.get(organizationId)
  const [entry] = row?.entries ?? []
  assert(row !== undefined && entry !== undefined)
  let [inTurn, most] = [0, 0]
  const judged = () => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0))
    inTurn += 1
    most = Math.max(most, inTurn)
  }
  world.tables.calleeHours.set(organizationId, {
    ...row,
    revision: row.revision + 1,
    entries: [counting(entry.hours, judged)],
  })
  return () => most
}

describe("the marks of a lane", () => {
  it.effect(
    "are judged some in a turn, however many they are and however many entries bind them, and as all at once",
    () =>
      Effect.gen(function* () {
        const marks = [...contactsByMark().keys()].slice(0, 1_500)
        const [first = "", ...others] = marks
        let [inTurn, most, turns] = [0, 0, 1]
        const turn = Effect.sync(() => {
          inTurn = 0
          turns += 1
        })
        const judged = () => {
          inTurn += 1
          most = Math.max(most, inTurn)
        }
        const entries = [daily(9, 12), daily(14, 18), daily(20, 21)].map((elsewhere, nth) => ({
          entry: counting({ countries: { FR: daily(1, 2) }, elsewhere, unknown_timezone: null }, judged),
          agent_ids: new Set([`agt_${nth}`]),
        }))
        const now = Date.parse("2026-11-24T12:30:00Z")
        const found = yield* Effect.provideService(openMarksInTurns(entries, marks, now), Pacing, turn)
        assert.isAtMost(most, limits.calleeMarksAtOnce)
        assert.isAtLeast(turns, (marks.length * entries.length) / limits.calleeMarksAtOnce)
        assert.isAtMost(turns, (2 * marks.length * entries.length) / limits.calleeMarksAtOnce)
        assert.deepStrictEqual(found, openMarks(entries, marks, now))
        assert.isAbove(found.open.length, 0)
        assert.isBelow(found.open.length, marks.length)
        // Few take no turn of their own.
        const few = Math.floor(limits.calleeMarksAtOnce / entries.length)
        turns = 1
        yield* Effect.provideService(openMarksInTurns(entries, [first, ...others.slice(0, few - 1)], now), Pacing, turn)
        assert.strictEqual(turns, 1)
      }),
  )

  it.effect(
    "hold up neither a dispatch nor an explanation for longer than a turn, and all are called when their hours open",
    () =>
      Effect.gen(function* () {
        const contacts = [...contactsByMark().values()].slice(0, 400)
        const test = yield* campaigning(() => ending("completed"))
        const { world } = test
        yield* setTuesday(world)
        const most = countInTurns(world)
        const { campaign_id } = yield* test.create(contacts)
        yield* world.advance(hour)
        const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
        assert.strictEqual(explained.blocking[0]?.reason, "callee_hours")
        assert.strictEqual(explained.blocking[0]?.contacts, contacts.length)
        // Some hundred contacts are set aside together, each judged for itself, and the marks of their lane are gone through beside that.
        assert.isAtMost(most(), limits.skippedTogether + 2 * limits.calleeMarksAtOnce)
        yield* world.advance(36 * hour)
        assert.strictEqual(world.dials.length, contacts.length)
        assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      }),
  )

  it.effect("hold up no page of contacts for longer than a turn", () =>
    Effect.gen(function* () {
      const contacts = [...contactsByMark().values()].slice(0, 100)
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      yield* setTuesday(world)
      const { campaign_id } = yield* test.create(contacts)
      yield* world.advance(hour)
      const most = countInTurns(world)
      const page = yield* test.contacts(campaign_id)
      assert.strictEqual(page.length, contacts.length)
      assert.isTrue(page.every(({ next_attempt_at }) => next_attempt_at !== null))
      assert.isAtMost(most(), 2 * limits.contactsTimedAtOnce)
    }),
  )
})
