import { assert, describe, it } from "@effect/vitest"
import { Dialling, limits } from "@carillon/core"
import type { Platform } from "@carillon/core/ports"
import { Effect, type Scope } from "effect"
import * as fc from "fast-check"
import { Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { law } from "../../src/testing/Law.ts"
import { answerOf, epoch, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

const hold = Effect.flatMap(Dialling, (dialling) => dialling.hold("A test holds it."))
const release = Effect.flatMap(Dialling, (dialling) => dialling.release)

const startedWorld = (): Effect.Effect<Campaigning, never, Scope.Scope> =>
  Effect.gen(function* () {
    const world = new World({
      script: ({ retry_count }) => ending(retry_count === 0 ? "busy" : "completed"),
      organization: { concurrency: { organization: 100, per_agent: 100, enforced: true } },
    })
    yield* world.start()
    return new Campaigning(world)
  })

/** Another process writes the installation's row; this one is told by nobody. */
const writeElsewhere = (world: World, held: boolean): void => {
  const before = world.tables.platform
  const row: Platform = { platform_id: "platform", revision: (before?.revision ?? 0) + 1, concurrency: 1000 }
  world.write({ put: "platform", row: held ? { ...row, hold: { since: world.now, reason: "elsewhere" } } : row })
}

interface Plan {
  readonly contacts: number
  readonly scheduled: ReadonlyArray<number>
  readonly heldAt: number
  readonly releasedAfter: number
  readonly elsewhere: boolean
}

const plans: fc.Arbitrary<Plan> = fc.record({
  contacts: fc.integer({ min: 1, max: 20 }),
  scheduled: fc.array(fc.integer({ min: 2 * minute, max: 2 * hour }), { maxLength: 5 }),
  heldAt: fc.nat(hour),
  releasedAfter: fc.integer({ min: minute, max: 24 * hour }),
  elsewhere: fc.boolean(),
})

describe("while dialling is held", () => {
  it.effect(
    "nothing is dialled, and nothing is lost: afterwards everybody is dialled as if it had never been held",
    () =>
      law(
        plans,
        Effect.fnUntraced(function* ({ contacts, scheduled, heldAt, releasedAfter, elsewhere }) {
          const test = yield* startedWorld()
          const { world } = test
          const dialledAt: Array<number> = []
          const look = () => {
            while (dialledAt.length < world.dials.length) dialledAt.push(world.now)
          }
          const campaign = yield* test.create(contactsOf(contacts))
          for (const [nth, after] of scheduled.entries()) {
            yield* world.placed({ to_number: numberOf(90_000 + nth), scheduled_at: epoch + after })
          }
          yield* world.advance(heldAt, look)
          if (elsewhere) writeElsewhere(world, true)
          else yield* world.run(hold)
          const known = world.now + (elsewhere ? limits.diallingCacheMs : 0)
          yield* world.advance(releasedAfter, look)
          if (elsewhere) writeElsewhere(world, false)
          else assert.strictEqual((yield* world.run(release))?.reason, "A test holds it.")
          const released = world.now
          assert.isFalse(dialledAt.some((at) => at > known && at < released))
          yield* world.advance(limits.diallingCacheMs + limits.heldLookMs, look)
          const due = scheduled.filter((after) => epoch + after <= released).length
          const placed = world.calls().filter((call) => call.scheduled_at !== null)
          assert.isAtLeast(placed.filter((call) => call.dial !== "none").length, due)
          yield* world.advance(26 * hour, look)
          assert.strictEqual(world.dials.length, dialledAt.length)
          for (const contact of yield* test.contacts(campaign.campaign_id)) {
            assert.deepInclude(contact, { status: "completed", attempts: 2, retry_count: 1 })
          }
          assert.strictEqual(world.calls().length, 2 * contacts + scheduled.length)
          assert.isTrue(world.calls().every((call) => call.dial === "accepted"))
        }, Effect.scoped),
        { numRuns: 12 },
      ),
  )

  it.effect("a direct dial is refused as by an absent carrier, and leaves nothing", () =>
    Effect.gen(function* () {
      const { world } = yield* startedWorld()
      yield* world.run(hold)
      const error = yield* Effect.flip(world.placed())
      assert.deepInclude(error, { _tag: "DependencyUnavailable", dependency: "telephony_service" })
      assert.deepStrictEqual(world.calls(), [])
      assert.deepStrictEqual(world.dials, [])
      yield* world.run(release)
      assert.strictEqual((yield* world.placed())._tag, "Queued")
    }),
  )

  it.effect("a dial that waits for a line is refused when its line comes, and gives it back", () =>
    Effect.gen(function* () {
      const world = new World({
        script: () => ending("busy", 2),
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      yield* world.start()
      yield* world.placed()
      const waiting = yield* world.place({ to_number: numberOf(2) })
      yield* world.advance(500)
      yield* world.run(hold)
      yield* world.advance(4_000)
      const error = yield* Effect.flip(answerOf(waiting))
      assert.deepInclude(error, { _tag: "DependencyUnavailable", dependency: "telephony_service" })
      assert.strictEqual(world.dials.length, 1)
      assert.strictEqual(world.calls().length, 1)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  it.effect("live calls go on: reports are taken, and the carrier is asked about those it says nothing of", () =>
    Effect.gen(function* () {
      const world = new World({
        script: ({ to_number }) =>
          to_number === numberOf(1) ? ending("completed") : { reports: [], outcome: { _tag: "Unknown" } },
      })
      yield* world.start()
      const reported = yield* world.placed({ to_number: numberOf(1) })
      const silent = yield* world.placed({ to_number: numberOf(2) })
      yield* world.run(hold)
      yield* world.advance(minute)
      assert.strictEqual(world.call(reported.call.execution_id).status, "completed")
      assert.isTrue(world.carrier.questions.some(({ execution_id }) => execution_id === silent.call.execution_id))
    }),
  )

  it.effect("a campaign says that it waits for the carrier", () =>
    Effect.gen(function* () {
      const test = yield* startedWorld()
      yield* test.world.run(hold)
      const { campaign_id } = yield* test.create(contactsOf(7))
      yield* test.world.advance(minute)
      const explained = test.campaigns((campaigns) => campaigns.explain("org_test", campaign_id))
      assert.deepStrictEqual((yield* explained).blocking, [{ reason: "carrier", contacts: 7, until: null }])
      yield* test.world.run(release)
      yield* test.world.advance(limits.heldLookMs)
      assert.deepStrictEqual((yield* explained).blocking, [])
    }),
  )
})

describe("the hold", () => {
  it.effect(
    "is a field of the installation's row: the first one stands, ceilings are kept, and a restart changes nothing",
    () =>
      Effect.gen(function* () {
        const { world } = yield* startedWorld()
        world.write({ put: "platform", row: { platform_id: "platform", revision: 1, concurrency: 7 } })
        const first = yield* world.run(hold)
        yield* world.advance(minute)
        assert.deepStrictEqual(
          yield* world.run(Effect.flatMap(Dialling, (dialling) => dialling.hold("Another reason."))),
          first,
        )
        assert.deepStrictEqual(world.tables.platform, {
          platform_id: "platform",
          revision: 2,
          concurrency: 7,
          hold: first,
        })
        yield* world.start()
        assert.deepStrictEqual(yield* world.run(Effect.flatMap(Dialling, (dialling) => dialling.standing)), first)
        yield* world.run(release)
        assert.deepStrictEqual(world.tables.platform, { platform_id: "platform", revision: 3, concurrency: 7 })
        assert.isNull(yield* world.run(release))
      }),
  )
})
