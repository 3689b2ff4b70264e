import { type Call, type DialCommand, limits } from "@carillon/core"
import { FollowUpPlan, hoursOf, isTerminal, RetryPlan } from "@carillon/core/domain"
import { type Batch, type Campaign, type Commit, type Contact, placeOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import { isWithin } from "./Hours.ts"
import type { Invariants } from "./Invariants.ts"
import { isOpen } from "./OpenCampaign.ts"
import { Remembered } from "./Remembered.ts"

const minuteMs = 60_000

/** How the pause before the n-th retry grows (decisions.md, "Retry strategies"), in words of its own. */
const growth = {
  fixed_delay: () => 1,
  linear_backoff: (n: number) => n,
  exponential_backoff: (n: number) => (n === 1 ? 1 : 2 * 2 ** (n - 2)),
} as const

/** The most that is remembered of contacts that may have been rung without anybody knowing. */
const rememberedContacts = 10_000

export interface AttemptLaws {
  readonly observe: (commit: Commit) => void
  /** A call is being dialled. */
  readonly dialled: (command: DialCommand) => void
  /** A leg of the carrier began or ended. */
  readonly leg: (command: DialCommand, by: 1 | -1) => void
}

export interface AttemptLawsOptions {
  readonly tables: Pick<MemoryTables, "batches" | "campaigns" | "contacts">
  readonly now: () => number
}

/** The most retries and follow-ups that a campaign or batch ever allowed. */
interface Allowed {
  readonly retries: number
  readonly followUps: number
  /** Whether retries have respected given hours ever since. */
  readonly respects: boolean
}

/** The laws of who is tried how often and when, folded over commits, dials and legs. */
export const attemptLaws = (invariants: Invariants, { now, tables }: AttemptLawsOptions): AttemptLaws => {
  const s9 = invariants.open({
    name: "S9b",
    description:
      "No number of a campaign has two live legs, no contact is dialled more often or sooner than its policy allows, none after a dial of unknown outcome, no follow-up while they are off, and nothing outside hours, before the start, after the end or while paused.",
  })
  const allowed = new Map<string, Allowed>()
  const live = new Map<string, number>()
  /** When the policy of a campaign or batch was last written. */
  const writtenAt = new Map<string, number>()
  /** Contacts with a dial whose outcome nobody will ever know. */
  const unknown = new Set<string>()
  const unknownOnes = new Remembered(rememberedContacts)

  const allowedOf = (batch: Batch): Allowed => {
    const own = allowed.get(batch.batch_id)
    const campaign = batch.campaign_id === null ? undefined : allowed.get(batch.campaign_id)
    const { retryPolicyDefaults } = RetryPlan
    const defaults: Allowed = { retries: retryPolicyDefaults.max_retries, followUps: 0, respects: true }
    return {
      retries: batch.retry_policy === null ? (campaign ?? defaults).retries : (own ?? defaults).retries,
      followUps: batch.follow_up_policy === null ? (campaign ?? defaults).followUps : (own ?? defaults).followUps,
      respects: batch.retry_policy === null ? (campaign ?? defaults).respects : (own ?? defaults).respects,
    }
  }

  const allow = (
    subject: string,
    { follow_up_policy, retry_policy }: Pick<Batch, "follow_up_policy" | "retry_policy">,
  ) => {
    const before = allowed.get(subject) ?? { retries: 0, followUps: 0, respects: true }
    const followUps = follow_up_policy?.enabled === true ? follow_up_policy.max_attempts : 0
    allowed.set(subject, {
      retries: Math.max(before.retries, retry_policy?.max_retries ?? 0),
      followUps: Math.max(before.followUps, Math.min(followUps, FollowUpPlan.followUpAttemptsBounds.max)),
      respects: before.respects && retry_policy?.respect_working_hours !== false,
    })
  }

  /** A contact's retry waits as long as the policy says, from the end of the attempt. */
  const judgeRetry = (contact: Contact, call: Call) => {
    const batch = tables.batches.get(contact.batch_id)
    if (batch === undefined || contact.status !== "retry_scheduled" || call.completed_at === null) return
    const campaign = batch.campaign_id === null ? undefined : tables.campaigns.get(batch.campaign_id)
    // Which policy was read by whoever planned it is not known while the policy is being written.
    if (now() === writtenAt.get(batch.batch_id) || now() === writtenAt.get(campaign?.campaign_id ?? "")) return
    const policy = batch.retry_policy ?? campaign?.retry_policy ?? RetryPlan.retryPolicyDefaults
    const delay = policy.base_delay_minutes * growth[policy.strategy](contact.retries_used + 1)
    const minutes = Math.max(policy.cooldown_minutes, Math.min(delay, policy.max_delay_minutes ?? Infinity))
    const at = call.completed_at + minutes * minuteMs
    // Whose retry is due at once may have to wait for the end of a call to its number.
    s9(
      at <= now() || contact.eligible_at === at,
      () => `${contact.contact_id} is to be tried again at ${contact.eligible_at}, not at ${at}`,
    )
  }

  const ended = ({ changes }: Commit, call: Call) => {
    if (call.contact_id === null || !isTerminal(call.status)) return
    for (const change of changes) {
      if (change.put !== "contact" || change.row.last_execution_id !== call.execution_id) continue
      judgeRetry(change.row, call)
      if (call.status !== "error" || (call.dial !== "unconfirmed" && call.dial !== "intended")) continue
      unknown.add(call.contact_id)
      const forgotten = unknownOnes.add(call.contact_id)
      if (forgotten !== undefined) unknown.delete(forgotten)
    }
  }

  const isOpenFor = (batch: Batch): boolean => {
    const campaign = batch.campaign_id === null ? undefined : tables.campaigns.get(batch.campaign_id)
    return (
      (campaign === undefined || isOpen(campaign, now())) && batch.status !== "paused" && batch.status !== "cancelled"
    )
  }

  const writtenLately = ({ batch_id, campaign_id }: Batch): boolean =>
    now() - Math.max(writtenAt.get(batch_id) ?? -Infinity, writtenAt.get(campaign_id ?? "") ?? -Infinity) <
    limits.reservationMs

  /** Whether the campaign and the batch as they are by now let this retry or follow-up be made. */
  const isMeant = (
    { is_follow_up, retry_count }: DialCommand,
    batch: Batch,
    campaign: Campaign | undefined,
  ): boolean => {
    // A dial that was begun under other rules a moment ago may still be on its way.
    if (writtenLately(batch)) return true
    if (is_follow_up) return (batch.follow_up_policy ?? campaign?.follow_up_policy)?.enabled === true
    if (retry_count === 0 || campaign === undefined || !allowedOf(batch).respects) return true
    const { window } = hoursOf(campaign)
    return window.days.every((hours) => hours === null) || isWithin(window, now())
  }

  const observeCall = (commit: Commit, call: Call) => {
    if (call.contact_id === null) return
    ended(commit, call)
    const { batch_id, dial, revision } = call
    const batch = batch_id === null ? undefined : tables.batches.get(batch_id)
    if (batch === undefined || revision !== 1 || dial !== "intended") return
    s9(isOpenFor(batch), () => `a dial of ${batch_id} was written though its campaign or the batch was not open`)
  }

  return {
    observe: (commit) => {
      for (const change of commit.changes) {
        if (change.put === "campaign") {
          writtenAt.set(change.row.campaign_id, now())
          allow(change.row.campaign_id, change.row)
        }
        if (change.put === "batch") {
          if (change.row.revision > 1) writtenAt.set(change.row.batch_id, now())
          allow(change.row.batch_id, change.row)
        }
        if (change.put === "call") observeCall(commit, change.row)
      }
    },
    dialled: (command) => {
      const { contact_id } = command
      const place = contact_id === null ? null : placeOf(contact_id)
      if (place === null) return
      const batch = tables.batches.get(place.batch_id)
      const contact = tables.contacts.get(place.batch_id, place.row)
      if (batch === undefined || contact === undefined) return
      s9(!unknown.has(contact.contact_id), () => `${contact_id} was dialled again after a dial of unknown outcome`)
      const campaign = batch.campaign_id === null ? undefined : tables.campaigns.get(batch.campaign_id)
      // A dial that was written may still be on its way when its campaign is paused; when it was written, it was judged.
      s9(
        isOpenFor(batch) || writtenLately(batch),
        () => `${contact_id} was dialled though its campaign or batch was not open`,
      )
      s9(isMeant(command, batch, campaign), () => `${contact_id} was dialled though follow-ups or hours forbid it`)
      const { followUps, retries } = allowedOf(batch)
      s9(
        contact.attempts <= 1 + contact.retries_used + contact.follow_ups_used &&
          contact.retries_used <= retries &&
          contact.follow_ups_used <= followUps,
        () =>
          `${contact_id} was dialled ${contact.attempts} times, ${retries} retries and ${followUps} follow-ups being allowed`,
      )
    },
    leg: ({ campaign_id, contact_id, to_number }, by) => {
      const place = contact_id === null ? null : placeOf(contact_id)
      if (place === null) return
      const key = `${campaign_id ?? place.batch_id} ${to_number}`
      const legs = (live.get(key) ?? 0) + by
      if (legs === 0) live.delete(key)
      else live.set(key, legs)
      if (by === 1) s9(legs === 1, () => `a number of ${campaign_id ?? place.batch_id} has ${legs} live legs`)
    },
  }
}
