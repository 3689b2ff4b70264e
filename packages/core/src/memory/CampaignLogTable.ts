import { type CampaignEntry, campaignEntryId } from "../campaigns/rules/CampaignEntry.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { FieldIndex } from "./FieldIndex.ts"

/** An entry in the order of its log; its number stands where other rows have their time. */
interface LoggedEntry {
  readonly created_at: number
  readonly sequence: 0
  readonly entry: CampaignEntry
}

/** The logs of campaigns, each in the order in which its entries came, which is that of their numbers. */
export class CampaignLogTable {
  readonly #byId = new Map<string, LoggedEntry>()
  readonly #byCampaign = new FieldIndex<LoggedEntry>()

  get(id: string): CampaignEntry | undefined {
    return this.#byId.get(id)?.entry
  }

  put(entry: CampaignEntry): void {
    const id = campaignEntryId(entry.campaign_id, entry.number)
    this.remove(id)
    const logged: LoggedEntry = { created_at: entry.number, sequence: 0, entry }
    this.#byId.set(id, logged)
    this.#byCampaign.add(entry.campaign_id, logged)
  }

  remove(id: string): void {
    const logged = this.#byId.get(id)
    if (logged === undefined) return
    this.#byId.delete(id)
    this.#byCampaign.remove(logged.entry.campaign_id, logged)
  }

  /** The number of the last entry; 0 where there is none. */
  last(campaignId: string): number {
    const log = this.#byCampaign.get(campaignId)
    return log.at(log.size - 1)?.created_at ?? 0
  }

  /** Newest first. */
  page(campaignId: string, request: PageRequest): Page<CampaignEntry> {
    const { items, total } = this.#byCampaign.get(campaignId).page(request, { order: "newest first" })
    return { items: items.map(({ entry }) => entry), total }
  }
}
