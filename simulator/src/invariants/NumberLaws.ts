import { isSpent } from "@carillon/core/domain"
import { type Batch, type Commit, type Contact, laneOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"
import { isHandedOut, isOpen } from "./OpenCampaign.ts"

/** A contact may wait this long for a number that nobody is called at, once nothing keeps it from being dialled. */
const waitMs = 60_000

/** The contacts of one lane that have the same number, as far as one of them has waited for it. */
interface Line {
  readonly lane_id: string
  readonly organization_id: string
  readonly to_number: string
  /** By id: those that wait for the call to the number to end, and those whose turn at the number it is. */
  readonly waiting: Map<string, Contact>
  readonly next: Map<string, Contact>
}

export interface NumberLaws {
  readonly observe: (commit: Commit) => void
  /** Judges what is due to be judged; after every event. */
  readonly look: () => void
}

export interface NumberLawsOptions {
  readonly tables: MemoryTables
  readonly now: () => number
  /** When something that dialling needs last failed. */
  readonly lastOutage: () => number
}

/** The law of numbers that come more than once in a campaign: folded over commits. */
export const numberLaws = (invariants: Invariants, options: NumberLawsOptions): NumberLaws => {
  const { now, tables } = options
  const l5 = invariants.open({
    name: "L5",
    description:
      "No contact waits for a number that nobody is called at, while it may be dialled, unless another one has its turn.",
  })
  const lines = new Map<string, Line>()
  /** Lines with nobody in a call, the one that was looked at the longest ago first. */
  const silentSince = new Map<string, number>()
  /** Lines in which somebody waited in vain when they were last looked at. */
  const suspected = new Set<string>()

  const isDialled = (batch: Batch): boolean => {
    const campaign = batch.campaign_id === null ? null : tables.campaigns.get(batch.campaign_id)
    return (
      isHandedOut(batch, now()) &&
      (campaign === null || (campaign !== undefined && isOpen(campaign, now()))) &&
      tables.agents.get(batch.agent_id)?.status === "ACTIVE"
    )
  }

  const mayBeDialled = ({ batch_id }: Contact): boolean => {
    const batch = tables.batches.get(batch_id)
    return batch !== undefined && isDialled(batch)
  }

  const heard = (key: string, { lane_id, to_number, waiting }: Line) => {
    if (waiting.size === 0 || tables.calls.onNumber(lane_id, to_number) !== undefined) {
      silentSince.delete(key)
      suspected.delete(key)
    } else if (!silentSince.has(key)) silentSince.set(key, now())
  }

  const place = (contact: Contact): { readonly key: string; readonly line: Line } | null => {
    const lane_id = contact.campaign_id ?? contact.batch_id
    const to_number = tables.contacts.find(contact.batch_id, contact.row)?.entry.to_number
    if (to_number === undefined) return null
    const key = `${lane_id} ${to_number}`
    const known = lines.get(key)
    if (known !== undefined) return { key, line: known }
    if (!contact.waits_for_number) return null
    const { organization_id } = contact
    const line: Line = { lane_id, organization_id, to_number, waiting: new Map(), next: new Map() }
    lines.set(key, line)
    return { key, line }
  }

  const put = (contact: Contact) => {
    const placed = place(contact)
    if (placed === null) return
    const { key, line } = placed
    if (contact.waits_for_number && !line.waiting.has(contact.contact_id)) {
      l5(
        tables.calls.onNumber(line.lane_id, line.to_number) !== undefined,
        () => `${contact.contact_id} was set aside for a number that nobody is called at`,
      )
    }
    line.waiting.delete(contact.contact_id)
    line.next.delete(contact.contact_id)
    const isToBeDialled =
      contact.status === "pending" || contact.status === "retry_scheduled" || contact.status === "follow_up_scheduled"
    if (isToBeDialled) (contact.waits_for_number ? line.waiting : line.next).set(contact.contact_id, contact)
    heard(key, line)
    if (line.waiting.size === 0) lines.delete(key)
  }

  /** Whether somebody waits in vain. Whoever has the turn is judged by the laws of those who may be dialled. */
  const isForgotten = (line: Line): boolean => {
    const organization = tables.organizations.get(line.organization_id)
    if (organization === undefined || isSpent(organization.wallet)) return false
    return [...line.waiting.values()].some(mayBeDialled) && ![...line.next.values()].some(mayBeDialled)
  }

  /** What keeps contacts from being dialled may have gone only now, so what is found twice counts. */
  const judge = (key: string, since: number) => {
    const line = lines.get(key)
    const wasSuspected = suspected.delete(key)
    silentSince.delete(key)
    if (line === undefined) return
    const isWrong = now() - options.lastOutage() >= waitMs && isForgotten(line)
    if (isWrong) suspected.add(key)
    l5(!(isWrong && wasSuspected), () => {
      const ids = [...line.waiting.keys()].join(", ")
      return `${ids} of ${line.lane_id} wait for a number that nobody is called at, since ${new Date(since).toISOString()} at the latest`
    })
    heard(key, line)
  }

  return {
    observe: ({ changes }) => {
      for (const change of changes) {
        if (change.put === "contact") put(change.row)
        if (change.put !== "call" || change.row.contact_id === null || change.row.to_number === null) continue
        const batch = change.row.batch_id === null ? undefined : tables.batches.get(change.row.batch_id)
        if (batch === undefined) continue
        const key = `${laneOf(batch)} ${change.row.to_number}`
        const line = lines.get(key)
        if (line !== undefined) heard(key, line)
      }
    },
    look: () => {
      for (const [key, since] of silentSince) {
        if (now() - since <= waitMs) return
        judge(key, since)
      }
    },
  }
}
