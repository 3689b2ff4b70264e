import { Context, Effect, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { CurrentCallLimits } from "./ports/CurrentCallLimits.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import { NotFound, type PortError, type StateConflict } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import type { CarrierReport, ReportReceipt } from "../telephony/rules/Leg.ts"
import { type Call, isBooked } from "./rules/Call.ts"
import { CallStore } from "./ports/CallStore.ts"
import { concludeCall } from "./steps/ConcludeCall.ts"
import { makeDueCalls } from "./DueCalls.ts"
import { type EndHeard, endsHeard } from "./EndsHeard.ts"
import { recoverCall } from "./steps/Folding.ts"
import { hearWord, type Word } from "./steps/HearWord.ts"
import type { InboundCall } from "./rules/InboundCall.ts"
import { takeIn } from "./steps/TakeIn.ts"
import { recordDial } from "./steps/RecordDial.ts"

interface CallProgressShape {
  /** Takes in a carrier's report. Reports of calls that nobody knows are dropped; a repeated one does nothing. */
  readonly report: (report: CarrierReport) => Effect.Effect<ReportReceipt, PortError>
  /** Takes in a call that arrives: for the agent it names, or the one that is bound to its number. It needs an ACTIVE agent and no line. */
  readonly arrive: (inbound: InboundCall) => Effect.Effect<Call, NotFound | StateConflict | PortError>
  /**
   * Looks at a call whose time may have come: dials what was booked, asks the carrier about what is silent. Returns when to look again
   * where its time is still to come, or where somebody of this process is looking still, and may yet fail; else null.
   */
  readonly wake: (executionId: string) => Effect.Effect<number | null, PortError>
  /** Declares a call processed whose missing facts have been waited for long enough; returns until when they are, if that is still to come. */
  readonly conclude: (executionId: string) => Effect.Effect<number | null, PortError>
}

/** What the carrier and the clock do to calls: reports, booked times, questions about silent legs (decisions.md, "Calls"). */
export class CallProgress extends Context.Service<CallProgress, CallProgressShape>()(
  "@carillon/core/calls/CallProgress",
) {
  static readonly layer = Layer.effect(
    CallProgress,
    Effect.gen(function* () {
      const store = yield* CallStore
      const dialDue = yield* makeDueCalls
      const telephony = yield* carrierPort
      const dialling = yield* Dialling
      const wakeups = yield* Wakeups
      const activity = yield* Activity
      const steps = yield* Steps
      const clock = yield* DomainClock
      const times = yield* CurrentCallLimits
      const ends = yield* endsHeard
      /** Calls that are being looked at, and whether one of them was woken again meanwhile: then it is looked at once more. */
      const looking = new Map<string, boolean>()

      /** Applies a word of the carrier, and takes note of an end. */
      const hear = Effect.fnUntraced(function* (execution_id: string, word: Word, heard: EndHeard | null) {
        const reply = yield* steps.take(hearWord, { organization_id: null, execution_id, word, times })
        if (typeof reply === "string") return reply
        const { after, before } = reply
        if (after !== null && heard !== null) yield* ends(heard, before, after)
        return "applied" as const
      })

      const ask = Effect.fnUntraced(function* ({ execution_id }: Call) {
        const at = clock.now()
        const answer = yield* activity.track(telephony.find(execution_id))
        yield* hear(execution_id, { _tag: "Asked", answer, at }, answer._tag === "Ended" ? "asked" : null)
      })

      /** Sees to a call that is due; answers when it will be, where it is not yet: a hint that came early may have taken the place of the one that is on time. */
      const look = Effect.fnUntraced(function* (executionId: string) {
        const call = yield* store.locate(executionId)
        if (call === null || call.due_at === null) return null
        if (call.due_at > clock.now()) return call.due_at
        if (call.final_report_at !== null)
          yield* steps.take(recordDial, { organization_id: null, execution_id: executionId })
        else if (!isBooked(call)) yield* ask(call)
        else if ((yield* dialling.standing) === null) {
          // Its row stands as it was: it is judged anew at once.
          if (yield* dialDue(call)) looking.set(executionId, true)
        }
        // Booked as it was: its row says nothing of the hold.
        else yield* wakeups.set({ kind: "call", subject: executionId, at: clock.now() + limits.heldLookMs })
        return null
      })

      const lookUntilStill = Effect.fnUntraced(function* (executionId: string) {
        let again: number | null
        do {
          looking.set(executionId, false)
          again = yield* look(executionId)
        } while (looking.get(executionId) === true)
        return again
      })

      return CallProgress.of({
        report: (report) =>
          report.type === "recovered"
            ? steps.take(recoverCall, { ...report, organization_id: null })
            : hear(report.execution_id, { _tag: "Told", report }, "told"),
        arrive: (inbound) => steps.take(takeIn, { ...inbound, times }),
        conclude: (executionId) => steps.take(concludeCall, { organization_id: null, execution_id: executionId }),
        wake: (executionId) =>
          Effect.suspend(() => {
            const isLookedAt = looking.has(executionId)
            looking.set(executionId, isLookedAt)
            if (isLookedAt) return Effect.succeed(clock.now() + limits.wakeupRetryMs)
            return Effect.ensuring(
              lookUntilStill(executionId),
              Effect.sync(() => looking.delete(executionId)),
            )
          }),
      })
    }),
  )
}
