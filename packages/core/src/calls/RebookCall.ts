import type { Agent } from "../agents/Agent.ts"
import { unchanged, write } from "../engine/Outcome.ts"
import { row } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../engine/By.ts"
import { isBooked } from "./Call.ts"
import { callChange } from "./CallCommit.ts"
import { rebooked } from "./PlaceCall.ts"

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
