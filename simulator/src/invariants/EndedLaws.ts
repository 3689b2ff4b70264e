import type { Commit } from "@carillon/core"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

const ended: ReadonlySet<string> = new Set(["completed", "cancelled", "expired", "archived"])

/** The law of what has ended: folded over every commit. Returns the observer of commits. */
export const endedLaws = (
  invariants: Invariants,
  tables: Pick<MemoryTables, "batches" | "campaigns">,
): ((commit: Commit) => void) => {
  const l4 = invariants.open({
    name: "L4",
    description: "No campaign that has ended keeps a batch that is not finished.",
  })

  return ({ changes }) => {
    const touched = new Set<string>()
    for (const change of changes) {
      if (change.put === "campaign") touched.add(change.row.campaign_id)
      if (change.put === "batch" && change.row.campaign_id !== null) touched.add(change.row.campaign_id)
    }
    for (const campaignId of touched) {
      const status = tables.campaigns.get(campaignId)?.status ?? ""
      l4(
        !ended.has(status) || !tables.batches.hasUnfinished(campaignId),
        () =>
          `${campaignId} is ${status}, but ${tables.batches
            .unfinished(campaignId)
            .map((batch) => `${batch.batch_id} is ${batch.status}`)
            .join(", ")}`,
      )
    }
  }
}
