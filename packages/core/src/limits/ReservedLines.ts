import { Effect } from "effect"
import type { SlotDemand } from "../Changes.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import type { PortError } from "../Errors.ts"
import type { WhenGone } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import type { LineFor } from "./Ceilings.ts"
import { waitingKey } from "./CountedLines.ts"
import type { SlotLevel } from "./rules/SlotLevels.ts"
import { type SlotAnswer, SlotStore } from "./ports/SlotStore.ts"
import type { SlotWords } from "./SlotWords.ts"

/** Who asks for a line. */
export interface LineRequest extends LineFor {
  readonly execution_id: string
  /** How long to wait in line, in milliseconds of domain time; 0 does not wait. */
  readonly waitMs: number
  /** Who is gone leaves the line. */
  readonly whenGone?: WhenGone | undefined
}

/**
 * What comes of asking the slot store. `Reserved`: a fenced membership, to be held once the call is committed, and before `until`. `Full` with
 * null figures: they cannot be read.
 */
export type ReservedLine =
  | {
      readonly _tag: "Reserved"
      readonly fence: number
      readonly levels: ReadonlyArray<SlotDemand>
      readonly until: number
    }
  | {
      readonly _tag: "Full"
      readonly level: SlotLevel
      readonly figures: { readonly used: number; readonly max: number } | null
    }

/** What the slot store's answer means for a dial that asked at a moment: from then on its reservation lasts. */
export const reservedLine = (slot: SlotAnswer, levels: ReadonlyArray<SlotDemand>, askedAt: number): ReservedLine =>
  slot._tag === "Acquired"
    ? { _tag: "Reserved", fence: slot.fence, levels, until: askedAt + limits.reservationMs }
    : { _tag: "Full", level: slot.level, figures: { used: slot.used, max: slot.max } }

/** Lines that the slot store reserves: who may wait stands in its line. */
export const makeReservedLines = (words: SlotWords) =>
  Effect.gen(function* () {
    const slots = yield* SlotStore
    const parking = yield* Parking
    const clock = yield* DomainClock
    /** Dials that wait in its line. */
    const inLine = new Set<string>()
    let isLeaving = false

    const acquire = (request: LineRequest, levels: ReadonlyArray<SlotDemand>, waitUntil: number | null) => {
      const now = clock.now()
      return slots.acquire({
        execution_id: request.execution_id,
        organization_id: request.organization_id,
        levels,
        now,
        reservedUntil: (waitUntil ?? now) + limits.reservationMs,
        waitUntil,
      })
    }

    const waitInLine = Effect.fnUntraced(function* (
      request: LineRequest,
      levels: ReadonlyArray<SlotDemand>,
      deadline: number,
    ): Effect.fn.Return<ReservedLine, PortError> {
      const began = clock.now()
      const key = waitingKey(request.execution_id)
      const ticket = parking.park(key, deadline)
      const first = yield* Effect.onError(acquire(request, levels, deadline), () => ticket.cancel)
      if (first._tag === "Acquired") {
        yield* ticket.cancel
        return reservedLine(first, levels, began)
      }
      // What a process that died has left reserved may be all that is in the way.
      words.granted(yield* Effect.onError(slots.lapse(clock.now()), () => ticket.cancel))
      let isGone = false
      const stay = request.whenGone?.(() => {
        isGone = true
        parking.wake(key)
      })
      inLine.add(key)
      if (isLeaving) parking.wake(key)
      yield* ticket.wait.pipe(Effect.ensuring(Effect.sync(() => inLine.delete(key))))
      stay?.()
      // Granted meanwhile, or the last look at the deadline: a member that asks again gets its own fence.
      const looked = clock.now()
      const last = yield* acquire(request, levels, null)
      if (last._tag === "Blocked") yield* words.giveUp(request.execution_id)
      else if (isGone || isLeaving) yield* words.release(request.organization_id, request.execution_id, last.fence)
      if (isLeaving) return yield* Effect.interrupt
      return isGone ? { _tag: "Full", level: first.level, figures: null } : reservedLine(last, levels, looked)
    })

    return {
      /** How many dials wait. */
      waiting: () => inLine.size,
      /** Asks for a line as of now, waiting in order until a time; null: it does not wait. */
      take: (
        request: LineRequest,
        levels: ReadonlyArray<SlotDemand>,
        waitUntil: number | null,
      ): Effect.Effect<ReservedLine, PortError> => {
        if (waitUntil !== null) return waitInLine(request, levels, waitUntil)
        const now = clock.now()
        return Effect.map(acquire(request, levels, null), (slot) => reservedLine(slot, levels, now))
      },
      /** From now on nobody waits: who does is interrupted. */
      leave: () => {
        isLeaving = true
        for (const key of inLine) parking.wake(key)
      },
    }
  })
