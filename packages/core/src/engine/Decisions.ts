import { Context, Effect, Result } from "effect"
import { AuditEntries } from "./AuditEntries.ts"
import type { PortError } from "../Errors.ts"
import { type By, type ByRow, organizationOf } from "./rules/By.ts"
import { limits } from "../Limits.ts"
import { sources as sourcesOf } from "../Sources.ts"
import { Chance } from "./ports/Chance.ts"
import type { CommitDraft } from "./rules/Commit.ts"
import type { Decided } from "./rules/Outcome.ts"
import { DomainClock } from "./ports/DomainClock.ts"
import { draftOf } from "./steps/Drafting.ts"
import { Grounds, read, readBefore } from "./steps/Grounds.ts"
import { Ids } from "./ports/Ids.ts"
import { moments } from "./steps/Moment.ts"
import type { Reading } from "./steps/Reading.ts"
import type { Refusals, Step } from "./steps/Step.ts"

/** Whether a step that reads too much is a defect. It is where steps are tried out; elsewhere it is only slow. */
export const StepsAreBounded = Context.Reference<boolean>("@carillon/core/engine/StepsAreBounded", {
  defaultValue: () => false,
})

/** What comes of a step that has read, and what is written; null for nothing. */
interface Decision<Reply, Refusal> {
  readonly decided: Decided<Reply, Refusal>
  readonly commit: CommitDraft | null
}

/** On whose behalf an input says that a step is taken. */
const knownBy = (input: By | ByRow): By => {
  if ("caller" in input) return input
  if (input.organization_id === null) throw new Error("A step that only rows know the owner of says whose they are.")
  return { organization_id: input.organization_id }
}

/** Has steps read and decide, and writes nothing. */
export const makeDecisions = Effect.gen(function* () {
  const ids = yield* Ids
  const clock = yield* DomainClock
  const entries = yield* AuditEntries
  const sources = yield* sourcesOf
  const rowsAtMost = (yield* StepsAreBounded) ? limits.stepRows : null
  const unlimited = rowsAtMost === null ? null : Infinity
  const moment = moments(clock.now, ids, yield* Chance)

  /** What comes of a step that has read. */
  const concluded = <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
    { decide, name }: Step<In, View, Reply, ReadRefusal, Refusal>,
    input: In,
    view: View,
    grounds: Grounds,
  ): Result.Result<Decision<Reply, Refusal>, Refusal> => {
    const at = moment()
    const { answer: said, audit, by, changes, errands, events, kept, wakeups } = decide(input, view, at)
    const isAsking = "errand" in said
    if (!isAsking && Result.isFailure(said)) return Result.fail(said.failure)
    const decided = { answer: isAsking ? said : { reply: said.success }, errands }
    if (changes === null) return Result.succeed({ commit: null, decided })
    const whose = by ?? knownBy(input)
    const draft = draftOf(organizationOf(whose), changes, grounds, at.now, wakeups)
    const recorded = audit.map((entry) => entries.of(whose, { action: name, ...entry }))
    return Result.succeed({ commit: { ...draft, events, audit: [...kept, ...recorded] }, decided })
  }

  return {
    /** Reads and decides. */
    decided: Effect.fnUntraced(function* <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
      step: Step<In, View, Reply, ReadRefusal, Refusal>,
      input: In,
    ): Effect.fn.Return<Decision<Reply, Refusal>, Refusals<ReadRefusal, Refusal> | PortError> {
      const grounds = new Grounds()
      const atMost = step.whole === undefined ? rowsAtMost : unlimited
      const view = yield* read(step.reads(input), sources, grounds, atMost)
      const decision = concluded(step, input, view, grounds)
      return Result.isFailure(decision) ? yield* Effect.fail(decision.failure) : decision.success
    }),
    /** What a step decides that reads nothing. */
    drafted: <In extends By | ByRow, View, Reply, Refusal>(
      step: Step<In, View, Reply, never, Refusal>,
      input: In,
    ): Decision<Reply, Refusal> & { readonly commit: CommitDraft } => {
      const [view, grounds] = readBefore(step.reads(input))
      const decision = concluded(step, input, view, grounds)
      if (Result.isFailure(decision) || decision.success.commit === null) {
        throw new Error(`Nothing comes of ${step.name}, which was drafted for who has a line.`)
      }
      const { commit, decided } = decision.success
      return { commit, decided }
    },
    /** Reads, and decides nothing. */
    look: Effect.fnUntraced(function* <View, Refusal>(
      reading: () => Reading<View, Refusal>,
    ): Effect.fn.Return<View, Refusals<Refusal, never> | PortError> {
      return yield* read(reading(), sources, null, null)
    }),
  }
})
