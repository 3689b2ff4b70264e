import { Context, Effect, Layer } from "effect"
import { type Dependency, DependencyUnavailable, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { outcomeOf, timed } from "../metrics/Measured.ts"
import { CurrentMeters } from "../metrics/Meters.ts"
import { CurrentTracing, traced } from "../operating/Tracing.ts"
import type { Commit, CommitDraft, Decision, Expectation, SlotDemand } from "./Commit.ts"
import { dependencyOf } from "./Dependencies.ts"
import { DomainClock } from "./DomainClock.ts"
import type { Guard } from "./Guards.ts"
import { Outbox } from "../webhooks/Outbox.ts"
import { Alarm } from "./Alarm.ts"
import { Ids } from "./Ids.ts"
import { type AdmissionRefused, Conflict, Store } from "./Store.ts"

interface StepsShape {
  /**
   * Loads and decides until the commit applies: at most five times when rows have changed meanwhile. A commit whose answer
   * timed out is sent again under the same id, so it happens once. A decision is given the time and reads no clock.
   */
  readonly run: <View, Reply, E>(
    load: Effect.Effect<View, E>,
    decide: (view: View, now: number) => Decision<Reply>,
  ) => Effect.Effect<Decision<Reply>, E | PortError>
  /** How guards stand, as a commit expects them. Asked for before the sets are read that they stand for. */
  readonly standing: (...guards: ReadonlyArray<Guard>) => Effect.Effect<ReadonlyArray<Expectation>, PortError>
  /** Writes a commit that rests on nothing that could have changed. */
  readonly commit: (draft: CommitDraft) => Effect.Effect<void, PortError>
  /** Writes a commit once. Whoever has decided it looks again where a row has changed meanwhile. */
  readonly attempt: (draft: CommitDraft) => Effect.Effect<void, Conflict | PortError>
  /** Runs what reads, decides and writes by itself: from its start again where a row has changed meanwhile, at most five times. */
  readonly anew: <A, E, R>(
    dependency: Dependency,
    effect: Effect.Effect<A, E | Conflict, R>,
  ) => Effect.Effect<A, Exclude<E, Conflict> | DependencyUnavailable, R>
  /** The same, provided that the committed calls leave room at every level and no row has changed that it replaces. */
  readonly admit: (
    draft: CommitDraft,
    levels: ReadonlyArray<SlotDemand>,
  ) => Effect.Effect<void, Conflict | AdmissionRefused | PortError>
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
      let nth = 0

      const complete = (draft: CommitDraft): Commit => ({
        expect: [],
        changes: [],
        wakeups: [],
        events: [],
        audit: [],
        ...draft,
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

      const run: StepsShape["run"] = Effect.fnUntraced(function* (load, decide) {
        for (let attempt = 1; ; attempt++) {
          const view = yield* load
          const decision = decide(view, clock.now())
          const draft = decision.commit
          if (draft === null) return decision
          const applied = yield* send(complete(yield* outbox.seal(draft))).pipe(
            Effect.as(true),
            Effect.catchTag(
              "Conflict",
              attempt < limits.commitAttempts ? () => again("conflict", Effect.succeed(false)) : conflicted(draft),
            ),
          )
          if (applied) return decision
        }
      })

      const attempt: StepsShape["attempt"] = (draft) =>
        Effect.flatMap(outbox.seal(draft), (sealed) => send(complete(sealed)))

      const anew = <A, E, R>(
        dependency: Dependency,
        effect: Effect.Effect<A, E | Conflict, R>,
        attempts: number = limits.commitAttempts,
      ): Effect.Effect<A, Exclude<E, Conflict> | DependencyUnavailable, R> =>
        Effect.catch(effect, (error) => {
          if (isOther(error)) return Effect.fail(error)
          return attempts > 1
            ? again("conflict", anew(dependency, effect, attempts - 1))
            : Effect.fail(new DependencyUnavailable({ dependency }))
        })

      return Steps.of({
        run,
        standing: (...guards) =>
          Effect.map(store.versions(guards), (versions) =>
            guards.map((guard, nth) => ({ guard, version: versions[nth] ?? 0 })),
          ),
        commit: (draft) => Effect.catchTag(attempt(draft), "Conflict", conflicted(draft)),
        attempt,
        anew: (dependency, effect) => anew(dependency, effect),
        admit: (draft, levels) =>
          Effect.flatMap(outbox.seal(draft), (sealed) => {
            const commit = complete(sealed)
            return sent(commit, store.admit(commit, levels))
          }),
      })
    }),
  )
}
