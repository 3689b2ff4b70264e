import { Effect } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import type { Purge } from "../retention/rules/PurgeRow.ts"
import { isSameTally, lessTally, type Recount } from "../tallies/rules/Recount.ts"
import { figure, type Tally } from "../tallies/rules/Tally.ts"
import { rowsOfFigure } from "../tallies/rules/TallyChanges.ts"
import { TallyStore } from "../tallies/ports/TallyStore.ts"
import type { Found } from "./rules/Found.ts"
import { type MayBeGone, mayCallsBeGone, tallyFaults } from "./rules/Missing.ts"
import { batchFault } from "./rules/RowFaults.ts"

/** A campaign or a batch with its tally as it was before its rows were counted. */
export interface Subject {
  readonly id: string
  readonly created_at: number
  readonly tally: Tally
}

export interface BatchSubject extends Subject {
  readonly batch: Batch
}

/** The tallies of a campaign's batches together, as far as they are of contacts and calls; null where one of them has moved. */
export const sumOfRows = (tallies: ReadonlyArray<Tally | null>): Tally | null => {
  const sum: { [figure: string]: number } = {}
  for (const tally of tallies) {
    if (tally === null) return null
    for (const name in tally) if (rowsOfFigure(name) !== "batch") sum[name] = figure(sum, name) + figure(tally, name)
  }
  return sum
}

/** Holds what is counted of campaigns and batches against their rows. */
export const makeTallyJudging = Effect.gen(function* () {
  const campaigns = yield* CampaignStore
  const batches = yield* BatchStore
  const tallies = yield* TallyStore

  /** Holds what is kept of a campaign or a batch against its rows, and gives it back, unless it has moved since they were counted. */
  const judgeTally = Effect.fnUntraced(function* (
    { id, tally }: Subject,
    mayBeGone: MayBeGone,
    sum: Recount,
    found: Found,
  ) {
    const now = yield* tallies.read(id)
    if (!isSameTally(tally, now)) {
      found.moving += 1
      return null
    }
    for (const fault of tallyFaults(sum.beyond(id, now), now, mayBeGone)) {
      found.add({ law: "counts are right", detail: `${id}: ${fault}` })
    }
    return now
  })

  /** The batch as it stands: its contacts may be going since they were read. */
  const judgeBatch = Effect.fnUntraced(function* (
    { batch: { batch_id, campaign_id }, ...own }: BatchSubject,
    purge: Purge | null,
    sum: Recount,
    found: Found,
  ) {
    const batch = yield* batches.locate(batch_id)
    const campaign: Campaign | null = campaign_id === null ? null : yield* campaigns.locate(campaign_id)
    if (batch !== null) found.add(batchFault(batch, campaign, own.tally))
    const isGoing = batch?.purging_since !== undefined
    const mayBeGone = { calls: mayCallsBeGone(purge, own.created_at), contacts: isGoing }
    return { campaign_id, isGoing, tally: yield* judgeTally(own, mayBeGone, sum, found) }
  })

  return {
    /** What is counted of a campaign or a batch, before its rows are read. */
    subject: (id: string, created_at: number) =>
      Effect.map(tallies.read(id), (tally): Subject => ({ id, created_at, tally })),
    /**
     * Whatever is counted of a campaign's contacts and calls is counted of one of its batches, too. So where rows are gone, the two still have to
     * say the same.
     */
    judge: Effect.fnUntraced(function* (
      ofCampaigns: ReadonlyArray<Subject>,
      ofBatches: ReadonlyArray<BatchSubject>,
      purge: Purge | null,
      sum: Recount,
      found: Found,
    ) {
      const judged = yield* Effect.forEach(ofBatches, (each) => judgeBatch(each, purge, sum, found))
      const byCampaign = Map.groupBy(judged, ({ campaign_id }) => campaign_id)
      for (const campaign of ofCampaigns) {
        const own = byCampaign.get(campaign.id) ?? []
        const contacts = own.some(({ isGoing }) => isGoing)
        const mayBeGone = { calls: mayCallsBeGone(purge, campaign.created_at), contacts }
        const tally = yield* judgeTally(campaign, mayBeGone, sum, found)
        const together = sumOfRows(own.map((each) => each.tally))
        if (tally === null || together === null || !(mayBeGone.calls || contacts)) continue
        const rows = Object.entries(tally).filter(([name]) => rowsOfFigure(name) !== "batch")
        for (const [name, more] of Object.entries(lessTally(Object.fromEntries(rows), together))) {
          const detail = `${campaign.id}: ${name} is kept as ${more} more than of its batches`
          found.add({ law: "counts are right", detail })
        }
      }
    }),
  }
})
