import type { Batch } from "../batches/Batch.ts"
import { batchesOf } from "../engine/Guards.ts"
import { all, each, glance, refuse, row, set, sum } from "../engine/Reading.ts"
import type { SetDescription } from "../engine/SetDescription.ts"
import { NotFound, StateConflict } from "../Errors.ts"
import type { Tally } from "../tallies/Tally.ts"
import type { Campaign } from "./Campaign.ts"
import { hasEnded } from "./CampaignStatus.ts"

const noSuchCampaign = new NotFound({ message: "Campaign not found." })

/** A campaign of an organization. */
export function* campaignOf(organizationId: string, campaignId: string) {
  return (yield* row("campaign", campaignId, { of: organizationId })) ?? (yield* refuse(noSuchCampaign))
}

/** Every batch of a campaign, oldest first. */
const campaignBatches: SetDescription<string, ReadonlyArray<Batch>> = {
  members: "batches of a campaign",
  guard: batchesOf,
  read: ({ batches }, campaignId) => batches.ofCampaign(campaignId),
}

/** Those that have not finished. */
export const unfinishedBatches: SetDescription<string, ReadonlyArray<Batch>> = {
  members: "batches of a campaign that have not finished",
  guard: batchesOf,
  read: ({ batches }, campaignId) => batches.unfinished(campaignId),
}

/** A campaign with its batches, and what is counted of it. */
export interface Whole {
  readonly campaign: Campaign
  readonly batches: ReadonlyArray<Batch>
  readonly tally: Tally
}

/** Why a step that steers a campaign reads more than others may. */
export const wholeBecause =
  "A campaign moves with all of its batches in one commit, and nothing bounds how many it has."

/** A campaign of an organization as it is steered. */
export function* wholeCampaign(organizationId: string, campaignId: string) {
  const [campaign, [batches, tally]] = yield* all(
    campaignOf(organizationId, campaignId),
    all(set(campaignBatches, campaignId), sum(campaignId, batchesOf(campaignId))),
  )
  return { campaign, batches, tally }
}

/** What is counted of batches, by their ids. */
export type Counts = ReadonlyMap<string, Tally>

/** What is counted of each of those batches. */
export function* countsOf(batches: ReadonlyArray<Batch>) {
  const tallies = yield* glance(
    "level",
    "The change of a campaign makes the dispatcher look, which settles its batches.",
    each(batches.map(({ batch_id }) => sum(batch_id, null))),
  )
  return new Map(batches.map(({ batch_id }, nth) => [batch_id, tallies[nth] ?? {}]))
}

/** The numbers that a campaign and its batches name. */
export const numbersNamed = ({ batches, campaign }: Whole): ReadonlyArray<string> =>
  [campaign, ...batches].flatMap(({ phone_numbers }) => phone_numbers ?? [])

const campaignEnded = ({ status }: Campaign): StateConflict =>
  new StateConflict({ message: `This campaign has ended (status=${status}) and takes no more contacts.` })

/** A campaign of an organization that takes contacts. */
export function* openCampaign(organizationId: string, campaignId: string) {
  const campaign = yield* campaignOf(organizationId, campaignId)
  return hasEnded(campaign) ? yield* refuse(campaignEnded(campaign)) : campaign
}
