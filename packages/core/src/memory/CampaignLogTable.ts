import { type CampaignEntry, campaignEntryId } from "../campaigns/CampaignEntry.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { newestOf } from "./RowPages.ts"

/** The logs of campaigns, each in the order in which its entries came, which is that of their numbers. */
export class CampaignLogTable {
  readonly #byId = new Map<string, CampaignEntry>()
  readonly #byCampaign = new Map<string, Map<string, CampaignEntry>>()

  get(id: string): CampaignEntry | undefined {
    return this.#byId.get(id)
  }

  put(entry: CampaignEntry): void {
    const id = campaignEntryId(entry.campaign_id, entry.number)
    const log = this.#byCampaign.get(entry.campaign_id) ?? new Map<string, CampaignEntry>()
    this.#byCampaign.set(entry.campaign_id, log.set(id, entry))
    this.#byId.set(id, entry)
  }

  remove(id: string): void {
    const entry = this.#byId.get(id)
    if (entry === undefined) return
    this.#byId.delete(id)
    this.#byCampaign.get(entry.campaign_id)?.delete(id)
  }

  /** The number of the last entry; 0 where there is none. */
  last(campaignId: string): number {
    return this.#entries(campaignId).at(-1)?.number ?? 0
  }

  /** Newest first. */
  page(campaignId: string, page: PageRequest): Page<CampaignEntry> {
    return newestOf(this.#entries(campaignId), page)
  }

  #entries(campaignId: string): ReadonlyArray<CampaignEntry> {
    return [...(this.#byCampaign.get(campaignId)?.values() ?? [])]
  }
}
