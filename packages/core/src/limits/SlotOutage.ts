import { Effect } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { compare } from "./Comparison.ts"
import { everyHolder, restoreLine } from "./Holders.ts"
import { SlotStore } from "./ports/SlotStore.ts"
import { SlotTrust } from "./rules/SlotTrust.ts"
import type { SlotWords } from "./SlotWords.ts"

/** What is done as the slot store goes and comes back. The rules are in `SlotTrust.ts`. */
export const makeSlotOutage = (words: SlotWords) =>
  Effect.gen(function* () {
    const slots = yield* SlotStore
    const calls = yield* CallStore
    const activity = yield* Activity
    const clock = yield* DomainClock
    const trust = new SlotTrust()

    const restored = Effect.gen(function* () {
      for (const [member, call] of yield* everyHolder(calls)) yield* restoreLine(slots, member, call)
      trust.opened()
    })
    const opening = activity.once(Effect.uninterruptible(restored))

    const trusted = Effect.suspend(() =>
      trust.holds()
        ? Effect.logInfo("The slot store holds what the rows say: it is asked for lines again.")
        : Effect.void,
    )

    /** What the rows prove is entered, and what they disprove is taken out, before the slot store has a say again. */
    const compared = Effect.gen(function* () {
      yield* words.resend
      const { stale } = yield* compare(slots, calls, clock.now())
      for (const { execution_id, fence, organization_id } of stale) {
        words.granted(yield* slots.release(execution_id, fence, clock.now()))
        yield* words.tellFreed(organization_id)
      }
    })

    return {
      isTrusted: () => trust.isTrusted,
      /** Tells the slot store, before it is asked for the first time, of the lines that others left behind. */
      opened: Effect.suspend(() => (trust.isOpened ? Effect.void : opening)),
      /** It failed. */
      distrust: Effect.suspend(() =>
        trust.fails(clock.now())
          ? Effect.logWarning("The slot store failed: lines are given by the count of committed calls.")
          : Effect.void,
      ),
      /** It holds what the rows say. */
      trusted,
      /** Compares it with the rows. Nobody waits for it: until it has come to its end the committed calls are counted. */
      trustAgain: Effect.suspend(() =>
        trust.isToCompare(clock.now())
          ? Effect.asVoid(activity.fork(Effect.ignore(Effect.andThen(compared, trusted))))
          : Effect.void,
      ),
    }
  })
