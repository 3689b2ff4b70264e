import { Context, Effect, Layer } from "effect"
import type { Admission, Drafted } from "../engine/ports/Drafted.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import type { WhenGone } from "../keys/rules/Caller.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { demandsOf, makeCeilings } from "./Ceilings.ts"
import type { ConcurrencyFigures } from "./rules/ConcurrencyFigures.ts"
import { type CountedLine, makeCountedLines } from "./CountedLines.ts"
import { makeReconcilerWakeups } from "./ReconcilerWakeups.ts"
import { type LineRequest, makeReservedLines, type ReservedLine } from "./ReservedLines.ts"
import { makeSlotOutage } from "./SlotOutage.ts"
import { SlotStore } from "./ports/SlotStore.ts"
import { makeSlotWords } from "./SlotWords.ts"
import { makeTakenLines } from "./TakenLines.ts"

/** The answer of the gate. `Counted`: the slot store is away, and the commit itself must be admitted by the count of committed calls, until when the dial may wait. */
export type Line = ReservedLine | ({ readonly _tag: "Counted" } & CountedLine)

interface GateShape {
  /** Takes a line at all levels or at none, waiting in order for up to `waitMs`. */
  readonly take: (request: LineRequest) => Effect.Effect<Line, PortError>
  /**
   * Commits a call that has no reservation, if the committed calls leave room; waits for a release for what is left of the wait, unless
   * whoever asked is gone. One in another process is found by looking again. Answers what is to be done then.
   */
  readonly admit: <Reply, Refusal>(
    draft: Drafted<Reply, Refusal>,
    line: Extract<Line, { readonly _tag: "Counted" }>,
    executionId: string,
    whenGone?: WhenGone,
  ) => Admission<Reply, Refusal>
  /**
   * Makes the reservation last until it is released. `Lapsed`: nothing may be dialled on it. `Unknown`: the slot store did not answer, and the line
   * is there by the count of committed calls alone.
   */
  readonly hold: (executionId: string, fence: number) => Effect.Effect<"Held" | "Lapsed" | "Unknown">
  /** Says whether contacts of the organization wait for a line, so that freed ones alternate with waiting dials. */
  readonly want: (organizationId: string, wanting: boolean) => Effect.Effect<void>
  /** The organization's ceiling as it binds, and how many of its lines are taken. */
  readonly lines: (
    organizationId: string,
  ) => Effect.Effect<{ readonly limit: number; readonly used: number }, PortError>
  /** Calls back whenever a line was given back, with its organization. Returns how to stop. */
  readonly onFreed: (listener: (organizationId: string) => Effect.Effect<void>) => () => void
  /** Voids what a process reserved that died since, so that it can be given to others. */
  readonly lapse: Effect.Effect<void>
  /** Gives the line back and wakes who waits. Never fails: what it could not tell the slot store, the reconciler repairs. */
  readonly release: (organizationId: string, executionId: string, fence: number | null) => Effect.Effect<void>
  /**
   * A line could not be given back, or not be looked for: soon after, once for all losses of one stretch of time, the memberships are
   * compared with the rows. These wake-ups are apart from the ordinary tick, so that none of them puts off another.
   */
  readonly lost: Effect.Effect<void, PortError>
  /** Says what the slot store could not hear before: lines given back, places left, wishes. */
  readonly resend: Effect.Effect<void, PortError>
  /** The same by the way, where anything is owed, and every two seconds at most; nobody waits for it. */
  readonly sayAgain: Effect.Effect<void>
  /** Gives back a line that its dispatcher could not use, and does not send it for it again at once. */
  readonly decline: (executionId: string, fence: number) => Effect.Effect<void>
  /** Wakes the waiting dials that were granted a line elsewhere. */
  readonly granted: (executionIds: ReadonlyArray<string>) => void
  /**
   * The reconciler's word that the slot store holds what the rows say: from now on it is asked again. While anything is held, the
   * next tick is set.
   */
  readonly reconciled: (anyHeld: boolean) => Effect.Effect<void, PortError>
  readonly figures: (organizationId: string) => Effect.Effect<ConcurrencyFigures, PortError>
  /** Whether the slot store is asked for lines; if not, they are given by the count of committed calls. */
  readonly isTrusted: () => boolean
  /** From now on nobody waits for a line: who does is interrupted, because this process leaves. */
  readonly leave: () => void
}

const requestOutcome = (line: Line) =>
  line._tag === "Full" ? (`${line.level}_full` as const) : line._tag === "Reserved" ? "reserved" : "counted"

/** The four-level gate of live calls (specification, "Concurrency"). The rules are in `SlotLevels.ts`; the memberships in the slot store. */
export class Gate extends Context.Service<Gate, GateShape>()("@carillon/core/limits/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const slots = yield* SlotStore
      const clock = yield* DomainClock
      const meters = yield* CurrentMeters
      const ceilingsOf = yield* makeCeilings
      const counted = yield* makeCountedLines
      const { lost, ticked, watch } = yield* makeReconcilerWakeups
      const words = yield* makeSlotWords(lost, counted.wake)
      const outage = yield* makeSlotOutage(words)
      const reserved = yield* makeReservedLines(words)
      const { figures, lines } = yield* makeTakenLines(ceilingsOf, outage.isTrusted)
      meters?.watch(metrics.linesWaiting, () => reserved.waiting() + counted.waiting())
      meters?.watch(metrics.linesDegraded, () => (outage.isTrusted() ? 0 : 1))

      const asked: GateShape["take"] = Effect.fnUntraced(function* (request) {
        // A line may be given at the end of the wait, and dialled on until its reservation lapses: a minute after a change nobody may.
        const ceilings = yield* ceilingsOf(request.organization_id, request.waitMs + limits.reservationMs)
        const levels = demandsOf(ceilings, request)
        const waitUntil = clock.now() + request.waitMs
        const acquired = reserved.take(request, levels, request.waitMs > 0 ? waitUntil : null)
        yield* watch
        yield* words.sayAgain
        if (!outage.isTrusted()) {
          yield* outage.trustAgain
          return { _tag: "Counted", levels, waitUntil }
        }
        words.asksAgain(request.execution_id)
        // Who is gone, or has no answer, must not be given a line that others wait for.
        const settled = Effect.andThen(
          outage.opened,
          Effect.onError(acquired, () => words.giveUp(request.execution_id)),
        )
        return yield* Effect.catch(settled, () =>
          Effect.as(outage.distrust, { _tag: "Counted" as const, levels, waitUntil }),
        )
      })

      const take: GateShape["take"] = (request) =>
        meters === null
          ? asked(request)
          : Effect.tap(asked(request), (line) =>
              Effect.sync(() => meters.count(metrics.lineRequests, [requestOutcome(line)])),
            )

      return Gate.of({
        take,
        admit: counted.admit,
        hold: (executionId, fence) =>
          slots.hold(executionId, fence).pipe(
            Effect.map((isHeld): "Held" | "Lapsed" => (isHeld ? "Held" : "Lapsed")),
            Effect.catch(() => Effect.as(outage.distrust, "Unknown" as const)),
          ),
        want: words.want,
        lines,
        figures,
        onFreed: words.onFreed,
        lapse: Effect.suspend(() => Effect.ignore(Effect.map(slots.lapse(clock.now()), words.granted))),
        release: words.release,
        decline: words.decline,
        lost,
        resend: words.resend,
        sayAgain: words.sayAgain,
        granted: words.granted,
        reconciled: (anyHeld) => Effect.andThen(outage.trusted, ticked(anyHeld)),
        isTrusted: outage.isTrusted,
        leave: () => {
          reserved.leave()
          counted.leave()
        },
      })
    }),
  )
}
