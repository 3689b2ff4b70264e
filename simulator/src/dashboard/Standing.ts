import {
  agentsAsked,
  type BlockingReason,
  type CountedBatch,
  entriesOf,
  FairShare,
  FinishEstimate,
  hoursOfMarks,
  isSpent,
  Lanes,
  outcomeCounts,
  type SlotLevels,
} from "@carillon/core/domain"
import type { Batch, Campaign, Tally } from "@carillon/core/ports"
import type { LaneStanding } from "../invariants/LaneStanding.ts"
import type { Sharing } from "../invariants/SharingLaws.ts"
import type { World } from "../World.ts"

/** What keeps a campaign from dialling more, and until when where that is known. */
export interface HeldBy {
  readonly reason: BlockingReason
  readonly until: number | null
}

/** A campaign, or a batch for itself, beside the lines that it has and wants. */
export interface Standing extends LaneStanding {
  readonly name: string
  readonly status: string
  readonly agent_id: string | null
  /** Lines that are its by right, whoever else asks; 0 while it asks for none. */
  readonly floor: number
  readonly share: number
  /** Contacts that wait for a time of their own. */
  readonly waiting: number
  readonly outcomes: ReturnType<typeof outcomeCounts>
  /** Null where nothing holds it. */
  readonly held_by: HeldBy | null
  /** When it will be done at the pace so far; null where nothing can be said honestly, and for a batch for itself. */
  readonly estimated_finish_at: number | null
}

/** Lines in use, and the ceiling above them; null: none that refuses. */
export interface Level {
  readonly used: number
  readonly ceiling: number | null
}

const isFull = ({ ceiling, used }: Level): boolean => ceiling !== null && used >= ceiling

const agentOf = (world: World, campaign: Campaign | undefined, laneId: string): string | null =>
  campaign?.agent_id ?? world.tables.batches.get(laneId)?.agent_id ?? null

/** What keeps a campaign's contacts from being dialled until somebody acts. */
const stopOf = (
  { tables }: World,
  campaign: Campaign,
  toFinish: ReadonlyArray<CountedBatch>,
): BlockingReason | null => {
  const { organization_id } = campaign
  const agents = FinishEstimate.agentsToFinish(campaign, toFinish)
  if (agents.some((id) => tables.agents.find(organization_id, id)?.status !== "ACTIVE")) return "agent_inactive"
  const organization = tables.organizations.get(organization_id)
  if (organization === undefined || isSpent(organization.wallet)) return "wallet"
  const own = tables.numbers(organization_id)
  const lacksNumber = toFinish.some(({ batch }) => {
    const named = batch.phone_numbers ?? campaign.phone_numbers ?? []
    return named.length > 0 && !named.some((number) => own.has(number))
  })
  if (lacksNumber) return "caller_id"
  return (tables.platform?.hold ?? null) === null ? null : "carrier"
}

/** The same estimate that `GET /v2/campaigns/{campaign_id}/explain` gives. */
const finishOf = (
  world: World,
  campaign: Campaign | undefined,
  of: {
    readonly batches: ReadonlyArray<Batch>
    readonly tally: Tally
    readonly ceilings: FinishEstimate.Ceilings
    readonly beside: FairShare.Beside
  },
  now: number,
): number | null => {
  if (campaign === undefined) return null
  const { tables } = world
  const unfinished = of.batches.map((batch) => ({ batch, tally: tables.tallies.read(batch.batch_id) }))
  const toFinish = FinishEstimate.batchesToFinish(unfinished)
  const left = toFinish.map(({ batch }) => batch)
  const facts: FinishEstimate.EstimateFacts = {
    campaign,
    tally: of.tally,
    unfinished,
    times: tables.contacts.times(
      toFinish.map(({ batch }) => batch.batch_id),
      now,
    ),
    callable: FinishEstimate.allCallable(
      campaign,
      hoursOfMarks(
        entriesOf(tables.calleeHours.get(campaign.organization_id) ?? null, campaign, left),
        tables.contacts.marks(left.map(({ batch_id }) => batch_id)),
      ),
      now,
    ),
    ceilings: of.ceilings,
    beside: of.beside,
    stop: toFinish.length === 0 ? null : stopOf(world, campaign, toFinish),
  }
  return FinishEstimate.finishEstimate(facts, now).at
}

/** How the campaigns of an organization stand to its lines: a pure reading of the rows, so that looking changes nothing. */
export const standingsOf = (
  world: World,
  organizationId: string,
  ceilings: SlotLevels.SlotCeilings,
): ReadonlyArray<Standing> => {
  const { tables } = world
  const now = world.clock.now()
  const shared: Sharing = world.campaigns.sharing(organizationId)
  const lines: FairShare.SharedLines = {
    limit: shared.limit,
    direct: shared.direct,
    campaigns: shared.lanes.map(({ ceiling, demand, used }) => ({ ceiling, used, dialable: demand })),
  }
  const ofOthers = tables.calls.holding("platform", "platform") - tables.calls.holding("organization", organizationId)
  const besides = (laneId: string): FairShare.Beside => ({
    direct: shared.direct,
    others: shared.lanes.flatMap(({ ceiling, demand, lane_id, used }) =>
      lane_id === laneId || used + demand === 0
        ? []
        : [
            {
              contacts: used + demand,
              ceiling,
              agent_ids: agentsAsked(tables.campaigns.get(lane_id) ?? null, tables.batches.unfinished(lane_id), false),
            },
          ],
    ),
  })
  const platform: Level = { used: tables.calls.holding("platform", "platform"), ceiling: ceilings.platform }

  const lineReason = (index: number, agent: Level): BlockingReason | null => {
    switch (FairShare.verdictOf(lines, index)) {
      case "ceiling":
        return "campaign_ceiling"
      case "lines_full":
        return isFull(platform) ? "platform_lines_full" : "organization_lines_full"
      case "fair_share":
        return "fair_share"
      case "empty":
        return null
      case "floor":
      case "borrow":
        return isFull(agent) ? "agent_ceiling" : isFull(platform) ? "platform_lines_full" : null
    }
  }

  return shared.lanes.map((lane, index): Standing => {
    const { ceiling, demand, holds, lane_id } = lane
    const campaign = tables.campaigns.get(lane_id)
    const batches = tables.batches.unfinished(lane_id)
    const gate = Lanes.gateOf({ lane_id, campaign: campaign ?? null, batches }, now)
    const ids = batches.map(({ batch_id }) => batch_id)
    const load = tables.contacts.load(ids, { now, in_hours: gate.in_hours })
    const due = tables.contacts.load(ids, { now, in_hours: true })
    const { held, planned } = tables.contacts.times(ids, now)
    const waiting = due.dialable - load.dialable + held.contacts + planned.contacts
    const tally = tables.tallies.read(lane_id)
    const agent_id = agentOf(world, campaign, lane_id)
    const agent = agent_id === null ? undefined : tables.agents.get(agent_id)
    const organization = tables.organizations.get(organizationId)
    const spent = organization === undefined || isSpent(organization.wallet)
    const heldBy = (): HeldBy | null => {
      if (gate.closed !== null) return gate.closed
      if (load.dialable + waiting === 0) return null
      if (agent !== undefined && agent.status !== "ACTIVE") return { reason: "agent_inactive", until: null }
      if (spent) return { reason: "wallet", until: null }
      if (holds) return { reason: "carrier", until: load.next_due }
      if (gate.open.length === 0) {
        return {
          reason: batches.some(({ status }) => status === "paused") ? "batch_paused" : "batch_not_due",
          until: gate.next,
        }
      }
      if (load.dialable === 0) return { reason: "cooldown", until: load.next_due }
      const used = agent_id === null ? 0 : tables.calls.holding("agent", agent_id)
      const reason = lineReason(index, { used, ceiling: ceilings.agent })
      return reason === null ? null : { reason, until: null }
    }
    return {
      ...lane,
      name: campaign?.name ?? `Batch ${lane_id}`,
      status: campaign?.status ?? tables.batches.get(lane_id)?.status ?? "completed",
      agent_id,
      floor: demand > 0 ? Math.min(shared.share, ceiling ?? shared.share) : 0,
      share: shared.share,
      waiting,
      outcomes: outcomeCounts(tally),
      held_by: heldBy(),
      estimated_finish_at: finishOf(
        world,
        campaign,
        {
          batches,
          tally,
          ceilings: { ...ceilings, platform: ceilings.platform === null ? null : ceilings.platform - ofOthers },
          beside: besides(lane_id),
        },
        now,
      ),
    }
  })
}
