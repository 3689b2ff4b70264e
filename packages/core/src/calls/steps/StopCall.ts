import { attemptOf } from "../../contacts/steps/ContactReads.ts"
import { type Outcome, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { limits } from "../../Limits.ts"
import { type Call, isBooked } from "../rules/Call.ts"
import { callChange, endChange } from "./CallCommit.ts"
import { callOf } from "./CallReads.ts"
import { isTerminal } from "../rules/CallStatus.ts"

export const alreadyEnded = (call: Call): StateConflict =>
  new StateConflict({ message: `This call already ended (status=${call.status}).` })

/** A booked call that is not dialled any more. */
const canceled = (call: Call, reason: string, now: number): Call => ({
  ...call,
  status: "canceled",
  stop: { requested_at: now, reason },
  hangup_reason: "user_request",
  completed_at: now,
  updated_at: now,
  due_at: null,
})

/** The call once the hang-up was sent. Its line is kept until the carrier's final report. */
const stopped = (call: Call, reason: string, now: number): Call => ({
  ...call,
  status: "stopped",
  stop: { requested_at: now, reason },
  hangup_reason: "user_request",
  completed_at: now,
  updated_at: now,
  due_at: now + limits.questionDelayMs,
  questions: 0,
})

const recordOf = ({ execution_id }: Call, http_status: number) => ({
  action: "call.stop",
  resource: { type: "call", id: execution_id },
  http_status,
})

/** A call that was cancelled before it was dialled, or one that is to be hung up. */
type Stopping = { readonly _tag: "Canceled" | "Live"; readonly call: Call }

/** A caller stops a call, as its state lets them (decisions.md, "Calls"): a booked one is cancelled, a live one is to be hung up. */
export const stopCall = step({
  name: "call.stop",
  reads: ({ caller, execution_id }: ByCaller & { readonly execution_id: string; readonly reason: string }) =>
    callOf(caller.organization_id, execution_id),
  decide({ reason }, call, { now }): Outcome<Stopping, StateConflict> {
    if (isTerminal(call.status)) return refused(alreadyEnded(call))
    if (call.status === "queued") {
      const message = "The call is still being placed. Retry in a moment."
      return refused(new StateConflict({ message, retryAfterSeconds: 2 }))
    }
    if (!isBooked(call)) return unchanged({ _tag: "Live", call })
    const { call: after, changes, said } = callChange(call, canceled(call, reason, now))
    return write(changes, {
      ...said,
      audit: [recordOf(call, 200)],
      reply: { _tag: "Canceled", call: after },
    })
  },
})

/** A call that a caller had hung up is stopped, unless its leg ended while the carrier was asked: what ended stays ended. Replies the record that goes on. */
export const hangUpCall = step({
  name: "call.hang_up",
  reads: ({ caller, live }: ByCaller & { readonly live: Call; readonly reason: string }) =>
    all(callOf(caller.organization_id, live.execution_id), attemptOf(live)),
  decide({ reason }, [call, attempt], { now }): Outcome<Call> {
    if (isTerminal(call.status)) return unchanged(call)
    const { call: after, changes, said } = endChange(call, stopped(call, reason, now), attempt)
    return write(changes, {
      ...said,
      audit: [recordOf(call, 202)],
      reply: after,
    })
  },
})
