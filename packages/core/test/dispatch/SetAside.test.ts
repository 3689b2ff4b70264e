import { assert, describe, it } from "@effect/vitest"
import { CallCapsSettings, HoursSettings, Suppressions } from "@carillon/core"
import { Turns } from "@carillon/core/domain"
import { Effect } from "effect"
import { Campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

/** More campaigns than lines: turns are all that anybody has. */
const lines = 2

/** The first campaign begins later than what prepares it. */
const start_time = epoch + 2 * hour

const day = [{ start: "09:00", end: "18:00" }]

/** The epoch is a Monday, nine o'clock in UTC: in the morning in Germany, in the night in New York. */
const week = { monday: day, tuesday: day, wednesday: day, thursday: day, friday: day }

/** Area code 212: New York. */
const american = (nth: number) => `+1212${5_550_000 + nth}`
const german = (nth: number) => `+4930${1_000_000 + nth}`
const barred = Array.from({ length: 40 }, (_, nth) => american(nth))

const to = (count: number, from: number) =>
  Array.from({ length: count }, (_, nth) => ({ to_number: german(from + nth), variables: {} }))

/** Every other contact is one that may not be called. */
const mixed = barred.flatMap((to_number, nth) => [
  { to_number, variables: {} },
  { to_number: german(nth), variables: {} },
])

/** Why some numbers may not be called. */
const reasons: ReadonlyArray<readonly [string, (test: Campaigning) => Effect.Effect<unknown, unknown>]> = [
  [
    "are suppressed",
    ({ world }) =>
      world.run(
        Effect.flatMap(Suppressions, (suppressions) =>
          suppressions.add(caller, barred, {
            agent_id: null,
            campaign_id: null,
            reason: "opt_out",
            source: null,
            note: null,
            expires_at: null,
          }),
        ),
      ),
  ],
  [
    "may not be called at this hour",
    ({ world }) =>
      world.run(
        Effect.flatMap(HoursSettings, (settings) =>
          settings.set(
            caller,
            { agent_id: null, campaign_id: null },
            { enabled: true, timezone_column: null, elsewhere: week },
          ),
        ),
      ),
  ],
  [
    "were called as often as may be",
    (test) =>
      Effect.gen(function* () {
        const none = { per_week: null, per_thirty_days: null, minimum_rest_seconds: null }
        yield* test.world.run(Effect.flatMap(CallCapsSettings, (caps) => caps.set(caller, { ...none, per_day: 1 })))
        yield* test.create(barred.map((to_number) => ({ to_number, variables: {} })))
        yield* test.world.advance(hour)
      }),
  ],
]

const calledOf = (test: Campaigning, campaignId: string) =>
  test.calls().filter(({ campaign_id }) => campaign_id === campaignId).length

describe("a campaign of which every other contact may not be called", () => {
  for (const [why, bar] of reasons) {
    it.effect(`has as many calls as others that could call all the time, whose numbers ${why}`, () =>
      Effect.gen(function* () {
        const world = new World({
          script: () => ending("completed", 20),
          organization: { concurrency: { organization: lines, per_agent: null, enforced: true } },
        })
        yield* world.start()
        const test = new Campaigning(world)
        yield* bar(test)
        const own = yield* test.create(mixed, { name: "own", start_time })
        const others: Array<string> = []
        for (const nth of [1, 2]) {
          others.push((yield* test.create(to(40, 1_000 * nth), { name: "other", start_time })).campaign_id)
        }
        yield* world.advance(start_time - world.now)
        for (let at = 0; at < 6 * minute; at += 10_000) {
          yield* world.advance(10_000)
          for (const other of others) {
            const ahead = Math.abs(calledOf(test, other) - calledOf(test, own.campaign_id))
            assert.isAtMost(ahead, 2 + Turns.carriedTurnsLimit(0))
          }
        }
        assert.isAbove(calledOf(test, own.campaign_id), 8)
        assert.isBelow(calledOf(test, own.campaign_id), 40)
      }),
    )
  }
})
