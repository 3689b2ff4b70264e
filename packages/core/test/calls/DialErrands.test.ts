import { DependencyTimeout, DependencyUnavailable } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../src/Limits.ts"
import * as MemorySlots from "../../src/memory/MemorySlots.ts"
import { restart } from "../../src/testing/world/Plans.ts"
import { answerOf, epoch, World } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute

/** A direct dial, and a booked one that is due. */
const asked = [
  { what: "a direct dial", placing: {} },
  { what: "a booked dial", placing: { scheduled_at: epoch + hour } },
] as const

/** A world with a single line, where something happens before a dial is made that is written. */
const worldWhere = (before: (world: World) => Effect.Effect<void, DependencyUnavailable>) => {
  const world: World = new World({
    organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
    slots: new MemorySlots.SlotTable(),
    interpose: (operation, effect) =>
      operation === "errands.call.dial"
        ? Effect.andThen(
            Effect.suspend(() => before(world)),
            effect,
          )
        : effect,
  })
  return world
}

/** Nobody was rung, the call has ended and been recorded, and its line is free. */
const comesToNothing = (world: World) => {
  const shown = world.calls().map(({ final_report_at, status, unaudited }) => ({
    status,
    isOver: final_report_at !== null,
    isRecorded: unaudited === undefined,
  }))
  assert.deepStrictEqual(shown, [{ status: "error", isOver: true, isRecorded: true }])
  assert.deepStrictEqual([world.dials.length, [...world.slots.members()]], [0, []])
}

describe.each(asked)("$what that is written", ({ placing }) => {
  it.effect("and not made, for its process has died, is asked about, and nobody is rung", () =>
    Effect.gen(function* () {
      const world = worldWhere((dying) =>
        Effect.andThen(
          Effect.sync(() => dying.kill()),
          Effect.never,
        ),
      )
      yield* world.start()
      yield* world.place(placing)
      yield* world.advance(2 * hour)
      assert.isTrue(world.isDown)
      world.now += minute
      yield* restart(world)
      yield* world.advance(hour)
      comesToNothing(world)
    }).pipe(Effect.scoped),
  )

  it.effect("and could not be made, is not made later either", () =>
    Effect.gen(function* () {
      let tried = 0
      const world = worldWhere(() => {
        tried += 1
        return Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
      })
      yield* world.start()
      yield* world.place(placing)
      yield* world.advance(3 * hour)
      assert.strictEqual(tried, 1)
      comesToNothing(world)
    }).pipe(Effect.scoped),
  )
})

it.effect("a booked dial whose line could not be counted is booked anew, and made then", () =>
  Effect.gen(function* () {
    let refusals = 0
    const away = Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
    const world = new World({
      slots: new MemorySlots.SlotTable(),
      interpose: (operation, effect) =>
        Effect.suspend(() => {
          if (operation === "slots.hold" && refusals === 0) {
            refusals = 1
            return Effect.andThen(effect, Effect.fail(new DependencyTimeout({ dependency: "slot_store" })))
          }
          if (operation !== "store.commit" || refusals !== 1) return effect
          refusals = 2
          return away
        }),
    })
    yield* world.start()
    yield* world.placed({ scheduled_at: epoch + hour })
    yield* world.advance(hour)
    assert.deepInclude(world.calls()[0], { status: "rescheduled", dial: "none" })
    yield* world.advance(limits.rescheduleMs + hour)
    assert.deepInclude(world.calls()[0], { status: "completed" })
    assert.strictEqual(world.dials.length, 1)
  }).pipe(Effect.scoped),
)

it.effect("a direct dial whose outcome could not be written is answered by what the carrier has said", () =>
  Effect.gen(function* () {
    let commits = 0
    const world = new World({
      interpose: (operation, effect) =>
        Effect.suspend(() => {
          if (operation === "store.commit") commits += 1
          return operation === "store.commit" && commits <= limits.commitAttempts
            ? Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))
            : effect
        }),
    })
    yield* world.start()
    const placing = yield* world.place()
    yield* world.advance(minute / 2)
    const reply = yield* answerOf(placing)
    assert.strictEqual(reply._tag, "Queued")
    assert.isAbove(commits, 0)
    yield* world.advance(hour)
    assert.deepInclude(world.calls()[0], { status: "completed" })
    assert.strictEqual(world.dials.length, 1)
  }).pipe(Effect.scoped),
)
