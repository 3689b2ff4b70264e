import { Effect } from "effect"
import { Steps } from "../engine/Steps.ts"
import type { EngineError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import type { StopReply } from "./rules/CallReplies.ts"
import { stopCall } from "./steps/StopCall.ts"

/** Stops calls: a booked one is canceled, a live one is hung up. Whoever leaves meanwhile leaves no call that was hung up and not stopped. */
export const makeStopping = Effect.gen(function* () {
  const steps = yield* Steps

  return (caller: Caller, execution_id: string, reason: string | null): Effect.Effect<StopReply, EngineError> =>
    Effect.uninterruptible(steps.take(stopCall, { caller, execution_id, reason: reason ?? "user_request" }))
})
