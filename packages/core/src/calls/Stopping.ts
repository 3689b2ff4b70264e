import { Effect } from "effect"
import { Activity } from "../engine/Activity.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { carrierPort } from "../telephony/CarrierPort.ts"
import type { Call } from "./rules/Call.ts"
import type { StopReply } from "./rules/CallReplies.ts"
import { alreadyEnded, hangUpCall, stopCall } from "./steps/StopCall.ts"

/** Stops calls: a booked one is canceled, a live one is hung up. */
export const makeStopping = Effect.gen(function* () {
  const telephony = yield* carrierPort
  const activity = yield* Activity
  const steps = yield* Steps

  /** Hangs up, and then stops the call. */
  const hangUp = Effect.fnUntraced(function* (caller: Caller, live: Call, reason: string) {
    const answer = yield* activity.track(telephony.hangup(live.execution_id, live.call_sid))
    if (answer === "Refused") {
      return yield* new StateConflict({ message: "The telephony provider refused to hang up this call." })
    }
    const call = yield* steps.take(hangUpCall, { caller, live, reason })
    if (call.stop === null) return yield* alreadyEnded(call)
    return { _tag: "Stopped" as const, call, requested_at: call.stop.requested_at, reason }
  })

  return Effect.fnUntraced(function* (
    caller: Caller,
    executionId: string,
    givenReason: string | null,
  ): Effect.fn.Return<StopReply, EngineError> {
    const reason = givenReason ?? "user_request"
    const { _tag, call } = yield* steps.take(stopCall, { caller, execution_id: executionId, reason })
    return _tag === "Canceled"
      ? { _tag, call, scheduled_at: call.scheduled_at }
      : yield* Effect.uninterruptible(hangUp(caller, call, reason))
  })
})
