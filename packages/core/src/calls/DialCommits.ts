import { Effect } from "effect"
import { Callees } from "../callees/Callees.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { Admission, Drafted } from "../engine/ports/Drafted.ts"
import { Gate, type Line } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import type { WhenGone } from "../keys/rules/Caller.ts"
import type { Call } from "./rules/Call.ts"
import { CallStore } from "./ports/CallStore.ts"
import type { Lined } from "./rules/DialErrand.ts"
import type { Dialled } from "./rules/Dialled.ts"
import { intended } from "./rules/PlaceCall.ts"

/** A line that is reserved, or that is counted when the call is committed. */
export type LineTaken = Exclude<Line, { readonly _tag: "Full" }>

/** A call to be dialled on a line, since when it could have been (epoch milliseconds), and how to hear that nobody waits for that any more. */
interface Dial {
  readonly call: Call
  readonly line: LineTaken
  readonly due_at: number
  readonly whenGone?: WhenGone
}

export interface DialCommits {
  /**
   * Commits the intent to dial while the committed calls leave room. A reservation alone does not do: a process that has lost the slot
   * store admits by count, and cannot see what others have reserved. Answers what is to be done then: the call is dialled.
   */
  readonly commit: (dial: Dial, draftOf: (lined: Lined) => Drafted<Dialled>) => Admission<Dialled, never>
  /** Gives back the line of a call that was not committed, unless it was committed under this very line by someone else. */
  readonly giveBack: (call: Call, line: LineTaken) => Effect.Effect<void>
}

/**
 * How dials are committed that were drafted: between what one rests on and its commit somebody waits for a line, and where it conflicts whoever asked
 * for the dial decides anew, for the line is to go to who is next then.
 */
export const dialCommits = Effect.gen(function* () {
  const calls = yield* CallStore
  const callees = yield* Callees
  const gate = yield* Gate
  const clock = yield* DomainClock

  const giveBack: DialCommits["giveBack"] = (call, line) => {
    if (line._tag === "Counted") return Effect.void
    const { fence } = line
    return calls.locate(call.execution_id).pipe(
      Effect.flatMap((row) => {
        if (row?.slot?.fence === fence) return Effect.void
        // The dispatcher hears of it from its own dial: told of a free line it would ask for it again, at the same moment and for ever.
        return call.contact_id === null
          ? gate.release(call.organization_id, call.execution_id, fence)
          : gate.decline(call.execution_id, fence)
      }),
      Effect.catch(() => Effect.logDebug("A line could not be given back now; the reservation will lapse.")),
    )
  }

  const commit: DialCommits["commit"] = ({ call, due_at, line, whenGone }, draftOf) => {
    const reserved = line._tag === "Reserved" ? { fence: line.fence, until: line.until } : null
    const placed = intended(call, reserved?.fence ?? null, line.levels, clock.now() + limits.questionDelayMs)
    const draft = draftOf({ placed, reserved, due_at })
    const admitted =
      line._tag === "Counted"
        ? gate.admit(draft, line, placed.execution_id, whenGone)
        : Effect.onError(draft.admit(line.levels), () => giveBack(placed, line))
    return Effect.tapErrorTag(admitted, "Conflict", (conflict) => Effect.sync(() => callees.refused(conflict)))
  }

  return { commit, giveBack } satisfies DialCommits
})
