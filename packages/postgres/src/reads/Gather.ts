import type { PortError } from "@carillon/core"
import { Deferred, Effect } from "effect"
import type { Start } from "../Detached.ts"

/** Statements of one kind that are under way at a time. */
const statementsUnderWay = 2

/** Keys that one statement takes at most. */
const keysMax = 500

interface Asked<Key, Answer> {
  readonly key: Key
  readonly answer: Deferred.Deferred<Answer, PortError>
}

const turn = Effect.callback<void>((resume) => {
  const turned = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turned))
})

/**
 * Reads that are asked for at the same time become one statement: those of one turn of the event loop, and those that come while
 * earlier ones are under way. Nobody joins a statement that was sent before it asked, so whoever has written reads what it wrote. What several
 * ask for is read once.
 */
export const gather = <Key, Answer>(
  start: Start,
  nameOf: (key: Key) => string,
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<(key: Key) => Answer, PortError>,
): ((key: Key) => Effect.Effect<Answer, PortError>) => {
  let waiting = new Map<string, Asked<Key, Answer>>()
  let underWay = 0

  const taken = (): ReadonlyArray<Asked<Key, Answer>> => {
    const all = [...waiting]
    waiting = new Map(all.slice(keysMax))
    return all.slice(0, keysMax).map(([, asked]) => asked)
  }

  const drain = Effect.gen(function* () {
    yield* turn
    for (;;) {
      const asked = taken()
      if (asked.length === 0) {
        underWay -= 1
        return
      }
      const exit = yield* Effect.exit(read(asked.map(({ key }) => key)))
      for (const { answer, key } of asked) {
        Deferred.doneUnsafe(
          answer,
          Effect.map(exit, (answerOf) => answerOf(key)),
        )
      }
    }
  })

  /** Nobody comes between the count of what is under way and its start. */
  const started = Effect.uninterruptible(
    Effect.suspend(() => {
      if (underWay >= statementsUnderWay) return Effect.void
      underWay += 1
      return start(drain)
    }),
  )

  return (key) =>
    Effect.suspend(() => {
      const name = nameOf(key)
      const known = waiting.get(name)
      if (known !== undefined) return Deferred.await(known.answer)
      const asked = { key, answer: Deferred.makeUnsafe<Answer, PortError>() }
      waiting.set(name, asked)
      return Effect.andThen(started, Deferred.await(asked.answer))
    })
}
