import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import type { Batch } from "../batches/Batch.ts"
import {
  batchAfter,
  type BatchProgress,
  type BatchState,
  cascadeToBatch,
  isFinishedBatch,
} from "../batches/BatchStatus.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import {
  type Commit,
  type CommitDraft,
  type Decision,
  type Expectation,
  joined,
  unchanged,
  write,
} from "../engine/Commit.ts"
import { batchesOf } from "../engine/Guards.ts"
import { change, put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import { allBatches, figure, finishedBatches, type Tally } from "../tallies/Tally.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import type { Campaign } from "./Campaign.ts"
import { campaignAfter, type CampaignStatus, hasEnded } from "./CampaignStatus.ts"
import { CampaignStore } from "./CampaignStore.ts"
import { mendingOf } from "./Mending.ts"
import { References } from "./References.ts"

/** How far a batch has come, from what is counted of it. */
export const progressOf = (batch: Batch, tally: Tally, now: number): BatchProgress => ({
  due: batch.scheduled_at === null || batch.scheduled_at <= now,
  exhausted: figure(tally, "dialled") + figure(tally, "left_out") >= batch.total_contacts,
  settled:
    figure(tally, "contact:in_progress") === 0 &&
    figure(tally, "contact:retry_scheduled") === 0 &&
    figure(tally, "contact:follow_up_scheduled") === 0,
})

/** A batch in another state. */
export const moved = (batch: Batch, state: BatchState, now: number): Batch => ({
  ...batch,
  ...state,
  completed_at: isFinishedBatch(state.status) ? (batch.completed_at ?? now) : null,
  updated_at: now,
})

/** A campaign whose first contacts have not come yet does not expire. */
const mayExpire = ({ end_time, status }: Campaign, hasContacts: boolean): boolean =>
  end_time !== null && (status === "active" || (status === "created" && hasContacts))

/** When to look whether a campaign that has contacts has expired. */
export const expiry = (campaign: Campaign, now: number): Commit["wakeups"] =>
  campaign.end_time === null || !mayExpire(campaign, true)
    ? []
    : [{ set: { kind: "campaign", subject: campaign.campaign_id, at: Math.max(campaign.end_time, now) } }]

/** The part of a commit that changes a campaign: its row, the moment at which it expires, and a look of the dispatcher. */
export const campaignChange = (
  before: Campaign | null,
  campaign: Campaign,
  now: number,
  hasContacts = true,
): Partial<CommitDraft> => ({
  changes: [put("campaign", before, campaign)],
  wakeups: [
    ...(mayExpire(campaign, hasContacts)
      ? expiry(campaign, now)
      : [{ clear: { kind: "campaign" as const, subject: campaign.campaign_id } }]),
    { set: { kind: "dispatch", subject: campaign.organization_id, at: now } },
  ],
})

/** A campaign in another status. */
export const inStatus = (campaign: Campaign, status: CampaignStatus, now: number): Campaign => ({
  ...campaign,
  status,
  updated_at: now,
})

/** The batches of a campaign that have not finished. */
export const unfinishedOf = (tally: Tally): number => allBatches(tally) - finishedBatches(tally)

/** The status by what is left to do once so many batches are unfinished. */
export const statusAfterWork = (
  campaign: Pick<Campaign, "status" | "idle_with">,
  tally: Tally,
  unfinishedBatches: number,
): CampaignStatus =>
  campaign.idle_with === allBatches(tally)
    ? campaign.status
    : campaignAfter(campaign.status, {
        kind: "work_changes",
        contacts: figure(tally, "contacts"),
        unfinishedBatches,
        // A finished batch has nothing pending any more, whatever its contacts were planned for.
        pendingAttempts: 0,
      })

/** Whether to look at a campaign that has no unfinished batch: of one that an earlier release wrote nobody knows whether it was revived so. */
export const mayBeDone = ({ idle_with, status }: Campaign): boolean =>
  idle_with !== undefined && (status === "created" || status === "active")

/** The campaign of a batch, how much of it is done, and that no batch joins it meanwhile. */
export interface CampaignOfBatch {
  readonly campaign: Campaign
  readonly standing: ReadonlyArray<Expectation>
  readonly tally: Tally
}

/**
 * The part of a commit that finishes a batch: it completes the campaign with it where that batch is the last. After one that is not the last
 * the dispatcher looks: of two that finish at the same moment each takes the other for unfinished, and the look that follows sees both. They
 * do not expect each other, or twenty that are stopped at once would refuse one another.
 */
export const finishing = (of: CampaignOfBatch | null, now: number): Partial<CommitDraft> => {
  if (of === null) return {}
  const unfinished = unfinishedOf(of.tally) - 1
  const status = statusAfterWork(of.campaign, of.tally, unfinished)
  if (status === of.campaign.status)
    return { wakeups: [{ set: { kind: "dispatch", subject: of.campaign.organization_id, at: now } }] }
  return joined(
    { organization_id: of.campaign.organization_id, expect: of.standing },
    campaignChange(of.campaign, inStatus(of.campaign, status, now), now),
  )
}

interface LifecycleShape {
  /** Moves a batch on by how far it has come, and then its campaign. Doing so again changes nothing. */
  readonly settle: (batchId: string) => Effect.Effect<void, PortError>
  /** Completes a campaign all of whose batches have finished. Doing so again changes nothing. */
  readonly complete: (campaignId: string) => Effect.Effect<void, PortError>
  /** The campaign of a batch as it is decided with it; null for a batch by itself. */
  readonly campaignOf: (batch: Batch) => Effect.Effect<CampaignOfBatch | null, PortError>
  /** Brings a campaign that has ended and batches of it that have not together again. Where all is well it changes nothing. */
  readonly mend: (campaignId: string) => Effect.Effect<void, PortError>
  /** Looks at a campaign whose end may have come; returns when to look again where it is still to come. */
  readonly wake: (campaignId: string) => Effect.Effect<number | null, PortError>
}

/** What happens to campaigns and batches by themselves (specification, "Campaign status"). */
export class Lifecycle extends Context.Service<Lifecycle, LifecycleShape>()("@carillon/core/campaigns/Lifecycle") {
  static readonly layer = Layer.effect(
    Lifecycle,
    Effect.gen(function* () {
      const campaigns = yield* CampaignStore
      const batches = yield* BatchStore
      const tallies = yield* TallyStore
      const references = yield* References
      const steps = yield* Steps
      const audit = yield* Audit

      const mend: LifecycleShape["mend"] = Effect.fnUntraced(function* (campaignId) {
        const view = Effect.gen(function* () {
          const standing = yield* steps.standing(batchesOf(campaignId))
          const campaign = yield* campaigns.locate(campaignId)
          const open = yield* batches.unfinished(campaignId)
          const again =
            campaign === null
              ? {}
              : yield* references.namedAgain(campaign.organization_id, campaign.phone_numbers ?? [])
          return { standing, campaign, open, again }
        })
        const { reply } = yield* steps.run(view, ({ again, campaign, open, standing }, now) => {
          const mending = campaign === null ? null : mendingOf(campaign.status, open.length)
          if (campaign === null || mending === null) return unchanged(null)
          const { organization_id, status: was } = campaign
          const { batchAfter, status } = mending
          const details = { was, status, unfinished_batches: open.length }
          const entry = audit.bySystem(organization_id, {
            action: "campaign.mend",
            resource: { type: "campaign", id: campaignId },
            details,
          })
          const changed = open.flatMap((batch) => {
            const state = batchAfter(batch)
            return state === batch ? [] : [change("batch", batch, moved(batch, state, now), now)]
          })
          return write(
            joined(
              { organization_id, expect: standing, audit: [entry] },
              campaignChange(campaign, inStatus(campaign, status, now), now),
              status === "active" ? again : {},
              ...changed,
            ),
            details,
          )
        })
        if (reply !== null)
          yield* Effect.logWarning("A campaign had ended and some of its batches had not.", campaignId, reply)
      })

      const counted = Effect.fnUntraced(function* (campaignId: string) {
        const standing = yield* steps.standing(batchesOf(campaignId))
        const campaign = yield* campaigns.locate(campaignId)
        return campaign === null ? null : { campaign, standing, tally: yield* tallies.read(campaignId) }
      })

      const campaignOf: LifecycleShape["campaignOf"] = ({ campaign_id }) =>
        campaign_id === null ? Effect.succeed(null) : counted(campaign_id)

      const complete: LifecycleShape["complete"] = Effect.fnUntraced(function* (campaignId) {
        yield* steps.run(counted(campaignId), (of, now) => {
          if (of === null) return unchanged(undefined)
          const { campaign, standing, tally } = of
          const status = statusAfterWork(campaign, tally, unfinishedOf(tally))
          if (status === campaign.status) return unchanged(undefined)
          const change = campaignChange(campaign, inStatus(campaign, status, now), now)
          return write(joined({ organization_id: campaign.organization_id, expect: standing }, change), undefined)
        })
      })

      const settle: LifecycleShape["settle"] = Effect.fnUntraced(function* (batchId) {
        const view = Effect.gen(function* () {
          const batch = yield* batches.locate(batchId)
          return {
            batch,
            tally: yield* tallies.read(batchId),
            of: batch === null ? null : yield* campaignOf(batch),
          }
        })
        /** Which campaign is to be mended; null where all is well. */
        const { reply } = yield* steps.run(view, ({ batch, tally, of }, now): Decision<string | null> => {
          if (batch === null) return unchanged(null)
          const state = batchAfter(batch, { kind: "progress", progress: progressOf(batch, tally, now) })
          const isOver = of !== null && hasEnded(of.campaign) && !isFinishedBatch(state.status)
          const broken = isOver ? of.campaign.campaign_id : null
          // What has not begun stays as it was made until its first dial.
          const begun = batch.started_at !== null || isFinishedBatch(state.status)
          if (!begun || state.status === batch.status) return unchanged(broken)
          const after = moved(batch, state, now)
          const draft = joined({ organization_id: batch.organization_id }, change("batch", batch, after, now))
          return write(isFinishedBatch(after.status) ? joined(draft, finishing(of, now)) : draft, broken)
        })
        if (reply !== null) yield* mend(reply)
      })

      const expire = Effect.fnUntraced(function* (campaignId: string) {
        const view = Effect.all({
          standing: steps.standing(batchesOf(campaignId)),
          campaign: campaigns.locate(campaignId),
          tally: tallies.read(campaignId),
          open: batches.unfinished(campaignId),
        })
        yield* mend(campaignId)
        const { reply } = yield* steps.run(
          view,
          ({ campaign, standing, tally, open }, now): Decision<number | null> => {
            if (campaign === null || campaign.end_time === null) return unchanged(null)
            // A hint that came early may have taken the place of the one that is on time.
            const contacts = figure(tally, "contacts")
            if (campaign.end_time > now) return unchanged(mayExpire(campaign, contacts > 0) ? campaign.end_time : null)
            const status = campaignAfter(campaign.status, { kind: "end_time_passes", contacts })
            if (status === campaign.status) return unchanged(null)
            return write(
              joined(
                { organization_id: campaign.organization_id, expect: standing },
                campaignChange(campaign, inStatus(campaign, status, now), now),
                ...open.map((batch) =>
                  change("batch", batch, moved(batch, cascadeToBatch(batch, { kind: "expire" }), now), now),
                ),
              ),
              null,
            )
          },
        )
        return reply
      })

      return Lifecycle.of({ settle, complete, campaignOf, mend, wake: expire })
    }),
  )
}
