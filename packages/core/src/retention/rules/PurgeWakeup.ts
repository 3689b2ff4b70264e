import type { Wakeup } from "../../engine/rules/Wakeup.ts"

const prefix = "retention:"

/**
 * When to look for rows of an organization that were kept for their time. It stands among the days of the delivery ledger, which expire by the
 * clock, too: a process of an earlier release that takes it looks whether the ledger has anything to forget, and no more.
 */
export const purgeWakeup = (organizationId: string, at: number): Wakeup => ({
  kind: "ledger",
  subject: prefix + organizationId,
  at,
})

/** The organization that such a wake-up names; null for a day of the ledger. */
export const purgedBy = (subject: string): string | null =>
  subject.startsWith(prefix) ? subject.slice(prefix.length) : null
