import { Context, Effect, Fiber, Layer } from "effect"
import { Activity } from "../engine/Activity.ts"
import { type CommitDraft, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import { Steps } from "../engine/Steps.ts"
import { LimitExceeded, type PortError } from "../Errors.ts"
import { Gate, type Line } from "../limits/Gate.ts"
import { concurrencyMessage } from "../limits/SlotLevels.ts"
import { limits } from "../Limits.ts"
import { type DialCommand, type DialOutcome, Telephony } from "../telephony/Telephony.ts"
import type { Call } from "./Call.ts"
import { callCommit } from "./CallCommit.ts"
import { isTerminal } from "./CallStatus.ts"
import { CallStore } from "./CallStore.ts"
import { applyDialOutcome, type DialResult } from "./DialOutcomes.ts"
import { intended } from "./PlaceCall.ts"

/** No line at any price: what the requester of a direct dial is told, and why a scheduled call is booked anew. */
const noLine = (figures: { readonly used: number; readonly max: number } | null): LimitExceeded =>
  new LimitExceeded({
    message: concurrencyMessage(figures),
    retryAfterSeconds: limits.directDialRetryAfterSeconds,
  })

interface DiallerShape {
  /**
   * Takes a line for the call, commits it with its intent to dial, dials, and commits the outcome. `commitOf` makes the commit
   * of the intended call, or null when the call must not be dialled any more. Fails with `LimitExceeded` when no line came free
   * in time: nothing is written then.
   */
  readonly dial: (
    call: Call,
    waitMs: number,
    commitOf: (intended: Call) => CommitDraft,
  ) => Effect.Effect<DialResult, LimitExceeded | PortError>
}

const commandOf = (call: Call): DialCommand => ({
  execution_id: call.execution_id,
  organization_id: call.organization_id,
  agent_id: call.agent_id,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  retry_count: call.retry_count,
  to_number: call.to_number,
  from_number: call.from_number,
  timeout_seconds: call.timeout_seconds,
  record: call.record,
  variables: call.variables,
})

/**
 * The one path to the carrier. Its order is fixed (reserve, commit, hold, dial, commit) so that whatever crashes where, a
 * line is never leaked and nobody is rung twice.
 */
export class Dialler extends Context.Service<Dialler, DiallerShape>()("@carillon/core/calls/Dialler") {
  static readonly layer = Layer.effect(
    Dialler,
    Effect.gen(function* () {
      const gate = yield* Gate
      const steps = yield* Steps
      const calls = yield* CallStore
      const telephony = yield* Telephony
      const parking = yield* Parking
      const activity = yield* Activity
      const clock = yield* DomainClock

      /** Asks the carrier to dial and waits for its word for at most eight seconds of domain time. */
      const acknowledged = Effect.fnUntraced(function* (call: Call): Effect.fn.Return<DialOutcome> {
        // From then on the carrier is asked about the call, and takes it for one that was never placed: too late to ring anybody.
        if (call.due_at === null || clock.now() >= call.due_at) return { _tag: "Refused", kind: "unreachable" }
        const key = `dial:${call.execution_id}`
        const ticket = parking.park(key, clock.now() + limits.dialAcknowledgementMs)
        let outcome: DialOutcome = { _tag: "Unknown" }
        const dialling = yield* activity.fork(
          Effect.map(telephony.dial(commandOf(call)), (answer) => {
            outcome = answer
            parking.wake(key)
          }),
        )
        const answered = yield* ticket.wait
        if (!answered) yield* Fiber.interrupt(dialling)
        return outcome
      })

      /** Commits the outcome on the row as it is by now. A report may have been faster; a failure leaves the row to be asked about. */
      const settle = Effect.fnUntraced(function* (call: Call, outcome: DialOutcome) {
        let known: Call | null = call
        const load = Effect.suspend(() => {
          const first = known
          known = null
          return first === null ? calls.find(call.organization_id, call.execution_id) : Effect.succeed(first)
        })
        // The line goes back only with a row that says so: one that is still live, or could not be written, keeps it.
        const isOver = yield* steps
          .run(load, (row) => {
            if (row === null || row.dial !== "intended" || isTerminal(row.status)) return unchanged(false)
            const { call: after } = applyDialOutcome(row, outcome, clock.now())
            return write(callCommit(row, after), after.final_report_at !== null)
          })
          .pipe(
            Effect.map(({ reply }) => reply),
            Effect.catch(() =>
              Effect.as(
                Effect.logWarning("The outcome of a dial could not be stored; the carrier will be asked."),
                false,
              ),
            ),
          )
        if (isOver) yield* gate.release(call.execution_id, call.slot?.fence ?? null)
        return applyDialOutcome(call, outcome, clock.now())
      })

      /** Gives back the line of a call that was not committed, unless it was committed under this very line by someone else. */
      const giveBack = (call: Call, fence: number) =>
        calls.locate(call.execution_id).pipe(
          Effect.flatMap((row) => (row?.slot?.fence === fence ? Effect.void : gate.release(call.execution_id, fence))),
          Effect.catch(() => Effect.logDebug("A line could not be given back now; the reservation will lapse.")),
        )

      const commitIntended = Effect.fnUntraced(function* (
        call: Call,
        line: Exclude<Line, { readonly _tag: "Full" }>,
        commitOf: (intended: Call) => CommitDraft,
      ) {
        const fence = line._tag === "Reserved" ? line.fence : null
        const placed = intended(
          call,
          fence,
          line.levels,
          clock.now() + limits.dialAcknowledgementMs + limits.questionDelayMs,
        )
        if (line._tag === "Counted") {
          yield* gate
            .admit(commitOf(placed), line, call.execution_id)
            .pipe(Effect.catchTag("AdmissionRefused", () => Effect.fail(noLine(null))))
          return placed
        }
        yield* Effect.onError(steps.commit(commitOf(placed)), () => giveBack(call, line.fence))
        // A reservation that ended meanwhile may be somebody else's line by now, even where the reconciler has restored this one.
        if (clock.now() < line.until && (yield* gate.hold(call.execution_id, line.fence))) return placed
        const { call: lost } = applyDialOutcome(placed, { _tag: "Refused", kind: "unreachable" }, clock.now())
        yield* steps.commit(callCommit(placed, { ...lost, error: "The call lost its line before it was dialled." }))
        return yield* noLine(null)
      })

      return Dialler.of({
        dial: Effect.fnUntraced(function* (call, waitMs, commitOf) {
          const line = yield* gate.take({
            execution_id: call.execution_id,
            organization_id: call.organization_id,
            agent_id: call.agent_id,
            campaign: null,
            waitMs,
          })
          if (line._tag === "Full") return yield* noLine(line.figures)
          return yield* Effect.uninterruptible(
            Effect.gen(function* () {
              const placed = yield* commitIntended(call, line, commitOf)
              return yield* settle(placed, yield* acknowledged(placed))
            }),
          )
        }),
      })
    }),
  )
}
