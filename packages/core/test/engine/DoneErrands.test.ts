import { DependencyUnavailable, limits, type NotFound, StateConflict } from "@carillon/core"
import { Activity, DomainClock, Parking } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import { hangsUp } from "../../src/calls/rules/CallErrands.ts"
import type { StopReply } from "../../src/calls/rules/CallReplies.ts"
import { type Errand, errandName } from "../../src/Errands.ts"
import { makeDoneErrands } from "../../src/engine/DoneErrands.ts"
import { ErrandHandling, nextStep, type Take } from "../../src/engine/ErrandHandling.ts"
import { asks, type Decided, type Outcome, refused, unchanged } from "../../src/engine/rules/Outcome.ts"
import { readBefore } from "../../src/engine/steps/Grounds.ts"
import { each } from "../../src/engine/steps/Reading.ts"
import { step } from "../../src/engine/steps/Step.ts"
import { sampleCall, sampleCaller } from "../../src/testing/Samples.ts"
import { askedOf, momentAt } from "../StepInPieces.ts"

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

const call = sampleCall("org_one")

/** What a caller asks of the carrier, who refuses it or not. */
const asking = (reason: string) => hangsUp(sampleCaller("org_one"), call, reason)

/** Takes what came of an errand, and names others. */
const followUp = step({
  name: "test.follow",
  reads: () => each([]),
  decide: ({ after }: { readonly organization_id: string; readonly after: string }) => unchanged(after),
})

const refusal = new StateConflict({ message: "No." })

/** Takes the answer to a question: it is told, is refused, or asks another one. */
const answerTo = step({
  name: "test.answer",
  reads: () => each([]),
  decide: ({
    reason,
  }: {
    readonly organization_id: string
    readonly reason: string
  }): Outcome<StopReply, NotFound | StateConflict> => {
    if (reason === "refused") return refused(refusal)
    if (reason === "again") return asks(asking("once more"))
    if (reason === "for ever") return asks(asking(reason))
    return unchanged({ _tag: "Stopped", call, requested_at: 0, reason })
  },
})

/** Errands of which a step takes the outcome, and those that it names then. */
const errandsOf = Effect.fnUntraced(function* (log: Log, { failing = new Map(), follow = {} }: Plan) {
  const done = (name: string) =>
    Effect.suspend(() => {
      const left = failing.get(name) ?? 0
      failing.set(name, left - 1)
      log.push(left > 0 ? `${name} fails` : name)
      return left > 0 ? Effect.fail(away) : Effect.void
    })
  const handle = ({ subject }: Errand) =>
    Effect.as(
      done(subject),
      subject in follow ? nextStep(followUp, { organization_id: "org_one", after: subject }) : null,
    )
  const take: Take = (taking, input) => {
    const after = "after" in input && typeof input.after === "string" ? input.after : null
    const reason = "reason" in input && typeof input.reason === "string" ? input.reason : ""
    log.push(`step after ${after ?? reason}`)
    const [view] = readBefore(taking.reads(input))
    const { answer } = taking.decide(input, view, momentAt(0))
    if ("errand" in answer) return Effect.succeed({ answer, errands: [] })
    const errands = (follow[after ?? reason] ?? []).map(settles)
    return Result.isFailure(answer)
      ? Effect.fail(answer.failure)
      : Effect.succeed({ answer: { reply: answer.success }, errands })
  }
  return yield* makeDoneErrands(take).pipe(
    Effect.provideService(ErrandHandling, {
      handle,
      ask: askedOf({
        "call.hang_up": ({ reason }) =>
          Effect.as(done(reason), nextStep(answerTo, { organization_id: "org_one", reason })),
      }),
    }),
  )
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

/** What a step has decided that names errands and then asks. */
const decidedTo = (
  reason: string,
  ...subjects: ReadonlyArray<string>
): Decided<StopReply, NotFound | StateConflict> => {
  const { answer, errands } = asks(asking(reason), null, { errands: named(...subjects) })
  if (!("errand" in answer)) throw new Error("It asks.")
  return { answer, errands }
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

describe("an errand that asks", () => {
  it.effect(
    "comes after the others of its step and what follows from them, and the step answers that takes what came of it",
    () =>
      ground(() =>
        Effect.gen(function* () {
          const log: Log = []
          const errands = yield* errandsOf(log, { follow: { one: ["two"], asked: ["three"] } })
          const reply = yield* errands.answered(decidedTo("asked", "one"))
          assert.deepStrictEqual(reply, { _tag: "Stopped", call, requested_at: 0, reason: "asked" })
          assert.deepStrictEqual(log, ["one", "step after one", "two", "asked", "step after asked", "three"])
        }),
      ),
  )

  it.effect("may lead to another question, whose answer is told", () =>
    ground(() =>
      Effect.gen(function* () {
        const log: Log = []
        const errands = yield* errandsOf(log, {})
        const reply = yield* errands.answered(decidedTo("again"))
        assert.deepInclude(reply, { reason: "once more" })
        assert.deepStrictEqual(log, ["again", "step after again", "once more", "step after once more"])
      }),
    ),
  )

  it.effect("tells why the step refuses that takes what came of it", () =>
    ground(() =>
      Effect.gen(function* () {
        const errands = yield* errandsOf([], {})
        assert.deepStrictEqual(yield* Effect.exit(errands.answered(decidedTo("refused"))), Exit.fail(refusal))
      }),
    ),
  )

  it.effect("tells that it has failed, and is not done again; the others were", () =>
    ground((advance) =>
      Effect.gen(function* () {
        const log: Log = []
        const failing = new Map([
          ["asked", 1],
          ["one", 1],
        ])
        const errands = yield* errandsOf(log, { failing })
        assert.deepEqual(yield* Effect.exit(errands.answered(decidedTo("asked", "one", "two"))), Exit.fail(away))
        assert.deepStrictEqual(log, ["one fails", "two", "asked fails"])
        yield* advance(10 * limits.wakeupRetryMs)
        assert.deepStrictEqual(log.slice(3), ["one"])
      }),
    ),
  )

  it.effect("is a mistake of a step that nobody waits for", () =>
    ground(() =>
      Effect.gen(function* () {
        const again = nextStep(answerTo, { organization_id: "org_one", reason: "again" })
        const asking: Take = (taking, input) => {
          const { answer } = taking.decide(input, readBefore(taking.reads(input))[0], momentAt(0))
          return "errand" in answer ? Effect.succeed({ answer, errands: [] }) : Effect.die(new Error("It asks."))
        }
        const handle = () => Effect.succeed({ takenBy: () => Effect.orDie(again.takenBy(asking)) })
        const errands = yield* makeDoneErrands(asking).pipe(
          Effect.provideService(ErrandHandling, { handle, ask: askedOf({}) }),
        )
        const exit = yield* Effect.exit(errands.all(named("one")))
        assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("Nobody waits for the answer"))
      }),
    ),
  )

  it.effect("that is asked again for ever is a mistake", () =>
    ground(() =>
      Effect.gen(function* () {
        const log: Log = []
        const errands = yield* errandsOf(log, {})
        const exit = yield* Effect.exit(errands.answered(decidedTo("for ever")))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.strictEqual(log.filter((line) => line === "for ever").length, limits.errandsTogether)
      }),
    ),
  )
})
