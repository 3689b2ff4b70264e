import { StateConflict } from "../Errors.ts"
import type { Call } from "./Call.ts"
import { isTerminal } from "./CallStatus.ts"

/** What `POST /v2/calls/{execution_id}/stop` does in each state (decisions.md, "Calls"). */
export type StopPlan =
  | { readonly _tag: "Cancel"; readonly call: Call }
  | { readonly _tag: "HangUp"; readonly call: Call }
  | { readonly _tag: "Refuse"; readonly error: StateConflict }

export const alreadyEnded = (call: Call): StateConflict =>
  new StateConflict({ message: `This call already ended (status=${call.status}).` })

export const planStop = (call: Call, reason: string, now: number): StopPlan => {
  if (isTerminal(call.status)) {
    return { _tag: "Refuse", error: alreadyEnded(call) }
  }
  if (call.status === "scheduled" || call.status === "rescheduled") {
    return {
      _tag: "Cancel",
      call: {
        ...call,
        status: "canceled",
        stop: { requested_at: now, reason },
        hangup_reason: "user_request",
        completed_at: now,
        updated_at: now,
        due_at: null,
      },
    }
  }
  if (call.status === "queued") {
    return {
      _tag: "Refuse",
      error: new StateConflict({
        message: "The call is still being placed. Retry in a moment.",
        retryAfterSeconds: 2,
      }),
    }
  }
  return { _tag: "HangUp", call }
}

/** The call once the hang-up was sent. Its line is kept until the carrier's final report. */
export const stopped = (call: Call, reason: string, now: number, askAt: number): Call => ({
  ...call,
  status: "stopped",
  stop: { requested_at: now, reason },
  hangup_reason: "user_request",
  completed_at: now,
  updated_at: now,
  due_at: askAt,
  questions: 0,
})
