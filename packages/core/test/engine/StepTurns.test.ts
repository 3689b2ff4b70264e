import { limits } from "@carillon/core"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { Activity } from "../../src/engine/Activity.ts"
import { type Meeting, placeOf, StepTurns } from "../../src/engine/StepTurns.ts"
import { Conflict } from "../../src/engine/ports/Store.ts"
import { batchesOf } from "../../src/engine/rules/Guards.ts"
import { sampleCall } from "../../src/testing/Samples.ts"

const meeting = (organization_id: string, at: string): Meeting => ({ organization_id, at, dependency: "call_storage" })

const makeTurns = Effect.map(Activity, (activity) => new StepTurns(activity))

const yields = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.yieldNow, { discard: true })

/** A step that comes after so many turns of the loop, works for so many in its turn, and goes away after so many, or stays. */
interface Coming {
  readonly of: string
  readonly at: string
  readonly after: number
  readonly works: number
  readonly gone: number | null
}

const scripts: fc.Arbitrary<ReadonlyArray<Coming>> = fc.array(
  fc.record({
    of: fc.constantFrom("a", "b"),
    at: fc.constantFrom("1", "2", "3", "4", "5", "6"),
    after: fc.nat(3),
    works: fc.nat(6),
    gone: fc.option(fc.nat(20), { nil: null }),
  }),
  { maxLength: 40 },
)

interface Seen {
  readonly began: Array<number>
  most: number
  mostOf: number
}

const played = (script: ReadonlyArray<Coming>) =>
  Effect.gen(function* () {
    const turns = yield* makeTurns
    const within = new Map<string, number>()
    const seen: Seen = { began: [], most: 0, mostOf: 0 }
    const add = (key: string, one: number) => {
      const count = (within.get(key) ?? 0) + one
      within.set(key, count)
      return count
    }
    const fibers: Array<Fiber.Fiber<void, unknown>> = []
    for (const [nth, { after, at, gone, of, works }] of script.entries()) {
      yield* yields(after)
      const work = Effect.acquireUseRelease(
        Effect.sync(() => {
          seen.began.push(nth)
          seen.most = Math.max(seen.most, add(`${of} ${at}`, 1))
          seen.mostOf = Math.max(seen.mostOf, add(of, 1))
        }),
        () => yields(works),
        () =>
          Effect.sync(() => {
            add(`${of} ${at}`, -1)
            add(of, -1)
          }),
      )
      const fiber = yield* Effect.forkChild(turns.within(meeting(of, at), work))
      fibers.push(fiber)
      if (gone !== null) yield* Effect.forkChild(Effect.andThen(yields(gone), Fiber.interrupt(fiber)))
    }
    for (const fiber of fibers) yield* Fiber.await(fiber)
    return { seen, left: turns.size }
  })

it.effect("one at a time at one row, in order, so many of one organization, and nothing is left", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { left, seen } = await Effect.runPromise(Effect.provide(played(script), Activity.layer))
        assert.isAtMost(seen.most, 1)
        assert.isAtMost(seen.mostOf, limits.stepsAnewAtOnce)
        // Whoever stays has its turn, and those of one line have it in the order in which they came.
        for (const [nth, { gone }] of script.entries()) if (gone === null) assert.include(seen.began, nth)
        for (const line of Map.groupBy(seen.began, (nth) => `${script[nth]?.of} ${script[nth]?.at}`).values())
          assert.deepStrictEqual(
            line,
            line.toSorted((one, other) => one - other),
          )
        assert.strictEqual(left, 0)
      }),
      { numRuns: 100 },
    ),
  ),
)

it.effect(
  "steps that have met at rows of their own go on side by side, or their commits are not written together",
  () =>
    Effect.gen(function* () {
      const turns = yield* makeTurns
      const release = yield* Deferred.make<void>()
      let count = 0
      const work = Effect.andThen(
        Effect.sync(() => (count += 1)),
        Deferred.await(release),
      )
      const fibers = yield* Effect.forEach(Array.from({ length: 100 }), (_, nth) =>
        Effect.forkChild(turns.within(meeting("org_1", `call ${nth}`), work)),
      )
      yield* yields(10)
      assert.strictEqual(count, 100)
      yield* Deferred.succeed(release, undefined)
      yield* Effect.forEach(fibers, Fiber.join)
    }).pipe(Effect.provide(Activity.layer)),
)

it.effect("an organization whose turns never end holds up no other, and is refused beyond its bound", () =>
  Effect.gen(function* () {
    const turns = yield* makeTurns
    const noisy = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: limits.stepsAnewWaiting }, (_, nth) => `${nth % (2 * limits.stepsAnewAtOnce)}`),
        (at) => turns.within(meeting("noisy", at), Effect.never),
        { concurrency: "unbounded" },
      ),
    )
    yield* yields(10)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(turns.within(meeting("noisy", "other"), Effect.void))))
    assert.strictEqual(yield* turns.within(meeting("quiet", "1"), Effect.succeed("served")), "served")
    yield* Fiber.interrupt(noisy)
    assert.strictEqual(turns.size, 0)
  }).pipe(Effect.provide(Activity.layer)),
)

it.effect("whoever waits for a turn keeps no clock from going on, or who has the turn would wait for it for ever", () =>
  Effect.gen(function* () {
    const activity = yield* Activity
    const turns = yield* makeTurns
    const release = yield* Deferred.make<void>()
    const step = (work: Effect.Effect<void>) => activity.fork(turns.within(meeting("org_1", "1"), work))
    const parked = Effect.acquireUseRelease(
      Effect.sync(activity.leave),
      () => Deferred.await(release),
      () => Effect.sync(activity.enter),
    )
    const fibers = [yield* step(parked), yield* step(Effect.void), yield* step(Effect.never)]
    yield* activity.quiescent
    assert.strictEqual(activity.open(), 0)
    yield* Deferred.succeed(release, undefined)
    yield* yields(10)
    // The last has its turn now and works: it counts again.
    assert.strictEqual(activity.open(), 1)
    yield* Fiber.interruptAll(fibers)
    assert.strictEqual(activity.open(), 0)
  }).pipe(Effect.provide(Activity.layer)),
)

it.effect("whoever comes sees the line at what it expects or replaces, and none of another organization's", () =>
  Effect.gen(function* () {
    const turns = yield* makeTurns
    const guard = batchesOf("cmp_1")
    const call = sampleCall("org_1")
    const ofCall = placeOf(new Conflict({ kind: "call", id: call.execution_id }))
    const ofGuard = placeOf(new Conflict({ kind: guard.set, id: guard.id }))
    const replacing = { organization_id: "org_1", changes: [{ put: "call" as const, row: call }] }
    const expecting = { organization_id: "org_1", expect: [{ guard, version: 1 }] }
    const raising = { organization_id: "org_1", changes: [{ put: "guard" as const, guard }] }
    const drafts = [replacing, expecting, raising, { ...expecting, organization_id: "org_2" }]
    const replacingIt = turns.seen(
      replacing,
      0,
      Effect.sync(() => ahead()),
    )
    const raisingIt = turns.seen(
      raising,
      0,
      Effect.sync(() => ahead()),
    )
    const ahead = () => drafts.map((draft) => turns.ahead(draft))
    const [none, replaced, raised, atCall, atGuard] = [
      ahead(),
      yield* replacingIt,
      yield* raisingIt,
      yield* turns.within(meeting("org_1", ofCall), Effect.sync(ahead)),
      yield* turns.within(meeting("org_1", ofGuard), Effect.sync(ahead)),
    ]
    assert.deepStrictEqual(none, [null, null, null, null])
    assert.deepStrictEqual(replaced, [ofCall, null, null, null])
    // Its own organization's line is the only one that anybody waits in.
    assert.deepStrictEqual(raised, [null, ofGuard, null, ofGuard])
    assert.deepStrictEqual(atCall, [ofCall, null, null, null])
    assert.deepStrictEqual(atGuard, [null, ofGuard, null, null])
    assert.strictEqual(turns.size, 0)
  }).pipe(Effect.provide(Activity.layer)),
)

it.effect(
  "whoever is about to read what is being replaced reads it once it is written, and keeps no clock from going on",
  () =>
    Effect.gen(function* () {
      const activity = yield* Activity
      const turns = yield* makeTurns
      const call = sampleCall("org_1")
      const at = placeOf({ kind: "call", id: call.execution_id })
      const draft = { organization_id: "org_1", changes: [{ put: "call" as const, row: call }] }
      const written = yield* Effect.forEach([0, 1], () => Deferred.make<void>())
      const read: Array<string> = []
      const reader = (name: string) =>
        activity.begin(
          Effect.map(turns.passed(at, limits.overtakenFreshMs), () => {
            read.push(name)
          }),
        )
      yield* reader("before")
      const writers = yield* Effect.forEach(written, (one) =>
        Effect.forkChild(turns.seen(draft, 0, Deferred.await(one))),
      )
      yield* yields(10)
      const readers = [yield* reader("first"), yield* reader("second")]
      const gone = yield* activity.begin(turns.passed(at, limits.overtakenFreshMs))
      yield* turns.passed(placeOf({ kind: "call", id: "exec_other" }), 0)
      assert.strictEqual(activity.open(), 0)
      yield* Fiber.interrupt(gone)
      for (const one of written) {
        assert.deepStrictEqual(read, ["before"])
        yield* Deferred.succeed(one, undefined)
        yield* yields(10)
      }
      yield* Effect.forEach([...writers, ...readers], Fiber.join)
      assert.deepStrictEqual(read, ["before", "first", "second"])
      assert.deepStrictEqual([activity.open(), turns.size], [0, 0])
    }).pipe(Effect.provide(Activity.layer)),
)

it.effect("what is written is seen until whoever writes it is gone, and not before it has begun", () =>
  Effect.gen(function* () {
    const turns = yield* makeTurns
    const row = sampleCall("org_test")
    const draft = { organization_id: "org_test", changes: [{ put: "call" as const, row }] }
    const never = turns.seen(draft, 0, Effect.never)
    assert.strictEqual(turns.size, 0)
    const early = yield* Effect.forkChild(never)
    yield* Fiber.interrupt(early)
    assert.strictEqual(turns.size, 0)
    const writing = yield* Effect.forkChild(turns.seen(draft, 0, Effect.never))
    yield* Effect.yieldNow
    assert.strictEqual(turns.ahead(draft), placeOf({ kind: "call", id: row.execution_id }))
    yield* Fiber.interrupt(writing)
    assert.strictEqual(turns.size, 0)
  }).pipe(Effect.provide(Activity.layer)),
)
