/**
 * What there is to look at: a call that is due or whose processing has waited long enough, an event to be routed, a delivery to be
 * attempted, a campaign that is due, one that may pause itself or goes on after it has, the dispatch of an organization, the slots of the platform, a day of the delivery ledger or an
 * hour of idempotency keys that expires, an organization that keeps rows for a time, or a batch whose contacts were stored and that may never have been shown.
 */
export const wakeupKinds = [
  "call",
  "processing",
  "event",
  "delivery",
  "campaign",
  "breaker",
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
