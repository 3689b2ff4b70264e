import { assert, describe, it } from "@effect/vitest"
import { type Call, type EngineError, Engine, HoursSettings, limits, StateConflict } from "@carillon/core"
import { bindingOf, type CampaignBody, type HoursRequest, isCallable } from "@carillon/core/domain"
import type { Commit } from "@carillon/core/ports"
import { Effect } from "effect"
import { Campaigning, campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { restart } from "../../src/testing/world/Plans.ts"
import { agentId, answerOf, caller, epoch, organizationId, World } from "../../src/testing/world/World.ts"
import { everywhere, interrupted, untilStill } from "../Interrupted.ts"

const minute = 60_000
const hour = 60 * minute

/** Berlin, nine to six on weekdays; the epoch of the world is a Monday, 9:00 UTC, ten o'clock there. */
const week = {
  monday: [{ start: "09:00", end: "18:00" }],
  tuesday: [{ start: "09:00", end: "18:00" }],
  wednesday: [{ start: "09:00", end: "18:00" }],
  thursday: [{ start: "09:00", end: "18:00" }],
  friday: [{ start: "09:00", end: "18:00" }],
}

const hours: HoursRequest = { enabled: true, timezone_column: "timezone", elsewhere: week }

const forAll = { agent_id: null, campaign_id: null }

const setHours = (world: World, changes: Partial<HoursRequest> = {}, scope: object = {}) =>
  world.run(
    Effect.flatMap(HoursSettings, (settings) =>
      settings.set(caller, { ...forAll, ...scope }, { ...hours, ...changes }),
    ),
  )

const german = (nth: number) => `+4930${1_000_000 + nth}`
/** Area code 212: New York. At the epoch it is four in the morning there. */
const american = (nth: number) => `+1212${5_550_000 + nth}`

const to = (...numbers: ReadonlyArray<string>) => numbers.map((to_number) => ({ to_number, variables: {} }))

/** Dials that were committed while the hours of their callee were closed, by the commits in their order. */
const rungOutOfHours = (commits: ReadonlyArray<Commit>): ReadonlyArray<string> => {
  let setting: Parameters<typeof bindingOf>[0] = null
  const intended = new Set<string>()
  const wrong: Array<string> = []
  const isWrong = (call: Call) =>
    call.overrides_callee_hours !== true &&
    !isCallable(bindingOf(setting, call, call), (call.due_at ?? 0) - limits.questionDelayMs)
  for (const { changes } of commits) {
    for (const change of changes) {
      if (change.put === "call" && change.row.dial === "intended" && !intended.has(change.row.execution_id)) {
        intended.add(change.row.execution_id)
        if (isWrong(change.row)) wrong.push(change.row.to_number)
      }
    }
    for (const change of changes) if (change.put === "callee_hours") setting = change.row
  }
  return wrong
}

const dialled = (world: World) => world.dials.map(({ to_number }) => to_number)

const conflictOf = (place: Effect.Effect<unknown, EngineError>) =>
  Effect.map(Effect.flip(place), (error) => (error instanceof StateConflict ? error.message : String(error)))

describe("contacts whose hours are closed", () => {
  it.effect("wait until they open, behind nobody, and their campaign says so", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      yield* setHours(world)
      const numbers = [american(0), american(1), german(0), american(2), german(1)]
      const { campaign_id } = yield* test.create(to(...numbers))
      yield* world.advance(hour)
      assert.sameMembers(dialled(world), [german(0), german(1)])
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(explained.blocking, [{ reason: "callee_hours", contacts: 3, until: epoch + 5 * hour }])
      for (const { next_attempt_at, status, to_number } of yield* test.contacts(campaign_id)) {
        if (to_number.startsWith("+49")) assert.deepStrictEqual([status, next_attempt_at], ["completed", null])
        else assert.deepStrictEqual([status, next_attempt_at], ["pending", epoch + 5 * hour])
      }
      yield* world.advance(4 * hour - 1)
      assert.strictEqual(world.dials.length, 2)
      yield* world.advance(1)
      assert.strictEqual(world.dials.length, 5)
      yield* world.advance(hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      assert.deepStrictEqual(rungOutOfHours(world.commits), [])
    }),
  )

  it.effect("are written once, however many they are and however often hours open and close", () =>
    Effect.gen(function* () {
      const many = 600
      const test = yield* campaigning(() => ending("completed"))
      yield* setHours(test.world, { elsewhere: { saturday: [{ start: "09:00", end: "10:00" }] } })
      yield* test.create(to(...Array.from({ length: many }, (_, nth) => american(nth))))
      yield* test.world.advance(4 * 24 * hour)
      const writes = test.world.commits.flatMap(({ changes }) => changes.filter(({ put }) => put === "contact"))
      assert.strictEqual(writes.length, many)
      assert.strictEqual(test.world.dials.length, 0)
      yield* test.world.advance(24 * hour + 5.9 * hour)
      assert.isAbove(test.world.dials.length, 0)
      assert.deepStrictEqual(rungOutOfHours(test.world.commits), [])
    }),
  )

  it.effect("are called when the hours are widened or taken away, and by their own zone where they have one", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      // One whose zone is none was there before the hours: nobody looked at it.
      const contacts = [
        { to_number: american(0), variables: { timezone: "Europe/Paris" } },
        { to_number: american(1), variables: { timezone: "nowhere" } },
        { to_number: american(2), variables: {} },
      ]
      yield* test.create(contacts, { start_time: epoch + minute })
      yield* setHours(world)
      yield* world.advance(2 * minute)
      assert.deepStrictEqual(dialled(world), [american(0)])
      yield* setHours(world, { countries: { US: null } })
      yield* world.advance(minute)
      assert.strictEqual(world.dials.length, 3)
    }),
  )

  it.effect("wait by the nearest of the scopes, and not where it says that none shall bind", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      const one = yield* test.create(to(american(0)), { start_time: epoch + minute })
      const other = yield* test.create(to(american(1)), { start_time: epoch + minute })
      yield* setHours(world)
      yield* setHours(world, { enabled: false }, { campaign_id: one.campaign_id })
      yield* world.advance(hour)
      assert.deepStrictEqual(dialled(world), [american(0)])
      yield* setHours(world, { enabled: false }, { agent_id: agentId })
      yield* world.advance(minute)
      assert.deepStrictEqual(dialled(world), [american(0), american(1)])
      assert.strictEqual((yield* test.contacts(other.campaign_id))[0]?.status, "completed")
    }),
  )

  it.effect("are retried in their hours", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy"))
      const { world } = test
      yield* setHours(world)
      yield* test.create(to(german(0)), {
        retry_policy: { max_retries: 1, base_delay_minutes: 10 * 60, respect_working_hours: false },
      })
      yield* world.advance(22 * hour)
      assert.strictEqual(world.dials.length, 1)
      yield* world.advance(2 * hour)
      assert.strictEqual(world.dials.length, 2)
      assert.deepStrictEqual(rungOutOfHours(world.commits), [])
    }),
  )

  it.effect("are not rung, wherever their dispatch stands when the hours are set", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) => Effect.orDie(setHours(world)),
          )
          yield* Effect.orDie(test.create(to(american(0), german(0)), { start_time: epoch + minute }))
          yield* test.world.advance(minute - 1)
          arm()
          yield* test.world.advance(1)
          const operations = count()
          yield* test.world.advance(5 * hour)
          assert.deepStrictEqual(rungOutOfHours(test.world.commits), [], `before operation ${nth}`)
          assert.strictEqual(test.world.dials.length, 2, `before operation ${nth}`)
          return operations
        }),
      )
      assert.isAbove(operations, 5)
    }),
  )
})

describe("a direct call out of hours", () => {
  it.effect("is moved into the next opening, booked or not, and dialled then", () =>
    Effect.gen(function* () {
      const world = new World({ script: () => ending("completed") })
      yield* world.start()
      yield* setHours(world)
      const now = yield* world.placed({ to_number: american(0) })
      assert.strictEqual(now.call.status, "scheduled")
      assert.isTrue(now.call.deferred_by_calling_guard)
      assert.isAtLeast(now.call.scheduled_at ?? 0, epoch + 5 * hour)
      const later = yield* world.placed({ to_number: american(1), scheduled_at: epoch + hour })
      assert.isAtLeast(later.call.scheduled_at ?? 0, epoch + 5 * hour)
      yield* world.placed({ to_number: german(0) })
      yield* world.advance(minute)
      assert.deepStrictEqual(dialled(world), [german(0)])
      yield* world.advance(14 * hour)
      assert.strictEqual(world.dials.length, 3)
      assert.deepStrictEqual(rungOutOfHours(world.commits), [])
    }),
  )

  it.effect("is made where that is overridden, and the record says so", () =>
    Effect.gen(function* () {
      const world = new World({ script: () => ending("completed") })
      yield* world.start()
      yield* setHours(world)
      yield* world.placed({ to_number: american(0), override_callee_hours: true })
      yield* world.advance(minute)
      assert.deepStrictEqual(dialled(world), [american(0)])
      const entry = world.commits.flatMap(({ audit }) => audit).find(({ action }) => action === "call.create")
      assert.strictEqual(entry?.details["override_callee_hours"], true)
    }),
  )

  it.effect("is refused where it can never ring, and a booked one ends error", () =>
    Effect.gen(function* () {
      const world = new World({ script: () => ending("completed") })
      yield* world.start()
      const booked = yield* world.placed({ to_number: american(1), scheduled_at: epoch + hour })
      yield* setHours(world, { elsewhere: {} })
      const never = "The hours in which this number may be called never open."
      assert.strictEqual(yield* conflictOf(world.placed({ to_number: american(0) })), never)
      yield* world.advance(2 * hour)
      assert.deepInclude(world.call(booked.call.execution_id), { status: "error", error: never })
    }),
  )

  it.effect("is held to what they and its agent's window have in common, though nobody has met them yet", () =>
    Effect.gen(function* () {
      const window = (start: string, end: string) => ({ enabled: true, timezone: "UTC", start, end, days: [] })
      const never = "The hours in which this number may be called never open."
      const withWindow = Effect.fnUntraced(function* (start: string, end: string) {
        const world = new World({ script: () => ending("completed"), agent: { calling_guard: window(start, end) } })
        yield* world.start()
        return world
      })
      // It is two in the afternoon when New York opens.
      const apart = yield* withWindow("11:00", "14:00")
      yield* setHours(apart)
      assert.strictEqual(yield* conflictOf(apart.placed({ to_number: american(0) })), never)
      const partly = yield* withWindow("11:00", "14:10")
      yield* setHours(partly)
      const { call } = yield* partly.placed({ to_number: american(0) })
      const opensAt = epoch + 5 * hour
      assert.isTrue((call.scheduled_at ?? 0) >= opensAt && (call.scheduled_at ?? 0) < opensAt + 5 * minute)
      // A booked one comes due late, before its agent's window, in a process that has met none.
      const late = yield* withWindow("09:00", "10:00")
      const booked = yield* late.placed({ to_number: american(0), scheduled_at: epoch + 10 * minute })
      yield* setHours(late)
      late.kill()
      late.now = epoch + 2 * hour
      yield* restart(late)
      yield* late.advance(minute)
      assert.deepInclude(late.call(booked.call.execution_id), { status: "error", error: never })
    }),
  )

  it.effect("is not dialled out of hours, wherever it stands when they are set", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) => Effect.orDie(setHours(world)),
          )
          arm()
          const placing = yield* test.world.place({ to_number: american(1) })
          yield* untilStill
          const operations = count()
          yield* test.world.advance(minute)
          yield* Effect.orDie(answerOf(placing))
          yield* test.world.advance(14 * hour)
          assert.deepStrictEqual(rungOutOfHours(test.world.commits), [], `before operation ${nth}`)
          assert.strictEqual(test.world.dials.length, 1)
          return operations
        }),
      )
      assert.isAbove(operations, 3)
    }),
  )
})

describe("an organization without callee hours", () => {
  it.effect("reads nothing for them when it dials, and needs no look to hold to what another process has set", () =>
    Effect.gen(function* () {
      const used: Array<string> = []
      const world = new World({
        script: () => ending("completed"),
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (operation === "callees.hours" || operation === "contacts.marks") used.push(operation)
            return effect
          }),
      })
      yield* world.start()
      const test = new Campaigning(world)
      yield* test.create(to(german(0), german(1)))
      yield* world.placed({ to_number: german(2) })
      yield* world.advance(hour)
      assert.strictEqual(world.dials.length, 3)
      // Whether zones of contacts count is asked once as they are handed in.
      assert.deepStrictEqual(used, ["callees.hours"])
      yield* world.elsewhere(Effect.flatMap(HoursSettings, (settings) => settings.set(caller, forAll, hours)))
      yield* test.create(to(american(0)))
      yield* world.advance(hour)
      yield* world.run(Effect.flatMap(Engine, (engine) => engine.repair))
      assert.strictEqual(world.dials.length, 3)
    }),
  )
})

describe("a campaign whose contacts wait for their hours", () => {
  /** Twelve in Berlin, who are called at once, and these. */
  const withOthers = Effect.fnUntraced(function* (others: ReadonlyArray<string>, body: CampaignBody = {}) {
    const test = yield* campaigning(() => ending("completed"))
    yield* setHours(test.world)
    const germans = Array.from({ length: 12 }, (_, nth) => german(nth))
    const { campaign_id } = yield* test.create(to(...germans, ...others), body)
    yield* test.world.advance(2 * minute)
    return yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
  })

  it.effect("is not done before the last of them may be called", () =>
    Effect.gen(function* () {
      const { estimated_finish_at } = yield* withOthers([american(0)])
      assert.isAbove(estimated_finish_at ?? 0, epoch + 5 * hour)
      assert.isBelow(estimated_finish_at ?? 0, epoch + 5 * hour + minute)
    }),
  )

  it.effect("has no estimate where its own hours are never open together with theirs", () =>
    Effect.gen(function* () {
      const days = Object.fromEntries(["monday", "tuesday"].map((day) => [day, { start: "09:00", end: "12:00" }]))
      const { blocking, estimated_finish_at, no_estimate_reason } = yield* withOthers([american(0)], {
        working_hours: days,
        working_hours_enforced: true,
      })
      // At noon in London it is seven in New York.
      assert.deepStrictEqual([estimated_finish_at, no_estimate_reason], [null, "callee_hours"])
      assert.deepStrictEqual(blocking, [{ reason: "callee_hours", contacts: 1, until: null }])
    }),
  )

  it.effect("says until when in hours that both have", () =>
    Effect.gen(function* () {
      const { blocking } = yield* withOthers([american(0)], {
        working_hours: {
          monday: { start: "09:00", end: "12:00" },
          tuesday: { start: "09:00", end: "16:00" },
        },
        working_hours_enforced: true,
      })
      // It opens there at 14:00 each day; the campaign is open then on Tuesday.
      assert.deepStrictEqual(blocking, [{ reason: "callee_hours", contacts: 1, until: epoch + 29 * hour }])
    }),
  )

  it.effect("has no estimate where one of them may never be called, and says until when of nobody", () =>
    Effect.gen(function* () {
      const { blocking, estimated_finish_at, no_estimate_reason } = yield* withOthers(["+18005550100"])
      assert.deepStrictEqual(blocking, [{ reason: "callee_hours", contacts: 1, until: null }])
      assert.deepStrictEqual([estimated_finish_at, no_estimate_reason], [null, "callee_hours"])
    }),
  )
})

describe("contacts that wait for the hours of a place", () => {
  const zoned = { to_number: "+18005550100", variables: { zone: "Europe/Berlin" } }

  it.effect("are looked at anew when another variable is to name their zones", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* setHours(test.world)
      yield* test.create([zoned])
      yield* test.world.advance(minute)
      assert.lengthOf(test.world.dials, 0)
      yield* setHours(test.world, { timezone_column: "zone" })
      yield* test.world.advance(minute)
      assert.lengthOf(test.world.dials, 1)
      assert.deepStrictEqual(rungOutOfHours(test.world.commits), [])
    }),
  )

  it.effect("are looked at anew when none is to name them any more", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* setHours(test.world)
      yield* test.create([{ to_number: german(0), variables: { timezone: "America/New_York" } }])
      yield* test.world.advance(minute)
      assert.lengthOf(test.world.dials, 0)
      yield* setHours(test.world, { timezone_column: null })
      yield* test.world.advance(minute)
      assert.lengthOf(test.world.dials, 1)
      assert.deepStrictEqual(rungOutOfHours(test.world.commits), [])
    }),
  )

  it.effect("are called when the hours are taken away", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* setHours(test.world)
      yield* test.create([zoned])
      yield* test.world.advance(minute)
      yield* test.world.run(Effect.flatMap(HoursSettings, (settings) => settings.remove(caller, forAll)))
      yield* test.world.advance(minute)
      assert.lengthOf(test.world.dials, 1)
    }),
  )
})
