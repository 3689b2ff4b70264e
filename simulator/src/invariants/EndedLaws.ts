import type { Commit } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"
import { Remembered } from "./Remembered.ts"

const ended: ReadonlySet<string> = new Set(["completed", "cancelled", "expired", "archived"])

export interface EndedLaws {
  readonly observe: (commit: Commit) => void
  /** Judges a world in which nothing is due any more: what has not ended by now never does. */
  readonly lookAtRest: () => void
}

export interface EndedLawsOptions {
  readonly tables: Pick<MemoryTables, "batches" | "campaigns" | "tallies">
  /** Campaigns that are looked at in the end: the newest. */
  readonly retention: number
}

/** The laws of what has ended, or should have: folded over every commit. */
export const endedLaws = (invariants: Invariants, options: EndedLawsOptions): EndedLaws => {
  const { tables } = options
  const l4 = invariants.open({
    name: "L4",
    description: "No campaign that has ended keeps a batch that is not finished.",
  })
  const l6 = invariants.open({
    name: "L6",
    description: "In a world at rest no campaign goes on whose batches have all finished, unless it was revived.",
  })
  /** Campaigns that were made in this world, and that nobody has revived. */
  const made = new Set<string>()
  const newest = new Remembered(options.retention)

  const begin = (campaignId: string) => {
    made.add(campaignId)
    const forgotten = newest.add(campaignId)
    if (forgotten !== undefined) made.delete(forgotten)
  }

  /** A campaign that was revived may go on without work until its end (specification, "Campaign status"). */
  const isLeftOver = (campaignId: string): boolean => {
    const campaign = tables.campaigns.get(campaignId)
    return (
      campaign !== undefined &&
      (campaign.status === "created" || campaign.status === "active") &&
      tables.tallies.figure(campaignId, "contacts") > 0 &&
      !tables.batches.hasUnfinished(campaignId)
    )
  }

  const judgeCommit = ({ changes }: Commit) => {
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

  return {
    observe: (commit) => {
      judgeCommit(commit)
      for (const change of commit.changes) {
        if (change.put === "campaign" && change.row.revision === 1) begin(change.row.campaign_id)
      }
      for (const { action, resource } of commit.audit) if (action === "campaign.revive") made.delete(resource.id ?? "")
    },
    lookAtRest: () => {
      for (const campaignId of made) {
        l6(
          !isLeftOver(campaignId),
          () =>
            `${campaignId} is ${tables.campaigns.get(campaignId)?.status}, though all of its batches have finished and nothing is due`,
        )
      }
    },
  }
}
