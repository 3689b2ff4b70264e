import { assert, describe, it } from "@effect/vitest"
import { Deliveries, Subscriptions, Suppressions } from "@carillon/core"
import { Effect } from "effect"
import * as MemorySlots from "../../src/memory/MemorySlots.ts"
import { Campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { restart } from "../../src/testing/world/Plans.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"
import { everywhere } from "../Interrupted.ts"

const minute = 60_000
const hour = 60 * minute

const firstPage = { page: 1, page_size: 100 }

const both = ["all_processing_completed", "call_completed"] as const

const suppression = {
  agent_id: null,
  campaign_id: null,
  reason: null,
  source: null,
  note: null,
  expires_at: null,
} as const

/** A campaign whose process dies before one of its errands, and another one goes on a minute later. Returns how many errands there were. */
const dying = (died: Set<string>) =>
  everywhere(
    Effect.fnUntraced(function* (nth) {
      let count = 0
      let isArmed = false
      const world: World = new World({
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
        // Lines outlive the process, so one that nobody gives back stays taken.
        slots: new MemorySlots.SlotTable(),
        script: ({ to_number }) => ending(to_number === numberOf(0) ? "busy" : "completed"),
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (!isArmed || !operation.startsWith("errands.") || count++ !== nth) return effect
            died.add(operation)
            return Effect.andThen(
              Effect.sync(() => world.kill()),
              Effect.never,
            )
          }),
      })
      yield* world.start()
      const test = new Campaigning(world)
      yield* world.run(
        Effect.orDie(Effect.flatMap(Suppressions, (service) => service.add(caller, [numberOf(1)], suppression))),
      )
      const { campaign_id } = yield* Effect.orDie(test.create(contactsOf(4)))
      isArmed = true
      yield* world.advance(hour)
      isArmed = false
      const isDead = world.isDown
      if (isDead) {
        world.now += minute
        yield* restart(world)
      }
      yield* world.advance(2 * hour)
      const where = `dead before errand ${nth}`
      const contacts = yield* Effect.orDie(test.contacts(campaign_id))
      // A dial that was committed and not made yet has failed: nobody knows whether it was.
      for (const { status } of contacts) assert.include(["failed", "skipped", "completed"], status, where)
      const batches = world.tables.batches.ofCampaign(organizationId, campaign_id)
      const { status } = yield* Effect.orDie(test.stats(campaign_id))
      assert.deepStrictEqual([status, ...batches.map((batch) => batch.status)], ["completed", "completed"], where)
      assert.deepStrictEqual([...world.slots.members()], [], where)
      assert.isTrue(
        test.calls().every((call) => call.final_report_at !== null),
        where,
      )
      // One that died may have had more to do: the last one lives.
      return isDead ? nth + 2 : count
    }, Effect.orDie),
  )

/** A call that is stopped, and told of: its process dies before one of its errands, and another one goes on. Returns how many errands there were. */
const dyingWhileStopped = (died: Set<string>) =>
  everywhere(
    Effect.fnUntraced(function* (nth) {
      let count = 0
      const world: World = new World({
        slots: new MemorySlots.SlotTable(),
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (!operation.startsWith("errands.") || count++ !== nth) return effect
            died.add(operation)
            return Effect.andThen(
              Effect.sync(() => world.kill()),
              Effect.never,
            )
          }),
      })
      yield* world.start()
      const subscription = {
        callback_url: "https://inbox.test/hook",
        agent_id: agentId,
        secret: null,
        event_types: both,
      }
      yield* world.run(Effect.orDie(Effect.flatMap(Subscriptions, (service) => service.create(caller, subscription))))
      const calls = () => world.tables.calls.page(organizationId, {}, firstPage).items
      const stopAll = Effect.gen(function* () {
        const live = calls().filter(({ status }) => status === "in-progress")
        for (const { execution_id } of live) yield* world.stop(execution_id)
      })
      const rise = Effect.gen(function* () {
        if (!world.isDown) return false
        world.now += minute
        yield* restart(world)
        return true
      })
      yield* world.place()
      yield* world.advance(6_000)
      yield* stopAll
      yield* world.advance(hour)
      const isDead = yield* rise
      // Whoever has heard nothing asks again.
      yield* stopAll
      yield* world.advance(2 * hour)
      const where = `dead before errand ${nth}`
      assert.deepStrictEqual([...world.slots.members()], [], where)
      assert.isTrue(
        calls().every((call) => call.final_report_at !== null),
        where,
      )
      const { items } = yield* world.run(
        Effect.flatMap(Deliveries, (service) => service.page(organizationId, {}, firstPage)),
      )
      const told = items.map(({ event_type, status }) => [event_type, status]).sort()
      assert.deepStrictEqual(
        told,
        both.map((type) => [type, "delivered"]),
        where,
      )
      return isDead ? nth + 2 : count
    }, Effect.orDie),
  )

describe("a death between a commit and what is to be done after it", () => {
  it.effect(
    "leaves no call hung up for nobody, and no event untold: what was asked is asked again, or counts as lost",
    () =>
      Effect.gen(function* () {
        const died = new Set<string>()
        assert.isAbove(yield* dyingWhileStopped(died), 3)
        assert.deepStrictEqual([...died].sort(), [
          "errands.call.hang_up",
          "errands.delivery.send",
          "errands.line.give_back",
        ])
      }),
  )

  it.effect("leaves no line taken, no batch and no campaign behind: the rows say what is to be done", () =>
    Effect.gen(function* () {
      const died = new Set<string>()
      assert.isAbove(yield* dying(died), 6)
      assert.deepStrictEqual([...died].sort(), ["errands.batch.settle", "errands.line.give_back"])
    }),
  )
})
