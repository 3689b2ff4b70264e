import { type Batch, laneOf, listedContacts } from "../batches/rules/Batch.ts"
import { type BatchStatus, isFinishedBatch } from "../batches/rules/BatchStatus.ts"
import type { BatchPart, BatchQuery } from "../batches/ports/BatchStore.ts"
import type { OldestRequest, Page, PageRequest, Placed } from "../Pagination.ts"
import { ListedRows } from "./ListedRows.ts"

type Field = "status" | "agent_id" | "campaign_id"

const noBatches: ReadonlyArray<Batch> = []

/** The batches of the world, with those of each lane that are not finished. */
export class BatchTable {
  readonly #rows = new ListedRows<Field, Batch>(["status", "agent_id", "campaign_id"])
  readonly #unfinished = new Map<string, Map<string, Batch>>()
  /** The same in order, as far as anybody has asked since they were written. */
  readonly #ordered = new Map<string, ReadonlyArray<Batch>>()

  get(batchId: string): Batch | undefined {
    return this.#rows.get(batchId)
  }

  put(batch: Batch, sequence: number): void {
    this.#rows.put(batch.batch_id, batch, sequence)
    const lane = laneOf(batch)
    this.#ordered.delete(lane)
    const open = this.#unfinished.get(lane)
    if (!isFinishedBatch(batch.status)) {
      if (open === undefined) this.#unfinished.set(lane, new Map([[batch.batch_id, batch]]))
      else open.set(batch.batch_id, batch)
    } else if (open?.delete(batch.batch_id) === true && open.size === 0) this.#unfinished.delete(lane)
  }

  page(organizationId: string, query: BatchQuery, page: PageRequest): Page<Batch> {
    const wanted: Array<readonly [Field, string]> = []
    if (query.status !== undefined) wanted.push(["status", query.status])
    if (query.agent_id !== undefined) wanted.push(["agent_id", query.agent_id])
    if (query.campaign_id !== undefined) wanted.push(["campaign_id", query.campaign_id])
    return this.#rows.page(organizationId, wanted, page)
  }

  /** The oldest batches of an organization. */
  oldest(organizationId: string, request: OldestRequest): ReadonlyArray<Placed<Batch>> {
    return this.#rows.oldest(organizationId, request)
  }

  /** Every batch of a campaign, oldest first. */
  ofCampaign(organizationId: string, campaignId: string): ReadonlyArray<Batch> {
    return [...this.#rows.of(organizationId, "campaign_id", campaignId)]
  }

  /** The same, a page of them. */
  pageOfCampaign(organizationId: string, campaignId: string, page: PageRequest): Page<Batch> {
    return this.#rows.oldestPage(organizationId, "campaign_id", campaignId, page)
  }

  /** Where the contacts of a page lie that the batches of a campaign have. */
  contactsOfCampaign(organizationId: string, campaignId: string, { page, page_size }: PageRequest): Page<BatchPart> {
    const first = (page - 1) * page_size
    const items: Array<BatchPart> = []
    let total = 0
    for (const batch of this.#rows.of(organizationId, "campaign_id", campaignId)) {
      const contacts = listedContacts(batch)
      const from = Math.max(0, first - total)
      const count = Math.min(contacts, first + page_size - total) - from
      if (count > 0) items.push({ batch, from, count })
      total += contacts
    }
    return { items, total }
  }

  /** The batches of an organization that stand so. */
  ofStatus(organizationId: string, status: BatchStatus): Iterable<Batch> {
    return this.#rows.of(organizationId, "status", status)
  }

  /** The unfinished batches of a lane; one that was finished and reopened stands where its age puts it. */
  unfinished(laneId: string): ReadonlyArray<Batch> {
    const known = this.#ordered.get(laneId)
    if (known !== undefined) return known
    const open = this.#unfinished.get(laneId)
    if (open === undefined) return noBatches
    const ordered = [...open.values()].sort((a, b) => a.created_at - b.created_at)
    this.#ordered.set(laneId, ordered)
    return ordered
  }

  hasUnfinished(laneId: string): boolean {
    return this.#unfinished.has(laneId)
  }
}
