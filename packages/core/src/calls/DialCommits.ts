import { Effect } from "effect"
import { Callees } from "../callees/Callees.ts"
import type { Admission, Drafted } from "../engine/ports/Drafted.ts"
import { Gate, type Line } from "../limits/Gate.ts"
import type { Call } from "./rules/Call.ts"
import { CallStore } from "./ports/CallStore.ts"
import type { Requester } from "./Requester.ts"

/** A line that is reserved, or that is counted when the call is committed. */
export type LineTaken = Exclude<Line, { readonly _tag: "Full" }>

export interface DialCommits {
  /**
   * Commits the intent to dial while the committed calls leave room. A reservation alone does not do: a process that has lost the slot
   * store admits by count, and cannot see what others have reserved. Answers what is to be done then.
   */
  readonly commit: <Reply, Refusal>(
    placed: Call,
    line: LineTaken,
    draftOf: (intended: Call) => Drafted<Reply, Refusal>,
    requester?: Requester,
  ) => Admission<Reply, Refusal>
  /** Gives back the line of a call that was not committed, unless it was committed under this very line by someone else. */
  readonly giveBack: (call: Call, fence: number) => Effect.Effect<void>
}

/**
 * How dials are committed that were drafted: between what one rests on and its commit somebody waits for a line, and where it conflicts whoever asked
 * for the dial decides anew, for the line is to go to who is next then.
 */
export const dialCommits: Effect.Effect<DialCommits, never, CallStore | Callees | Gate> = Effect.gen(function* () {
  const calls = yield* CallStore
  const callees = yield* Callees
  const gate = yield* Gate

  const giveBack: DialCommits["giveBack"] = (call, fence) =>
    calls.locate(call.execution_id).pipe(
      Effect.flatMap((row) => {
        if (row?.slot?.fence === fence) return Effect.void
        // The dispatcher hears of it from its own dial: told of a free line it would ask for it again, at the same moment and for ever.
        return call.contact_id === null
          ? gate.release(call.organization_id, call.execution_id, fence)
          : gate.decline(call.execution_id, fence)
      }),
      Effect.catch(() => Effect.logDebug("A line could not be given back now; the reservation will lapse.")),
    )

  const commit: DialCommits["commit"] = (placed, line, draftOf, requester) =>
    Effect.tapErrorTag(
      line._tag === "Counted"
        ? gate.admit(draftOf(placed), line, placed.execution_id, requester?.whenGone)
        : Effect.onError(draftOf(placed).admit(line.levels), () => giveBack(placed, line.fence)),
      "Conflict",
      (conflict) => Effect.sync(() => callees.refused(conflict)),
    )

  return { commit, giveBack }
})
