import type { Callee } from "../../callees/rules/Callee.ts"
import { counterOf } from "../../callees/steps/CalleeReads.ts"
import { uncountingDial } from "../../callees/steps/CountedDials.ts"
import { erase, type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { Errand } from "../../Errands.ts"
import { declinesLine } from "../../limits/rules/LineErrands.ts"
import type { Call } from "../rules/Call.ts"
import { callChange, lineBack } from "./CallCommit.ts"
import { type CommittedDial, dialledCall } from "./CallReads.ts"
import { isTerminal } from "../rules/CallStatus.ts"
import { answeredStatus, onlyRecorded } from "../rules/DialAudit.ts"
import type { DialsCall, Unasked } from "../rules/DialErrand.ts"
import { type Dialled, refusalOf } from "../rules/Dialled.ts"

/** A dial that was never made, and why. */
export interface TakingBack extends CommittedDial, Pick<DialsCall, "placed" | "before" | "reserved"> {
  readonly because: Unasked
}

/** A dial as it is taken back by what this process has written of it. */
export const takingBack = ({ before, placed, reserved }: DialsCall, because: Unasked): TakingBack => {
  const { execution_id, organization_id } = placed
  return { organization_id, execution_id, known: placed, placed, before, reserved, because }
}

/** The reservation goes back by itself where the row does not say it: the row was counted since, or is there no more. */
const reservationBack = (taking: TakingBack, row: Call | null): ReadonlyArray<Errand> => {
  const { execution_id, organization_id, reserved } = taking
  if (reserved === null || row?.slot?.fence === reserved.fence) return []
  return [declinesLine(organization_id, execution_id, reserved.fence)]
}

/** Takes the record of a dial back. One that has ended meanwhile stays. */
export const takenBack = (
  taking: TakingBack,
  row: Call | null,
  callee: Callee | null,
  now: number,
): Outcome<Dialled> => {
  const { because, before } = taking
  const reply = { _tag: "TakenBack", because } as const
  const back = reservationBack(taking, row)
  if (row === null) return unchanged(reply, back)
  if (row.dial === "intended" && !isTerminal(row.status)) {
    const uncounted = uncountingDial(callee, row)
    if (before === null) {
      return write([erase(row), ...uncounted], { errands: [...back, ...lineBack(row, null)], reply })
    }
    const { changes, said } = callChange(row, before)
    return write([...changes, ...uncounted], { ...said, errands: [...back, ...said.errands], reply })
  }
  if (row.unaudited === undefined) return unchanged(reply, back)
  const answered = answeredStatus({ confirmed: false, refusal: refusalOf(because) })
  const { changes, said } = callChange(row, onlyRecorded(row, now), answered)
  return write(changes, { ...said, errands: [...back, ...said.errands], reply })
}

/** Takes back the record of a dial that was never made, from its row as it is by now. */
export const takeBackDial = step({
  name: "call.take_back",
  reads: (taking: TakingBack) => all(dialledCall(taking), counterOf(taking.placed)),
  decide: (taking, [row, callee], { now }) => takenBack(taking, row, callee, now),
})
