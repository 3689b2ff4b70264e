import type { Batch } from "../../batches/rules/Batch.ts"
import { batchesOf } from "../../engine/rules/Guards.ts"
import { all, each, glance, type Reading, refuse, row, set, sum } from "../../engine/steps/Reading.ts"
import type { SetDescription } from "../../engine/steps/SetDescription.ts"
import { NotFound, StateConflict } from "../../Errors.ts"
import type { Tally } from "../../tallies/rules/Tally.ts"
import type { Campaign } from "../rules/Campaign.ts"
import { lastEntryOf } from "./CampaignLog.ts"
import { hasEnded } from "../rules/CampaignStatus.ts"

const noSuchCampaign = new NotFound({ message: "Campaign not found." })

/** A campaign of an organization. */
export function* campaignOf(organizationId: string, campaignId: string) {
  return (yield* row("campaign", campaignId, { of: organizationId })) ?? (yield* refuse(noSuchCampaign))
}

/** The batches of a campaign that it may move, oldest first. */
const campaignBatches: SetDescription<string, ReadonlyArray<Batch>> = {
  members: "batches of a campaign that have neither completed nor failed",
  guard: batchesOf,
  read: ({ batches }, campaignId) => batches.movable(campaignId),
}

/** How many bytes those take. */
const campaignBatchBytes: SetDescription<string, number> = {
  members: "bytes of the batches of a campaign that have neither completed nor failed",
  guard: batchesOf,
  read: ({ batches }, campaignId) => batches.movableBytes(campaignId),
}

/** Those that have not finished. */
export const unfinishedBatches: SetDescription<string, ReadonlyArray<Batch>> = {
  members: "batches of a campaign that have not finished",
  guard: batchesOf,
  read: ({ batches }, campaignId) => batches.unfinished(campaignId),
}

/** A campaign with the batches that it may move, what is counted of it, and the number of the last entry of its log. */
export interface Whole {
  readonly campaign: Campaign
  readonly batches: ReadonlyArray<Batch>
  readonly tally: Tally
  readonly last: number
}

/** Why a step that steers a campaign reads more than others may. */
export const wholeBecause =
  "A campaign moves in one commit with all of its batches that have neither completed nor failed, and may have more of them than other steps read."

/** What a campaign is steered with, besides its row. */
function* steeredWith(campaignId: string): Reading<Omit<Whole, "campaign">> {
  const [[batches, tally], last] = yield* all(
    all(set(campaignBatches, campaignId), sum(campaignId, batchesOf(campaignId))),
    lastEntryOf(campaignId),
  )
  return { batches, tally, last }
}

/** A campaign of an organization as it is steered. */
export function* wholeCampaign(organizationId: string, campaignId: string) {
  const [campaign, others] = yield* all(campaignOf(organizationId, campaignId), steeredWith(campaignId))
  return { campaign, ...others }
}

/** The same of a campaign that has been read. */
export function* wholeOf(campaign: Campaign): Reading<Whole> {
  return { campaign, ...(yield* steeredWith(campaign.campaign_id)) }
}

/** What is counted of batches, by their ids. */
export type Counts = ReadonlyMap<string, Tally>

/** What is counted of each of those batches. */
export function* countsOf(batches: ReadonlyArray<Batch>) {
  const tallies = yield* glance(
    "level",
    "The dispatcher looks at the batches that were written, and settles those of which nobody is left.",
    each(batches.map(({ batch_id }) => sum(batch_id, null))),
  )
  return new Map(batches.map(({ batch_id }, nth) => [batch_id, tallies[nth] ?? {}]))
}

/** The numbers that a campaign and its batches name. */
export const numbersNamed = ({ batches, campaign }: Whole): ReadonlyArray<string> =>
  [campaign, ...batches].flatMap(({ phone_numbers }) => phone_numbers ?? [])

const campaignEnded = ({ status }: Campaign): StateConflict =>
  new StateConflict({ message: `This campaign has ended (status=${status}) and takes no more contacts.` })

/** A campaign with what is counted of it, what the batches take that it may move, and the number of the last entry of its log. */
export interface Filled {
  readonly campaign: Campaign
  readonly tally: Tally
  readonly bytes: number
  readonly last: number
}

/** A campaign of an organization that takes contacts, with how full it is. */
export function* fillingCampaign(organizationId: string, campaignId: string) {
  const [campaign, [tally, bytes], last] = yield* all(
    openCampaign(organizationId, campaignId),
    all(sum(campaignId, batchesOf(campaignId)), set(campaignBatchBytes, campaignId)),
    lastEntryOf(campaignId),
  )
  return { campaign, tally, bytes, last }
}

/** A campaign of an organization that takes contacts. */
function* openCampaign(organizationId: string, campaignId: string) {
  const campaign = yield* campaignOf(organizationId, campaignId)
  return hasEnded(campaign) ? yield* refuse(campaignEnded(campaign)) : campaign
}
