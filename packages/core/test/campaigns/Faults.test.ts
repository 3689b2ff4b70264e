import { assert, describe, it } from "@effect/vitest"
import { type Dependency, DependencyTimeout, DependencyUnavailable } from "@carillon/core"
import { Hash, isTerminal } from "@carillon/core/domain"
import { Effect, References } from "effect"
import * as fc from "fast-check"
import { Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, type Interposition, organizationId, World } from "../../src/testing/world/World.ts"

const minute = 60_000

/** Fails some operations of every port but telephony: unheard, or done and not confirmed. */
const flaky = (seed: number, share: number, isOver: () => boolean): Interposition => {
  let nth = 0
  return (operation, effect) =>
    Effect.suspend(() => {
      const draw = isOver() || operation.startsWith("telephony") ? 1 : Hash.unit(seed, operation, nth++)
      if (draw >= share) return effect
      const dependency = "call_storage"
      return draw < share / 2
        ? Effect.fail(new DependencyUnavailable({ dependency }))
        : Effect.andThen(effect, Effect.fail(new DependencyTimeout({ dependency })))
    })
}

const endure = Effect.fnUntraced(function* (seed: number, share: number) {
  let isOver = true
  const world: World = new World({
    script: (command) =>
      ending(Hash.hash32(seed, command.to_number, command.retry_count) % 3 === 0 ? "busy" : "completed", 45),
    interpose: flaky(seed, share, () => isOver),
  })
  yield* world.start()
  const test = new Campaigning(world)
  // Some share a number, so that contacts wait for one another as well.
  const { campaign_id } = yield* test.create([...contactsOf(60), ...contactsOf(6)], {
    retry_policy: { max_retries: 1, base_delay_minutes: 2 },
  })
  isOver = false
  yield* world.advance(4 * minute, () => {
    const live = world.carrier.live()
    assert.strictEqual(new Set(live.map((dial) => dial.to_number)).size, live.length, "two live legs to one number")
    assert.isAtMost(live.length, 20)
  })
  isOver = true
  yield* world.advance(3 * 60 * minute)
  const stats = yield* test.stats(campaign_id)
  const calls = test.calls()
  const count = (where: (call: (typeof calls)[number]) => boolean) => calls.filter(where).length
  assert.strictEqual(stats.status, "completed")
  assert.deepInclude(stats.outcome_counts, { in_flight: 0, pending: 0, total: 66 })
  assert.strictEqual(stats.total_call_attempts, calls.length)
  assert.strictEqual(
    stats.call_counters.completed_calls,
    count((call) => call.status === "completed"),
  )
  assert.strictEqual(
    stats.call_counters.busy_calls,
    count((call) => call.status === "busy"),
  )
  assert.isTrue(calls.every((call) => isTerminal(call.status) && call.final_report_at !== null))
  const byContact = new Map<string, number>()
  for (const { contact_id } of calls) byContact.set(contact_id ?? "", (byContact.get(contact_id ?? "") ?? 0) + 1)
  for (const attempts of byContact.values()) assert.isAtMost(attempts, 2)
  assert.strictEqual(new Set(world.dials.map((dial) => dial.execution_id)).size, world.dials.length)
})

/** Fails one operation for as long as it is away. */
const failing =
  (isAway: () => boolean, failed: string, dependency: Dependency = "call_storage"): Interposition =>
  (operation, effect) =>
    Effect.suspend(() =>
      isAway() && operation === failed ? Effect.fail(new DependencyUnavailable({ dependency })) : effect,
    )

/** A campaign of a contact that is called again the next day, and of others, each of a batch of its own that ends before. */
const endingBefore = Effect.fnUntraced(function* (world: World, others: number) {
  yield* world.start()
  const test = new Campaigning(world)
  const retry_policy = { max_retries: 1, base_delay_minutes: 24 * 60 }
  const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy })
  yield* world.advance(minute)
  for (let nth = 1; nth <= others; nth++) {
    yield* test.campaigns((campaigns) =>
      campaigns.append(caller, campaign_id, { contacts: contactsOf(1, nth), file_name: null }),
    )
  }
  yield* world.advance(5_000)
  return () => world.tables.batches.ofCampaign(organizationId, campaign_id).map(({ status }) => status)
})

const quietly = Effect.provideService(References.MinimumLogLevel, "None")

describe("a campaign while stores fail", () => {
  it("rings nobody twice at once, counts right, and reaches every contact's outcome once they are back", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(0.02, 0.1), (seed, share) =>
        Effect.runPromise(quietly(Effect.scoped(endure(seed, share)))),
      ),
      { numRuns: 12 },
    ))

  it.live("dials a retry that came due while contacts could not be read", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = new World({
        script: ({ retry_count }) => ending(retry_count === 0 ? "busy" : "completed"),
        interpose: failing(() => isAway, "contacts.load"),
      })
      yield* world.start()
      const test = new Campaigning(world)
      const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy: { max_retries: 1 } })
      yield* world.advance(10 * minute)
      isAway = true
      yield* world.advance(10 * minute)
      isAway = false
      yield* world.advance(10 * minute)
      assert.deepInclude(yield* test.stats(campaign_id), { status: "completed", total_call_attempts: 2 })
    }),
  )

  it.live(
    "ends a batch of which nobody is left, though that could not be seen at its last end and others of its campaign wait",
    () =>
      Effect.gen(function* () {
        let isAway = false
        const world = new World({
          script: ({ to_number }) => ending(to_number === numberOf(0) ? "busy" : "completed"),
          interpose: failing(() => isAway, "tallies.read"),
        })
        const statuses = yield* endingBefore(world, 1)
        isAway = true
        yield* world.advance(minute)
        isAway = false
        yield* world.advance(10 * minute)
        assert.deepStrictEqual([...statuses()].sort(), ["completed", "dispatched"])
      }),
  )

  it.live("ends a batch that could not be moved on when another one had been tried for minutes", () =>
    Effect.gen(function* () {
      let isAway = false
      const seconds = [1, 20, 305]
      const world = new World({
        script: ({ to_number }) => {
          const nth = seconds.findIndex((_, each) => to_number === numberOf(each))
          return ending(nth === 0 ? "busy" : "completed", seconds[nth] ?? 1)
        },
        interpose: failing(() => isAway, "tallies.read"),
      })
      const statuses = yield* endingBefore(world, 2)
      isAway = true
      yield* world.advance(7 * minute)
      isAway = false
      yield* world.advance(minute)
      assert.deepStrictEqual([...statuses()].sort(), ["completed", "dispatched", "dispatched"])
    }),
  )

  it.live("dials on a line that was freed while the dispatcher could not be told", () =>
    Effect.gen(function* () {
      let isAway = false
      const world = new World({
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
        script: () => ending("completed"),
        interpose: failing(() => isAway, "wakeups.set", "scheduling_service"),
      })
      yield* world.start()
      const test = new Campaigning(world)
      yield* world.placed()
      const { campaign_id } = yield* test.create(contactsOf(1))
      isAway = true
      yield* world.advance(5 * minute)
      assert.deepInclude(yield* test.stats(campaign_id), { status: "completed", total_call_attempts: 1 })
    }),
  )
})
