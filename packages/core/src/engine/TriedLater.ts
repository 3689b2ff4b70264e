import { Effect } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { Activity } from "./Activity.ts"
import { DomainClock } from "./ports/DomainClock.ts"
import { Parking } from "./Parking.ts"

/**
 * Keeps in mind for what something has failed, and does it again for each: every `limits.wakeupRetryMs`, as often as
 * `limits.wakeupRetries` since it was last told that it has failed. It is this process that keeps them in mind. `place` is where it waits meanwhile;
 * what has the same name is the same.
 */
export const makeTriedLater = Effect.fnUntraced(function* <Subject>(
  place: string,
  nameOf: (subject: Subject) => string,
  again: (subject: Subject) => Effect.Effect<void, PortError>,
) {
  const activity = yield* Activity
  const parking = yield* Parking
  const clock = yield* DomainClock
  /** How often each is still tried. */
  const left = new Map<string, { readonly subject: Subject; readonly tries: number }>()
  let isTrying = false

  const tryAll = Effect.gen(function* () {
    while (left.size > 0) {
      yield* parking.park(place, clock.now() + limits.wakeupRetryMs).wait
      for (const [name, { subject, tries }] of left) {
        if (tries > 1) left.set(name, { subject, tries: tries - 1 })
        else left.delete(name)
        const done = Effect.map(again(subject), () => left.delete(name))
        yield* Effect.ignore(done)
      }
    }
    isTrying = false
  })
  // A mistake in one of them is told by whoever forks, and holds up nobody who fails later.
  const tried = Effect.onError(tryAll, () => Effect.sync(() => void (isTrying = false)))

  return (subject: Subject): Effect.Effect<void> =>
    Effect.suspend(() => {
      left.set(nameOf(subject), { subject, tries: limits.wakeupRetries })
      if (isTrying) return Effect.void
      isTrying = true
      return Effect.asVoid(activity.fork(tried))
    })
})
