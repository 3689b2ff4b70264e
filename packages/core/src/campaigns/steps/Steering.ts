import type { Batch } from "../../batches/rules/Batch.ts"
import { type BatchProgress, type BatchState, isFinishedBatch } from "../../batches/rules/BatchStatus.ts"
import { moved, progressOf } from "../../batches/rules/BatchProgress.ts"
import { type Outcome, put, type RowChange, unchanged, write } from "../../engine/rules/Outcome.ts"
import type { WakeupChange } from "../../engine/rules/Wakeup.ts"
import { StateConflict } from "../../Errors.ts"
import { nameCallerIds } from "../../numbers/steps/CallerIds.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import { allBatches, figure, type Tally } from "../../tallies/rules/Tally.ts"
import { tallyAfter } from "../../tallies/steps/TallyAfter.ts"
import type { Campaign } from "../rules/Campaign.ts"
import type { CampaignLogWords } from "../rules/CampaignEntry.ts"
import { completedWords, logged } from "./CampaignLog.ts"
import type { Counts, Whole } from "./CampaignReads.ts"
import type { CampaignRefusal, CampaignStatus } from "../rules/CampaignStatus.ts"
import { expiryAfter, statusAfterWork } from "../rules/CampaignWork.ts"

const verbs = {
  pause: "paused",
  resume: "resumed",
  cancel: "cancelled",
  revive: "revived",
  delete: "deleted",
  edit: "edited",
} as const

/** Why a campaign is not steered. */
export const refusalOf = (
  { reason, status }: { readonly reason: CampaignRefusal; readonly status: CampaignStatus },
  verb: keyof typeof verbs,
): StateConflict => {
  const messages: { readonly [each in CampaignRefusal]: string } = {
    ended: `This campaign has already ended (status=${status}) and cannot be ${verbs[verb]}.`,
    still_running: `This campaign is still running (status=${status}) and cannot be revived.`,
    archived: "This campaign is archived and cannot be revived.",
    batches_unfinished: "This campaign has batches that are not finished. Cancel it first.",
    not_editable: `This campaign cannot be edited (status=${status}).`,
    agent_in_use: `The agent of this campaign cannot be changed now (status=${status}).`,
  }
  return new StateConflict({ message: messages[reason] })
}

/** What is answered to who steers a campaign. */
export interface Steered {
  readonly campaign: Campaign
  readonly tally: Tally
}

/** Nothing moves. */
export const stays = ({ campaign, tally }: Whole): Outcome<Steered> => unchanged({ campaign, tally })

/** How far a batch has come, by what was counted. */
export const progressIn =
  (counts: Counts) =>
  (batch: Batch): BatchProgress =>
    progressOf(batch, counts.get(batch.batch_id) ?? {})

/** How a campaign is steered. */
export interface Steer {
  readonly now: number
  /** The campaign as it shall be. */
  readonly after: Campaign
  /** What its log tells of that; null: nothing. That it completes by that is told behind it. */
  readonly words: CampaignLogWords | null
  /** What becomes of each of the batches that it may move. */
  readonly cascade: (batch: Batch) => BatchState
  /** Whether it is revived: without work it goes on until its end then, paused meanwhile or not. */
  readonly isRevived?: boolean
  /** The numbers that it begins to call from. */
  readonly named?: ReadonlyArray<PhoneNumber>
}

/** A batch as it goes with its campaign, which may have another agent now; null where nothing of it changes. */
const batchWith = (batch: Batch, state: BatchState, before: Campaign, { after, now }: Steer): Batch | null => {
  const isTheCampaigns = batch.agent_id === before.agent_id && !isFinishedBatch(state.status)
  const agent_id = isTheCampaigns ? after.agent_id : batch.agent_id
  const isSame =
    agent_id === batch.agent_id &&
    state.status === batch.status &&
    state.paused_by === batch.paused_by &&
    state.cancelled_by === batch.cancelled_by
  return isSame ? null : { ...moved(batch, state, now), agent_id }
}

/** How the breaker of a campaign stands as the campaign moves: where that goes on, its window begins anew. */
const breakerMoved = (after: Campaign, comesBack: boolean, now: number): Pick<Campaign, "breaker"> => {
  const { breaker, status } = after
  if (breaker === undefined) return {}
  const since = comesBack ? now : breaker.since
  return { breaker: { ...breaker, since, trip: status === "paused" ? breaker.trip : null } }
}

/** What becomes of a campaign that is steered. */
interface Steering {
  readonly campaign: Campaign
  readonly changes: ReadonlyArray<RowChange>
  readonly wakeups: ReadonlyArray<WakeupChange>
}

/** A campaign changes, and those of its batches with it that move. */
export const steering = ({ batches, campaign: before, last, tally }: Whole, steer: Steer): Steering => {
  const { after, cascade, isRevived = false, named = [], now, words } = steer
  const moves = batches.map((batch) => ({ batch, state: cascade(batch) }))
  const unfinished = moves.filter(({ state }) => !isFinishedBatch(state.status)).length
  const comesBack = after.status === "active" && before.status !== "active"
  const made = allBatches(tally)
  const isIdle = unfinished === 0 && (isRevived || before.idle_with === made)
  const idle = comesBack ? { idle_with: isIdle ? made : null } : {}
  const campaign = { ...after, ...idle, ...breakerMoved(after, comesBack, now), updated_at: now }
  const status = comesBack ? statusAfterWork(campaign, tally, unfinished) : campaign.status
  const completes = status !== campaign.status ? [completedWords(campaign.status)] : []
  const told = words === null ? completes : [words, ...completes]
  const changes: ReadonlyArray<RowChange> = [
    put("campaign", before, { ...campaign, status }),
    ...told.flatMap((each, nth) => logged({ ...before, last: last + nth }, each, now)),
    ...moves.flatMap(({ batch, state }) => {
      const next = batchWith(batch, state, before, steer)
      return next === null ? [] : [put("batch", batch, next)]
    }),
    ...nameCallerIds(named),
  ]
  return { campaign, changes, wakeups: expiryAfter({ ...campaign, status }, figure(tally, "contacts") > 0, now) }
}

/** The same as a caller asks for it. */
export const steered = (whole: Whole, steer: Steer): Outcome<Steered> => {
  const { campaign, changes, wakeups } = steering(whole, steer)
  const { campaign_id } = campaign
  return write(changes, {
    audit: [{ resource: { type: "campaign", id: campaign_id } }],
    wakeups,
    reply: { campaign, tally: tallyAfter(whole.tally, campaign_id, changes, steer.now) },
  })
}
