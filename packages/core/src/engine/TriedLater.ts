import { Cause, Effect, Exit } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { Activity } from "./Activity.ts"
import { DomainClock } from "./ports/DomainClock.ts"
import { Parking } from "./Parking.ts"
import { NowAndThen } from "./rules/NowAndThen.ts"
import type { HeapEntry } from "./rules/TimeHeap.ts"
import { Turns } from "./rules/Turns.ts"

/** Something that has failed and is done again at a time. */
interface Kept<Subject> extends HeapEntry {
  readonly subject: Subject
  /** How often it is still tried. */
  readonly tries: number
}

/**
 * Keeps in mind for what something has failed, and does it again for each: `limits.wakeupRetryMs` after it has failed, as often as
 * `limits.wakeupRetries` since it was last told that it has. Organizations have it done in turns, so that what takes long for one of them does not hold up
 * what the others have; and each may have so much kept of it (`limits.triedLater`). It is this process that keeps it in mind. `place` is where it waits
 * meanwhile; what has the same name is the same.
 */
export const makeTriedLater = Effect.fnUntraced(function* <Subject>(
  place: string,
  of: {
    readonly name: (subject: Subject) => string
    readonly organization: (subject: Subject) => string
  },
  again: (subject: Subject) => Effect.Effect<void, PortError>,
) {
  const activity = yield* Activity
  const parking = yield* Parking
  const clock = yield* DomainClock
  /** In the order of their times, for all wait equally long. */
  const kept = new Map<string, Kept<Subject>>()
  const turns = new Turns<Kept<Subject>>(({ subject }) => of.organization(subject))
  const givenUp = new NowAndThen(limits.triedLaterToldMs)
  let isTrying = false

  const forget = (name: string) => {
    const known = kept.get(name)
    if (known === undefined) return
    kept.delete(name)
    turns.remove(known)
  }

  const keep = (subject: Subject, tries: number) => {
    const name = of.name(subject)
    const one = { subject, at: clock.now() + limits.wakeupRetryMs, place: 0, index: 0, tries }
    forget(name)
    kept.set(name, one)
    turns.add(one)
  }

  /** It is left to whoever looks at the rows, and a mistake where nobody does. */
  const giveUp = Effect.fnUntraced(function* (why: string) {
    const count = givenUp.note(clock.now())
    if (count === null) return
    const line = Effect.logWarning(
      "What has failed is not done again: it is left undone until somebody looks at the rows.",
    )
    yield* Effect.annotateLogs(line, { at: place, why, count })
  })

  const tryAgain = ({ subject, tries }: Kept<Subject>) => {
    const name = of.name(subject)
    if (tries > 1) keep(subject, tries - 1)
    else forget(name)
    const begun = kept.get(name)
    return Effect.matchEffect(again(subject), {
      onFailure: () => (tries > 1 ? Effect.void : giveUp("It has failed too often.")),
      // What has failed once more meanwhile may have failed after this was done.
      onSuccess: () =>
        Effect.sync(() => {
          if (kept.get(name) === begun) forget(name)
        }),
    })
  }

  /** A mistake in one of them cuts off none of the others. Whoever forks tells of it. */
  const tellMistake = (exit: Exit.Exit<void>) =>
    Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? activity.fork(Effect.failCause(exit.cause)) : Effect.void

  const tryAll = Effect.gen(function* () {
    for (let [next] = kept.values(); next !== undefined; [next] = kept.values()) {
      if (next.at > clock.now()) yield* parking.park(place, next.at).wait
      const some = turns.take(clock.now(), limits.triedLater.atOnce, () => true)
      const exits = yield* activity.together(some.map((one) => Effect.exit(Effect.suspend(() => tryAgain(one)))))
      yield* Effect.forEach(exits, tellMistake, { discard: true })
    }
    isTrying = false
  })
  // One that is interrupted holds up nobody who fails later.
  const tried = Effect.onError(tryAll, () => Effect.sync(() => void (isTrying = false)))

  const hasRoom = (subject: Subject): boolean =>
    kept.has(of.name(subject)) ||
    (kept.size < limits.triedLater.process && turns.size(of.organization(subject)) < limits.triedLater.organization)

  return (subject: Subject): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!hasRoom(subject)) return giveUp("Too much has failed.")
      keep(subject, limits.wakeupRetries)
      if (isTrying) return Effect.void
      isTrying = true
      return Effect.asVoid(activity.fork(tried))
    })
})
