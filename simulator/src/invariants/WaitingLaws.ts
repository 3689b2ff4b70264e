import { bindingOf, hoursOf, isCallable, isSpent, isTerminal } from "@carillon/core/domain"
import { type Batch, type Campaign, type Commit, type Contact, type ContactRow, laneOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import { isWithin } from "./Hours.ts"
import type { Invariants } from "./Invariants.ts"
import { isHandedOut, isOpen } from "./OpenCampaign.ts"

/** After so long without a call or a change, whoever may be dialled has been: holds back off to five minutes at the most. */
const calmMs = 6 * 60_000

/** Contacts of a batch that are read at once. */
const pageOfRows = 1_000

/** Contacts of an organization that are looked at when it has become calm; those of a larger one are judged as far as this. */
const rowsLookedAt = 100_000

export interface WaitingLaws {
  readonly observe: (commit: Commit) => void
  /** Judges organizations that have become calm; after every event. */
  readonly look: () => void
  /** Judges all of them in a world in which nothing is due any more, so that whoever still waits for a moment waits for ever. */
  readonly lookAtRest: () => void
}

export interface WaitingLawsOptions {
  readonly tables: MemoryTables
  readonly now: () => number
  /** When something that dialling needs last failed. */
  readonly lastOutage: () => number
  /** The fewest lines that the organization, and each of its agents, was allowed in the last minute. */
  readonly lines: (organizationId: string) => number
  /** Whether the platform has no line left by any of its ceilings of the last minute, whoever holds them. */
  readonly isPlatformFull: () => boolean
}

/** Changes that may give somebody a turn, or have been one. */
const concerns: ReadonlySet<string> = new Set([
  "agent",
  "batch",
  "call",
  "callee_hours",
  "campaign",
  "contact",
  "erased_call",
  "organization",
  "phone_number",
  "platform",
])

/** The law that nobody waits for ever: whoever may be dialled by the rows is dialled. It is judged where nothing goes on any more. */
export const waitingLaws = (invariants: Invariants, options: WaitingLawsOptions): WaitingLaws => {
  const { now, tables } = options
  const l3 = invariants.open({
    name: "L3",
    description:
      "Nobody waits for ever: whoever may be dialled is dialled within six minutes of calm, and a batch with nobody left ends.",
  })
  /** Organizations in which something may still be owed, and since when nothing has changed; the calmest first. */
  const changedAt = new Map<string, number>()
  let wasFull = false
  /** When the platform last had no line left. */
  let fullAt = -Infinity

  const isDisturbed = () => now() - Math.max(options.lastOutage(), wasFull ? now() : fullAt) < calmMs

  /** Why a contact is owed something, or null. `isRest`: no moment to come is of any use to it. */
  const owedTo = (
    batch: Batch,
    campaign: Campaign | null,
    { contact, entry }: ContactRow,
    isRest: boolean,
  ): string | null => {
    if (contact === null) return isInCalleeHours(batch, campaign, entry, false) ? "was never dialled" : null
    switch (contact.status) {
      case "completed":
      case "failed":
      case "skipped":
        return null
      case "in_progress": {
        const call = tables.calls.get(contact.last_execution_id ?? "")
        return call === undefined || isTerminal(call.status) ? "is in a call that has ended" : null
      }
      default:
        return owedToWaiting(batch, campaign, { contact, entry }, isRest)
    }
  }

  const owedToWaiting = (
    batch: Batch,
    campaign: Campaign | null,
    { contact, entry }: { readonly contact: Contact; readonly entry: ContactRow["entry"] },
    isRest: boolean,
  ): string | null => {
    if (contact.waits_for_number) {
      return isRest && tables.calls.onNumber(laneOf(batch), entry.to_number) === undefined
        ? "waits for a number that is free"
        : null
    }
    if (contact.eligible_at === null) return "waits for no moment"
    if (contact.eligible_at > now()) return isRest ? "waits for a moment that nothing brings" : null
    if (contact.eligible_at > now() - calmMs) return null
    if (contact.in_hours_only && campaign !== null && !isInHours(campaign)) return null
    const isFollowUp = contact.status === "follow_up_scheduled"
    return isInCalleeHours(batch, campaign, entry, isFollowUp) ? "is due" : null
  }

  /** Whether a callee may have been called all the calm long by the hours where the phone rings; whom they keep waiting is owed nothing. */
  const isInCalleeHours = (
    batch: Batch,
    campaign: Campaign | null,
    entry: ContactRow["entry"],
    isFollowUp: boolean,
  ): boolean => {
    const { agent_id, campaign_id, organization_id } = batch
    const policy = batch.follow_up_policy ?? campaign?.follow_up_policy
    const asked = {
      campaign_id,
      agent_id: (isFollowUp ? (policy?.follow_up_agent_id ?? campaign?.agent_id) : null) ?? agent_id,
    }
    const binding = bindingOf(tables.calleeHours.get(organization_id) ?? null, asked, entry)
    return [now(), now() - calmMs].every((at) => isCallable(binding, at))
  }

  const isInHours = (campaign: Campaign): boolean => {
    const { window } = hoursOf(campaign)
    const isClosed = window.days.every((day) => day === null)
    return isClosed || (isWithin(window, now()) && isWithin(window, now() - calmMs))
  }

  /** Whether a batch has been open all the calm long, so that who is left in it is owed a dial. */
  const isOwed = (batch: Batch, campaign: Campaign | null): boolean =>
    [now(), now() - calmMs].every((at) => isHandedOut(batch, at) && (campaign === null || isOpen(campaign, at))) &&
    tables.agents.get(batch.agent_id)?.status === "ACTIVE"

  const judgeBatch = (batch: Batch, campaign: Campaign | null, isRest: boolean, most: number): number => {
    let isLeft = false
    let row = 0
    while (row < Math.min(batch.total_contacts, most)) {
      const rows = tables.contacts.rows(batch.batch_id, row, pageOfRows)
      if (rows.length === 0) break
      for (const each of rows) {
        const owed = owedTo(batch, campaign, each, isRest)
        l3(
          owed === null,
          () =>
            `contact ${each.row} of ${batch.batch_id} (${batch.status}) ${owed ?? ""}: ${JSON.stringify(each.contact)}`,
        )
        const status = each.contact?.status
        isLeft ||= status !== "completed" && status !== "failed" && status !== "skipped"
      }
      row += rows.length
    }
    const isWhole = row >= batch.total_contacts
    l3(
      isLeft || !isWhole || batch.total_contacts === 0,
      () => `${batch.batch_id} is ${batch.status} though nobody is left in it`,
    )
    return row
  }

  const mayDial = (organizationId: string): boolean => {
    const organization = tables.organizations.get(organizationId)
    return (
      organization !== undefined &&
      !isSpent(organization.wallet) &&
      tables.platform?.hold === undefined &&
      options.lines(organizationId) > 0 &&
      tables.calls.holding("organization", organizationId) === 0
    )
  }

  const judge = (organizationId: string, isRest: boolean) => {
    if (!mayDial(organizationId) || isDisturbed()) return
    let left = rowsLookedAt
    for (const laneId of tables.lanes.of(organizationId)) {
      const campaign = tables.campaigns.get(laneId) ?? null
      for (const batch of tables.batches.unfinished(laneId)) {
        if (left > 0 && isOwed(batch, campaign)) left -= judgeBatch(batch, campaign, isRest, left)
      }
    }
  }

  return {
    observe: ({ changes, organization_id }) => {
      if (wasFull) fullAt = now()
      wasFull = options.isPlatformFull()
      if (!changes.some(({ put }) => concerns.has(put)) || !tables.lanes.any(organization_id)) return
      changedAt.delete(organization_id)
      changedAt.set(organization_id, now())
    },
    look: () => {
      for (const [organizationId, at] of changedAt) {
        if (now() - at <= calmMs) return
        changedAt.delete(organizationId)
        judge(organizationId, false)
      }
    },
    lookAtRest: () => {
      for (const organizationId of tables.lanes.organizations()) judge(organizationId, true)
    },
  }
}
