import type { Callee } from "../../callees/rules/Callee.ts"
import { counterOf } from "../../callees/steps/CalleeReads.ts"
import type { CallLimits } from "../../CallLimits.ts"
import { type ContactContext, isLastHold } from "../../contacts/rules/ContactProgress.ts"
import { attemptWithHeirs } from "../../contacts/steps/ContactReads.ts"
import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, each, type Reading } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { Call } from "../rules/Call.ts"
import { callChange, lastChange, lineBack } from "./CallCommit.ts"
import { type CommittedDial, dialledCall } from "./CallReads.ts"
import { isTerminal } from "../rules/CallStatus.ts"
import { answeredStatus, onlyRecorded } from "../rules/DialAudit.ts"
import { type Dialled, settledDial } from "../rules/Dialled.ts"
import { applyDialOutcome, type DialEnding, isDefinite, isNobodysFault } from "../rules/DialOutcomes.ts"
import { withdrawal } from "./Withdrawal.ts"

/** A dial, and what became of it. */
interface Settling extends CommittedDial {
  /** The call as it was committed. */
  readonly placed: Call
  readonly ending: DialEnding
  readonly times: CallLimits
}

interface Seen {
  readonly call: Call | null
  /** The contact whose attempt ends: only a definite outcome ends one. */
  readonly contact: ContactContext | null
  readonly callee: Callee | null
}

function* seen(settling: Settling): Reading<Seen> {
  const { ending, placed } = settling
  const [call, [contact = null], [callee = null]] = yield* all(
    dialledCall(settling),
    each(isDefinite(ending) ? [attemptWithHeirs(placed)] : []),
    each(isNobodysFault(ending) && placed.contact_id !== null ? [counterOf(placed)] : []),
  )
  return { call, contact, callee }
}

/** A report was faster than the carrier's word; the answer is on record all the same. */
const overtaken = (call: Call | null, { ending, placed, times }: Settling, now: number): Outcome<Dialled> => {
  const reply = settledDial(placed, ending, now, times)
  if (call?.unaudited === undefined) return unchanged(reply)
  const answered = answeredStatus(applyDialOutcome(placed, ending, now, times))
  const { changes, said } = callChange(call, onlyRecorded(call, now), answered)
  return write(changes, { ...said, reply })
}

/** What a contact becomes whose dial is taken back; null where it stays: it was its fault, or it was held too often. Hours that are closed use no hold up. */
const becomes = (ending: DialEnding, { contact }: ContactContext): "due" | "held" | null => {
  if (ending._tag === "Closed") return "due"
  return isNobodysFault(ending) && !isLastHold(contact) ? "held" : null
}

/** Writes the outcome of a dial on its call as it is by now. A dial that was refused for what is not its contact's fault is taken back. */
export const settleDial = step({
  name: "call.settle",
  whole: "Who has waited the longest is found among the first of each batch of a campaign.",
  reads: seen,
  decide(settling: Settling, { call, callee, contact }, { now }): Outcome<Dialled> {
    if (call === null || call.dial !== "intended" || isTerminal(call.status)) return overtaken(call, settling, now)
    const { ending, placed, times } = settling
    const held = contact === null ? null : becomes(ending, contact)
    if (contact !== null && held !== null) {
      const reply = settledDial(placed, ending, now, times, true)
      return write(withdrawal(call, contact, callee, held, now), { errands: lineBack(call, null), reply })
    }
    const result = applyDialOutcome(call, ending, now, times)
    const { changes, said } = lastChange(call, result.call, contact, { answered: answeredStatus(result) })
    return write(changes, { ...said, reply: settledDial(placed, ending, now, times) })
  },
})
