import { Context, Effect } from "effect"
import type { PortError } from "../Errors.ts"

/**
 * What there is to look at: a call that is due or whose processing has waited long enough, an event to be routed, a delivery to be
 * attempted, a campaign that is due, the dispatch of an organization, the slots of the platform, a day of the delivery ledger or an
 * hour of idempotency keys that expires, an organization that keeps rows for a time, or a batch whose contacts were stored and that may never have been shown.
 */
export const wakeupKinds = [
  "call",
  "processing",
  "event",
  "delivery",
  "campaign",
  "dispatch",
  "slots",
  "ledger",
  "intake",
] as const

export type WakeupKind = (typeof wakeupKinds)[number]

/** Kinds that never make the world busy: they repair, they do not bring anything about. */
export const housekeepingWakeups: ReadonlySet<WakeupKind> = new Set(["slots", "ledger", "intake"])

/**
 * Kinds whose handler knows more than the rows tell: whose turn it is, what had no row the last time. Whoever handled such a wake-up last is
 * left the next one too; others claim it once it is overdue by `limits.wakeupKeptMs`.
 */
export const keptWakeups: ReadonlySet<WakeupKind> = new Set(["dispatch", "slots"])

/** When to look at a subject. It is a hint: the handler reloads the row and asks what is due. `at` is epoch milliseconds. */
export interface Wakeup {
  readonly kind: WakeupKind
  readonly subject: string
  readonly at: number
  /** Whose it is, for its turn beside those of others; left out it stays whose it was, and what was nobody's is the platform's. */
  readonly organization_id?: string
}

/** Whose the wake-ups are that are no organization's: they have turns like one. */
export const platformParty = "platform"

/** Whose turn a wake-up has. */
export const wakeupParty = ({ organization_id = platformParty }: Wakeup): string => organization_id

/** What a commit makes of a wake-up. */
export type WakeupChange =
  | { readonly set: Wakeup }
  | { readonly clear: { readonly kind: WakeupKind; readonly subject: string } }

/** What a commit of an organization sets is its own, apart from what repairs: several share that. */
export const wakeupOf = (organization_id: string, change: WakeupChange): WakeupChange =>
  "set" in change && !housekeepingWakeups.has(change.set.kind) ? { set: { ...change.set, organization_id } } : change

/** The change of the wake-up of a time that a row names, null where it names none; none where the time stays as it is. */
export const wakeupMoved = (
  kind: WakeupKind,
  subject: string,
  before: number | null,
  after: number | null,
): ReadonlyArray<WakeupChange> =>
  after === before ? [] : [after === null ? { clear: { kind, subject } } : { set: { kind, subject, at: after } }]

/** A claim that was not renewed: who had it, and until when (epoch milliseconds). */
export interface LapsedClaim {
  readonly owner: string
  readonly until: number
}

/** A wake-up taken for handling. Nobody else gets its subject before it is completed or deferred, or its lease ends. */
export interface WakeupClaim extends Wakeup {
  readonly token: number
  /** Whose lease had ended; left out where nobody handled it, or nobody knows who did. */
  readonly lapsed?: LapsedClaim
}

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
