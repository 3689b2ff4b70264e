import type { Batch } from "../../batches/rules/Batch.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { figure, type Tally } from "../../tallies/rules/Tally.ts"
import { agentsAsked } from "./OpenMarks.ts"

/** A batch with what is counted of it. */
export interface CountedBatch {
  readonly batch: Batch
  readonly tally: Tally
}

export const batchesOf = (some: ReadonlyArray<CountedBatch>): ReadonlyArray<Batch> => some.map(({ batch }) => batch)

export const idsOf = (some: ReadonlyArray<CountedBatch>): ReadonlyArray<string> =>
  some.map(({ batch }) => batch.batch_id)

/** One figure of all of them together. */
export const sumOf = (some: ReadonlyArray<CountedBatch>, name: string): number =>
  some.reduce((sum, { tally }) => sum + figure(tally, name), 0)

export const followUpsOf = ({ tally }: CountedBatch): number => figure(tally, "contact:follow_up_scheduled")

/** Contacts of a batch that are not over: one that was reached and is followed up is not, either. */
export const undone = ({ batch, tally }: CountedBatch): number =>
  batch.total_contacts -
  figure(tally, "contact:completed") -
  figure(tally, "contact:failed") -
  figure(tally, "contact:skipped")

/** Contacts of a batch that are not over and not in a call. */
export const waitingOf = (each: CountedBatch): number => undone(each) - figure(each.tally, "contact:in_progress")

/** The agents that the follow-ups of a batch ask for, where they are others than its own. */
export const followUpAgents = (campaign: Campaign, batch: Batch): ReadonlyArray<string> =>
  [...agentsAsked(campaign, [batch], false)].filter((agentId) => agentId !== batch.agent_id)

/** Whether all who wait in a batch are followed up by another agent, so that its own is asked for nothing. */
export const isForFollowUps = (campaign: Campaign, each: CountedBatch): boolean =>
  followUpsOf(each) > 0 && waitingOf(each) === followUpsOf(each) && followUpAgents(campaign, each.batch).length > 0

/** Of the held contacts of a batch those who are followed up: a follow-up is held by its agent before anything else can hold it. */
export const followUpsHeldOf = (each: CountedBatch): number => Math.min(figure(each.tally, "held"), followUpsOf(each))
