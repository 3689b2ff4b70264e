import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import type { ReportReceipt } from "../../telephony/rules/Leg.ts"
import type { Call } from "../rules/Call.ts"
import { survivingCall } from "./CallReads.ts"
import { isTerminal } from "../rules/CallStatus.ts"

/** The record under which telephony goes on after losing its state. It takes over everything that is known, the line included. */
const survivorOf = (original: Call, execution_id: string, now: number): Call => ({
  ...original,
  execution_id,
  folded_from: original.execution_id,
  updated_at: now,
})

/** A record that is listed no more, and whose id answers with the survivor. What is still to be recorded of its dial goes on with that one. */
const foldedInto = (original: Call, folded_into: string, now: number): Call => {
  const { unaudited: _, ...row } = original
  return { ...row, folded_into, due_at: null, dial: "none", updated_at: now }
}

/** A loss of telephony's state: the call goes on under another id. */
interface Recovery extends ByRow {
  readonly execution_id: string
  readonly surviving_execution_id: string
}

/**
 * Folds a dispatch record into the record under which telephony goes on (specification, "GET /v2/calls/{execution_id}"). Its line stays registered
 * under the original id. What the original counted, the survivor counts from now on.
 */
export const recoverCall = step({
  name: "call.recover",
  reads: ({ execution_id }: Recovery) => survivingCall(execution_id),
  decide({ surviving_execution_id }, original, { now }): Outcome<ReportReceipt> {
    if (original === null) return unchanged("unknown_execution")
    if (isTerminal(original.status) || original.execution_id === surviving_execution_id) return unchanged("repeated")
    const changes = [
      put("call", original, foldedInto(original, surviving_execution_id, now)),
      put("call", null, survivorOf(original, surviving_execution_id, now)),
    ]
    return write(changes, { by: original, reply: "applied" })
  },
})
