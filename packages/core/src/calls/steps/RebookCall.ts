import type { Agent } from "../../agents/rules/Agent.ts"
import { unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { isBooked } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { rebooked } from "../rules/PlaceCall.ts"

/** A booked call, the agent that was asked for, and when it is dialled instead. */
interface Rebooking extends ByEngine {
  readonly execution_id: string
  readonly agent: Agent
  readonly at: number
}

/** Books a call for another time that is still booked. */
export const rebookCall = step({
  name: "call.rebook",
  reads: ({ execution_id }: Rebooking) => row("call", execution_id),
  decide({ agent, at }, call, { now }) {
    if (call === null || !isBooked(call)) return unchanged(undefined)
    const { changes, said } = callChange(call, rebooked(call, agent, at, now))
    return write(changes, { ...said, reply: undefined })
  },
})
