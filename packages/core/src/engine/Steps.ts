import { Context, Effect, Layer, Result } from "effect"
import { AuditEntries } from "../audit/AuditEntries.ts"
import { type Dependency, DependencyUnavailable, type PortError } from "../Errors.ts"
import { type By, type ByRow, organizationOf } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { outcomeOf, timed } from "../metrics/Measured.ts"
import { CurrentMeters } from "../metrics/Meters.ts"
import { CurrentTracing, traced } from "../operating/Tracing.ts"
import { sources as sourcesOf } from "../Sources.ts"
import type { RowKind } from "../Rows.ts"
import { Outbox } from "../webhooks/Outbox.ts"
import { Activity } from "./Activity.ts"
import { Alarm } from "./Alarm.ts"
import { Chance } from "./Chance.ts"
import type { Commit, CommitDraft } from "./Commit.ts"
import { dependencyOf } from "./Dependencies.ts"
import { DomainClock } from "./DomainClock.ts"
import type { Drafted } from "./Drafted.ts"
import { draftOf } from "./Drafting.ts"
import { Grounds, read, readBefore } from "./Grounds.ts"
import { Ids } from "./Ids.ts"
import { moments } from "./Moment.ts"
import type { Reading } from "./Reading.ts"
import type { Refusals, Step } from "./Step.ts"
import { type Meeting, placeOf, StepTurns } from "./StepTurns.ts"
import { type AdmissionRefused, Conflict, Store } from "./Store.ts"
import { wakeupOf } from "./Wakeups.ts"

/** Whether a step that reads too much is a defect. It is where steps are tried out; elsewhere it is only slow. */
export const StepsAreBounded = Context.Reference<boolean>("@carillon/core/engine/StepsAreBounded", {
  defaultValue: () => false,
})

interface StepsShape {
  /**
   * Takes a step: asks for what it reads, a round after the other, decides, and writes the outcome. What was read must still hold when it is
   * written; where it does not, the step reads and decides anew: at most `limits.commitAttempts` times, and then in turn with the others that
   * meet at the same row or guard (`StepTurns.ts`). A commit whose answer timed out is sent again under the same id, so it happens once.
   * Whoever has just written a row may give it with the input, so that it is not read: `anew` is the input without it, from the second try on.
   * Where the step says for which row it waits (`awaits`), nothing is read before a commit of this process is written that replaces it.
   */
  readonly take: <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
    step: Step<In, View, Reply, ReadRefusal, Refusal>,
    input: In,
    anew?: In,
  ) => Effect.Effect<Reply, Refusals<ReadRefusal, Refusal> | PortError>
  /**
   * Takes a step once that somebody proposes by what they have read before (`seen`). Where a row has changed meanwhile it fails with `Conflict`, and
   * whoever has proposed it looks anew.
   */
  readonly propose: <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
    step: Step<In, View, Reply, ReadRefusal, Refusal>,
    input: In,
  ) => Effect.Effect<Reply, Refusals<ReadRefusal, Refusal> | Conflict | PortError>
  /** The commit of a step that is proposed and reads nothing, for whoever writes it once there is a line for it. It does not refuse. */
  readonly drafted: <In extends By | ByRow, View, Reply>(step: Step<In, View, Reply>, input: In) => Drafted
  /** Reads without deciding anything. */
  readonly look: <View, Refusal>(
    reading: () => Reading<View, Refusal>,
  ) => Effect.Effect<View, Refusals<Refusal, never> | PortError>
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

/** What comes of a step that has read: what is written, null for nothing, and what is answered. */
interface Decision<Reply> {
  readonly commit: CommitDraft | null
  readonly reply: Reply
}

/** What was decided, and where the step met others and has written nothing. */
interface Tried<Decided> {
  readonly decided: Decided
  readonly met: Meeting | null
}

/** How a commit's end is counted. */
const commitOutcomes = {
  ok: "applied",
  Conflict: "conflict",
  AdmissionRefused: "full",
  DependencyUnavailable: "unavailable",
  DependencyTimeout: "timeout",
  InvalidField: "invalid",
} as const

/** On whose behalf an input says that a step is taken. */
const knownBy = (input: By | ByRow): By => {
  if ("caller" in input) return input
  if (input.organization_id === null) throw new Error("A step that only rows know the owner of says whose they are.")
  return { organization_id: input.organization_id }
}

const timedOut = (error: { readonly _tag: string }): boolean => error._tag === "DependencyTimeout"

const isAway = (error: { readonly _tag: string }): boolean => error._tag === "DependencyUnavailable"

const isOther = <E>(error: E | Conflict): error is Exclude<E, Conflict> => !(error instanceof Conflict)

/** Runs steps against the store: the one place that knows about conflicts and lost answers, and that seals events into the outbox. */
export class Steps extends Context.Service<Steps, StepsShape>()("@carillon/core/engine/Steps") {
  static readonly layer = Layer.effect(
    Steps,
    Effect.gen(function* () {
      const store = yield* Store
      const ids = yield* Ids
      const outbox = yield* Outbox
      const alarm = yield* Alarm
      const meters = yield* CurrentMeters
      const isTraced = yield* CurrentTracing
      const clock = yield* DomainClock
      const entries = yield* AuditEntries
      const sources = yield* sourcesOf
      const rowsAtMost = (yield* StepsAreBounded) ? limits.stepRows : null
      const unlimited = rowsAtMost === null ? null : Infinity
      const moment = moments(clock.now, ids, yield* Chance)
      const turns = new StepTurns(yield* Activity)
      let nth = 0

      const complete = (draft: CommitDraft): Commit => ({
        expect: [],
        changes: [],
        events: [],
        audit: [],
        ...draft,
        wakeups: (draft.wakeups ?? []).map((change) => wakeupOf(draft.organization_id, change)),
        id: ids.mint("commit", draft.organization_id, nth++),
      })

      const conflicted = (draft: CommitDraft) => () =>
        Effect.fail(new DependencyUnavailable({ dependency: dependencyOf(draft) }))

      /** What a commit has set may be due before the driver would look again. */
      const ring = (commit: Commit) =>
        Effect.sync(() => {
          for (const wakeup of commit.wakeups) if ("set" in wakeup) alarm.ring(wakeup.set.at)
        })

      const again = <A, E, R>(reason: "conflict" | "answer_lost", effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          meters?.count(metrics.commitRetries, [reason])
          return effect
        })

      /**
       * Sends again what may have been applied without an answer; its id sees to it that it happens once. While the store is then away,
       * nobody knows whether it has.
       */
      const resent = <E extends { readonly _tag: string }>(
        effect: Effect.Effect<void, E>,
        resends: number = limits.commitResends,
      ): Effect.Effect<void, E> =>
        Effect.catch(effect, (error) =>
          timedOut(error) && resends > 0
            ? Effect.mapError(again("answer_lost", resent(effect, resends - 1)), (later) =>
                isAway(later) ? error : later,
              )
            : Effect.fail(error),
        )

      const counted = <E extends AdmissionRefused | Conflict | PortError>(effect: Effect.Effect<void, E>) =>
        timed(meters, effect, (to, _seconds, exit) => {
          const outcome = outcomeOf(exit)
          if (outcome !== null) to.count(metrics.commits, [commitOutcomes[outcome]])
        })

      const sent = <E extends AdmissionRefused | Conflict | PortError>(
        commit: Commit,
        effect: Effect.Effect<void, E>,
      ) => {
        const span = () => ({
          name: "carillon.commit",
          attributes: { "carillon.commit.changes": commit.changes.map(({ put }) => put).join(" ") },
        })
        const spanned = traced(isTraced, span, counted(resent(effect)))
        return Effect.andThen(spanned, ring(commit))
      }

      const send = (commit: Commit) => sent(commit, store.commit(commit))

      const attempt = (draft: CommitDraft): Effect.Effect<void, Conflict | PortError> =>
        Effect.flatMap(outbox.seal(draft), (sealed) => send(complete(sealed)))

      /** Writes what was decided, once. At first it looks whether it would be refused by what goes on in this process. */
      const written = <Decided>(
        draft: CommitDraft | null,
        decided: Decided,
        isFirst: boolean,
      ): Effect.Effect<Tried<Decided>, PortError> => {
        if (draft === null) return Effect.succeed({ decided, met: null })
        const met = (at: string) => ({
          decided,
          met: { organization_id: draft.organization_id, at, dependency: dependencyOf(draft) },
        })
        const ahead = isFirst ? turns.ahead(draft) : null
        if (ahead !== null) return Effect.succeed(met(ahead))
        return turns.seen(draft, clock.now(), attempt(draft)).pipe(
          Effect.as({ decided, met: null }),
          Effect.catchTag("Conflict", (conflict) => Effect.succeed(met(placeOf(conflict)))),
        )
      }

      /** Tries until it has written, in turn with the others that it meets. */
      const untilWritten = Effect.fnUntraced(function* <Decided, E>(
        tried: (isFirst: boolean) => Effect.Effect<Tried<Decided>, E>,
      ): Effect.fn.Return<Decided, E | DependencyUnavailable> {
        let attempts = 1
        let last = yield* tried(true)
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

      /** What comes of a step that has read. */
      const concluded = <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
        { decide, name }: Step<In, View, Reply, ReadRefusal, Refusal>,
        input: In,
        view: View,
        grounds: Grounds,
      ): Result.Result<Decision<Reply>, Refusal> => {
        const at = moment()
        const { answer, audit, by, changes, events, kept, wakeups } = decide(input, view, at)
        return Result.map(answer, (reply) => {
          if (changes === null) return { commit: null, reply }
          const whose = by ?? knownBy(input)
          const draft = draftOf(organizationOf(whose), changes, grounds, at.now, wakeups)
          const recorded = audit.map((entry) => entries.of(whose, { action: name, ...entry }))
          return { commit: { ...draft, events, audit: [...kept, ...recorded] }, reply }
        })
      }

      /** Reads and decides. */
      const decided = Effect.fnUntraced(function* <In extends By | ByRow, View, Reply, ReadRefusal, Refusal>(
        step: Step<In, View, Reply, ReadRefusal, Refusal>,
        input: In,
      ): Effect.fn.Return<Decision<Reply>, Refusals<ReadRefusal, Refusal> | PortError> {
        const grounds = new Grounds()
        const atMost = step.whole === undefined ? rowsAtMost : unlimited
        const view = yield* read(step.reads(input), sources, grounds, atMost)
        const decision = concluded(step, input, view, grounds)
        return Result.isFailure(decision) ? yield* Effect.fail(decision.failure) : decision.success
      })

      const waiting = (draft: CommitDraft): Drafted => ({
        organization_id: draft.organization_id,
        admit: (levels) =>
          Effect.flatMap(outbox.seal(draft), (sealed) => {
            const commit = complete(sealed)
            return sent(commit, store.admit(commit, levels))
          }),
      })

      const drafted: StepsShape["drafted"] = (step, input) => {
        const [view, grounds] = readBefore(step.reads(input))
        const decision = concluded(step, input, view, grounds)
        if (Result.isFailure(decision) || decision.success.commit === null) {
          throw new Error(`Nothing comes of ${step.name}, which was drafted for who has a line.`)
        }
        return waiting(decision.success.commit)
      }

      const propose: StepsShape["propose"] = (step, input) =>
        Effect.flatMap(decided(step, input), ({ commit, reply }) =>
          commit === null ? Effect.succeed(reply) : Effect.as(attempt(commit), reply),
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
          return attempts > 1
            ? Effect.andThen(
                behind(organizationId, dependency, error),
                again("conflict", anew(organizationId, dependency, effect, attempts - 1)),
              )
            : Effect.fail(new DependencyUnavailable({ dependency }))
        })

      return Steps.of({
        take: (step, input, anew = input) => {
          const taken = untilWritten((isFirst) =>
            Effect.flatMap(decided(step, isFirst ? input : anew), ({ commit, reply }) =>
              written(commit, reply, isFirst),
            ),
          )
          const { awaits } = step
          return awaits === undefined ? taken : Effect.andThen(passed(awaits(input)), taken)
        },
        propose,
        drafted,
        look: (reading) => Effect.suspend(() => read(reading(), sources, null, null)),
        commit: (draft) => Effect.catchTag(attempt(draft), "Conflict", conflicted(draft)),
        anew: (organizationId, dependency, effect) => anew(organizationId, dependency, effect),
      })
    }),
  )
}
