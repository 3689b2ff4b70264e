import { DependencyUnavailable, limits } from "@carillon/core"
import { Activity, DomainClock, Parking } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { makeTriedLater } from "../../src/engine/TriedLater.ts"

const away = new DependencyUnavailable({ dependency: "call_storage" })

/** What one of them had done, as text: whose it is, and its name. */
type Subject = `${string} ${string}`

const tookMs = 3_000

/** What has failed, in a world whose clock goes on by itself: what the busy organization has done fails, and takes seconds each time; what the slow one has takes as long. */
const world = Effect.fnUntraced(function* () {
  let now = 0
  const clock = Layer.succeed(DomainClock, { now: () => now })
  const base = Parking.layer.pipe(Layer.provideMerge(Layer.mergeAll(Activity.layer, clock)))
  const context = yield* Layer.build(base)
  const told: Array<string> = []
  const logger = Logger.make(({ message }) => void told.push(String(message)))
  const run = <A, E>(effect: Effect.Effect<A, E, Activity | Parking | DomainClock>) =>
    effect.pipe(Effect.provideContext(context), Effect.provide(Logger.layer([logger])))

  const tried: Array<readonly [subject: Subject, at: number]> = []
  const again = (subject: Subject) =>
    Effect.gen(function* () {
      const parking = yield* Parking
      tried.push([subject, now])
      if (subject.startsWith("calm")) return
      if (subject.startsWith("mistaken")) return yield* Effect.die("a mistake")
      yield* parking.park(`takes long: ${subject}`, now + tookMs).wait
      if (subject.startsWith("busy")) yield* Effect.fail(away)
    }).pipe(Effect.provideContext(context))
  const later = yield* run(
    makeTriedLater<Subject>(
      "undone",
      { name: (subject) => subject, organization: (subject) => subject.split(" ")[0] ?? "" },
      again,
    ),
  )
  const advance = (ms: number) =>
    run(
      Effect.gen(function* () {
        const parking = yield* Parking
        const activity = yield* Activity
        yield* activity.quiescent
        for (const end = now + ms; now < end;) {
          now = Math.min(end, Math.max(now + 1, parking.nextDeadline() ?? end))
          parking.expire(now)
          yield* activity.quiescent
        }
      }),
    )
  return { tried, told, advance, fails: (subject: Subject) => run(later(subject)), now: () => now }
})

const busyOnes = (count: number): ReadonlyArray<Subject> =>
  Array.from({ length: count }, (_, nth) => `busy ${nth}` as const)

describe("what has failed", () => {
  it.effect("of one organization does not wait for all that has failed of another, and takes seconds each", () =>
    Effect.gen(function* () {
      const { advance, fails, now, tried } = yield* world()
      for (const subject of busyOnes(100)) yield* fails(subject)
      yield* advance(limits.wakeupRetryMs + tookMs / 2)
      const at = now()
      yield* fails("calm one")
      yield* advance(limits.wakeupRetryMs + 2 * tookMs)
      const calm = tried.find(([subject]) => subject === "calm one")
      assert.isDefined(calm)
      assert.isAtMost((calm?.[1] ?? Infinity) - at, limits.wakeupRetryMs + tookMs)
    }).pipe(Effect.scoped),
  )

  it.effect("is kept up to a bound, which one organization does not reach alone; what goes beyond it is told", () =>
    Effect.gen(function* () {
      const { advance, fails, told, tried } = yield* world()
      for (const subject of busyOnes(limits.triedLater.organization + 20)) yield* fails(subject)
      yield* fails("calm one")
      yield* advance(limits.wakeupRetryMs)
      assert.include(
        tried.map(([subject]) => subject),
        "calm one",
      )
      yield* advance((limits.triedLater.organization * 2 * tookMs) / limits.triedLater.atOnce)
      assert.strictEqual(new Set(tried.map(([subject]) => subject)).size, limits.triedLater.organization + 1)
      assert.lengthOf(told, 1)
    }).pipe(Effect.scoped),
  )

  it.effect("once more while it is done again is done once more, though that time it succeeds", () =>
    Effect.gen(function* () {
      const { advance, fails, tried } = yield* world()
      yield* fails("slow one")
      yield* advance(limits.wakeupRetryMs + tookMs / 2)
      assert.lengthOf(tried, 1)
      yield* fails("slow one")
      yield* advance(limits.wakeupRetries * (limits.wakeupRetryMs + tookMs))
      assert.lengthOf(tried, 2)
    }).pipe(Effect.scoped),
  )

  it.effect("for a mistake keeps none of the others from being done again, and is told", () =>
    Effect.gen(function* () {
      const { advance, fails, told, tried } = yield* world()
      for (const subject of ["busy one", "mistaken one", "busy other"] as const) yield* fails(subject)
      yield* advance(3 * (limits.wakeupRetryMs + tookMs))
      for (const subject of ["busy one", "busy other"]) {
        assert.isAbove(tried.filter(([each]) => each === subject).length, 1, subject)
      }
      assert.isAbove(told.length, 0)
    }).pipe(Effect.scoped),
  )

  it.effect("too often is told", () =>
    Effect.gen(function* () {
      const { advance, fails, told, tried } = yield* world()
      yield* fails("busy one")
      yield* advance(2 * limits.wakeupRetries * (limits.wakeupRetryMs + tookMs))
      assert.lengthOf(tried, limits.wakeupRetries)
      assert.lengthOf(told, 1)
    }).pipe(Effect.scoped),
  )
})
