import type { Agent } from "../../agents/rules/Agent.ts"
import type { SeenCallee, SeenHours } from "../../callees/rules/SeenCallee.ts"
import type { Expectation } from "../../engine/rules/Commit.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"

/** What the dial of a direct or a booked call rests on, as it was read before it had its line. */
export interface DialGrounds {
  readonly agents: BindingAgents
  /** The experiment that chose who makes it. */
  readonly routing: ReadonlyArray<Expectation>
  readonly callee: SeenCallee
  /** The hours of callees, and call caps. */
  readonly hours: SeenHours
  /** The number that it is made from; nothing where it names none. */
  readonly callerId: ReadonlyArray<PhoneNumber>
  /** From when on it may not ring any more (epoch milliseconds). */
  readonly until: number
}

/** Whose windows bind a call: the agent that was asked for, and the one that makes it. */
export type BindingAgents = readonly [control: Agent, agent: Agent]
