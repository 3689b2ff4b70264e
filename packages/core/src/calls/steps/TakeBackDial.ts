import { counterOf } from "../../callees/steps/CalleeReads.ts"
import { uncountingDial } from "../../callees/steps/CountedDials.ts"
import { erase, type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { Errand } from "../../Errands.ts"
import { declinesLine } from "../../limits/rules/LineErrands.ts"
import { type Call, isBooked } from "../rules/Call.ts"
import { callChange, lineBack } from "./CallCommit.ts"
import { type CommittedDial, dialledCall } from "./CallReads.ts"
import { isTerminal } from "../rules/CallStatus.ts"
import { onlyRecorded } from "../rules/DialAudit.ts"

/** A dial that was never made. */
interface TakingBack extends CommittedDial {
  /** The call before it was to be dialled: a booked one, or one that was not there. */
  readonly call: Call
  /** With which status whoever asked for it is answered. */
  readonly answered: number
  /** The reservation that this process has for it; null where its line was counted. */
  readonly fence: number | null
}

/** The reservation goes back by itself where the row does not say it: the row was counted since, or is there no more. */
const reservationBack = ({ call, execution_id, fence }: TakingBack, row: Call | null): ReadonlyArray<Errand> =>
  fence === null || row?.slot?.fence === fence ? [] : [declinesLine(call.organization_id, execution_id, fence)]

/** Takes back the record of a dial that was never made, from its row as it is by now. One that has ended meanwhile stays. */
export const takeBackDial = step({
  name: "call.take_back",
  reads: (taking: TakingBack) => all(dialledCall(taking), counterOf(taking.call)),
  decide(taking, [row, callee], { now }): Outcome<void> {
    const { answered, call } = taking
    const back = reservationBack(taking, row)
    if (row === null) return unchanged(undefined, back)
    if (row.dial === "intended" && !isTerminal(row.status)) {
      const uncounted = uncountingDial(callee, call)
      if (!isBooked(call)) {
        return write([erase(row), ...uncounted], { errands: [...back, ...lineBack(row, null)], reply: undefined })
      }
      const { changes, said } = callChange(row, call)
      return write([...changes, ...uncounted], { ...said, errands: [...back, ...said.errands], reply: undefined })
    }
    if (row.unaudited === undefined) return unchanged(undefined, back)
    const { changes, said } = callChange(row, onlyRecorded(row, now), answered)
    return write(changes, { ...said, errands: [...back, ...said.errands], reply: undefined })
  },
})
