import { type CarrierReport, InvalidField, type LegEnd, type LegFacts } from "@carillon/core"
import { Cause, Clock, Data, Effect } from "effect"
import type { Desk } from "./Desk.ts"
import { type KnownLeg, type LegBook, noFacts } from "./LegBook.ts"
import { told } from "./Mistakes.ts"
import type { Settings } from "./Settings.ts"

/** A report was not taken: it is malformed for good, or it could not be kept and comes again. */
export class NotTaken extends Data.TaggedError("NotTaken")<{ readonly forGood: boolean }> {}

export interface ReportingParts {
  readonly settings: Settings
  readonly book: LegBook
  readonly desk: Desk
}

export const tell = (desk: Desk, report: CarrierReport): Effect.Effect<unknown, NotTaken> =>
  Effect.tryPromise({
    try: () => (desk.report === null ? Promise.reject(new Error("Nobody takes reports.")) : desk.report(report)),
    catch: (error) => new NotTaken({ forGood: error instanceof InvalidField }),
  })

/** Reports the end for good, with what is known by now. Facts that the engine will not have are left out, loudly. */
const tellFinal = Effect.fnUntraced(function* ({ book, desk }: ReportingParts, leg: KnownLeg, at: number, end: LegEnd) {
  const { call_sid, execution_id } = leg
  const final = (facts: LegFacts): CarrierReport => ({ execution_id, call_sid, at, type: "final", end, facts })
  yield* tell(desk, final(leg.facts)).pipe(
    Effect.catchIf(
      ({ forGood }) => forGood && (leg.facts.cost !== null || leg.facts.media !== null),
      () =>
        Effect.logError("What the worker said of a call is not valid; it ends without it.").pipe(
          Effect.annotateLogs({ execution_id }),
          Effect.andThen(tell(desk, final({ ...noFacts, recording_url: leg.facts.recording_url }))),
        ),
    ),
  )
  book.heard(execution_id, { isFinal: true })
})

/** Gives the line back once the worker has had its time: with its report, which may have come meanwhile, or without. */
const closing = (parts: ReportingParts, executionId: string, at: number, end: LegEnd): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.sleep(parts.settings.reportWaitMs)
    const leg = parts.book.find(executionId)
    if (leg !== null && !leg.isFinal) yield* tellFinal(parts, leg, at, end)
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logWarning("The end of a call could not be reported; the engine will ask.", told(cause)).pipe(
            Effect.annotateLogs({ execution_id: executionId }),
          ),
    ),
  )

/**
 * Reports how a leg ended, once. One that somebody talked to waits for its worker's report before its final word; any other one has nothing to
 * wait for.
 */
export const conclude = Effect.fnUntraced(function* (parts: ReportingParts, leg: KnownLeg, end: LegEnd, at: number) {
  const { book, desk, settings } = parts
  const { call_sid, execution_id } = leg
  if (leg.isFinal) return
  const first = leg.end ?? end
  // Known here even where it cannot be reported now: whoever asks, or a webhook that comes again, is told the same.
  book.heard(execution_id, { end: first })
  const isTalk = leg.answeredAt !== null && leg.facts.media === null && leg.facts.cost === null
  if (!isTalk || settings.reportWaitMs === 0) {
    yield* tellFinal(parts, leg, at, first)
    return
  }
  yield* tell(desk, { execution_id, call_sid, at, type: "ended", end: first })
  if (leg.end === null) desk.start?.(closing(parts, execution_id, at, first))
})

/** What the worker said of a conversation that is over: with it the call is closed. */
export const concludeWith = Effect.fnUntraced(function* (
  parts: ReportingParts,
  leg: KnownLeg,
  end: LegEnd,
  facts: LegFacts,
  at: number,
) {
  const { book, desk } = parts
  const { call_sid, execution_id } = leg
  const first = leg.end ?? end
  book.heard(execution_id, { facts, end: first })
  if (!leg.isFinal) yield* tellFinal(parts, { ...leg, facts }, at, first)
  // Somebody was faster with the end, but perhaps not with the cost.
  if (facts.cost !== null) {
    yield* tell(desk, { execution_id, call_sid, at, type: "corrected", end: {}, facts: { cost: facts.cost } })
  }
})

/** Tells how far a leg is, in this process's time. */
export const tellPhase = Effect.fnUntraced(function* (
  { desk }: ReportingParts,
  { call_sid, execution_id }: Pick<KnownLeg, "call_sid" | "execution_id">,
  type: "initiated" | "ringing" | "answered",
) {
  yield* tell(desk, { execution_id, call_sid, at: yield* Clock.currentTimeMillis, type })
})
