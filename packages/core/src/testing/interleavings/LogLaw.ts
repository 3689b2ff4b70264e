import type { Change } from "../../engine/rules/Commit.ts"
import type { CampaignEntry } from "../../campaigns/rules/CampaignEntry.ts"
import type { CampaignStatus } from "../../campaigns/rules/CampaignStatus.ts"
import type { RowsByKind } from "../RowsByKind.ts"
import type { Violation } from "./Laws.ts"

const law = "a campaign's log tells what happened to it"

/** Whether an import brings rows as they stood elsewhere, with the logs that tell of them. */
const isImport = (changes: ReadonlyArray<Change>): boolean =>
  changes.some((change) => change.put === "guard" && change.guard.set === "organization_import")

/** Whether entries lead from the status that a campaign had to the one that it has now, the last of them to none other. */
const isTold = (told: ReadonlyArray<CampaignEntry>, was: CampaignStatus | null, status: CampaignStatus): boolean => {
  if (was === null) return told.some(({ event }) => event === "created")
  const isQuiet = was === status || (was === "created" && status === "active")
  const [first] = told
  if (first === undefined) return isQuiet
  return first.details["was"] === was && told.at(-1)?.details["status"] === status
}

/**
 * Who moves a campaign, or adds a batch to it, tells of it in the same commit, to the status that the row has; what is told is numbered without gaps,
 * and never told anew. `rows` are those from before the commit. That a campaign begins to dial is not told.
 */
export function* atLog(rows: RowsByKind, changes: ReadonlyArray<Change>): Iterable<Violation> {
  if (isImport(changes)) return
  const told = changes.flatMap((change) => (change.put === "campaign_entry" ? [change.row] : []))
  const numbers = new Map<string, number>()
  for (const { campaign_id, number } of rows.of("campaign_entry").values()) {
    numbers.set(campaign_id, Math.max(number, numbers.get(campaign_id) ?? 0))
  }
  for (const { campaign_id, event, number, revision } of told) {
    const expected = (numbers.get(campaign_id) ?? 0) + 1
    numbers.set(campaign_id, number)
    if (number === expected && revision === 1) continue
    yield { law, detail: `${event} of ${campaign_id} is entry ${number} at revision ${revision}, not ${expected} at 1` }
  }
  for (const change of changes) {
    if (change.put === "campaign") {
      const { campaign_id, status } = change.row
      const was = rows.of("campaign").get(campaign_id)?.status ?? null
      const ofIt = told.filter(({ campaign_id: id }) => id === campaign_id)
      if (!isTold(ofIt, was, status)) {
        const words = ofIt.map(({ details, event }) => `${event} ${JSON.stringify(details)}`)
        yield { law, detail: `${campaign_id} is ${status} after ${was}, and is told: ${words.join(", ") || "nothing"}` }
      }
    }
    if (change.put === "batch" && change.row.campaign_id !== null && !rows.of("batch").has(change.row.batch_id)) {
      const { batch_id, campaign_id } = change.row
      if (told.some(({ details }) => details["batch_id"] === batch_id)) continue
      yield { law, detail: `${batch_id} has joined ${campaign_id}, and nothing tells of it` }
    }
  }
}
