import { assert, it } from "@effect/vitest"
import { nextTurn, oneByOne, Pacing } from "@carillon/core"
import { Effect } from "effect"

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
    const done = yield* piecesInTurns(8, 5, oneByOne())
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
    const pacing = oneByOne()
    const never = Effect.provideService(Effect.forever(nextTurn), Pacing, pacing)
    yield* Effect.raceFirst(never, Effect.provideService(Effect.andThen(nextTurn, nextTurn), Pacing, pacing))
    yield* Effect.provideService(nextTurn, Pacing, pacing)
  }),
)
