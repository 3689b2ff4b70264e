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
import { dialCommits } from "./DialCommits.ts"
import { Requesters } from "./Requesters.ts"
import type { Call } from "./rules/Call.ts"
import type { Lined } from "./rules/DialErrand.ts"
import { type Dialled, noLine, refusalOf } from "./rules/Dialled.ts"
import type { DialResult } from "./rules/DialOutcomes.ts"

interface DiallerShape {
  /**
   * Takes a line for the call, commits it with its intent to dial, and has it dialled, which commits the outcome. `draftOf` makes the commit
   * of the intended call. Fails with `Conflict` when a row has changed on which that commit rests: nothing stands, and whoever asked
   * decides anew. Fails with `LimitExceeded` when no line came free in time, or the line was lost before it was held, or
   * nobody waits for the answer any more, or while dialling is held: a direct dial leaves no record then, and a booked one is booked as it was.
   */
  readonly dial: <E = never, Seen = never>(
    call: Call,
    waiting: {
      readonly waitMs: number
      readonly whenGone?: WhenGone | undefined
      /** From when on the call may not ring any more, by what was read (epoch milliseconds). */
      readonly until: number
      /**
       * Looks once more at what the dial rests on, where it had to wait for its line, or may not ring any more. If that fails the line goes back, and so does
       * the call where it is committed already.
       */
      readonly again: Effect.Effect<Seen, E>
    },
    /** `seen` is what `again` found, where it looked: the commit rests on that. */
    draftOf: (lined: Lined, seen: Seen | undefined) => Drafted<Dialled>,
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
    draftOf: (lined: Lined) => Drafted<Dialled>,
  ) => Effect.Effect<Begun, PortError>
}

/**
 * A contact's call that has its line and is committed, or the level at which there was none, with its ceiling where that is known. `Stale`:
 * somebody has changed meanwhile what the dial rests on: the contact, its batch, its campaign, its agent or its caller ID; or the clock has closed its hours.
 */
export type Begun =
  | { readonly _tag: "Stale" }
  | { readonly _tag: "Full"; readonly level: SlotLevel; readonly max: number | null }
  | { readonly _tag: "Begun"; readonly finish: Effect.Effect<Dialled, PortError> }

/**
 * The one path to the carrier. Its order is fixed (reserve, commit, hold, dial, commit) so that whatever crashes where, a
 * line is never leaked and nobody is rung twice. The dialler reserves and commits; the rest is the errand of what it has committed (`DialErrands.ts`).
 */
export class Dialler extends Context.Service<Dialler, DiallerShape>()("@carillon/core/calls/Dialler") {
  static readonly layer = Layer.effect(
    Dialler,
    Effect.gen(function* () {
      const gate = yield* Gate
      const dialling = yield* Dialling
      const clock = yield* DomainClock
      const requesters = yield* Requesters
      const { commit, giveBack } = yield* dialCommits

      return Dialler.of({
        dial: Effect.fnUntraced(function* (call, { again, until, waitMs, whenGone: asksGone }, draftOf) {
          yield* dialling.expected
          const asked = clock.now()
          const { agent_id, execution_id, organization_id } = call
          const whenGone = yield* requesters.watch(execution_id, asksGone)
          const line = yield* gate.take({ execution_id, organization_id, agent_id, campaign: null, waitMs, whenGone })
          if (line._tag === "Full") return yield* noLine(line.figures)
          return yield* Effect.uninterruptible(
            Effect.gen(function* () {
              // It may have waited longer than a hold takes to become known.
              const now = clock.now()
              const isOld = now - asked >= limits.lineWaitedMs || now >= until
              const look = Effect.andThen(dialling.expected, isOld ? again : Effect.succeed(undefined))
              const seen = yield* Effect.onError(look, () => giveBack(call, line))
              const dial = { call, line, due_at: call.scheduled_at ?? asked, whenGone }
              const dialled = yield* commit(dial, (lined) => draftOf(lined, seen)).pipe(
                Effect.catchTag("AdmissionRefused", () => Effect.fail(noLine(null))),
                Effect.flatten,
              )
              if (dialled._tag === "Settled") return dialled.result
              if (dialled.because !== "closed") return yield* refusalOf(dialled.because)
              // Whoever finds nothing against it now decides anew.
              return yield* Effect.andThen(again, new Conflict({ kind: "call", id: execution_id }))
            }),
          )
        }, Effect.scoped),
        begin: Effect.fnUntraced(function* (call, lane, draftOf) {
          yield* dialling.expected
          const line = yield* gate.take({ ...call, campaign: lane, waitMs: 0 })
          if (line._tag === "Full") return { _tag: "Full", level: line.level, max: line.figures?.max ?? null }
          if (clock.now() >= lane.until) return yield* Effect.as(giveBack(call, line), { _tag: "Stale" as const })
          return yield* commit({ call, line, due_at: lane.due_at }, draftOf).pipe(
            Effect.map((dial) => ({ _tag: "Begun" as const, finish: Effect.uninterruptible(dial) })),
            Effect.catchTag("AdmissionRefused", ({ level, max }) =>
              Effect.succeed({ _tag: "Full" as const, level, max }),
            ),
            Effect.catchTag("Conflict", () => Effect.succeed({ _tag: "Stale" as const })),
          )
        }),
      })
    }),
  )
}
