import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { declinesLine } from "../../limits/rules/LineErrands.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { isTerminal } from "../rules/CallStatus.ts"

/** A call that is on a line which the slot store did not answer for: it was admitted by count, too. Replies null where it is not dialled. */
export const countLine = step({
  name: "call.count_line",
  reads: ({ execution_id, organization_id }: ByEngine & { readonly execution_id: string; readonly fence: number }) =>
    row("call", execution_id, { of: organization_id }),
  decide({ fence }, call): Outcome<Call | null> {
    if (call?.slot?.fence !== fence || call.dial !== "intended" || isTerminal(call.status)) return unchanged(null)
    const { call: counted, changes, said } = callChange(call, { ...call, slot: { ...call.slot, fence: null } })
    // Where the reservation is there yet it would stand beside the line that the reconciler enters.
    return write(changes, {
      ...said,
      errands: [...said.errands, declinesLine(call.organization_id, call.slot.member, fence)],
      reply: counted,
    })
  },
})
