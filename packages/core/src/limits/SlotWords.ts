import { Effect } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import type { PortError } from "../Errors.ts"
import { waitingKey } from "./CountedLines.ts"
import { countedFence } from "./Holders.ts"
import { type LostWord, Owed } from "./Owed.ts"
import { SlotNews } from "./ports/SlotNews.ts"
import { SlotStore } from "./ports/SlotStore.ts"

/**
 * Tells the slot store what it must hear of this process: lines that are given back, places that are left, and wishes. What it could not hear
 * is owed, and said again. Whoever is given a line by that is woken.
 */
export const makeSlotWords = (lost: Effect.Effect<void, PortError>, wakeCounted: () => void) =>
  Effect.gen(function* () {
    const slots = yield* SlotStore
    const calls = yield* CallStore
    const parking = yield* Parking
    const activity = yield* Activity
    const clock = yield* DomainClock
    const news = yield* SlotNews
    const owed = new Owed(slots, calls, clock)
    const listeners = new Set<(organizationId: string) => Effect.Effect<void>>()

    const granted = (executionIds: ReadonlyArray<string>) => {
      for (const id of executionIds) parking.wake(waitingKey(id))
    }

    const tellFreed = (organizationId: string) =>
      Effect.forEach(listeners, (listener) => listener(organizationId), { discard: true })

    const owe = (word: LostWord) => Effect.sync(() => owed.keep(word))

    const giveBack = (executionId: string, fence: number, organizationId: string | null) =>
      slots.release(executionId, fence, clock.now()).pipe(
        Effect.map(granted),
        Effect.catch(() => {
          const word = { _tag: "Line" as const, execution_id: executionId, fence, organization_id: organizationId }
          return Effect.andThen(owe(word), Effect.ignore(lost))
        }),
        Effect.tap(() => Effect.sync(wakeCounted)),
      )

    const resend = Effect.suspend(() => owed.say(tellFreed, granted))

    yield* Effect.acquireRelease(
      Effect.sync(() => news.subscribe(granted)),
      (stop) => Effect.sync(stop),
    )
    const run = Effect.runForkWith(yield* Effect.context<never>())
    yield* Effect.acquireRelease(
      Effect.sync(() => news.onBack?.(() => void run(activity.fork(Effect.ignore(resend))))),
      (stop) => Effect.sync(() => stop?.()),
    )

    return {
      /** Wakes the waiting dials that were granted a line. */
      granted,
      tellFreed,
      onFreed: (listener: (organizationId: string) => Effect.Effect<void>) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      release: (organizationId: string, executionId: string, fence: number | null) =>
        Effect.andThen(giveBack(executionId, fence ?? countedFence, organizationId), tellFreed(organizationId)),
      decline: (executionId: string, fence: number) => giveBack(executionId, fence, null),
      /** The dial asks no more: neither its place in line nor a line that was reserved for it there may stay behind. */
      giveUp: (executionId: string) =>
        Effect.catch(Effect.map(slots.leave(executionId, clock.now()), granted), () =>
          Effect.andThen(owe({ _tag: "Place", execution_id: executionId }), Effect.ignore(lost)),
        ),
      /** The dial asks anew: what it gets from now on is its own. */
      asksAgain: (executionId: string) => owed.asksAgain(executionId),
      want: (organizationId: string, wanting: boolean) =>
        Effect.matchEffect(slots.want(organizationId, wanting, clock.now()), {
          onSuccess: (executionIds) =>
            Effect.sync(() => {
              owed.hasHeard(organizationId)
              granted(executionIds)
            }),
          onFailure: () => owe({ _tag: "Wish", organization_id: organizationId, wanting }),
        }),
      resend,
      /** Nobody else knows what this process owes. It says so on its way, so that a world in which nothing else is due stands still. */
      sayAgain: Effect.suspend(() =>
        owed.isToSay() ? Effect.asVoid(activity.fork(Effect.ignore(resend))) : Effect.void,
      ),
    }
  })

export type SlotWords = Effect.Success<ReturnType<typeof makeSlotWords>>
