import { assert, describe, it } from "@effect/vitest"
import { Deliveries, Erasure, Knowledge, Subscriptions, Suppressions } from "@carillon/core"
import { RetrievalIndex } from "@carillon/core/ports"
import { Effect } from "effect"
import { retrievalLayer } from "../../src/memory/MemoryRetrieval.ts"
import * as MemorySlots from "../../src/memory/MemorySlots.ts"
import { sampleKnowledgeBase } from "../../src/testing/Samples.ts"
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
      const told = items.map(({ event_type, status }) => `${event_type} ${status}`).sort()
      assert.deepStrictEqual(
        told,
        both.map((type) => `${type} delivered`),
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
          "errands.call.dial",
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
      assert.deepStrictEqual([...died].sort(), ["errands.batch.settle", "errands.call.dial", "errands.line.give_back"])
    }),
  )

  it.effect(
    "is made up for by whoever asks again: what was given up goes from the index, and from what was handed in",
    () =>
      Effect.gen(function* () {
        const base = sampleKnowledgeBase(organizationId, { retrieval_id: "kb_one", collection: "one" })
        let isArmed = false
        const world: World = new World({
          rows: [{ put: "knowledge_base", row: base }],
          interpose: (operation, effect) =>
            isArmed && operation.startsWith("errands.")
              ? Effect.andThen(
                  Effect.sync(() => world.kill()),
                  Effect.never,
                )
              : effect,
        })
        yield* world.start()
        const test = new Campaigning(world)
        yield* Effect.orDie(test.create(contactsOf(1)))
        yield* world.advance(hour)
        const chunk = { file: "a.txt", chunk: 0, text: "One." }
        yield* Effect.flatMap(RetrievalIndex, (index) => index.add(organizationId, "kb_one", "doc_one", [chunk])).pipe(
          Effect.provide(retrievalLayer(world.tables.retrieval)),
          Effect.orDie,
        )
        const removing = Effect.flatMap(Knowledge, (service) => service.remove(caller, "one"))
        const erasing = Effect.flatMap(Erasure, (service) => service.erase(organizationId, numberOf(0)))
        for (const asked of [Effect.asVoid(removing), Effect.asVoid(erasing)]) {
          isArmed = true
          yield* world.admit(asked)
          yield* world.settle()
          assert.isTrue(world.isDown)
          isArmed = false
          yield* restart(world)
        }
        const removed = yield* world.run(Effect.orDie(removing))
        assert.deepInclude(removed, { record_id: "kb_one", vectors_removed: 1 })
        const erased = yield* world.run(Effect.orDie(erasing))
        assert.deepInclude(erased, { contacts: 1, is_whole: true })
        assert.deepInclude(yield* world.run(Effect.orDie(erasing)), { contacts: 0 })
      }).pipe(Effect.scoped),
  )
})
