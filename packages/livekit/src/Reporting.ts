import type { LegEnd, LegFacts } from "@carillon/core"
import { type Desk, tell, tellCost, tellLast, told } from "@carillon/core/carrier"
import { Cause, Clock, Effect } from "effect"
import type { Clients } from "./Clients.ts"
import type { KnownLeg, LegBook } from "./LegBook.ts"
import type { Settings } from "./Settings.ts"

export interface ReportingParts {
  readonly settings: Settings
  readonly book: LegBook
  readonly desk: Desk
}

/** What a dial needs besides. */
export interface DialParts extends ReportingParts {
  readonly clients: Clients
}

const mistake = "What the worker said of a call is not valid; it ends without it."

/** Reports the end for good, with what is known by now. */
const tellFinal = Effect.fnUntraced(function* ({ book, desk }: ReportingParts, leg: KnownLeg, at: number, end: LegEnd) {
  const { call_sid, execution_id, facts } = leg
  yield* tellLast(desk.report, { execution_id, call_sid, at, end, facts }, mistake)
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
  const wasAnswered = leg.answeredAt !== null || first.status === "completed"
  const isTalk = wasAnswered && leg.facts.media === null && leg.facts.cost === null
  if (!isTalk || settings.reportWaitMs === 0) {
    yield* tellFinal(parts, leg, at, first)
    return
  }
  yield* tell(desk.report, { execution_id, call_sid, at, type: "ended", end: first })
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
  // Who said it first may not have known since when they had talked.
  const first =
    leg.end === null ? end : { ...leg.end, duration_seconds: leg.end.duration_seconds ?? end.duration_seconds }
  book.heard(execution_id, { facts, end: first })
  if (!leg.isFinal) yield* tellFinal(parts, { ...leg, facts }, at, first)
  // Somebody was faster with the end, but perhaps not with the cost, nor with how long they had talked.
  if (facts.cost !== null) yield* tellCost(desk.report, { execution_id, call_sid }, at, facts.cost)
  const { duration_seconds } = first
  if (leg.end === null || leg.end.duration_seconds !== null || duration_seconds === null) return
  yield* tell(desk.report, { execution_id, call_sid, at, type: "corrected", end: { duration_seconds }, facts: {} })
})

/** Tells how far a leg is, in this process's time. */
export const tellPhase = Effect.fnUntraced(function* (
  { desk }: ReportingParts,
  { call_sid, execution_id }: Pick<KnownLeg, "call_sid" | "execution_id">,
  type: "initiated" | "ringing" | "answered",
) {
  yield* tell(desk.report, { execution_id, call_sid, at: yield* Clock.currentTimeMillis, type })
})
