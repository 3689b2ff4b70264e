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
      const acknowledged = Effect.fnUntraced(function* (call: Call) {
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
        const told = applyDialOutcome(call, outcome, clock.now())
        let known: Call | null = call
        const load = Effect.suspend(() => {
          const first = known
          known = null
          return first === null ? calls.find(call.organization_id, call.execution_id) : Effect.succeed(first)
        })
        yield* steps
          .run(load, (row) => {
            if (row === null || row.dial !== "intended") return unchanged(undefined)
            return write(callCommit(row, applyDialOutcome(row, outcome, clock.now()).call), undefined)
          })
          .pipe(
            Effect.catch(() =>
              Effect.logWarning("The outcome of a dial could not be stored; the carrier will be asked."),
            ),
          )
        if (told.call.final_report_at !== null) yield* gate.release(call.execution_id, call.slot?.fence ?? null)
        return told
      })

      const commitIntended = Effect.fnUntraced(function* (
        call: Call,
        line: Exclude<Line, { readonly _tag: "Full" }>,
        waitMs: number,
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
            .admit(commitOf(placed), line, call.execution_id, waitMs)
            .pipe(Effect.catchTag("AdmissionRefused", () => Effect.fail(noLine(null))))
          return placed
        }
        yield* Effect.onError(steps.commit(commitOf(placed)), () => gate.release(call.execution_id, fence))
        if (yield* gate.hold(call.execution_id, line.fence)) return placed
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
              const placed = yield* commitIntended(call, line, waitMs, commitOf)
              return yield* settle(placed, yield* acknowledged(placed))
            }),
          )
        }),
      })
    }),
  )
}
