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
export const expectedFailures: ReadonlyArray<ExpectedFailure> = []

export const isExpected = (
  { law, where }: ExpectedFailure,
  interleaving: Interleaving,
  violation: Violation,
): boolean => violation.law === law && (where === undefined || where(interleaving))
