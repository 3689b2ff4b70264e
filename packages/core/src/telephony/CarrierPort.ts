import { Cause, Effect } from "effect"
import { limits } from "../Limits.ts"
import * as E164 from "../phone/E164.ts"
import { Telephony } from "./Telephony.ts"

type Operation = "dial" | "hangup" | "find"

/** The cause as the log may carry it: not without bound, and no phone numbers. */
const told = (cause: Cause.Cause<unknown>): string =>
  E164.maskDigits(Cause.pretty(cause)).slice(0, limits.carrierMistakeCharacters)

/** Asks the carrier; a throw, a defect, or a failure that its types deny, is told as an error, and then means `instead`. */
const asked = <A>(
  operation: Operation,
  execution_id: string,
  ask: () => Effect.Effect<A>,
  instead: A,
): Effect.Effect<A> =>
  Effect.catchCause(Effect.suspend(ask), (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.logError(`The carrier's ${operation} has a mistake: it must answer, not throw.`, told(cause)).pipe(
          Effect.annotateLogs({ execution_id, operation }),
          Effect.as(instead),
        ),
  )

/** The same within the time that a carrier has, beyond which it is `instead` too. */
const askedInTime = <A>(
  operation: Operation,
  execution_id: string,
  ask: () => Effect.Effect<A>,
  instead: A,
): Effect.Effect<A> =>
  Effect.timeoutOrElse(asked(operation, execution_id, ask, instead), {
    duration: limits.carrierAnswerMs,
    orElse: () =>
      Effect.logWarning(`The carrier's ${operation} gave no answer in ${limits.carrierAnswerMs / 1000} s.`).pipe(
        Effect.annotateLogs({ execution_id, operation }),
        Effect.as(instead),
      ),
  })

/**
 * The host's carrier as the engine asks it: its mistakes are loud, and none of them stops the engine. What a dial that threw has done is not
 * known, so it is asked about like any other that is `Unknown`. The time that a dial has is kept by the dialler, in domain time.
 */
export const carrierPort: Effect.Effect<Telephony["Service"], never, Telephony> = Effect.map(Telephony, (carrier) => ({
  dial: (command) => asked("dial", command.execution_id, () => carrier.dial(command), { _tag: "Unknown" } as const),
  hangup: (executionId, callSid) =>
    askedInTime("hangup", executionId, () => carrier.hangup(executionId, callSid), "Sent" as const),
  find: (executionId) =>
    askedInTime("find", executionId, () => carrier.find(executionId), { _tag: "NoAnswer" } as const),
}))
