import { Context, Effect, Layer, Predicate } from "effect"
import type { Errand } from "../Errands.ts"
import type { Take } from "./ErrandHandling.ts"
import type { Decided } from "./rules/Outcome.ts"
import { type Dependency, DependencyUnavailable, type PortError } from "../Errors.ts"
import type { By, ByRow } from "./rules/By.ts"
import { limits } from "../Limits.ts"
import type { RowKind } from "../Rows.ts"
import { Activity } from "./Activity.ts"
import type { CommitDraft } from "./rules/Commit.ts"
import { makeDecisions } from "./Decisions.ts"
import { dependencyOf } from "./rules/Dependencies.ts"
import { DomainClock } from "./ports/DomainClock.ts"
import { makeDoneErrands } from "./DoneErrands.ts"
import type { Drafted } from "./ports/Drafted.ts"
import type { Reading } from "./steps/Reading.ts"
import { makeAgain, makeSentCommits } from "./SentCommits.ts"
import type { Refusals, Step } from "./steps/Step.ts"
import { type Meeting, placeOf, StepTurns } from "./StepTurns.ts"
import { Conflict } from "./ports/Store.ts"

interface StepsShape {
  /**
   * Takes a step: asks for what it reads, a round after the other, decides, and writes the outcome. What was read must still hold when it is
   * written; where it does not, the step reads and decides anew: at most `limits.commitAttempts` times, and then in turn with the others that
   * meet at the same row or guard (`StepTurns.ts`). A commit whose answer timed out is sent again under the same id, so it happens once.
   * Whoever has just written a row may give it with the input, so that it is not read: `anew` is the input without it, from the second try on.
   * Where the step says for which row it waits (`awaits`), nothing is read before a commit of this process is written that replaces it.
   * What it has done outside (`errands`) is done before it answers, once the commit is written, and whether or not that succeeds (`DoneErrands.ts`).
   * Where it asks (`asks`) it answers what the step replies that takes what came of that, or fails as that fails.
   */
  readonly take: <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
    step: Step<In, View, Reply, ReadRefusal, Refusal>,
    input: In,
    anew?: In,
  ) => Effect.Effect<Reply, Refusals<ReadRefusal, Refusal> | PortError>
  /** The same for who has a place while the step reads and writes: it answers what is to be done then. */
  readonly begin: <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
    step: Step<In, View, Reply, ReadRefusal, Refusal>,
    input: In,
  ) => Effect.Effect<
    Effect.Effect<Reply, Refusals<ReadRefusal, Refusal> | PortError>,
    Refusals<ReadRefusal, Refusal> | PortError
  >
  /**
   * Takes a step once that somebody proposes by what they have read before (`seen`). Where a row has changed meanwhile it fails with `Conflict`, and
   * whoever has proposed it looks anew.
   */
  readonly propose: <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
    step: Step<In, View, Reply, ReadRefusal, Refusal>,
    input: In,
  ) => Effect.Effect<Reply, Refusals<ReadRefusal, Refusal> | Conflict | PortError>
  /** The commit of a step that is proposed and reads nothing, for whoever writes it once there is a line for it. It refuses only by what it asks. */
  readonly drafted: <In extends By | ByRow, View, Reply, Refusal>(
    step: Step<In, View, Reply, never, Refusal>,
    input: In,
  ) => Drafted<Reply, Refusal>
  /** Reads without deciding anything. */
  readonly look: <View, Refusal>(
    reading: () => Reading<View, Refusal>,
  ) => Effect.Effect<View, Refusals<Refusal, never> | PortError>
  /** Does an errand that no step has named, for somebody finds it undone. Where it fails they are told, and it is done again later. */
  readonly errand: (errand: Errand) => Effect.Effect<void, PortError>
  /** Writes a commit that rests on nothing that could have changed. */
  readonly commit: (draft: CommitDraft) => Effect.Effect<void, PortError>
  /**
   * Runs what reads, decides and writes by itself: from its start again where a row has changed meanwhile, as often at most. It lets those go
   * first that wait where it was refused, and has no turn itself: it may wait for a line or a carrier.
   */
  readonly anew: <A, E, R>(
    organizationId: string,
    dependency: Dependency,
    effect: Effect.Effect<A, E | Conflict, R>,
  ) => Effect.Effect<A, Exclude<E, Conflict> | DependencyUnavailable, R>
}

/** What was decided, and where the step met others and has written nothing. */
interface Tried<Reply, Refusal> {
  readonly decided: Decided<Reply, Refusal>
  readonly met: Meeting | null
}

const isOther = <E>(error: E | Conflict): error is Exclude<E, Conflict> => !Predicate.isTagged(error, "Conflict")

/** Whether a later try would be refused, too: a key that somebody has taken over is not given back. */
const isForGood = (error: unknown): boolean => error instanceof Conflict && error.kind === "idempotency_key"

/** Runs steps against the store: the one place that knows about conflicts. Lost answers and the outbox are seen to in `SentCommits.ts`. */
export class Steps extends Context.Service<Steps, StepsShape>()("@carillon/core/engine/Steps") {
  static readonly layer = Layer.effect(
    Steps,
    Effect.gen(function* () {
      const clock = yield* DomainClock
      const turns = new StepTurns(yield* Activity)
      const again = yield* makeAgain
      const { admit, attempt } = yield* makeSentCommits
      const { decided, drafted, look } = yield* makeDecisions

      const conflicted = (draft: CommitDraft) => () =>
        Effect.fail(new DependencyUnavailable({ dependency: dependencyOf(draft) }))

      /** Writes what was decided, once. At first it looks whether it would be refused by what goes on in this process. */
      const written = <Reply, Refusal>(
        draft: CommitDraft | null,
        decided: Decided<Reply, Refusal>,
        isFirst: boolean,
      ): Effect.Effect<Tried<Reply, Refusal>, PortError> => {
        if (draft === null) return Effect.succeed({ decided, met: null })
        const met = (at: string) => ({
          decided,
          met: { organization_id: draft.organization_id, at, dependency: dependencyOf(draft) },
        })
        const ahead = isFirst ? turns.ahead(draft) : null
        if (ahead !== null) return Effect.succeed(met(ahead))
        return Effect.matchEffect(turns.seen(draft, clock.now(), attempt(draft)), {
          onSuccess: () => Effect.succeed({ decided, met: null }),
          onFailure: (error) => {
            if (isOther(error)) return Effect.fail(error)
            return isForGood(error) ? conflicted(draft)() : Effect.succeed(met(placeOf(error)))
          },
        })
      }

      /** Tries again until it has written, in turn with the others that it meets. */
      const untilWritten = Effect.fnUntraced(function* <Reply, Refusal, E>(
        first: Tried<Reply, Refusal>,
        tried: (isFirst: boolean) => Effect.Effect<Tried<Reply, Refusal>, E>,
      ): Effect.fn.Return<Decided<Reply, Refusal>, E | DependencyUnavailable> {
        let attempts = 1
        let last = first
        while (last.met !== null) {
          const { met } = last
          const untilElsewhere = Effect.gen(function* () {
            for (;;) {
              if (attempts === limits.commitAttempts) {
                return yield* new DependencyUnavailable({ dependency: met.dependency })
              }
              attempts += 1
              const next = yield* again("conflict", tried(false))
              if (next.met?.at !== met.at) return next
            }
          })
          last = yield* turns.within(met, untilElsewhere)
        }
        return last.decided
      })

      /** Waits for a commit of this process that is on its way and replaces a row. */
      const passed = (row: { readonly kind: RowKind; readonly id: string }) =>
        Effect.suspend(() => turns.passed(placeOf(row), clock.now()))

      /** Takes a step, and does nothing yet of what it has done outside. */
      const taken: Take = (step, input, anew) => {
        const tried = (isFirst: boolean) =>
          Effect.flatMap(decided(step, isFirst ? input : anew), (decision) =>
            written(decision.commit, decision.decided, isFirst),
          )
        const taking = Effect.flatMap(tried(true), (first) =>
          first.met === null ? Effect.succeed(first.decided) : untilWritten(first, tried),
        )
        const { awaits } = step
        return awaits === undefined ? taking : Effect.andThen(passed(awaits(input)), taking)
      }

      const errands = yield* makeDoneErrands(taken)

      const propose: StepsShape["propose"] = (step, input) =>
        Effect.flatMap(decided(step, input), (decision) =>
          Effect.andThen(
            decision.commit === null ? Effect.void : attempt(decision.commit),
            errands.answered(decision.decided),
          ),
        )

      /** Lets those go first that wait where a commit was refused. */
      const behind = (organization_id: string, dependency: Dependency, error: unknown) =>
        error instanceof Conflict
          ? turns.within({ organization_id, at: placeOf(error), dependency }, Effect.void)
          : Effect.void

      const anew = <A, E, R>(
        organizationId: string,
        dependency: Dependency,
        effect: Effect.Effect<A, E | Conflict, R>,
        attempts: number = limits.commitAttempts,
      ): Effect.Effect<A, Exclude<E, Conflict> | DependencyUnavailable, R> =>
        Effect.catch(effect, (error) => {
          if (isOther(error)) return Effect.fail(error)
          return attempts > 1 && !isForGood(error)
            ? Effect.andThen(
                behind(organizationId, dependency, error),
                again("conflict", anew(organizationId, dependency, effect, attempts - 1)),
              )
            : Effect.fail(new DependencyUnavailable({ dependency }))
        })

      return Steps.of({
        take: (step, input, anew = input) => Effect.flatMap(taken(step, input, anew), errands.answered),
        begin: (step, input) => Effect.map(taken(step, input, input), errands.answered),
        propose,
        drafted: (step, input) => {
          const { commit, decided } = drafted(step, input)
          return {
            organization_id: commit.organization_id,
            admit: (levels) => Effect.as(admit(commit, levels), errands.answered(decided)),
          }
        },
        look,
        errand: errands.one,
        commit: (draft) => Effect.catchTag(attempt(draft), "Conflict", conflicted(draft)),
        anew: (organizationId, dependency, effect) => anew(organizationId, dependency, effect),
      })
    }),
  )
}
