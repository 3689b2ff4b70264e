import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { formatUtc } from "../time/Timestamp.ts"
import { metrics } from "../metrics/rules/Catalogue.ts"
import { timed } from "../metrics/ports/Measured.ts"
import { CurrentMeters } from "../metrics/ports/Meters.ts"
import { Activity } from "../engine/Activity.ts"
import { Alarm } from "../engine/Alarm.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { failedHandlers } from "./FailedHandlers.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { LostProcesses } from "./rules/LostProcesses.ts"
import { Parking } from "../engine/Parking.ts"
import { TimeHeap } from "../engine/rules/TimeHeap.ts"
import { type ClaimOrder, Wakeups } from "../engine/ports/Wakeups.ts"
import { housekeepingWakeups, type WakeupClaim } from "../engine/rules/Wakeup.ts"

/** Handles what is due; answers when to look at the subject again where nothing else will say so. `isOurs` says whether it may go on. */
export type Handler = (claim: WakeupClaim, isOurs: () => boolean) => Effect.Effect<number | null, PortError>

interface ClaimsShape {
  /** By which name others know this process. */
  readonly process: string
  /**
   * Renews the claims that are being handled and, unless this process is leaving, claims what is due and starts handling it. Returns how
   * many were renewed or claimed.
   */
  readonly run: (handle: Handler) => Effect.Effect<number, PortError>
  /** When there is next something to claim or to renew, or null. */
  readonly next: (options: { readonly housekeeping: boolean }) => Effect.Effect<number | null, PortError>
  /** From now on nothing more is claimed, and handlers that go from one thing to the next end. */
  readonly leave: () => void
  readonly isLeaving: () => boolean
  /** Ends what is still handled, as soon as that may be, and gives it back. */
  readonly giveBack: Effect.Effect<void>
}

/** A claim while this process handles it. */
interface Held {
  readonly claim: WakeupClaim
  readonly since: number
  /** Until when nobody else has it, as far as this process knows; it has lost it where the past is meant. */
  until: number
  isOver: boolean
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

/** How long before its end a lease is renewed. */
const renewBefore = limits.wakeupLeaseMs - limits.wakeupRenewMs

/** What one process claims of the wake-ups that all share (docs/internals/decisions, "One handler at a time"). */
export class Claims extends Context.Service<Claims, ClaimsShape>()("@carillon/core/operating/Claims") {
  static readonly layer = Layer.effect(
    Claims,
    Effect.gen(function* () {
      const wakeups = yield* Wakeups
      const activity = yield* Activity
      const alarm = yield* Alarm
      const parking = yield* Parking
      const clock = yield* DomainClock
      const meters = yield* CurrentMeters
      const owner = (yield* Ids).mint("process")
      /** By token, in the order in which they are to be renewed: what repairs apart, because it keeps no world busy. */
      const busy = new TimeHeap<Held, number>()
      const repairing = new TimeHeap<Held, number>()
      /** All that is handled, also while it is being renewed or because it is renewed no more. */
      const handling = new Set<Held>()
      const lost = new LostProcesses()
      const failures = yield* failedHandlers
      let isLeaving = false
      /** Rounds since there were last fewer due than one round claims. */
      let fullRounds = 0

      meters?.watch(metrics.claimsHeld, () => handling.size)
      meters?.watch(metrics.claimsOldest, () => {
        // A set keeps the order in which they came.
        for (const { since } of handling) return Math.max(0, clock.now() - since) / 1_000
        return 0
      })

      const heldLike = ({ kind }: WakeupClaim) => (housekeepingWakeups.has(kind) ? repairing : busy)

      const keep = (held: Held) => heldLike(held.claim).set(held.claim.token, held.until - renewBefore, held)

      /** What was set while it was handled is looked at as soon as it is due. */
      const ended = (stop: Effect.Effect<number | null, PortError>) =>
        Effect.map(stop, (again) => {
          if (again !== null) alarm.ring(again)
        })

      /** Sets a wake-up that could not be handled; while even that cannot be done, it is this process that keeps it in mind. */
      const lookAgain = Effect.fnUntraced(function* (claim: WakeupClaim) {
        for (let attempt = 0; attempt < limits.wakeupRetries; attempt++) {
          const at = clock.now() + limits.wakeupRetryMs
          const isSet = yield* ended(wakeups.defer(claim, at)).pipe(
            Effect.as(true),
            Effect.catchCause((cause) => Effect.as(failures.tell(claim, cause), false)),
          )
          if (isSet) return
          yield* parking.park(`wakeup:${claim.token}`, at).wait
        }
      })

      /** A handler that fails or dies looks again a little later; if this process ends before, the claim's lease brings it back. */
      const handled = (handle: Handler, held: Held) => {
        const { claim } = held
        const counted = timed(
          meters,
          Effect.suspend(() => handle(claim, () => !isLeaving && clock.now() < held.until)),
          (to, _seconds, exit) => {
            const wasInterrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
            to.count(metrics.wakeups, [
              claim.kind,
              Exit.isSuccess(exit) ? "done" : wasInterrupted ? "interrupted" : "failed",
            ])
          },
        )
        return counted.pipe(
          Effect.flatMap((again) => ended(again === null ? wakeups.complete(claim) : wakeups.defer(claim, again))),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.failCause(cause)
              : Effect.andThen(failures.tell(claim, cause), lookAgain(claim)),
          ),
          // Interrupted is who leaves: others need not wait for the end of the lease.
          Effect.onInterrupt(() => Effect.ignore(wakeups.defer(claim, claim.at))),
          Effect.ensuring(
            Effect.sync(() => {
              held.isOver = true
              handling.delete(held)
              heldLike(claim).delete(claim.token)
            }),
          ),
        )
      }

      const renew = Effect.gen(function* () {
        const now = clock.now()
        const due: Array<Held> = []
        for (const heap of [busy, repairing]) {
          for (let next = heap.peek(); next !== undefined && next.at <= now; next = heap.peek()) {
            heap.delete(next.key)
            // One that takes too long has hung: others may try.
            if (now - next.value.since < limits.wakeupHandlingMs) due.push(next.value)
            else yield* failures.hung(next.value.claim)
          }
        }
        if (due.length === 0) return 0
        const until = now + limits.wakeupLeaseMs
        const renewed = wakeups.renew(
          due.map(({ claim }) => claim),
          until,
        )
        const tokens = new Set(yield* Effect.onError(renewed, () => Effect.sync(() => due.forEach(keep))))
        const lost = due.filter(({ claim, isOver }) => !tokens.has(claim.token) && !isOver)
        if (lost.length > 0) {
          meters?.count(metrics.claimsLost, [], lost.length)
          yield* Effect.logWarning(
            "Others have taken over what this process was handling: it was stopped, or its store too slow.",
          ).pipe(Effect.annotateLogs({ claims: lost.length }))
        }
        for (const held of due) {
          if (!tokens.has(held.claim.token)) held.until = -Infinity
          else if (!held.isOver) {
            held.until = until
            keep(held)
          }
        }
        return tokens.size
      })

      /** Says whose work this process takes over: whoever was killed says nothing. Where there is more of it, that comes first. */
      const tellOfLost = Effect.fnUntraced(function* (claims: ReadonlyArray<WakeupClaim>, now: number) {
        for (const { lapsed } of claims) {
          // What hung here is no sign of another.
          if (lapsed === undefined || lapsed.owner === owner) continue
          meters?.count(metrics.claimsTakenOver, [])
          lost.note(lapsed)
        }
        if (claims.length === limits.wakeupBatch) return
        for (const { process, claims: taken, since } of lost.take(now)) {
          yield* Effect.logWarning(
            "Another process no longer renews what it had claimed, and this one goes on with it: it was killed, stands still, or hangs in what it does.",
          ).pipe(Effect.annotateLogs({ process, claims: taken, since: formatUtc(since) }))
        }
      })

      /** Whatever one organization has due, others need not wait for the end of it, nor the newest of its own for that of the oldest. */
      const order = (): ClaimOrder => {
        if (fullRounds === 0) return "earliest"
        return fullRounds % limits.wakeupLatestRound === limits.wakeupLatestRound - 1 ? "latest" : "in turn"
      }

      const claim = Effect.fnUntraced(function* (handle: Handler) {
        const now = clock.now()
        const claims = yield* wakeups.claimDue(now, limits.wakeupBatch, { owner, ms: limits.wakeupLeaseMs }, order())
        fullRounds = claims.length < limits.wakeupBatch ? 0 : fullRounds + 1
        if (isLeaving) {
          const free = (claim: WakeupClaim) => Effect.ignore(wakeups.defer(claim, claim.at))
          yield* Effect.forEach(claims, free, { concurrency: "unbounded", discard: true })
          return 0
        }
        for (const claim of claims) {
          const held: Held = { claim, since: now, until: now + limits.wakeupLeaseMs, isOver: false, fiber: undefined }
          keep(held)
          handling.add(held)
          meters?.record(metrics.wakeupLag, [claim.kind], (now - claim.at) / 1_000)
          held.fiber = yield* activity.fork(handled(handle, held))
        }
        yield* tellOfLost(claims, now)
        return claims.length
      })

      return Claims.of({
        process: owner,
        run: (handle) =>
          Effect.flatMap(renew, (renewed) =>
            isLeaving
              ? Effect.succeed(renewed)
              : Effect.map(activity.track(claim(handle)), (claimed) => claimed + renewed),
          ),
        next: ({ housekeeping }) =>
          Effect.map(wakeups.next({ housekeeping, owner }), (due) => {
            const renewals = Math.min(
              busy.peek()?.at ?? Infinity,
              (housekeeping ? repairing.peek()?.at : null) ?? Infinity,
            )
            const next = Math.min(due ?? Infinity, renewals)
            return next === Infinity ? null : next
          }),
        leave: () => {
          isLeaving = true
        },
        isLeaving: () => isLeaving,
        giveBack: Effect.suspend(() => Fiber.interruptAll([...handling].flatMap(({ fiber }) => fiber ?? []))),
      })
    }),
  )
}
