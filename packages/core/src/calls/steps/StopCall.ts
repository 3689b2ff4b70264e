import { attemptOf } from "../../contacts/steps/ContactReads.ts"
import { asks, type Outcome, refused, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { type NotFound, StateConflict } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { limits } from "../../Limits.ts"
import { type Call, isBooked } from "../rules/Call.ts"
import { hangsUp } from "../rules/CallErrands.ts"
import type { StopReply } from "../rules/CallReplies.ts"
import { callChange, endChange } from "./CallCommit.ts"
import { callOf } from "./CallReads.ts"
import { isTerminal } from "../rules/CallStatus.ts"

const alreadyEnded = (call: Call): StateConflict =>
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

/** What is asked of the carrier, and its answer. */
interface HungUp extends ByCaller {
  readonly live: Call
  readonly reason: string
  readonly answer: "Sent" | "Refused"
}

/** A caller stops a call, as its state lets them (decisions.md, "Calls"): a booked one is cancelled, for a live one the carrier is asked to hang up. */
export const stopCall = step({
  name: "call.stop",
  reads: ({ caller, execution_id }: ByCaller & { readonly execution_id: string; readonly reason: string }) =>
    callOf(caller.organization_id, execution_id),
  decide({ caller, reason }, call, { now }): Outcome<StopReply, NotFound | StateConflict> {
    if (isTerminal(call.status)) return refused(alreadyEnded(call))
    if (call.status === "queued") {
      const message = "The call is still being placed. Retry in a moment."
      return refused(new StateConflict({ message, retryAfterSeconds: 2 }))
    }
    if (!isBooked(call)) return asks(hangsUp(caller, call, reason))
    const { call: after, changes, said } = callChange(call, canceled(call, reason, now))
    return write(changes, {
      ...said,
      audit: [recordOf(call, 200)],
      reply: { _tag: "Canceled", call: after, scheduled_at: after.scheduled_at },
    })
  },
})

/** The reply to a caller who stops a call that has ended by now. */
const hungUp = (call: Call, reason: string): Outcome<StopReply, StateConflict> =>
  call.stop === null
    ? refused(alreadyEnded(call))
    : unchanged({ _tag: "Stopped", call, requested_at: call.stop.requested_at, reason })

/** A call that the carrier was asked to hang up is stopped, unless its leg ended meanwhile: what ended stays ended. */
export const hangUpCall = step({
  name: "call.hang_up",
  reads: ({ caller, live }: HungUp) => all(callOf(caller.organization_id, live.execution_id), attemptOf(live)),
  decide({ answer, reason }, [call, attempt], { now }): Outcome<StopReply, StateConflict> {
    if (answer === "Refused") {
      return refused(new StateConflict({ message: "The telephony provider refused to hang up this call." }))
    }
    if (isTerminal(call.status)) return hungUp(call, reason)
    const { call: after, changes, said } = endChange(call, stopped(call, reason, now), attempt)
    return write(changes, {
      ...said,
      audit: [recordOf(call, 202)],
      reply: { _tag: "Stopped", call: after, requested_at: now, reason },
    })
  },
})
