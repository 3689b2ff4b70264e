import { assert, describe, it, vi } from "@effect/vitest"
import { DependencyTimeout, DependencyUnavailable, limits } from "@carillon/core"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { Intake } from "../../src/intake/Intake.ts"
import { Between } from "../../src/testing/world/Between.ts"
import { Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, organizationId, World } from "../../src/testing/world/World.ts"

const dependency = "scheduling_service" as const

/** A world in which the operations that are named do not work until they are mended. */
const broken = Effect.fnUntraced(function* (failures: {
  [operation: string]: (effect: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>
}) {
  const world = new World({
    script: () => ending("completed"),
    interpose: (operation, effect) =>
      Effect.suspend(() => {
        const failure = failures[operation]
        return failure === undefined ? effect : failure(effect)
      }),
  })
  yield* world.start()
  const fills = vi.spyOn(world.tables.contacts, "fill")
  const test = new Campaigning(world)
  /** The contacts of every batch that was ever begun. */
  const stored = () =>
    [...new Set(fills.mock.calls.map(([batchId]) => batchId))]
      .map((batchId) => world.tables.contacts.rows(batchId, 0, 1_000).length)
      .reduce((sum, count) => sum + count, 0)
  return { test, stored, fills, world }
})

const away = () => Effect.fail(new DependencyUnavailable({ dependency }))
const unheard = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.andThen(effect, Effect.fail(new DependencyTimeout({ dependency })))

describe("an intake that comes to nothing", () => {
  it.live("leaves no contact behind where the store refuses to show the batch", () =>
    Effect.gen(function* () {
      const failures: Parameters<typeof broken>[0] = {}
      const { fills, stored, test } = yield* broken(failures)
      const { campaign_id } = yield* test.create([])
      failures["store.commit"] = away
      const intake = { contacts: contactsOf(30), file_name: null }
      const asked = [
        yield* Effect.flip(test.create(contactsOf(30))),
        yield* Effect.flip(test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake))),
        yield* Effect.flip(test.batches((batches) => batches.create(caller, { agent_id: agentId }, intake))),
      ]
      for (const { _tag } of asked) assert.strictEqual(_tag, "DependencyUnavailable")
      assert.strictEqual(new Set(fills.mock.calls.map(([batchId]) => batchId)).size, 3)
      assert.strictEqual(stored(), 0)
    }),
  )

  it.live("keeps the contacts of a batch that was shown although the answer was lost", () =>
    Effect.gen(function* () {
      const failures: Parameters<typeof broken>[0] = {}
      const { stored, test } = yield* broken(failures)
      failures["store.commit"] = unheard
      const error = yield* Effect.flip(
        test.batches((batches) =>
          batches.create(caller, { agent_id: agentId }, { contacts: contactsOf(30), file_name: null }),
        ),
      )
      assert.strictEqual(error._tag, "DependencyTimeout")
      delete failures["store.commit"]
      const { items } = yield* test.batches((batches) => batches.page(organizationId, {}, { page: 1, page_size: 20 }))
      assert.strictEqual(items[0]?.total_contacts, 30)
      assert.strictEqual(stored(), 30)
    }),
  )

  it.live("forgets them later where the store cannot even be asked", () =>
    Effect.gen(function* () {
      const failures: Parameters<typeof broken>[0] = {
        "store.commit": () => {
          failures["store.rows"] = away
          return away()
        },
      }
      const { stored, test, world } = yield* broken(failures)
      yield* Effect.flip(test.create(contactsOf(30)))
      assert.strictEqual(stored(), 30)
      yield* world.advance(60_000)
      assert.strictEqual(stored(), 30)
      delete failures["store.rows"]
      failures["errands.contacts.discard"] = away
      yield* world.advance(60_000)
      assert.strictEqual(stored(), 30)
      delete failures["errands.contacts.discard"]
      yield* world.advance(60_000)
      assert.strictEqual(stored(), 0)
    }),
  )

  it.live("is swept where its process came to an end before it was shown, and what was shown stays", () =>
    Effect.gen(function* () {
      const failures: Parameters<typeof broken>[0] = {}
      const { stored, test, world } = yield* broken(failures)
      yield* test.create(contactsOf(20))
      let isShown = false
      failures["store.commit"] = () => {
        isShown = true
        return Effect.never
      }
      yield* Effect.forkChild(test.create(contactsOf(30)))
      while (!isShown) yield* Effect.yieldNow
      delete failures["store.commit"]
      assert.strictEqual(stored(), 50)
      yield* world.advance(59 * 60_000)
      assert.strictEqual(stored(), 50)
      yield* world.advance(2 * 60_000)
      assert.strictEqual(stored(), 20)
    }),
  )

  it.live("forgets them where the client goes away meanwhile", () =>
    Effect.gen(function* () {
      const failures: Parameters<typeof broken>[0] = { "store.commit": () => Effect.never }
      const { fills, stored, test } = yield* broken(failures)
      const asking = yield* Effect.forkChild(test.create(contactsOf(30)))
      while (fills.mock.calls.length === 0) yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.strictEqual(stored(), 30)
      // What the first commit still waits for, others need not.
      delete failures["store.commit"]
      yield* Fiber.interrupt(asking)
      assert.strictEqual(stored(), 0)
    }),
  )

  it.live("is not shown once its contacts are given up, and keeps them once it is shown, whatever comes between", () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      /** Whether there was an nth operation. */
      const swept = Effect.fnUntraced(function* (nth: number) {
        const between = new Between()
        const world = new World({ interpose: between.interpose })
        yield* world.start()
        const test = new Campaigning(world)
        const { campaign_id } = yield* test.create(contactsOf(2))
        const fills = vi.spyOn(world.tables.contacts, "fill")
        const begun = () => fills.mock.calls[0]?.[0] ?? ""
        const sweep = Effect.suspend(() => world.run(Effect.flatMap(Intake, (intake) => intake.sweep(begun()))))
        between.arm(nth, Effect.exit(sweep))
        const intake = { contacts: contactsOf(30, 100), file_name: null }
        const exit = yield* Effect.exit(test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake)))
        if (!between.disarm()) return false
        if (fills.mock.calls.length === 0) return true
        const isShown = world.tables.batches.get(begun()) !== undefined
        assert.strictEqual(Exit.isSuccess(exit), isShown)
        assert.strictEqual(world.tables.contacts.rows(begun(), 0, 100).length, isShown ? 30 : 0)
        outcomes.add(isShown ? "shown" : "given up")
        return true
      })
      for (let nth = 0; yield* Effect.scoped(swept(nth)); nth++);
      assert.sameMembers([...outcomes], ["shown", "given up"])
    }),
  )

  it.live("keeps its contacts where it is shown while they are given up, whatever comes between", () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      /** Whether giving up made an nth use of a port, before which the batch was shown. */
      const shown = Effect.fnUntraced(function* (nth: number) {
        const between = new Between()
        const goOn = yield* Deferred.make<void>()
        let isHeld = false
        const world = new World({
          interpose: (operation, effect) =>
            Effect.suspend(() => {
              if (!isHeld || operation !== "store.commit") return between.interpose(operation, effect)
              isHeld = false
              return Effect.andThen(Deferred.await(goOn), effect)
            }),
        })
        yield* world.start()
        const test = new Campaigning(world)
        const { campaign_id } = yield* test.create(contactsOf(2))
        const fills = vi.spyOn(world.tables.contacts, "fill")
        isHeld = true
        const intake = { contacts: contactsOf(30, 100), file_name: null }
        const appending = yield* Effect.forkChild(
          test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake)),
        )
        while (isHeld) yield* Effect.yieldNow
        const batchId = fills.mock.calls[0]?.[0] ?? ""
        between.arm(nth, Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.await(appending)))
        yield* world.run(Effect.flatMap(Intake, (giving) => giving.sweep(batchId)))
        const wasWithin = between.disarm()
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.await(appending)
        const isShown = world.tables.batches.get(batchId) !== undefined
        assert.strictEqual(world.tables.contacts.rows(batchId, 0, 100).length, isShown ? 30 : 0)
        outcomes.add(isShown ? "shown" : "given up")
        return wasWithin
      })
      for (let nth = 0; yield* Effect.scoped(shown(nth)); nth++);
      assert.sameMembers([...outcomes], ["shown", "given up"])
    }),
  )
})

describe("an intake in pieces", () => {
  const letters = (count: number): string => "ram ".repeat(Math.ceil(count / 4)).slice(0, count)
  const entryOf = (size: number) => ({ to_number: "+15550001111", variables: { note: letters(size) } })

  it.live(
    "stores so many contacts at a time, and no more characters of them than one turn has and its last contact",
    () =>
      Effect.gen(function* () {
        const { fills, test } = yield* broken({})
        const sizes = fc.oneof(fc.nat(20), fc.nat(1_000), fc.nat(limits.contactBytes / 2 - 100))
        const bodies = fc.oneof(
          fc.array(sizes, { minLength: 1, maxLength: 10 }),
          fc
            .record({ count: fc.integer({ min: 1, max: 2_500 }), size: fc.nat(200) })
            .map(({ count, size }) => Array.from({ length: count }, () => size)),
        )
        for (const body of fc.sample(bodies, 15)) {
          fills.mockClear()
          const contacts = body.map(entryOf)
          const transliteration = {
            enabled: true,
            fields: ["note"],
            target_language_code: "hi",
            source_language_code: "en",
            keep_original: true,
          }
          const { campaign_id } = yield* test.create(contacts, { transliteration })
          let row = 0
          for (const [, from, entries] of fills.mock.calls) {
            assert.strictEqual(from, row)
            assert.isAtLeast(entries.length, 1)
            assert.isAtMost(entries.length, limits.intakeChunk)
            const before = contacts.slice(row, row + entries.length - 1)
            const characters = before.reduce((sum, { variables }) => sum + JSON.stringify(variables).length, 0)
            assert.isBelow(characters, limits.intakeTurnCharacters)
            row += entries.length
          }
          assert.strictEqual(row, contacts.length)
          assert.strictEqual((yield* test.find(campaign_id)).total_contacts, contacts.length)
        }
      }),
  )
})
