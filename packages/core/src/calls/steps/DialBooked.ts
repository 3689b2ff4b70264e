import { agentAsRead } from "../../agents/rules/AgentAsRead.ts"
import { countingDial } from "../../callees/steps/CountedDials.ts"
import { asks } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { stillRegistered } from "../../numbers/steps/CallerIds.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { dialsCall, type Lined } from "../rules/DialErrand.ts"
import type { DialGrounds } from "../rules/DialGrounds.ts"

interface DiallingBooked extends ByEngine, DialGrounds, Lined {
  /** The booked call as it was read. */
  readonly before: Call
}

/** Writes a booked call that is due with the intent to dial, which is done then. The dialler writes it with the line that it has for it. */
export const dialBooked = step({
  name: "call.dial_booked",
  reads: ({ agents, callee, callerId, hours, routing }: DiallingBooked) =>
    seen(
      [
        ...agents.map(agentAsRead),
        ...callerId.map((number) => stillRegistered(number)),
        ...routing,
        ...callee.expect,
        ...hours.expect,
      ],
      "both agents; its caller ID; the experiment that routes it; what is known of its number; the hours of callees",
    ),
  decide(dialling) {
    const { before, callee, hours, placed } = dialling
    const { call, changes, said } = callChange(before, placed)
    const counted = countingDial(hours.setting?.caps, callee.callee, placed)
    return asks(dialsCall({ ...dialling, placed: call }), [...changes, ...counted], said)
  },
})
