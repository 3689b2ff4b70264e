import { Effect } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { outcomeOf } from "./rules/Ended.ts"
import { CurrentTracing, traced } from "./ports/Tracing.ts"
import { Outbox } from "./ports/Outbox.ts"
import { Alarm } from "./Alarm.ts"
import type { Commit, CommitDraft } from "./rules/Commit.ts"
import { type AgainReason, type CommitEnd, CurrentCommitMeter } from "./ports/CommitMeter.ts"
import type { SlotDemand } from "../Changes.ts"
import { Ids } from "./ports/Ids.ts"
import { type AdmissionRefused, type Conflict, Store } from "./ports/Store.ts"
import { wakeupOf } from "./rules/Wakeup.ts"

/** How a commit's end is counted. */
const commitOutcomes = {
  ok: "applied",
  Conflict: "conflict",
  AdmissionRefused: "full",
  DependencyUnavailable: "unavailable",
  DependencyTimeout: "timeout",
  InvalidField: "invalid",
} as const satisfies { readonly [outcome: string]: CommitEnd }

const timedOut = (error: { readonly _tag: string }): boolean => error._tag === "DependencyTimeout"

const isAway = (error: { readonly _tag: string }): boolean => error._tag === "DependencyUnavailable"

/** An effect that is run again, counted as what it is run again for. */
export const makeAgain = Effect.gen(function* () {
  const meter = yield* CurrentCommitMeter
  return <A, E, R>(reason: AgainReason, effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      meter?.again(reason)
      return effect
    })
})

/** Sends drafts to the store as whole commits: events sealed into the outbox, under one id however often they are sent, measured and under a span. */
export const makeSentCommits = Effect.gen(function* () {
  const store = yield* Store
  const ids = yield* Ids
  const outbox = yield* Outbox
  const alarm = yield* Alarm
  const meter = yield* CurrentCommitMeter
  const isTraced = yield* CurrentTracing
  const again = yield* makeAgain
  let nth = 0

  const complete = ({
    audit = [],
    changes = [],
    events = [],
    expect = [],
    organization_id,
    wakeups = [],
  }: CommitDraft): Commit => ({
    expect,
    changes,
    events,
    audit,
    organization_id,
    wakeups: wakeups.map((change) => wakeupOf(organization_id, change)),
    id: ids.mint("commit", organization_id, nth++),
  })

  /** What a commit has set may be due before the driver would look again. */
  const ring = (commit: Commit): void => {
    for (const wakeup of commit.wakeups) if ("set" in wakeup) alarm.ring(wakeup.set.at)
  }

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
        ? Effect.mapError(again("answer_lost", resent(effect, resends - 1)), (later) => (isAway(later) ? error : later))
        : Effect.fail(error),
    )

  const counted = <E extends AdmissionRefused | Conflict | PortError>(effect: Effect.Effect<void, E>) =>
    meter === null
      ? effect
      : Effect.onExitPrimitive(effect, (exit): undefined => {
          const outcome = outcomeOf(exit)
          if (outcome !== null) meter.ended(commitOutcomes[outcome])
        })

  const sent = <E extends AdmissionRefused | Conflict | PortError>(
    draft: CommitDraft,
    write: (commit: Commit) => Effect.Effect<void, E>,
  ) =>
    Effect.flatMap(outbox.seal(draft), (sealed) => {
      const commit = complete(sealed)
      const span = () => ({
        name: "carillon.commit",
        attributes: { "carillon.commit.changes": commit.changes.map(({ put }) => put).join(" ") },
      })
      const spanned = traced(isTraced, span, counted(resent(write(commit))))
      return Effect.map(spanned, () => ring(commit))
    })

  return {
    /** Writes a commit once. */
    attempt: (draft: CommitDraft) => sent(draft, (commit) => store.commit(commit)),
    /** The same, provided that the committed calls leave room at every level. */
    admit: (draft: CommitDraft, levels: ReadonlyArray<SlotDemand>) =>
      sent(draft, (commit) => store.admit(commit, levels)),
  }
})
