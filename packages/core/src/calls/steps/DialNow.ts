import { agentAsRead } from "../../agents/rules/AgentAsRead.ts"
import { countingDial } from "../../callees/steps/CountedDials.ts"
import { write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { keyAsHeld } from "../../idempotency/steps/KeyHeld.ts"
import type { Keyed } from "../../keys/rules/Caller.ts"
import { stillRegistered } from "../../numbers/steps/CallerIds.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import type { DialGrounds } from "../rules/DialGrounds.ts"

interface DiallingNow extends ByEngine, DialGrounds {
  /** The key of the request, where it has one. */
  readonly keyed?: Keyed | undefined
  /** The call, as it is once it has its line. */
  readonly placed: Call
}

/** Writes a call that was asked for just now with the intent to dial. The dialler writes it with the line that it has for it. */
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
  decide({ callee, hours, placed }) {
    const { changes, said } = callChange(null, placed)
    return write([...changes, ...countingDial(hours.setting?.caps, callee.callee, placed)], {
      ...said,
      reply: undefined,
    })
  },
})
