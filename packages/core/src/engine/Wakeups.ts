import { Context, type Effect } from "effect"
import type { PortError } from "../Errors.ts"

/**
 * What there is to look at: a call that is due or whose processing has waited long enough, an event to be routed, a delivery to be
 * attempted, a campaign that is due, the dispatch of an organization, the slots of the platform, a day of the delivery ledger that
 * expires, or a batch whose contacts were stored and that may never have been shown.
 */
export type WakeupKind =
  | "call"
  | "processing"
  | "event"
  | "delivery"
  | "campaign"
  | "dispatch"
  | "slots"
  | "ledger"
  | "intake"

/** Kinds that never make the world busy: they repair, they do not bring anything about. */
export const housekeepingWakeups: ReadonlySet<WakeupKind> = new Set(["slots", "ledger", "intake"])

/** When to look at a subject. It is a hint: the handler reloads the row and asks what is due. `at` is epoch milliseconds. */
export interface Wakeup {
  readonly kind: WakeupKind
  readonly subject: string
  readonly at: number
}

/** A wake-up taken for handling; unless completed, it comes back when its lease ends. */
export interface WakeupClaim extends Wakeup {
  readonly token: number
}

/**
 * The port of wake-ups, keyed (kind, subject). Commits set and clear them in the same transaction as the rows they point
 * at; losing all of them loses nothing, because they can be rebuilt from the rows.
 */
export class Wakeups extends Context.Service<
  Wakeups,
  {
    /** Sets or moves the wake-up of a subject. */
    readonly set: (wakeup: Wakeup) => Effect.Effect<void, PortError>
    readonly clear: (kind: WakeupKind, subject: string) => Effect.Effect<void, PortError>
    /** Claims up to `limit` due wake-ups, earliest first, for `leaseMs`. */
    readonly claimDue: (
      now: number,
      limit: number,
      leaseMs: number,
    ) => Effect.Effect<ReadonlyArray<WakeupClaim>, PortError>
    /** Ends a claim; a wake-up set again meanwhile stays set. */
    readonly complete: (claim: WakeupClaim) => Effect.Effect<void, PortError>
    /** Ends a claim and looks again at the given time; a wake-up set meanwhile stays as it was set. */
    readonly defer: (claim: WakeupClaim, at: number) => Effect.Effect<void, PortError>
    /** When a wake-up can next be claimed: at its time, or at the end of the lease under which it is handled. Null: never. */
    readonly next: (options: { readonly housekeeping: boolean }) => Effect.Effect<number | null, PortError>
    /** Forgets every wake-up (tests and operators, before a rebuild). */
    readonly clearAll: Effect.Effect<void, PortError>
  }
>()("@carillon/core/engine/Wakeups") {}
