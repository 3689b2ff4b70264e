import { Context, Effect } from "effect"
import type { AskingErrand, AskingKind, Errand, RefusalTo, ReplyTo } from "../Errands.ts"
import type { PortError } from "../Errors.ts"
import type { By, ByRow } from "./rules/By.ts"
import type { Decided } from "./rules/Outcome.ts"
import type { Refusals, Step } from "./steps/Step.ts"

/** Takes a step, and does nothing yet of what it names. */
export type Take = <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
  step: Step<In, View, Reply, ReadRefusal, Refusal>,
  input: In,
  anew: In,
) => Effect.Effect<Decided<Reply, Refusals<ReadRefusal, Refusal>>, Refusals<ReadRefusal, Refusal> | PortError>

/** A step with its input. */
export interface NextStep<Reply, Refusal = never> {
  /** What whoever takes steps makes of it. */
  readonly takenBy: (take: Take) => Effect.Effect<Decided<Reply, Refusal>, Refusal | PortError>
}

/** The step that is taken of what came of an errand; `anew` is its input once it has to be read what is known at first. */
export const nextStep = <In extends By | ByRow, View, Reply, ReadRefusal = never, Refusal = never>(
  step: Step<In, View, Reply, ReadRefusal, Refusal>,
  input: In,
  anew: In = input,
): NextStep<Reply, Refusals<ReadRefusal, Refusal>> => ({ takenBy: (take) => take(step, input, anew) })

/** No step takes what came of an errand: whoever asked is told that it is done. */
export const replies = <Reply>(reply: Reply): NextStep<Reply> => ({
  takenBy: () => Effect.succeed({ answer: { reply }, errands: [] }),
})

/** The same step, and what is done instead where it could not be taken. */
export const otherwise = <Reply>(next: NextStep<Reply>, instead: Effect.Effect<NextStep<Reply>>): NextStep<Reply> => ({
  takenBy: (take) => Effect.catch(next.takenBy(take), () => Effect.flatMap(instead, ({ takenBy }) => takenBy(take))),
})

/** Whoever tries steps out comes between a commit and each errand that follows from it, and may fail it. Elsewhere nobody does. */
export const BeforeErrands = Context.Reference<(errand: Errand | AskingErrand) => Effect.Effect<void, PortError>>(
  "@carillon/core/engine/BeforeErrands",
  { defaultValue: () => () => Effect.void },
)

/** What is done for each kind of errand that asks, and which step takes what came of it. */
export type AskingHandlers = {
  readonly [K in AskingKind]: (errand: AskingErrand<K>) => Effect.Effect<NextStep<ReplyTo<K>, RefusalTo<K>>, PortError>
}

/** Does what errands say. It takes no steps: what comes of an errand is the input of a step, and whoever does errands takes it. */
export class ErrandHandling extends Context.Service<
  ErrandHandling,
  {
    /** Does an errand; answers which step is taken then, null for none. That step refuses nothing, for nobody waits who could be told. */
    readonly handle: (errand: Errand) => Effect.Effect<NextStep<unknown> | null, PortError>
    /** Does an errand that asks; answers which step takes what came of it. Whoever asked is told what that step replies, or why it refuses. */
    readonly ask: <K extends AskingKind>(
      errand: AskingErrand<K>,
    ) => Effect.Effect<NextStep<ReplyTo<K>, RefusalTo<K>>, PortError>
  }
>()("@carillon/core/engine/ErrandHandling") {}
