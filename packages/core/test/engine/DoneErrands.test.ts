import { DependencyUnavailable, limits } from "@carillon/core"
import { Activity, DomainClock, Parking } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import { type Errand, errandName } from "../../src/Errands.ts"
import { makeDoneErrands } from "../../src/engine/DoneErrands.ts"
import { ErrandHandling, nextStep } from "../../src/engine/ErrandHandling.ts"
import { unchanged } from "../../src/engine/rules/Outcome.ts"
import { each } from "../../src/engine/steps/Reading.ts"
import { step } from "../../src/engine/steps/Step.ts"

const away = new DependencyUnavailable({ dependency: "call_storage" })

const settles = (batch_id: string) => settlesBatch({ batch_id, organization_id: "org_one" })

/** What became of errands, in order. */
type Log = Array<string>

interface Plan {
  /** Which errands a step names that takes the outcome of another one. */
  readonly follow?: { readonly [name: string]: ReadonlyArray<string> }
  /** How often errands fail at first. */
  readonly failing?: Map<string, number>
}

const followUp = step({
  name: "test.follow",
  reads: () => each([]),
  decide: ({ after }: { readonly organization_id: string; readonly after: string }) => unchanged(after),
})

/** Errands of which a step takes the outcome, and those that it names then. */
const errandsOf = Effect.fnUntraced(function* (log: Log, { failing = new Map(), follow = {} }: Plan) {
  const handle = (errand: Errand) =>
    Effect.suspend(() => {
      const { subject } = errand
      const left = failing.get(subject) ?? 0
      failing.set(subject, left - 1)
      log.push(left > 0 ? `${subject} fails` : subject)
      if (left > 0) return Effect.fail(away)
      return Effect.succeed(
        subject in follow ? nextStep(followUp, { organization_id: "org_one", after: subject }) : null,
      )
    })
  return yield* makeDoneErrands((_step, input) =>
    Effect.sync(() => {
      const after = "after" in input && typeof input.after === "string" ? input.after : ""
      log.push(`step after ${after}`)
      return (follow[after] ?? []).map(settles)
    }),
  ).pipe(Effect.provideService(ErrandHandling, { handle }))
})

/** Runs a test with parking and a clock of its own. */
const ground = <A, E>(
  test: (advance: (ms: number) => Effect.Effect<void>) => Effect.Effect<A, E, Parking | Activity | DomainClock>,
) => {
  let now = 0
  const clock = Layer.succeed(DomainClock, { now: () => now })
  const advance = (ms: number) =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const activity = yield* Activity
      yield* activity.quiescent
      for (const end = now + ms; now < end;) {
        now = Math.min(end, Math.max(now + 1, parking.nextDeadline() ?? end))
        parking.expire(now)
        yield* activity.quiescent
      }
    })
  return Effect.suspend(() =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Parking | Activity | DomainClock>()
      return yield* test((ms) => Effect.provideContext(advance(ms), context))
    }),
  ).pipe(Effect.provide(Parking.layer.pipe(Layer.provideMerge(Layer.mergeAll(Activity.layer, clock)))))
}

const named = (...subjects: ReadonlyArray<string>) => subjects.map(settles)

describe("errands", () => {
  it.effect("are done first in, first out; those that follow from one stand at the end", () =>
    ground(() =>
      Effect.gen(function* () {
        const log: Log = []
        const errands = yield* errandsOf(log, { follow: { one: ["three", "four"], three: ["five"] } })
        yield* errands.all(named("one", "two"))
        assert.deepStrictEqual(log, ["one", "step after one", "two", "three", "step after three", "four", "five"])
      }),
    ),
  )

  it.effect("that fail hold up none of the others, and are done again later, with what follows from them", () =>
    ground((advance) =>
      Effect.gen(function* () {
        const log: Log = []
        const failing = new Map([["one", 3]])
        const errands = yield* errandsOf(log, { failing, follow: { one: ["three"] } })
        yield* errands.all(named("one", "two"))
        assert.deepStrictEqual(log, ["one fails", "two"])
        yield* advance(3 * limits.wakeupRetryMs)
        assert.deepStrictEqual(log.slice(2), ["one fails", "one fails", "one", "step after one", "three"])
        yield* advance(10 * limits.wakeupRetryMs)
        assert.lengthOf(log, 7)
      }),
    ),
  )

  it.effect("are told of to whoever asks for a single one, and done again later all the same", () =>
    ground((advance) =>
      Effect.gen(function* () {
        const log: Log = []
        const errands = yield* errandsOf(log, { failing: new Map([["one", 1]]) })
        assert.deepEqual(yield* Effect.exit(errands.one(settles("one"))), Exit.fail(away))
        yield* advance(limits.wakeupRetryMs)
        assert.deepStrictEqual(log, ["one fails", "one"])
      }),
    ),
  )

  it.effect("are given up after some minutes: what was left undone follows from the rows", () =>
    ground((advance) =>
      Effect.gen(function* () {
        const log: Log = []
        const errands = yield* errandsOf(log, { failing: new Map([["one", Infinity]]) })
        yield* errands.all(named("one"))
        yield* advance(2 * limits.wakeupRetries * limits.wakeupRetryMs)
        assert.lengthOf(log, 1 + limits.wakeupRetries)
        const parking = yield* Parking
        assert.isNull(parking.nextDeadline())
      }),
    ),
  )

  it.effect("that lead to one another for ever are a mistake", () =>
    ground(() =>
      Effect.gen(function* () {
        const log: Log = []
        const errands = yield* errandsOf(log, { follow: { one: ["one"] } })
        const exit = yield* Effect.exit(errands.all(named("one")))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.strictEqual(log.filter((line) => line === "one").length, limits.errandsTogether)
      }),
    ),
  )

  it("have one name where they do the same", () => {
    assert.strictEqual(errandName(settles("bat_one")), "batch.settle bat_one")
  })
})
