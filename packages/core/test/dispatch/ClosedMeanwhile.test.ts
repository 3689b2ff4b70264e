import { assert, describe, it } from "@effect/vitest"
import { HoursSettings, limits } from "@carillon/core"
import type { CampaignBody } from "@carillon/core/domain"
import { Effect } from "effect"
import { Campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute
const many = 300

/** The epoch of the world is a Monday, 9:00 UTC. */
const closesAt = epoch + hour

/** In London, where it is as late as in UTC. */
const contacts = Array.from({ length: many }, (_, nth) => ({ to_number: `+4420${70_000_000 + nth}`, variables: {} }))

const tillTen = Object.fromEntries(
  ["monday", "tuesday", "wednesday"].map((day) => [day, { start: "08:00", end: "10:00" }]),
)

/** Operations that take their time, and how long before nobody may be dialled any more the dispatch begins. */
interface Slowness {
  readonly ms: number
  readonly operations: RegExp
  readonly leadMs: number
}

/** A world with a campaign whose dispatch begins shortly before it may dial no more. */
const slow = Effect.fnUntraced(function* (
  { leadMs, ms, operations }: Slowness,
  seed: (world: World) => Effect.Effect<unknown, unknown>,
  body: CampaignBody,
) {
  const dialledAt: Array<number> = []
  let isSlow = false
  const world: World = new World({
    script: () => ending("completed"),
    organization: { concurrency: { organization: 1_000, per_agent: 1_000, enforced: true } },
    interpose: (operation, effect) =>
      Effect.suspend(() => {
        if (operation === "telephony.dial") dialledAt.push(world.now)
        if (!isSlow || !operations.test(operation)) return effect
        world.now += ms
        return Effect.andThen(Effect.yieldNow, effect)
      }),
  })
  yield* world.start()
  yield* Effect.orDie(seed(world))
  const test = new Campaigning(world)
  const { campaign_id } = yield* test.create(contacts, { start_time: closesAt - leadMs, ...body })
  yield* world.advance(closesAt - leadMs - world.now - 1)
  isSlow = true
  yield* world.advance(minute)
  isSlow = false
  return { campaign_id, dialledAt, test, world }
})

const nothing = () => Effect.void

const calleeHours = (world: World) =>
  world.run(
    Effect.flatMap(HoursSettings, (settings) =>
      settings.set(
        caller,
        { agent_id: null, campaign_id: null },
        {
          enabled: true,
          timezone_column: null,
          countries: {},
          unknown_timezone: "UTC",
          elsewhere: { monday: [{ start: "08:00", end: "10:00" }], tuesday: [{ start: "08:00", end: "10:00" }] },
        },
      ),
    ),
  )

const kinds: ReadonlyArray<readonly [string, CampaignBody, (world: World) => Effect.Effect<unknown, unknown>]> = [
  ["working hours close", { working_hours: tillTen, working_hours_enforced: true, timezone: "UTC" }, nothing],
  ["its end comes", { end_time: closesAt }, nothing],
  ["callee hours close", {}, calleeHours],
]

describe("a campaign whose dispatch takes longer than it may dial", () => {
  for (const [what, body, seed] of kinds) {
    for (const slowness of [
      { ms: 50, operations: /^store\.admit$/, leadMs: 4_000 },
      { ms: 5, operations: /^store\.admit$/, leadMs: 400 },
      { ms: 20, operations: /^slots\./, leadMs: 4_000 },
      { ms: 40, operations: /^(calls|agents|callees|accounts)\./, leadMs: 500 },
    ]) {
      it.effect(`rings nobody once ${what}: ${slowness.ms} ms for each of ${slowness.operations.source}`, () =>
        Effect.gen(function* () {
          const { campaign_id, dialledAt, test, world } = yield* slow(slowness, seed, body)
          assert.deepStrictEqual(
            dialledAt.filter((at) => at >= closesAt),
            [],
          )
          // Nor is anybody meant to be, by the time at which that is decided.
          const meantAt = world.commits.flatMap(({ changes }) =>
            changes.flatMap((change) =>
              change.put === "call" && change.row.dial === "intended"
                ? [(change.row.due_at ?? 0) - limits.questionDelayMs]
                : [],
            ),
          )
          assert.isBelow(Math.max(...meantAt), closesAt)
          assert.isAbove(dialledAt.length, 0)
          assert.isBelow(dialledAt.length, many)
          yield* world.advance(minute)
          const rows = world.tables.contacts.rows(
            world.tables.batches.unfinished(campaign_id)[0]?.batch_id ?? "",
            0,
            many,
          )
          const rung = new Set(world.dials.map(({ to_number }) => to_number))
          // Who was not rung has used nothing up, and is as one who was never dialled.
          for (const { contact, entry } of rows) {
            if (rung.has(entry.to_number) || contact === null) continue
            assert.deepInclude(contact, { status: "pending", attempts: 0, holds: 0, last_execution_id: null })
          }
          assert.strictEqual(test.calls().length, rung.size)
          if (what === "its end comes") return
          yield* world.advance(26 * hour)
          assert.strictEqual(world.dials.length, many)
        }),
      )
    }
  }
})

describe("a call whose agent's window closes while it is decided over", () => {
  const calling_guard = { enabled: true, timezone: "UTC", days: [], start: "08:00", end: "10:00" }

  /** So long before the window closes it is decided over; each of some operations takes 40 ms. */
  const leads = Array.from({ length: 12 }, (_, nth) => 10 + 20 * nth)

  const calling = Effect.fnUntraced(function* (leadMs: number, isBooked: boolean, operations: RegExp) {
    const dialledAt: Array<number> = []
    let isSlow = false
    const world: World = new World({
      script: () => ending("completed"),
      agent: { calling_guard },
      interpose: (operation, effect) =>
        Effect.suspend(() => {
          if (operation === "telephony.dial") dialledAt.push(world.now)
          if (isSlow && operations.test(operation)) world.now += 40
          return effect
        }),
    })
    yield* world.start()
    const scheduled_at = closesAt - leadMs
    if (isBooked) yield* world.placed({ scheduled_at })
    yield* world.advance(scheduled_at - world.now - 1)
    isSlow = true
    if (!isBooked) yield* world.placed()
    yield* world.advance(1)
    isSlow = false
    yield* world.advance(25 * hour)
    assert.lengthOf(dialledAt, 1)
    const isMoved = (dialledAt[0] ?? 0) >= closesAt
    if (isMoved) assert.isAtLeast(dialledAt[0] ?? 0, epoch + 23 * hour, `${leadMs} ms before`)
    const [call, ...others] = world.calls()
    assert.lengthOf(others, 0)
    assert.strictEqual(call?.status, "completed")
    if (!isBooked) assert.strictEqual(call?.deferred_by_calling_guard, isMoved)
    return isMoved
  })

  for (const isBooked of [false, true]) {
    for (const operations of [/^accounts\./, /^store\.admit$/, /^slots\./]) {
      it.effect(
        `is moved into the next opening where it is ${isBooked ? "booked" : "direct"}: 40 ms for each of ${operations.source}`,
        () =>
          Effect.gen(function* () {
            const moved = yield* Effect.forEach(leads, (leadMs) => Effect.scoped(calling(leadMs, isBooked, operations)))
            assert.sameMembers([...new Set(moved)], [true, false])
          }),
      )
    }
  }
})
