import { Context, Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { WakeupKind, Wakeup, WakeupClaim } from "../rules/Wakeup.ts"

/** Who claims, and for how long: what is not renewed by then is for others. */
export interface Lease {
  readonly owner: string
  readonly ms: number
}

/** Of one kind, how many wake-ups are due that nobody handles, and since when the oldest has been (epoch milliseconds). */
export interface Backlog {
  readonly kind: WakeupKind
  readonly due: number
  readonly oldest: number
}

/**
 * Which of the due wake-ups are claimed where there are more than are asked for: those due the longest, those due the shortest time ago, or
 * in turn: `limits.wakeupsInTurn` of them go round by whose they are, as many of each as there is room for, and the others are the earliest.
 */
export type ClaimOrder = "earliest" | "latest" | "in turn"

/**
 * The port of wake-ups, keyed (kind, subject). Commits set and clear them in the same transaction as the rows they point
 * at; losing all of them loses nothing, because they can be rebuilt from the rows.
 */
export class Wakeups extends Context.Service<
  Wakeups,
  {
    /** Sets or moves the wake-up of a subject. One that is being handled stays claimed, and comes up again once it was handled. */
    readonly set: (wakeup: Wakeup) => Effect.Effect<void, PortError>
    /**
     * Sets the wake-up of a subject as if it had never been claimed: whoever handles it has lost its claim. One that is set for an earlier time
     * stays there, because what this time was read from may have changed meanwhile. Too early costs a look; too late is too late.
     */
    readonly setAnew: (wakeup: Wakeup) => Effect.Effect<void, PortError>
    /** Claims up to `limit` due wake-ups: the earliest, unless another order is asked for. In any order they are answered earliest first. */
    readonly claimDue: (
      now: number,
      limit: number,
      lease: Lease,
      order?: ClaimOrder,
    ) => Effect.Effect<ReadonlyArray<WakeupClaim>, PortError>
    /** Makes claims last until the given time; returns the tokens of those that were still there. */
    readonly renew: (
      claims: ReadonlyArray<WakeupClaim>,
      until: number,
    ) => Effect.Effect<ReadonlyArray<number>, PortError>
    /** Ends a claim; a wake-up set again meanwhile stays as it was set. Returns when it is due, or null. */
    readonly complete: (claim: WakeupClaim) => Effect.Effect<number | null, PortError>
    /** Ends a claim and looks again at the given time; a wake-up set meanwhile stays as it was set. Returns when it is due, or null. */
    readonly defer: (claim: WakeupClaim, at: number) => Effect.Effect<number | null, PortError>
    /**
     * When a wake-up can next be claimed by this owner: at its time, somewhat later where it is kept by another, or at the end of the lease
     * under which it is handled. Null: never.
     */
    readonly next: (options: {
      readonly housekeeping: boolean
      readonly owner: string
    }) => Effect.Effect<number | null, PortError>
    /** What is due and waits for somebody to handle it, of the `limit` that have waited longest; kinds of which nothing is due are left out. */
    readonly backlog: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Backlog>, PortError>
    /** Forgets every wake-up (tests and operators, before a rebuild). */
    readonly clearAll: Effect.Effect<void, PortError>
  }
>()("@carillon/core/engine/Wakeups") {}
