import { Context, Effect, Layer } from "effect"
import { CallStore } from "../calls/CallStore.ts"
import type { CommitDraft, SlotDemand } from "../engine/Commit.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Parking } from "../engine/Parking.ts"
import type { AdmissionRefused, Conflict } from "../engine/Store.ts"
import { Wakeups } from "../engine/Wakeups.ts"
import type { PortError } from "../Errors.ts"
import type { WhenGone } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import { metrics } from "../metrics/Catalogue.ts"
import { CurrentMeters } from "../metrics/Meters.ts"
import { demandsOf, type LineFor, makeCeilings } from "./Ceilings.ts"
import { compare } from "./Comparison.ts"
import { type ConcurrencyFigures, figuresOf } from "./ConcurrencyFigures.ts"
import { type CountedLine, makeCountedLines, waitingKey } from "./CountedLines.ts"
import { countedFence, everyHolder, restoreLine } from "./Holders.ts"
import { effectiveMax, type SlotLevel } from "./SlotLevels.ts"
import { type LostWord, Owed } from "./Owed.ts"
import { SlotNews } from "./SlotNews.ts"
import { type SlotAnswer, SlotStore } from "./SlotStore.ts"
import { SlotTrust } from "./SlotTrust.ts"

/** Who asks for a line. */
export interface LineRequest extends LineFor {
  readonly execution_id: string
  /** How long to wait in line, in milliseconds of domain time; 0 does not wait. */
  readonly waitMs: number
  /** Who is gone leaves the line. */
  readonly whenGone?: WhenGone | undefined
}

/**
 * The answer of the gate. `Reserved`: a fenced membership, to be held once the call is committed, and before `until`. `Counted`: the slot store is
 * away, and the commit itself must be admitted by the count of committed calls, until when the dial may wait. `Full` with null
 * figures: they cannot be read.
 */
export type Line =
  | {
      readonly _tag: "Reserved"
      readonly fence: number
      readonly levels: ReadonlyArray<SlotDemand>
      readonly until: number
    }
  | ({ readonly _tag: "Counted" } & CountedLine)
  | {
      readonly _tag: "Full"
      readonly level: SlotLevel
      readonly figures: { readonly used: number; readonly max: number } | null
    }

interface GateShape {
  /** Takes a line at all levels or at none, waiting in order for up to `waitMs`. */
  readonly take: (request: LineRequest) => Effect.Effect<Line, PortError>
  /**
   * Commits a call that has no reservation, if the committed calls leave room; waits for a release for what is left of the wait, unless
   * whoever asked is gone. One in another process is found by looking again.
   */
  readonly admit: (
    draft: CommitDraft,
    line: Extract<Line, { readonly _tag: "Counted" }>,
    executionId: string,
    whenGone?: WhenGone,
  ) => Effect.Effect<void, Conflict | AdmissionRefused | PortError>
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
      const calls = yield* CallStore
      const wakeups = yield* Wakeups
      const parking = yield* Parking
      const activity = yield* Activity
      const clock = yield* DomainClock
      const meters = yield* CurrentMeters
      const trust = new SlotTrust()
      /** Dials that wait in its line. */
      const inLine = new Set<string>()
      let isLeaving = false
      const resolve = yield* makeCeilings
      const counted = yield* makeCountedLines
      meters?.watch(metrics.linesWaiting, () => inLine.size + counted.waiting())
      meters?.watch(metrics.linesDegraded, () => (trust.isTrusted ? 0 : 1))

      const restored = Effect.gen(function* () {
        for (const [member, call] of yield* everyHolder(calls)) yield* restoreLine(slots, member, call)
        trust.opened()
      })
      const opening = activity.once(Effect.uninterruptible(restored))

      const distrust = Effect.suspend(() =>
        trust.fails(clock.now())
          ? Effect.logWarning("The slot store failed: lines are given by the count of committed calls.")
          : Effect.void,
      )

      const trusted = Effect.suspend(() =>
        trust.holds()
          ? Effect.logInfo("The slot store holds what the rows say: it is asked for lines again.")
          : Effect.void,
      )

      const owed = new Owed(slots, calls, clock)
      const resend = Effect.suspend(() =>
        owed.say(
          (organizationId) => tellFreed(organizationId),
          (executionIds) => granted(executionIds),
        ),
      )
      /** Nobody else knows what this process owes. It says so on its way, so that a world in which nothing else is due stands still. */
      const sayAgain = Effect.suspend(() =>
        owed.isToSay() ? Effect.asVoid(activity.fork(Effect.ignore(resend))) : Effect.void,
      )
      const owe = (word: LostWord) => Effect.sync(() => owed.keep(word))

      /** The dial asks no more: neither its place in line nor a line that was reserved for it there may stay behind. */
      const giveUp = (executionId: string) =>
        Effect.catch(Effect.map(slots.leave(executionId, clock.now()), granted), () =>
          Effect.andThen(owe({ _tag: "Place", execution_id: executionId }), Effect.ignore(lost)),
        )

      /** What the rows prove is entered, and what they disprove is taken out, before the slot store has a say again. */
      const compared = Effect.gen(function* () {
        yield* resend
        const { stale } = yield* compare(slots, calls, clock.now())
        for (const { execution_id, fence, organization_id } of stale) {
          granted(yield* slots.release(execution_id, fence, clock.now()))
          yield* tellFreed(organization_id)
        }
      })

      /** Nobody waits for it: until it has come to its end the committed calls are counted. */
      const trustAgain = Effect.suspend(() =>
        trust.isToCompare(clock.now())
          ? Effect.asVoid(activity.fork(Effect.ignore(Effect.andThen(compared, trusted))))
          : Effect.void,
      )

      const acquire = (request: LineRequest, levels: ReadonlyArray<SlotDemand>, waitUntil: number | null) => {
        const now = clock.now()
        return slots.acquire({
          execution_id: request.execution_id,
          organization_id: request.organization_id,
          levels,
          now,
          reservedUntil: (waitUntil ?? now) + limits.reservationMs,
          waitUntil,
        })
      }

      const answer = (slot: SlotAnswer, levels: ReadonlyArray<SlotDemand>, askedAt: number): Line =>
        slot._tag === "Acquired"
          ? { _tag: "Reserved", fence: slot.fence, levels, until: askedAt + limits.reservationMs }
          : { _tag: "Full", level: slot.level, figures: { used: slot.used, max: slot.max } }

      const waitInLine = Effect.fnUntraced(function* (
        request: LineRequest,
        levels: ReadonlyArray<SlotDemand>,
        deadline: number,
      ): Effect.fn.Return<Line, PortError> {
        const began = clock.now()
        const ticket = parking.park(waitingKey(request.execution_id), deadline)
        const first = yield* Effect.onError(acquire(request, levels, deadline), () => ticket.cancel)
        if (first._tag === "Acquired") {
          yield* ticket.cancel
          return answer(first, levels, began)
        }
        // What a process that died has left reserved may be all that is in the way.
        granted(yield* Effect.onError(slots.lapse(clock.now()), () => ticket.cancel))
        const key = waitingKey(request.execution_id)
        let isGone = false
        const stay = request.whenGone?.(() => {
          isGone = true
          parking.wake(key)
        })
        inLine.add(key)
        if (isLeaving) parking.wake(key)
        yield* ticket.wait.pipe(Effect.ensuring(Effect.sync(() => inLine.delete(key))))
        stay?.()
        // Granted meanwhile, or the last look at the deadline: a member that asks again gets its own fence.
        const looked = clock.now()
        const last = yield* acquire(request, levels, null)
        if (last._tag === "Blocked") yield* giveUp(request.execution_id)
        else if (isGone || isLeaving) yield* release(request.organization_id, request.execution_id, last.fence)
        if (isLeaving) return yield* Effect.interrupt
        return isGone ? { _tag: "Full", level: first.level, figures: null } : answer(last, levels, looked)
      })

      const asked: GateShape["take"] = Effect.fnUntraced(function* (request) {
        // A line may be given at the end of the wait, and dialled on until its reservation lapses: a minute after a change nobody may.
        const ceilings = yield* resolve(request.organization_id, request.waitMs + limits.reservationMs)
        const levels = demandsOf(ceilings, request)
        const now = clock.now()
        const waitUntil = now + request.waitMs
        const acquired =
          request.waitMs > 0
            ? waitInLine(request, levels, waitUntil)
            : Effect.map(acquire(request, levels, null), (slot) => answer(slot, levels, now))
        yield* watch
        yield* sayAgain
        if (!trust.isTrusted) {
          yield* trustAgain
          return { _tag: "Counted", levels, waitUntil }
        }
        const opened = trust.isOpened ? Effect.void : opening
        owed.asksAgain(request.execution_id)
        // Who is gone, or has no answer, must not be given a line that others wait for.
        const settled = Effect.andThen(
          opened,
          Effect.onError(acquired, () => giveUp(request.execution_id)),
        )
        return yield* Effect.catch(settled, () => Effect.as(distrust, { _tag: "Counted" as const, levels, waitUntil }))
      })

      const take: GateShape["take"] = (request) =>
        meters === null
          ? asked(request)
          : Effect.tap(asked(request), (line) =>
              Effect.sync(() => meters.count(metrics.lineRequests, [requestOutcome(line)])),
            )

      const granted = (executionIds: ReadonlyArray<string>) => {
        for (const id of executionIds) parking.wake(waitingKey(id))
      }
      const news = yield* SlotNews
      yield* Effect.acquireRelease(
        Effect.sync(() => news.subscribe(granted)),
        (stop) => Effect.sync(stop),
      )
      const run = Effect.runForkWith(yield* Effect.context<never>())
      yield* Effect.acquireRelease(
        Effect.sync(() => news.onBack?.(() => void run(activity.fork(Effect.ignore(resend))))),
        (stop) => Effect.sync(() => stop?.()),
      )

      const listeners = new Set<(organizationId: string) => Effect.Effect<void>>()
      const tellFreed = (organizationId: string) =>
        Effect.forEach(listeners, (listener) => listener(organizationId), { discard: true })

      let toldLoss = -Infinity
      const lost = Effect.suspend(() => {
        const nth = Math.floor(clock.now() / limits.releaseRetryMs)
        if (nth === toldLoss) return Effect.void
        const at = (nth + 1) * limits.releaseRetryMs
        return Effect.tap(wakeups.set({ kind: "slots", subject: `loss ${nth}`, at }), () =>
          Effect.sync(() => {
            toldLoss = nth
          }),
        )
      })

      const giveBack = (executionId: string, fence: number, organizationId: string | null) =>
        slots.release(executionId, fence, clock.now()).pipe(
          Effect.map(granted),
          Effect.catch(() => {
            const word = { _tag: "Line" as const, execution_id: executionId, fence, organization_id: organizationId }
            return Effect.andThen(owe(word), Effect.ignore(lost))
          }),
          Effect.tap(() => Effect.sync(counted.wake)),
        )

      const decline: GateShape["decline"] = (executionId, fence) => giveBack(executionId, fence, null)

      const release: GateShape["release"] = (organizationId, executionId, fence) =>
        Effect.andThen(giveBack(executionId, fence ?? countedFence, organizationId), tellFreed(organizationId))

      const takenLines = (organizationId: string) => {
        const key = [{ level: "organization" as const, key: organizationId }]
        const committed = calls.holding(key.map((level) => ({ ...level, ceiling: null })))
        return (trust.isTrusted ? Effect.catch(slots.used(key), () => committed) : committed).pipe(
          Effect.map(([taken = 0]) => taken),
        )
      }
      /** When the reconciler ticks next, as far as this process knows; null when nothing was held at its last tick. */
      let nextTick: number | null = null

      const watchAgain = Effect.suspend(() => {
        nextTick = clock.now() + limits.reconcileMs
        return wakeups.set({ kind: "slots", subject: "platform", at: nextTick })
      })

      /** Sees to it that the reconciler ticks while lines are held. A tick that fails is tried again for a while before it counts as lost. */
      const watch = Effect.suspend(() =>
        nextTick === null || clock.now() > nextTick + limits.wakeupRetries * limits.wakeupRetryMs
          ? Effect.ignore(watchAgain)
          : Effect.void,
      )

      return Gate.of({
        take,
        admit: counted.admit,
        granted,
        reconciled: (anyHeld) =>
          Effect.andThen(
            trusted,
            Effect.suspend(() => {
              nextTick = null
              return anyHeld ? watchAgain : Effect.void
            }),
          ),
        hold: (executionId, fence) =>
          slots.hold(executionId, fence).pipe(
            Effect.map((isHeld): "Held" | "Lapsed" => (isHeld ? "Held" : "Lapsed")),
            Effect.catch(() => Effect.as(distrust, "Unknown" as const)),
          ),
        want: (organizationId, wanting) =>
          Effect.matchEffect(slots.want(organizationId, wanting, clock.now()), {
            onSuccess: (executionIds) =>
              Effect.sync(() => {
                owed.hasHeard(organizationId)
                granted(executionIds)
              }),
            onFailure: () => owe({ _tag: "Wish", organization_id: organizationId, wanting }),
          }),
        lines: Effect.fnUntraced(function* (organizationId) {
          const ceilings = yield* resolve(organizationId)
          const limit = ceilings.enforced ? effectiveMax(ceilings) : ceilings.platform
          return { limit, used: yield* takenLines(organizationId) }
        }),
        leave: () => {
          isLeaving = true
          for (const key of inLine) parking.wake(key)
          counted.leave()
        },
        onFreed: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        isTrusted: () => trust.isTrusted,
        release,
        lost,
        resend,
        sayAgain,
        lapse: Effect.suspend(() => Effect.ignore(Effect.map(slots.lapse(clock.now()), granted))),
        decline,
        figures: Effect.fnUntraced(function* (organizationId) {
          const ceilings = yield* resolve(organizationId)
          return figuresOf(ceilings, yield* takenLines(organizationId))
        }),
      })
    }),
  )
}
