import { assert, describe, it } from "@effect/vitest"
import { CallCapsSettings, type EngineError, limits, StateConflict } from "@carillon/core"
import type { CallCapsSetting, Commit } from "@carillon/core/ports"
import { Effect } from "effect"
import { campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { answerOf, caller, epoch, organizationId, type Script, World } from "../../src/testing/world/World.ts"
import { everywhere, interrupted, untilStill } from "../Interrupted.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const none: CallCapsSetting = { per_day: null, per_week: null, per_thirty_days: null, minimum_rest_seconds: null }

const setCaps = (world: World, caps: Partial<CallCapsSetting>) =>
  world.run(Effect.flatMap(CallCapsSettings, (settings) => settings.set(caller, { ...none, ...caps })))

const removeCaps = (world: World) => world.run(Effect.flatMap(CallCapsSettings, (settings) => settings.remove(caller)))

const one = "+15551000001"
const other = "+15551000002"
const to = (...numbers: ReadonlyArray<string>) => numbers.map((to_number) => ({ to_number, variables: {} }))

const dialled = (world: World) => world.dials.map(({ to_number }) => to_number)

/** When dials to each number were committed and not taken back, by the commits alone. */
const dialsBy = (commits: ReadonlyArray<Commit>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const calls = new Map<string, { readonly number: string; readonly at: number }>()
  for (const { changes } of commits) {
    for (const change of changes) {
      if (change.put === "erased_call") calls.delete(change.call.execution_id)
      if (change.put !== "call" || change.row.dial !== "intended") continue
      const { due_at, execution_id, to_number, updated_at } = change.row
      if (calls.has(execution_id)) continue
      calls.set(execution_id, { number: to_number, at: (due_at ?? updated_at) - limits.questionDelayMs })
    }
  }
  const all = Map.groupBy(calls.values(), ({ number }) => number)
  return new Map([...all].map(([number, dials]) => [number, dials.map(({ at }) => at)]))
}

const attemptsAt = ({ tables }: World, number: string): number =>
  tables.callees.find(organizationId, number)?.attempts?.length ?? 0

const conflictOf = (place: Effect.Effect<unknown, EngineError>) =>
  Effect.map(Effect.flip(place), (error) => (error instanceof StateConflict ? error.message : String(error)))

const capped = (at: number) =>
  `This number was called as often as the call caps allow: it may be called again at ${new Date(at).toISOString()}.`

describe("a contact whose number was called as often as may be", () => {
  it.effect("waits until it may be called again, in whichever campaign it stands", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      yield* setCaps(world, { per_day: 1 })
      yield* test.create(to(one))
      yield* world.advance(hour)
      const { campaign_id } = yield* test.create(to(one, other))
      yield* world.advance(hour)
      assert.deepStrictEqual(dialled(world), [one, other])
      const [first] = dialsBy(world.commits).get(one) ?? []
      const waiting = (yield* test.contacts(campaign_id)).find(({ to_number }) => to_number === one)
      assert.deepStrictEqual([waiting?.status, waiting?.next_attempt_at], ["pending", (first ?? 0) + day])
      const { blocking } = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(blocking, [{ reason: "cooldown", contacts: 1, until: (first ?? 0) + day }])
      yield* world.advance(day)
      assert.deepStrictEqual(dialled(world), [one, other, one])
      const [, second] = dialsBy(world.commits).get(one) ?? []
      assert.strictEqual(second, (first ?? 0) + day)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("is said to wait for its time though it was held before, and its row of holds begins anew", () =>
    Effect.gen(function* () {
      const refusal: Script = { outcome: { _tag: "Refused", kind: "unreachable" } }
      let isAway = true
      const test = yield* campaigning(() => (isAway ? refusal : ending("completed")))
      const { world } = test
      yield* setCaps(world, { per_day: 1 })
      const { campaign_id } = yield* test.create(to(one))
      yield* world.advance(1_000)
      const explained = test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepInclude((yield* explained).blocking[0], { reason: "carrier", contacts: 1 })
      isAway = false
      const { call } = yield* world.placed({ to_number: one })
      yield* world.advance(minute)
      assert.strictEqual(dialled(world).length, 2)
      const [waiting] = yield* test.contacts(campaign_id)
      assert.strictEqual(waiting?.next_attempt_at, call.created_at + day)
      assert.deepStrictEqual((yield* explained).blocking, [
        { reason: "cooldown", contacts: 1, until: call.created_at + day },
      ])
      assert.strictEqual(world.tables.contacts.find(waiting?.batch_id ?? "", 0)?.contact?.holds, 0)
    }),
  )

  it.effect("is retried after its rest", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy"))
      yield* setCaps(test.world, { minimum_rest_seconds: 3_600 })
      yield* test.create(to(one), { retry_policy: { max_retries: 2, base_delay_minutes: 1 } })
      yield* test.world.advance(4 * hour)
      const [first = 0, ...others] = dialsBy(test.world.commits).get(one) ?? []
      assert.deepStrictEqual(others, [first + hour, first + 2 * hour])
    }),
  )

  it.effect("is looked at once a day, and so caps that are taken away hold up nobody for longer", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      yield* setCaps(world, { per_thirty_days: 1 })
      yield* test.create(to(one))
      yield* world.advance(minute)
      yield* test.create(to(one))
      yield* world.advance(3 * day)
      const writes = world.commits.flatMap(({ changes }) =>
        changes.filter((change) => change.put === "contact" && change.row.status === "pending"),
      )
      assert.isAtMost(writes.length, 4)
      assert.deepStrictEqual(dialled(world), [one])
      yield* removeCaps(world)
      yield* world.advance(day)
      assert.deepStrictEqual(dialled(world), [one, one])
    }),
  )

  it.effect("is set aside with those behind it, however many they are, and others are called", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      const many = Array.from({ length: 60 }, (_, nth) => `+1555200${String(1_000 + nth)}`)
      yield* setCaps(world, { per_day: 1 })
      yield* test.create(to(...many))
      yield* world.advance(hour)
      assert.strictEqual(world.dials.length, 60)
      const before = world.commits.length
      yield* test.create(to(...many, other))
      yield* world.advance(minute)
      assert.deepStrictEqual(dialled(world).slice(60), [other])
      const aside = world.commits
        .slice(before)
        .filter(({ changes }) => changes.filter(({ put }) => put === "contact").length > 1)
      assert.isAtMost(aside.length, 2)
      yield* world.advance(2 * day)
      assert.strictEqual(world.dials.length, 121)
    }),
  )

  it.effect("is not counted where its dial is taken back", () =>
    Effect.gen(function* () {
      let isAway = true
      const refusal: Script = { outcome: { _tag: "Refused", kind: "unreachable" } }
      const test = yield* campaigning(() => (isAway ? refusal : ending("completed")))
      const { world } = test
      yield* setCaps(world, { per_day: 1 })
      yield* test.create(to(one))
      yield* world.advance(1_000)
      assert.strictEqual(world.dials.length, 1)
      assert.strictEqual(attemptsAt(world, one), 0)
      isAway = false
      yield* world.advance(10 * minute)
      assert.strictEqual(attemptsAt(world, one), 1)
      assert.strictEqual(dialsBy(world.commits).get(one)?.length, 1)
    }),
  )

  it.effect("is called once, wherever its dial stands when somebody calls its number", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) => Effect.andThen(world.place({ to_number: one }), untilStill),
          )
          yield* Effect.orDie(setCaps(test.world, { per_day: 1 }))
          yield* Effect.orDie(test.create(to(one), { start_time: epoch + minute }))
          yield* test.world.advance(minute - 1)
          arm()
          yield* test.world.advance(1)
          const operations = count()
          yield* test.world.advance(5 * hour)
          assert.strictEqual(test.world.dials.length, 1, `before operation ${nth}`)
          return operations
        }),
      )
      assert.isAbove(operations, 5)
    }),
  )

  it.effect("is counted, wherever its dial stands when caps are set", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          let setAt = Infinity
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) =>
              Effect.map(Effect.orDie(setCaps(world, { per_day: 1 })), () => {
                setAt = world.commits.length
              }),
          )
          yield* Effect.orDie(test.create(to(one), { start_time: epoch + minute }))
          yield* test.world.advance(minute - 1)
          arm()
          yield* test.world.advance(1)
          const operations = count()
          yield* test.world.advance(hour)
          const since = dialsBy(test.world.commits.slice(setAt)).get(one)?.length ?? 0
          const before = dialsBy(test.world.commits.slice(0, setAt)).get(one)?.length ?? 0
          assert.strictEqual(before + since, 1)
          // Only what is dialled from then on counts.
          assert.strictEqual(attemptsAt(test.world, one), before > 0 ? 0 : since, `before operation ${nth}`)
          return operations
        }),
      )
      assert.isAbove(operations, 5)
    }),
  )
})

describe("a direct call to a number that was called as often as may be", () => {
  const placing = Effect.gen(function* () {
    const world = new World({ script: () => ending("completed") })
    yield* world.start()
    yield* setCaps(world, { per_day: 1 })
    yield* world.placed({ to_number: one })
    yield* world.advance(hour)
    return world
  })

  it.effect("is refused with the time from which it may be made, and leaves nothing", () =>
    Effect.gen(function* () {
      const world = yield* placing
      const before = world.commits.length
      assert.strictEqual(yield* conflictOf(world.placed({ to_number: one })), capped(epoch + day))
      assert.strictEqual(world.commits.length, before)
      yield* world.placed({ to_number: other })
      yield* world.advance(day - hour)
      yield* world.placed({ to_number: one })
      yield* world.advance(minute)
      assert.deepStrictEqual(dialled(world), [one, other, one])
    }),
  )

  it.effect("is made where that is overridden, counts for others, and the record says so", () =>
    Effect.gen(function* () {
      const world = yield* placing
      yield* world.placed({ to_number: one, override_call_caps: true })
      assert.strictEqual(attemptsAt(world, one), 2)
      const entries = world.commits.flatMap(({ audit }) => audit).filter(({ action }) => action === "call.create")
      assert.strictEqual(entries.at(-1)?.details["override_call_caps"], true)
      yield* world.advance(day - hour)
      assert.strictEqual(yield* conflictOf(world.placed({ to_number: one })), capped(epoch + hour + day))
    }),
  )

  it.effect("is booked all the same, and moved when it is due", () =>
    Effect.gen(function* () {
      const world = yield* placing
      const { call } = yield* world.placed({ to_number: one, scheduled_at: epoch + 2 * hour })
      assert.strictEqual(call.status, "scheduled")
      yield* world.advance(2 * hour)
      assert.deepInclude(world.call(call.execution_id), { status: "rescheduled", scheduled_at: epoch + day })
      yield* world.advance(day)
      assert.deepStrictEqual(dialled(world), [one, one])
      assert.strictEqual(world.call(call.execution_id)?.status, "completed")
    }),
  )

  it.effect("that was moved is looked at again within a day, so that whoever takes caps away waits no longer", () =>
    Effect.gen(function* () {
      const world = yield* placing
      yield* setCaps(world, { per_thirty_days: 1 })
      yield* world.placed({ to_number: other })
      const { call } = yield* world.placed({ to_number: other, scheduled_at: epoch + 2 * hour })
      const booked = (at: number) =>
        assert.deepInclude(world.call(call.execution_id), { status: "rescheduled", scheduled_at: epoch + at })
      yield* world.advance(2 * hour)
      booked(2 * hour + day)
      yield* world.advance(day)
      booked(2 * hour + 2 * day)
      yield* removeCaps(world)
      yield* world.advance(day)
      assert.strictEqual(world.call(call.execution_id)?.status, "completed")
    }),
  )

  it.effect("is not made beside another one, wherever that stands", () =>
    Effect.gen(function* () {
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            ({ world }) => Effect.andThen(world.place({ to_number: one }), untilStill),
          )
          yield* Effect.orDie(setCaps(test.world, { minimum_rest_seconds: 60 }))
          arm()
          const placing = yield* test.world.place({ to_number: one })
          yield* untilStill
          const operations = count()
          yield* test.world.advance(minute / 2)
          yield* Effect.exit(answerOf(placing))
          assert.strictEqual(test.world.dials.length, 1, `before operation ${nth}`)
          return operations
        }),
      )
      assert.isAbove(operations, 3)
    }),
  )
})

describe("an organization without call caps", () => {
  it.effect("counts nothing, and holds to what another process has set without having looked", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { world } = test
      yield* test.create(to(one))
      yield* world.placed({ to_number: one })
      yield* world.advance(hour)
      assert.isFalse(world.commits.some(({ changes }) => changes.some(({ put }) => put === "callee")))
      yield* world.elsewhere(
        Effect.flatMap(CallCapsSettings, (settings) => settings.set(caller, { ...none, per_day: 1 })),
      )
      yield* test.create(to(one, one))
      yield* world.advance(2 * hour)
      assert.strictEqual(world.dials.length, 3)
      assert.strictEqual(attemptsAt(world, one), 1)
    }),
  )
})
