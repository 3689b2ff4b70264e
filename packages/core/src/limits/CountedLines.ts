import { Effect } from "effect"
import type { SlotDemand } from "../Changes.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { Admission, Drafted } from "../engine/ports/Drafted.ts"
import { Parking } from "../engine/Parking.ts"
import type { WhenGone } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { countedFence } from "./Holders.ts"
import { SlotStore } from "./ports/SlotStore.ts"

/** What a dial is parked under that waits for a line. */
export const waitingKey = (executionId: string): string => `line:${executionId}`

/** A line that is given by the count of committed calls, while the slot store is away: until when its dial may wait. */
export interface CountedLine {
  readonly levels: ReadonlyArray<SlotDemand>
  readonly waitUntil: number
}

interface CountedLines {
  /** How many dials wait. */
  readonly waiting: () => number
  /** Commits a call if the committed calls leave room; waits for that, unless whoever asked is gone. Answers what is to be done then. */
  readonly admit: <Reply, Refusal>(
    draft: Drafted<Reply, Refusal>,
    line: CountedLine,
    executionId: string,
    whenGone?: WhenGone,
  ) => Admission<Reply, Refusal>
  /** Lets all of them look again: which of them fits is for the store to say. */
  readonly wake: () => void
  /** From now on nobody waits: who does looks once more. */
  readonly leave: () => void
}

/** Lines that are given by the count of committed calls. What was drafted for a dial is tried here again and again: no step waits. */
export const makeCountedLines: Effect.Effect<CountedLines, never, SlotStore | Parking | DomainClock> = Effect.gen(
  function* () {
    const slots = yield* SlotStore
    const parking = yield* Parking
    const clock = yield* DomainClock
    /** Dials that wait, in order of arrival. */
    const waiters = new Set<string>()
    let isLeaving = false

    /** Tells the slot store of a line that was counted, in case it is back; if it is not, the reconciler will. */
    const register = (organizationId: string, executionId: string, levels: ReadonlyArray<SlotDemand>) =>
      Effect.ignore(
        slots.restore({ execution_id: executionId, organization_id: organizationId, levels, fence: countedFence }),
      )

    const admit = Effect.fnUntraced(function* <Reply, Refusal>(
      draft: Drafted<Reply, Refusal>,
      line: CountedLine,
      executionId: string,
      whenGone?: WhenGone,
    ) {
      const key = waitingKey(executionId)
      let isGone = false
      const stay = whenGone?.(() => {
        isGone = true
        parking.wake(key)
      })
      // Whoever looks counts as waiting already, so that no release between the look and the wait is missed.
      waiters.add(key)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          waiters.delete(key)
          stay?.()
        }),
      )
      for (;;) {
        // Another process that frees a line can tell nobody here.
        const ticket = parking.park(key, Math.min(line.waitUntil, clock.now() + limits.countedLookMs))
        const { follows, refusal } = yield* draft.admit(line.levels).pipe(
          Effect.map((done) => ({ follows: done, refusal: null })),
          Effect.catchTag("AdmissionRefused", (refused) => Effect.succeed({ follows: null, refusal: refused })),
          Effect.onError(() => ticket.cancel),
        )
        if (refusal === null) {
          yield* ticket.cancel
          yield* register(draft.organization_id, executionId, line.levels)
          return follows
        }
        if (isGone || isLeaving || clock.now() >= line.waitUntil) {
          yield* ticket.cancel
          return yield* refusal
        }
        yield* ticket.wait
      }
    }, Effect.scoped)

    const wake = () => {
      for (const key of waiters) parking.wake(key)
    }

    return {
      waiting: () => waiters.size,
      admit,
      wake,
      leave: () => {
        isLeaving = true
        wake()
      },
    }
  },
)
