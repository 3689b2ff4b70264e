import type { PortError } from "@carillon/core"
import { CurrentParty } from "@carillon/core/ports"
import { Deferred, Effect, Exit } from "effect"
import type { Start } from "../Detached.ts"
import { type Answered, handedOut } from "../HandedOut.ts"
import { inTurn } from "../InTurn.ts"

/** Statements of one kind that are under way at a time. */
const statementsUnderWay = 2

/** Keys that one statement takes at most. */
const keysMax = 500

/**
 * Keys of one organization that a statement takes at most. Its rows are all in memory at once, and an organization says how large its own are: five
 * hundred agents of the largest size would be 128 MB. What the engine asks for itself has no party, and no such bound.
 */
const keysOfPartyMax = 32

/** Keys of a statement that failed which are asked for alone at a time, and how long all of them may take. */
const aloneUnderWay = 4
const aloneMaxMs = 5_000

const nobody = ""

/** One who asks for a key. */
interface Asker<Answer> {
  readonly party: string
  readonly answer: Deferred.Deferred<Answer, PortError>
}

interface Asked<Key, Answer> {
  readonly key: Key
  /** Who was the first to ask for it. */
  readonly party: string
  /** All who did. Each has an answer of its own: whoever waits for one answer goes on in one turn of the event loop, however many they are. */
  readonly askers: Array<Asker<Answer>>
}

const turn = Effect.callback<void>((resume) => {
  const turned = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turned))
})

/** One of each party in turn, each one's own in the order in which they were asked for. */
const byParty = <A extends { readonly party: string }>(asked: Iterable<A>): ReadonlyArray<A> => [
  ...inTurn([...Map.groupBy(asked, ({ party }) => party).values()]),
]

/** Asks for a key, and says where its answer will be: whoever asks for several things asks for all of them before it waits for one. */
export type Ask<Key, Answer> = (key: Key) => Effect.Effect<Deferred.Deferred<Answer, PortError>>

/**
 * Reads that are asked for at the same time become one statement: those of one turn of the event loop, and those that come while
 * earlier ones are under way. Nobody joins a statement that was sent before it asked, so whoever has written reads what it wrote. What several
 * ask for is read once. A statement that fails is asked again for each key alone: what one organization asks for is not the others' fault.
 *
 * Parties (`CurrentParty`) take turns in it: where more is asked for than one statement takes, and where the answers are handed out, a few in a
 * turn of the event loop (`handedOut`). So hundreds of reads of one organization hold up nobody else, be they for one key or for many.
 */
export const asking = <Key, Answer>(
  start: Start,
  nameOf: (key: Key) => string,
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<(key: Key) => Answer, PortError>,
): Ask<Key, Answer> => {
  let waiting = new Map<string, Asked<Key, Answer>>()
  let underWay = 0

  /** Takes the keys of the next statement from those that wait. */
  const taken = (): ReadonlyArray<Asked<Key, Answer>> => {
    const next: Array<Asked<Key, Answer>> = []
    const later = new Map<string, Asked<Key, Answer>>()
    const counts = new Map<string, number>()
    for (const asked of byParty(waiting.values())) {
      const count = counts.get(asked.party) ?? 0
      const isNext = next.length < keysMax && (asked.party === nobody || count < keysOfPartyMax)
      if (!isNext) {
        later.set(nameOf(asked.key), asked)
        continue
      }
      counts.set(asked.party, count + 1)
      next.push(asked)
    }
    waiting = later
    return next
  }

  /** Whoever has been answered keeps the answer. */
  const answered = (asked: ReadonlyArray<Asked<Key, Answer>>, exit: Exit.Exit<(key: Key) => Answer, PortError>) =>
    handedOut(
      byParty(
        asked.flatMap(({ askers, key }) =>
          askers.map(({ answer, party }): Answered => ({
            party,
            give: () =>
              Deferred.doneUnsafe(
                answer,
                Effect.map(exit, (answerOf) => answerOf(key)),
              ),
          })),
        ),
      ),
    )

  /** Answers those whose own statement has an end in time. */
  const alone = (asked: ReadonlyArray<Asked<Key, Answer>>) =>
    Effect.forEach(asked, (one) => Effect.flatMap(Effect.exit(read([one.key])), (exit) => answered([one], exit)), {
      concurrency: aloneUnderWay,
      discard: true,
    }).pipe(Effect.timeoutOption(aloneMaxMs))

  const drain = Effect.gen(function* () {
    yield* turn
    for (;;) {
      const asked = taken()
      if (asked.length === 0) {
        underWay -= 1
        return
      }
      const exit = yield* Effect.exit(read(asked.map(({ key }) => key)))
      if (Exit.isFailure(exit) && asked.length > 1) yield* alone(asked)
      yield* answered(asked, exit)
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
    Effect.withFiber((fiber) => {
      const name = nameOf(key)
      const party = fiber.getRef(CurrentParty)
      const answer = Deferred.makeUnsafe<Answer, PortError>()
      const known = waiting.get(name)
      if (known === undefined) waiting.set(name, { key, party, askers: [{ party, answer }] })
      else known.askers.push({ party, answer })
      // Whoever asked first may be gone by now, and have started nothing.
      return Effect.as(started, answer)
    })
}

/** The same for whoever asks for one thing and waits for it. */
export const gather = <Key, Answer>(
  ...how: Parameters<typeof asking<Key, Answer>>
): ((key: Key) => Effect.Effect<Answer, PortError>) => {
  const ask = asking(...how)
  return (key) => Effect.flatMap(ask(key), Deferred.await)
}
