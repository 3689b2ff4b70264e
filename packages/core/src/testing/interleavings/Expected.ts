import type { Interleaving } from "./Explorer.ts"
import type { Violation } from "./Laws.ts"

/** A violation that is known and not repaired yet: it must be found until it is, and be taken from the list then. */
export interface ExpectedFailure {
  readonly law: string
  /** An interleaving in which it is found: the scene, the first operation, the other one, and before which use of a port. */
  readonly example: readonly [scene: string, first: string, second: string, at: number]
  /** Where else it may be found; everywhere without it. */
  readonly where?: (interleaving: Interleaving) => boolean
  readonly reason: string
}

/** Each names the repair that takes it away. */
export const expectedFailures: ReadonlyArray<ExpectedFailure> = [
  {
    law: "a campaign without work completes",
    example: ["paused", "batch.stop", "batch.stop", 0],
    reason: "a campaign that is resumed with nothing left to do is to complete",
  },
  {
    law: "a call shows a number of its organization",
    example: ["a new campaign", "number.release idle", "batch.create for itself", 0],
    reason: "a number is not to be given up while it is named by whoever may dial, nor dialled from afterwards",
  },
  {
    law: "a bound number is registered",
    example: ["a retry is due", "number.release idle", "inbound.bind", 4],
    reason: "who gives a number up is to rest on there being no binding",
  },
  {
    law: "only an active agent dials",
    example: ["a retry is due", "wake-ups", "agent.undeploy", 13],
    reason:
      "a dial does not rest on its agent: one that was read as ACTIVE makes the call though it was set INACTIVE meanwhile",
  },
]

export const isExpected = (
  { law, where }: ExpectedFailure,
  interleaving: Interleaving,
  violation: Violation,
): boolean => violation.law === law && (where === undefined || where(interleaving))
