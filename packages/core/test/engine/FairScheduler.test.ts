import { assert, it } from "@effect/vitest"
import { FairScheduler, limits } from "@carillon/core"
import { Deferred, Effect, Fiber, Scheduler } from "effect"
import * as fc from "fast-check"

/** An event loop whose turns end when the test says so, and a clock that the fibers themselves put forward. */
class Loop {
  now = 0
  #after: Array<() => void> = []
  readonly clock = { now: () => this.now, afterTurn: (work: () => void) => void this.#after.push(work) }

  /** What was left for after this turn; whether there was anything. */
  turn(): boolean {
    const due = this.#after
    this.#after = []
    for (const work of due) work()
    return due.length > 0
  }
}

const start = <A>(loop: Loop, effect: Effect.Effect<A>): Fiber.Fiber<A> =>
  Effect.runFork(effect, { scheduler: new FairScheduler(loop.clock) })

/** Work that takes so long without a pause. */
const busy = (loop: Loop, ms: number): Effect.Effect<void> =>
  Effect.sync(() => {
    loop.now += ms
  })

it("of a hundred fibers that one answer wakes, a turn of the event loop goes on with those for which it has time", () => {
  const loop = new Loop()
  const answer = Deferred.makeUnsafe<void>()
  const order: Array<number> = []
  const ones = Array.from({ length: 100 }, (_, nth) =>
    Deferred.await(answer).pipe(Effect.andThen(Effect.sync(() => void order.push(nth))), Effect.andThen(busy(loop, 1))),
  )
  const all = start(
    loop,
    Effect.forEach(ones, (one) => one, { concurrency: "unbounded", discard: true }),
  )
  while (loop.turn()) {}
  const turns: Array<number> = []
  let before = loop.now
  Deferred.doneUnsafe(answer, Effect.void)
  do {
    turns.push(loop.now - before)
    before = loop.now
  } while (loop.turn())
  assert.isDefined(all.pollUnsafe())
  assert.deepStrictEqual(
    order,
    Array.from({ length: 100 }, (_, nth) => nth),
  )
  assert.isAtMost(Math.max(...turns), limits.loopTurnMs)
})

it("a fiber that goes on for long leaves the loop to others each time it waits, and comes to its end", () => {
  const loop = new Loop()
  let done = 0
  const step = Effect.andThen(
    Effect.yieldNow,
    Effect.sync(() => {
      loop.now += 0.1
      done += 1
    }),
  )
  const long = start(loop, Effect.repeat(step, { times: 999 }))
  let longest = loop.now
  for (let before = loop.now; loop.turn(); before = loop.now) longest = Math.max(longest, loop.now - before)
  assert.isDefined(long.pollUnsafe())
  assert.strictEqual(done, 1_000)
  assert.isAtMost(longest, 2 * limits.loopTurnMs)
})

it("those that are started together begin in their order, whatever time it is, and are not cut off", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(8), { minLength: 1, maxLength: 4 }), { minLength: 1 }),
      fc.nat(20),
      (kinds, lateMs) => {
        const loop = new Loop()
        const order: Array<string> = []
        const kind = (tooks: ReadonlyArray<number>, nth: number) =>
          Effect.andThen(
            busy(loop, tooks.length),
            Effect.forEach(
              tooks,
              (ms, each) =>
                Effect.andThen(
                  busy(loop, ms),
                  Effect.sync(() => void order.push(`${nth} ${each}`)),
                ),
              { concurrency: "unbounded", discard: true },
            ),
          )
        const answer = Deferred.makeUnsafe<void>()
        const all = Effect.forEach(kinds, kind, { concurrency: "unbounded", discard: true })
        // Somebody else has used up the turn in which the answer comes.
        const fiber = start(loop, Effect.andThen(Deferred.await(answer), Effect.andThen(busy(loop, lateMs), all)))
        Deferred.doneUnsafe(answer, Effect.void)
        while (loop.turn()) {}
        assert.isDefined(fiber.pollUnsafe())
        assert.deepStrictEqual(
          order,
          kinds.flatMap((tooks, nth) => tooks.map((_, each) => `${nth} ${each}`)),
        )
      },
    ),
  )
})

it("whatever each of them takes, all come to their end, and each turn does at least one thing", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(20), { maxLength: 8 }), { maxLength: 20 }), (fibers) => {
      const loop = new Loop()
      const scheduler = new FairScheduler(loop.clock)
      let steps = 0
      const started = fibers.map((pieces) =>
        Effect.runFork(
          Effect.forEach(pieces, (ms) =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => {
                loop.now += ms
                steps += 1
              }),
            ),
          ),
          { scheduler },
        ),
      )
      const total = fibers.flat().length
      let turns = 0
      while (loop.turn()) turns += 1
      assert.isTrue(started.every((fiber) => fiber.pollUnsafe() !== undefined))
      assert.strictEqual(steps, total)
      // A turn may go by for a fiber that was cut off, and one for what comes before and after the pieces.
      assert.isAtMost(turns, 2 * total + 2 * fibers.length + 2)
    }),
  )
})

it("a fiber that was cancelled before its turn does not run in it", () => {
  const loop = new Loop()
  let hasRun = false
  const fiber = start(
    loop,
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => {
        hasRun = true
      }),
    ),
  )
  fiber.interruptUnsafe()
  while (loop.turn()) {}
  assert.isFalse(hasRun)
  assert.isDefined(fiber.pollUnsafe())
})

it("what is started to end at once does so", () => {
  const loop = new Loop()
  const scheduler = new FairScheduler(loop.clock)
  const value = Effect.runSync(Effect.provideService(Effect.succeed(1), Scheduler.Scheduler, scheduler))
  assert.strictEqual(value, 1)
})
