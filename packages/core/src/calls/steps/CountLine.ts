import { counterOf } from "../../callees/steps/CalleeReads.ts"
import { asks, type Outcome } from "../../engine/rules/Outcome.ts"
import { all, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { declinesLine } from "../../limits/rules/LineErrands.ts"
import { callChange } from "./CallCommit.ts"
import { isTerminal } from "../rules/CallStatus.ts"
import { type DialsCall, dialsCall } from "../rules/DialErrand.ts"
import type { Dialled } from "../rules/Dialled.ts"
import { takenBack, takingBack } from "./TakeBackDial.ts"

/** A dial with a reservation of which the slot store does not say whether it lasts. */
interface Counting extends ByEngine {
  readonly dial: DialsCall & { readonly reserved: NonNullable<DialsCall["reserved"]> }
}

/** A call that is on a line which the slot store did not answer for was admitted by count, too: it is dialled on that. Where it is not to be dialled any more it is taken back. */
export const countLine = step({
  name: "call.count_line",
  reads: ({ dial: { placed }, organization_id }: Counting) =>
    all(row("call", placed.execution_id, { of: organization_id }), counterOf(placed)),
  decide({ dial }, [call, callee], { now }): Outcome<Dialled> {
    const { reserved } = dial
    if (call?.slot?.fence !== reserved.fence || call.dial !== "intended" || isTerminal(call.status)) {
      return takenBack(takingBack(dial, "no_line"), call, callee, now)
    }
    const { call: counted, changes, said } = callChange(call, { ...call, slot: { ...call.slot, fence: null } })
    // Where the reservation is there yet it would stand beside the line that the reconciler enters.
    const errands = [...said.errands, declinesLine(call.organization_id, call.slot.member, reserved.fence)]
    return asks(dialsCall({ ...dial, placed: counted, reserved: null }), changes, { ...said, errands })
  },
})
