import { assert, it } from "@effect/vitest"
import { nextTurn, Pacing, type PieceClock, PieceTurns } from "@carillon/core/ports"
import { Effect, Fiber } from "effect"
import * as fc from "fast-check"

/** How many pieces were done in each turn of the event loop, where several do so many pieces each. */
const piecesInTurns = (together: number, pieces: number, pacing: Effect.Effect<void> | null) =>
  Effect.gen(function* () {
    const done: Array<number> = [0]
    let isOver = false
    const count = () => {
      done.push(0)
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const one = Effect.gen(function* () {
      for (let nth = 0; nth < pieces; nth++) {
        yield* nextTurn
        done[done.length - 1] = (done.at(-1) ?? 0) + 1
      }
    })
    const all = Effect.forEach(Array.from({ length: together }), () => one, { concurrency: "unbounded" })
    yield* pacing === null ? all : Effect.provideService(all, Pacing, pacing)
    isOver = true
    return done
  })

it.effect("of many that do their work in pieces, one does a piece in a turn of the event loop", () =>
  Effect.gen(function* () {
    const done = yield* piecesInTurns(8, 5, new PieceTurns().of("a"))
    assert.strictEqual(
      done.reduce((sum, count) => sum + count, 0),
      40,
    )
    assert.isAtMost(Math.max(...done), 1)
    // What they do without it, which is what the look above has to see.
    assert.isAbove(Math.max(...(yield* piecesInTurns(8, 5, null))), 1)
  }),
)

it.effect("who is interrupted while it waits holds nobody up", () =>
  Effect.gen(function* () {
    const turns = new PieceTurns()
    const pacing = turns.of("a")
    const never = Effect.provideService(Effect.forever(nextTurn), Pacing, pacing)
    yield* Effect.raceFirst(never, Effect.provideService(Effect.andThen(nextTurn, nextTurn), Pacing, pacing))
    yield* Effect.provideService(nextTurn, Pacing, pacing)
    assert.strictEqual(turns.parties, 0)
  }),
)

/** Requests of a party that do so many pieces each, and note each piece with a number of the request. */
const requests = (turns: PieceTurns, party: string, count: number, pieces: number, note: (of: string) => void) =>
  Effect.forEach(
    Array.from({ length: count }, (_, nth) => nth),
    () =>
      Effect.gen(function* () {
        for (let piece = 0; piece < pieces; piece++) {
          yield* turns.of(party)
          note(party)
        }
      }),
    { concurrency: "unbounded" },
  )

it.effect("a neighbour waits for one piece of another, however many requests that one has", () =>
  Effect.gen(function* () {
    const turns = new PieceTurns()
    const done: Array<string> = []
    const note = (of: string) => void done.push(of)
    const noisy = yield* Effect.forkChild(requests(turns, "noisy", 50, 20, note))
    while (done.length < 100) yield* Effect.yieldNow
    const from = done.length
    yield* requests(turns, "quiet", 1, 10, note)
    const heard = done.slice(from)
    assert.strictEqual(heard.filter((of) => of === "quiet").length, 10)
    assert.isAtMost(heard.filter((of) => of === "noisy").length, 11)
    yield* Fiber.join(noisy)
    assert.strictEqual(done.length, 1010)
    assert.strictEqual(turns.parties, 0)
  }),
)

/** A clock that stands still but for the pieces, each of which takes so long. */
const clockOf = (pieceMs: number) => {
  const woken: Array<{ readonly ms: number; readonly work: () => void }> = []
  let now = 0
  const clock: PieceClock = {
    now: () => now,
    afterTurn: (work) =>
      void setImmediate(() => {
        now += pieceMs
        work()
      }),
    later: (ms, work) => void woken.push({ ms, work }),
  }
  return { clock, woken }
}

const fewTurns = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

it.effect("a party rests twice as long as its piece took while another is served, and not while it is alone", () =>
  Effect.gen(function* () {
    const { clock, woken } = clockOf(10)
    const turns = new PieceTurns(clock)
    const done: Array<string> = []
    const note = (of: string) => void done.push(of)
    const large = yield* Effect.forkChild(turns.serving("noisy", requests(turns, "noisy", 2, 3, note)))
    yield* Fiber.join(large)
    assert.deepStrictEqual([done.length, woken.length], [6, 0])

    const quiet = yield* Effect.forkChild(turns.serving("quiet", Effect.never))
    const again = yield* Effect.forkChild(turns.serving("noisy", requests(turns, "noisy", 2, 3, note)))
    for (let piece = 1; piece < 6; piece++) {
      yield* fewTurns
      assert.strictEqual(done.length, 6 + piece)
      assert.deepStrictEqual(
        woken.map(({ ms }) => ms),
        [20],
      )
      woken.pop()?.work()
    }
    yield* Fiber.join(again)
    yield* Fiber.interrupt(quiet)
  }),
)

it.effect("who has no large work does not wait for the rest of another", () =>
  Effect.gen(function* () {
    const { clock, woken } = clockOf(10)
    const turns = new PieceTurns(clock)
    const done: Array<string> = []
    const note = (of: string) => void done.push(of)
    yield* Effect.forkChild(turns.serving("noisy", requests(turns, "noisy", 2, 3, note)))
    const quiet = turns.serving("quiet", requests(turns, "quiet", 1, 1, note))
    yield* Effect.forkChild(turns.serving("quiet", Effect.never))
    yield* fewTurns
    assert.deepStrictEqual(done, ["noisy"])
    yield* quiet
    assert.deepStrictEqual(done, ["noisy", "quiet"])
    assert.isAbove(woken.length, 0)
  }),
)

interface Coming {
  readonly party: string
  readonly pieces: number
  readonly after: number
  readonly gone: number | null
}

/** Requests that come one after another, each after so many turns of the loop; some go away so many turns later. */
const scripts: fc.Arbitrary<ReadonlyArray<Coming>> = fc.array(
  fc.record({
    party: fc.constantFrom("a", "b", "c"),
    pieces: fc.integer({ min: 1, max: 5 }),
    after: fc.nat(3),
    gone: fc.option(fc.nat(12), { nil: null }),
  }),
  { maxLength: 14 },
)

const played = (script: ReadonlyArray<Coming>) =>
  Effect.gen(function* () {
    const turns = new PieceTurns()
    let within = 0
    let most = 0
    const done = yield* Effect.forEach(script, ({ after, gone, party, pieces }) =>
      Effect.gen(function* () {
        for (let turn = 0; turn < after; turn++) yield* Effect.yieldNow
        const counted = { done: 0, pieces, isGone: gone !== null }
        const piece = Effect.gen(function* () {
          yield* turns.of(party)
          within += 1
          most = Math.max(most, within)
          counted.done += 1
          queueMicrotask(() => (within -= 1))
        })
        const fiber = yield* Effect.forkChild(Effect.forEach(Array.from({ length: pieces }), () => piece))
        if (gone !== null) {
          yield* Effect.forkChild(
            Effect.andThen(
              Effect.forEach(Array.from({ length: gone }), () => Effect.yieldNow),
              Fiber.interrupt(fiber),
            ),
          )
        }
        return { counted, fiber }
      }),
    )
    for (const { fiber } of done) yield* Fiber.await(fiber)
    // Whoever comes later does not wait for somebody who is gone.
    yield* turns.of("later")
    return { counts: done.map(({ counted }) => counted), left: turns.parties, most }
  })

it.effect("whoever stays has all of its turns, whoever goes away at whatever moment", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const { counts, left, most } = await Effect.runPromise(played(script))
        for (const { done, isGone, pieces } of counts) if (!isGone) assert.strictEqual(done, pieces)
        assert.isAtMost(most, 1)
        assert.strictEqual(left, 0)
      }),
      { numRuns: 60 },
    ),
  ),
)
