import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { Activity } from "../../src/engine/Activity.ts"
import { Places } from "../../src/engine/Places.ts"

const most = 4

interface Asked {
  readonly party: string
  /** Turns of the loop that it takes, and after which the next is asked for. */
  readonly turns: number
  readonly after: number
  /** After how many turns its request is interrupted, if it is. */
  readonly interrupted: number | null
  readonly fails: boolean
}

const scripts: fc.Arbitrary<ReadonlyArray<Asked>> = fc.array(
  fc.record({
    party: fc.constantFrom("a", "a", "b"),
    turns: fc.nat(30),
    after: fc.nat(1),
    interrupted: fc.option(fc.nat(40), { nil: null }),
    fails: fc.boolean(),
  }),
  { maxLength: 40 },
)

const turnsOfLoop = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

const played = (script: ReadonlyArray<Asked>) =>
  Effect.gen(function* () {
    const activity = yield* Activity
    const places = new Places(activity, most)
    const making = new Map<string, number>()
    const begun = new Map<string, Array<number>>()
    const ended = new Set<number>()
    let reached = 0
    const change = (party: string, by: number) => {
      const now = (making.get(party) ?? 0) + by
      making.set(party, now)
      reached = Math.max(reached, now)
    }
    const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
    for (const [nth, { after, fails, interrupted, party, turns }] of script.entries()) {
      const piece = Effect.gen(function* () {
        change(party, 1)
        begun.set(party, [...(begun.get(party) ?? []), nth])
        yield* turnsOfLoop(turns)
        if (fails) yield* Effect.fail("no piece")
      }).pipe(Effect.ensuring(Effect.sync(() => change(party, -1))))
      const request = places.within(party, piece)
      const noted = Effect.onExit(request, () => Effect.sync(() => ended.add(nth)))
      const fiber = yield* Effect.forkChild(activity.track(noted), { startImmediately: true })
      fibers.push(fiber)
      if (interrupted !== null) {
        yield* Effect.forkChild(Effect.andThen(turnsOfLoop(interrupted), Fiber.interrupt(fiber)))
      }
      yield* turnsOfLoop(after)
    }
    for (const fiber of fibers) yield* Fiber.await(fiber)
    return { begun, ended, left: places.organizations, making, open: activity.open(), reached }
  }).pipe(Effect.provide(Activity.layer))

it.effect("an organization has so many under way at most, each in order, whoever fails or goes away", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { begun, ended, left, making, open, reached } = await Effect.runPromise(played(script))
        assert.isAtMost(reached, most)
        for (const order of begun.values()) {
          assert.deepStrictEqual(
            order,
            [...order].sort((a, b) => a - b),
          )
        }
        for (const [nth, { interrupted, party }] of script.entries()) {
          assert.isTrue(ended.has(nth))
          if (interrupted === null) assert.isTrue(begun.get(party)?.includes(nth))
        }
        for (const count of making.values()) assert.strictEqual(count, 0)
        assert.deepStrictEqual([left, open], [0, 0])
      }),
      { numRuns: 100 },
    ),
  ),
)

it.effect("who waits for others that wait themselves does not count as open", () =>
  Effect.gen(function* () {
    const activity = yield* Activity
    const places = new Places(activity, most)
    const goesOn = yield* Deferred.make<void>()
    const parked = Effect.acquireUseRelease(
      Effect.sync(activity.leave),
      () => Deferred.await(goesOn),
      () => Effect.sync(activity.enter),
    )
    const request = activity.track(places.within("a", parked))
    const fibers = yield* Effect.forEach(Array.from({ length: 3 * most }), () =>
      Effect.forkChild(request, { startImmediately: true }),
    )
    assert.strictEqual(activity.open(), 0)
    yield* Deferred.succeed(goesOn, undefined)
    for (const fiber of fibers) yield* Fiber.join(fiber)
    assert.deepStrictEqual([places.organizations, activity.open()], [0, 0])
  }).pipe(Effect.provide(Activity.layer)),
)

it.effect(
  "thousands that wait have a place one after another, few in a turn of the event loop, whatever little they do",
  () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      const places = new Places(activity, most)
      const goesOn = yield* Deferred.make<void>()
      const counts = [0]
      let isOver = false
      const turn = () => {
        counts.push(0)
        if (!isOver) setImmediate(turn)
      }
      setImmediate(turn)
      const brief = Effect.sync(() => {
        counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1
      })
      const ask = (work: Effect.Effect<void>) =>
        Effect.forkChild(activity.track(places.within("a", work)), { startImmediately: true })
      const held = yield* Effect.forEach(Array.from({ length: most }), () => ask(Deferred.await(goesOn)))
      const waiting = yield* Effect.forEach(Array.from({ length: 3_000 }), () => ask(brief))
      yield* Deferred.succeed(goesOn, undefined)
      for (const fiber of [...held, ...waiting]) yield* Fiber.join(fiber)
      isOver = true
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count, 0),
        waiting.length,
      )
      assert.isAtMost(Math.max(...counts), most)
      assert.deepStrictEqual([places.organizations, activity.open()], [0, 0])
    }).pipe(Effect.provide(Activity.layer)),
)
