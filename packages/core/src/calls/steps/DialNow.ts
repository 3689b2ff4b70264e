import { agentAsRead } from "../../agents/rules/AgentAsRead.ts"
import { countingDial } from "../../callees/steps/CountedDials.ts"
import { asks } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { keyAsHeld } from "../../idempotency/steps/KeyHeld.ts"
import type { Keyed } from "../../keys/rules/Caller.ts"
import { stillRegistered } from "../../numbers/steps/CallerIds.ts"
import { callChange } from "./CallCommit.ts"
import { dialsCall, type Lined } from "../rules/DialErrand.ts"
import type { DialGrounds } from "../rules/DialGrounds.ts"

interface DiallingNow extends ByEngine, DialGrounds, Lined {
  /** The key of the request, where it has one. */
  readonly keyed?: Keyed | undefined
}

/** Writes a call that was asked for just now with the intent to dial, which is done then. The dialler writes it with the line that it has for it. */
export const dialNow = step({
  name: "call.dial",
  reads: ({ agents, callee, callerId, hours, keyed, routing }: DiallingNow) =>
    seen(
      [
        ...agents.map(agentAsRead),
        ...routing,
        ...callee.expect,
        ...hours.expect,
        ...callerId.map((number) => stillRegistered(number)),
        ...keyAsHeld(keyed),
      ],
      "both agents; the experiment that routes it; what is known of its number; the hours of callees; its caller ID; the key of its request",
    ),
  decide(dialling) {
    const { callee, hours, placed } = dialling
    const { call, changes, said } = callChange(null, placed)
    const counted = countingDial(hours.setting?.caps, callee.callee, placed)
    return asks(dialsCall({ ...dialling, placed: call, before: null }), [...changes, ...counted], said)
  },
})
