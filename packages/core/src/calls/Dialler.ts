import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { Drafted } from "../engine/ports/Drafted.ts"
import { Conflict } from "../engine/ports/Store.ts"
import type { LimitExceeded, PortError } from "../Errors.ts"
import type { WhenGone } from "../keys/rules/Caller.ts"
import { Gate } from "../limits/Gate.ts"
import type { SlotLevel } from "../limits/rules/SlotLevels.ts"
import { limits } from "../Limits.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { makeAcknowledging } from "./Acknowledging.ts"
import type { Call } from "./rules/Call.ts"
import { dialCommits } from "./DialCommits.ts"
import { closed, type DialResult, isNobodysFault, tooLate } from "./rules/DialOutcomes.ts"
import { makeIntending, noLine } from "./Intending.ts"
import { intended } from "./rules/PlaceCall.ts"
import { watchRequester } from "./Requester.ts"
import { makeSettling } from "./Settling.ts"

interface DiallerShape {
  /**
   * Takes a line for the call, commits it with its intent to dial, dials, and commits the outcome. `draftOf` makes the commit
   * of the intended call. Fails with `Conflict` when a row has changed on which that commit rests: nothing stands, and whoever asked
   * decides anew. Fails with `LimitExceeded` when no line came free in time, or the line was lost before it was held, or
   * nobody waits for the answer any more, or while dialling is held: a direct dial leaves no record then, and a booked one is booked as it was.
   */
  readonly dial: <E = never, Seen = never>(
    call: Call,
    waiting: {
      readonly waitMs: number
      readonly whenGone?: WhenGone | undefined
      /** Whether the call may ring at a moment, by what was read. */
      readonly mayRing: (at: number) => boolean
      /**
       * Looks once more at what the dial rests on, where it had to wait for its line, or may not ring any more. If that fails the line goes back, and so does
       * the call where it is committed already.
       */
      readonly again: Effect.Effect<Seen, E>
    },
    /** `seen` is what `again` found, where it looked: the commit rests on that. */
    draftOf: (intended: Call, seen: Seen | undefined) => Drafted,
  ) => Effect.Effect<DialResult, E | LimitExceeded | Conflict | PortError>
  /**
   * The same for a batch contact, in two parts and without waiting: takes a line and commits the call with its contact; `finish` then
   * dials. A dial that is definitely refused for what is not the contact's fault is withdrawn: its record goes and the contact is held.
   */
  readonly begin: (
    call: Call,
    lane: {
      readonly campaign_id: string
      readonly max_concurrent_calls: number | null
      /** Since when the contact could have been dialled (epoch milliseconds). */
      readonly due_at: number
      /** From when on it may not ring any more (epoch milliseconds): then it is stale, or taken back where it is committed. */
      readonly until: number
    },
    draftOf: (intended: Call) => Drafted,
  ) => Effect.Effect<Begun, PortError>
}

/**
 * How a contact's dial ended: it was taken, or at least asked for; it was refused, and the contact is held; or refused once more, which ended its attempt;
 * or its hours closed before it was asked for, and the contact waits as it did.
 */
export type DialEnd = "dialled" | "held" | "burned" | "closed"

/**
 * A contact's call that has its line and is committed, or the level at which there was none, with its ceiling where that is known. `Stale`:
 * somebody has changed meanwhile what the dial rests on: the contact, its batch, its campaign, its agent or its caller ID; or the clock has closed its hours.
 */
export type Begun =
  | { readonly _tag: "Stale" }
  | { readonly _tag: "Full"; readonly level: SlotLevel; readonly max: number | null }
  | { readonly _tag: "Begun"; readonly finish: Effect.Effect<DialEnd> }

/**
 * The one path to the carrier. Its order is fixed (reserve, commit, hold, dial, commit) so that whatever crashes where, a
 * line is never leaked and nobody is rung twice.
 */
export class Dialler extends Context.Service<Dialler, DiallerShape>()("@carillon/core/calls/Dialler") {
  static readonly layer = Layer.effect(
    Dialler,
    Effect.gen(function* () {
      const gate = yield* Gate
      const dialling = yield* Dialling
      const clock = yield* DomainClock
      const commits = yield* dialCommits
      const { commit, giveBack } = commits
      const commitIntended = yield* makeIntending(commits)
      const acknowledged = yield* makeAcknowledging
      const settle = yield* makeSettling

      return Dialler.of({
        dial: Effect.fnUntraced(function* (call, { again, mayRing, waitMs, whenGone }, draftOf) {
          yield* dialling.expected
          const asked = clock.now()
          const requester = yield* watchRequester(whenGone)
          const line = yield* gate.take({
            execution_id: call.execution_id,
            organization_id: call.organization_id,
            agent_id: call.agent_id,
            campaign: null,
            waitMs,
            whenGone: requester.whenGone,
          })
          if (line._tag === "Full") return yield* noLine(line.figures)
          return yield* Effect.uninterruptible(
            Effect.gen(function* () {
              // It may have waited longer than a hold takes to become known.
              const now = clock.now()
              const isOld = now - asked >= limits.lineWaitedMs || !mayRing(now)
              const look = Effect.andThen(dialling.expected, isOld ? again : Effect.succeed(undefined))
              const seen = yield* Effect.onError(look, () =>
                line._tag === "Reserved" ? giveBack(call, line.fence) : Effect.void,
              )
              const placed = yield* commitIntended(call, line, (placing) => draftOf(placing, seen), requester, mayRing)
              // Whoever finds nothing against it now decides anew.
              if (placed === null)
                return yield* Effect.andThen(again, new Conflict({ kind: "call", id: call.execution_id }))
              return (yield* settle(placed, yield* acknowledged(placed, call.scheduled_at ?? asked))).told
            }),
          )
        }, Effect.scoped),
        begin: Effect.fnUntraced(function* (call, lane, draftOf) {
          yield* dialling.expected
          const line = yield* gate.take({ ...call, campaign: lane, waitMs: 0 })
          if (line._tag === "Full") return { _tag: "Full", level: line.level, max: line.figures?.max ?? null }
          const fence = line._tag === "Reserved" ? line.fence : null
          if (clock.now() >= lane.until) {
            if (fence !== null) yield* giveBack(call, fence)
            return { _tag: "Stale" }
          }
          const placed = intended(call, fence, line.levels, clock.now() + limits.questionDelayMs)
          const refused = yield* Effect.flatten(commit(placed, line, draftOf)).pipe(
            Effect.as(null),
            Effect.catchTag("AdmissionRefused", ({ level, max }) =>
              Effect.succeed({ _tag: "Full" as const, level, max }),
            ),
            Effect.catchTag("Conflict", () => Effect.succeed({ _tag: "Stale" as const })),
          )
          if (refused !== null) return refused
          return {
            _tag: "Begun",
            finish: Effect.uninterruptible(
              Effect.gen(function* () {
                const isHeld =
                  line._tag === "Counted" ||
                  (clock.now() < line.until && (yield* gate.hold(call.execution_id, line.fence)) === "Held")
                // Whoever lost a line before it was held came too late for it.
                const outcome =
                  clock.now() >= lane.until ? closed : isHeld ? yield* acknowledged(placed, lane.due_at) : tooLate
                const { withdrawn } = yield* settle(placed, outcome)
                if (outcome._tag === "Closed") return "closed"
                return withdrawn ? "held" : isNobodysFault(outcome) ? "burned" : "dialled"
              }),
            ),
          }
        }),
      })
    }),
  )
}
