import { Context, Effect } from "effect"
import type { Errand } from "../Errands.ts"
import type { PortError } from "../Errors.ts"
import type { By, ByRow } from "./rules/By.ts"
import type { Round } from "./steps/Reading.ts"
import type { Step } from "./steps/Step.ts"

/** A step with its input. It refuses nothing, for nobody waits who could be told. */
export interface NextStep {
  /** What whoever takes steps makes of it. */
  readonly takenBy: <A>(
    take: <In extends By | ByRow, View, Reply>(step: Step<In, View, Reply, Round>, input: In) => A,
  ) => A
}

/** The step that is taken of what came of an errand. */
export const nextStep = <In extends By | ByRow, View, Reply>(
  step: Step<In, View, Reply, Round>,
  input: In,
): NextStep => ({ takenBy: (take) => take(step, input) })

/** Whoever tries steps out comes between a commit and each errand that follows from it, and may fail it. Elsewhere nobody does. */
export const BeforeErrands = Context.Reference<(errand: Errand) => Effect.Effect<void, PortError>>(
  "@carillon/core/engine/BeforeErrands",
  { defaultValue: () => () => Effect.void },
)

/** Does what errands say. It takes no steps: what comes of an errand is the input of a step, and whoever does errands takes it. */
export class ErrandHandling extends Context.Service<
  ErrandHandling,
  {
    /** Does an errand; answers which step is taken then, null for none. */
    readonly handle: (errand: Errand) => Effect.Effect<NextStep | null, PortError>
  }
>()("@carillon/core/engine/ErrandHandling") {}
