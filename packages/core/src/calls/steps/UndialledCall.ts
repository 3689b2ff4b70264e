import type { Agent } from "../../agents/rules/Agent.ts"
import { cappedUntil } from "../../callees/rules/CallCaps.ts"
import { calleeId } from "../../callees/rules/Callee.ts"
import type { ZoneHours } from "../../callees/rules/CalleeHours.ts"
import { type CallScope, suppressedMessage, suppressionOf } from "../../callees/rules/Suppression.ts"
import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { limits } from "../../Limits.ts"
import { type Call, isBooked } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { rebooked, ringTime } from "../rules/PlaceCall.ts"

/** What becomes of a booked call that is due and is not dialled: it ends, or it is booked for another time. */
export type Instead =
  | { readonly _tag: "Ends"; readonly status: "error" | "balance-low"; readonly error: string }
  | { readonly _tag: "Rebooked"; readonly agent: Agent; readonly at: number }

/** A booked call that is due, and whom it is to. */
interface Due extends ByEngine {
  readonly execution_id: string
  readonly to_number: string
}

const callAndCallee = ({ execution_id, organization_id, to_number }: Due) =>
  all(row("call", execution_id), row("callee", calleeId(organization_id, to_number)))

const ended = (call: Call, status: "error" | "balance-low", error: string, now: number): Call => ({
  ...call,
  status,
  error: status === "error" ? error : null,
  hangup_reason: status === "balance-low" ? "balance_low" : null,
  completed_at: now,
  updated_at: now,
  due_at: null,
})

/** Until when caps keep a booked call from being made; null where they do not. */
export const cappedBy = (call: Call, ...[callee, caps, at]: Parameters<typeof cappedUntil>): number | null =>
  call.overrides_call_caps === true ? null : cappedUntil(callee, caps, at)

interface Undialled extends Due {
  /** The agents and the campaign whose suppressions stand for it. */
  readonly scope: CallScope
  readonly instead: Instead
}

/**
 * A booked call is not dialled. Whom nobody dials is told as much of a suppression as whom somebody would: so it rests on the callee, whether or not
 * one was met. Replies whether anything is known of the number.
 */
export const undialCall = step({
  name: "call.undial",
  reads: callAndCallee,
  decide({ instead, scope }: Undialled, [call, callee], { now }): Outcome<boolean> {
    const isKnown = callee !== null
    if (call === null || !isBooked(call)) return unchanged(isKnown)
    const isBarred = call.overrides_suppression !== true && suppressionOf(callee, scope, now) !== null
    const after = isBarred
      ? ended(call, "error", suppressedMessage, now)
      : instead._tag === "Ends"
        ? ended(call, instead.status, instead.error, now)
        : rebooked(call, instead.agent, instead.at, now)
    const { changes, said } = callChange(call, after)
    return write(changes, { ...said, reply: isKnown })
  },
})

interface Resting extends Due {
  /** The agent that was asked for. */
  readonly agent: Agent
  /** The agents whose calling windows bind the call. */
  readonly agents: ReadonlyArray<Agent>
  /** The hours of its callee that bind it. */
  readonly binding: ReadonlyArray<ZoneHours>
}

/**
 * Books a call anew that is due while its number rests. It rests on the attempts and the caps, and is looked at again within a day: one of the
 * attempts may be taken back, and caps may be loosened.
 */
export const restCall = step({
  name: "call.rest",
  reads: (resting: Resting) => all(callAndCallee(resting), row("callee_hours", resting.organization_id)),
  decide({ agent, agents, binding }, [[call, callee], hours], { now }): Outcome<void> {
    if (call === null || !isBooked(call)) return unchanged(undefined)
    const until = cappedBy(call, callee, hours?.caps, now) ?? now
    const next = Math.min(until, now + limits.callCapLookMs)
    const ring = ringTime(agents, call.execution_id, next, binding)
    const after = rebooked(call, agent, ring?.at ?? next, now)
    const { changes, said } = callChange(call, after)
    return write(changes, { ...said, reply: undefined })
  },
})
