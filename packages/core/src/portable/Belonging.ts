import { Effect } from "effect"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { placeOf } from "../contacts/rules/Contact.ts"
import { InvalidField, type PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { Line } from "./rules/PortableFile.ts"

/** The batches and campaigns that a line would write to, beside its own row: contacts lie in them, and what comes is counted in them. */
const lanesOf = (line: Line): ReadonlyArray<string | null | undefined> => {
  switch (line.kind) {
    case "entries":
      return [line.row.batch_id]
    case "tally":
      return [line.row.subject]
    case "contact":
    case "call": {
      const { batch_id, campaign_id, contact_id } = line.row
      return [batch_id, campaign_id, contact_id === null ? null : placeOf(contact_id)?.batch_id]
    }
    case "batch":
      return [line.row.batch_id, line.row.campaign_id]
    case "campaign":
    case "campaign_entry":
    case "running":
    case "usage":
      return [line.row.campaign_id]
    default:
      return []
  }
}

const others = (what: string): InvalidField =>
  new InvalidField({ field: "file", reason: `names a ${what} that belongs to another organization` })

/**
 * Whether a file writes to nothing but what is its organization's: no batch and no campaign that is another's here, and no knowledge base that does
 * not come with it. To be asked about each line of one file, in their order.
 */
export const makeBelonging: Effect.Effect<
  () => (organizationId: string, line: Line) => Effect.Effect<void, InvalidField | PortError>,
  never,
  BatchStore | CampaignStore
> = Effect.gen(function* () {
  const batches = yield* BatchStore
  const campaigns = yield* CampaignStore

  /** Whose a batch or campaign is; null where there is none. */
  const ownerOf = Effect.fnUntraced(function* (lane: string) {
    const found = (yield* batches.locate(lane)) ?? (yield* campaigns.locate(lane))
    return found?.organization_id ?? null
  })

  return () => {
    const lanes = new Set<string>()
    const bases = new Set<string>()

    return Effect.fnUntraced(function* (organizationId, line) {
      for (const lane of lanesOf(line)) {
        if (typeof lane !== "string" || lanes.has(lane)) continue
        const owner = yield* ownerOf(lane)
        if (owner !== null && owner !== organizationId) return yield* others("batch or campaign")
        if (lanes.size >= limits.portableLanes) lanes.clear()
        lanes.add(lane)
      }
      if (line.kind === "knowledge_base") bases.add(line.row.retrieval_id)
      const isOfBase = line.kind === "knowledge_upload" || line.kind === "document"
      if (isOfBase && !bases.has(line.row.retrieval_id)) return yield* others("knowledge base")
    })
  }
})
