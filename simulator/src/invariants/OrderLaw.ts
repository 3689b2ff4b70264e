import type { MemoryTables } from "@carillon/core/memory"
import type { Batch, Campaign, Commit, Contact, ContactRow } from "@carillon/core/ports"
import type { Invariants } from "./Invariants.ts"

export interface OrderLawSources {
  readonly tables: {
    readonly batches: Pick<MemoryTables["batches"], "ofCampaign">
    readonly contacts: Pick<MemoryTables["contacts"], "find" | "rows">
  }
  readonly now: () => number
}

/** So long after something has come about a dispatcher may go by what was before. */
const graceMs = 5 * 60_000

/** Since when things are as they are. Of what was not seen to come about nothing is known. */
class Standing {
  readonly #things = new Map<string, { readonly isSo: boolean; readonly since: number }>()

  saw(id: string, isSo: boolean, now: number): void {
    if (this.#things.get(id)?.isSo !== isSo) this.#things.set(id, { isSo, since: now })
  }

  isLong(id: string, now: number): boolean {
    const thing = this.#things.get(id)
    return thing?.isSo === true && thing.since + graceMs <= now
  }
}

/** How many contacts of batches nobody has touched, by their priority: counted once, and then less one with each that is touched. */
class Untouched {
  readonly #contacts: OrderLawSources["tables"]["contacts"]
  readonly #batches = new Map<string, Map<number, number>>()

  constructor(contacts: OrderLawSources["tables"]["contacts"]) {
    this.#contacts = contacts
  }

  touched({ batch_id, revision, row }: Contact): void {
    const counts = this.#batches.get(batch_id)
    if (counts === undefined || revision !== 1) return
    const priority = priorityOf(this.#contacts.find(batch_id, row))
    counts.set(priority, (counts.get(priority) ?? 0) - 1)
  }

  hasAbove(batch: Batch, priority: number): boolean {
    for (const [level, count] of this.#countsOf(batch)) if (level > priority && count > 0) return true
    return false
  }

  /** The first of them; all are looked at. */
  firstAbove({ batch_id, total_contacts }: Batch, priority: number): ContactRow | undefined {
    return this.#contacts
      .rows(batch_id, 0, total_contacts)
      .find((row) => row.contact === null && priorityOf(row) > priority)
  }

  forget(batchId: string): void {
    this.#batches.delete(batchId)
  }

  #countsOf({ batch_id, total_contacts }: Batch): ReadonlyMap<number, number> {
    const known = this.#batches.get(batch_id)
    if (known !== undefined) return known
    const counts = new Map<number, number>()
    for (const row of this.#contacts.rows(batch_id, 0, total_contacts)) {
      const priority = priorityOf(row)
      if (row.contact === null) counts.set(priority, (counts.get(priority) ?? 0) + 1)
    }
    this.#batches.set(batch_id, counts)
    return counts
  }
}

const isOpen = ({ status }: Batch): boolean =>
  status === "created" || status === "in_progress" || status === "dispatched"

const isPrioritised = ({ call_order }: Campaign): boolean => (call_order?.priority_column ?? null) !== null

const priorityOf = (row: Pick<ContactRow, "entry"> | undefined): number => row?.entry.priority ?? 5

/** The first dial of a contact that nobody had touched. */
const isFirstDial = ({ attempts, revision, status }: Contact): boolean =>
  revision === 1 && attempts === 1 && status === "in_progress"

/**
 * The law of campaigns that go by priority, by what is counted of their contacts. Whose batch may dial, or whose campaign goes by it, only since a moment
 * ago may not be known to the dispatcher yet; and what a contact lacks that is held back, batches may wait for.
 */
export const orderLaw = (invariants: Invariants, { now, tables }: OrderLawSources) => {
  const s27 = invariants.open({
    name: "S27",
    description:
      "In a campaign that goes by priority nobody is called for the first time while somebody of a higher priority has never had a turn.",
  })
  const open = new Standing()
  const prioritised = new Standing()
  /** Until when batches of campaigns may wait for what some contact lacked. */
  const heldUntil = new Map<string, number>()

  const isHeld = (campaignId: string): boolean => now() < (heldUntil.get(campaignId) ?? 0) + graceMs

  const untouched = new Untouched(tables.contacts)

  /** A batch that may dial, and has contacts of a higher priority that nobody has touched. */
  const before = ({ organization_id }: Contact, campaignId: string, priority: number): Batch | undefined =>
    tables.batches
      .ofCampaign(organization_id, campaignId)
      .find((batch) => open.isLong(batch.batch_id, now()) && untouched.hasAbove(batch, priority))

  const judge = (contact: Contact) => {
    const { batch_id, campaign_id, contact_id, row } = contact
    if (campaign_id === null || !prioritised.isLong(campaign_id, now()) || isHeld(campaign_id)) return
    const priority = priorityOf(tables.contacts.find(batch_id, row))
    const batch = before(contact, campaign_id, priority)
    s27(batch === undefined, () => {
      const first = batch === undefined ? undefined : untouched.firstAbove(batch, priority)
      return `${contact_id} of priority ${priority} is called before row ${first?.row} of ${first?.batch_id}, of ${priorityOf(first)}`
    })
  }

  return ({ changes }: Pick<Commit, "changes">): void => {
    for (const change of changes) {
      if (change.put === "campaign") prioritised.saw(change.row.campaign_id, isPrioritised(change.row), now())
      if (change.put === "batch") {
        open.saw(change.row.batch_id, isOpen(change.row), now())
        if (!isOpen(change.row)) untouched.forget(change.row.batch_id)
      }
      if (change.put !== "contact") continue
      untouched.touched(change.row)
      const { campaign_id, eligible_at, holds } = change.row
      if (campaign_id !== null && holds > 0) {
        heldUntil.set(campaign_id, Math.max(heldUntil.get(campaign_id) ?? 0, eligible_at ?? now()))
      }
    }
    // All that a commit has written is there at once.
    for (const change of changes) if (change.put === "contact" && isFirstDial(change.row)) judge(change.row)
  }
}
