import { Effect } from "effect"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import type { Batch } from "../batches/rules/Batch.ts"
import { BatchStore } from "../batches/ports/BatchStore.ts"
import { finishes } from "../batches/steps/SettleBatch.ts"
import { Callees } from "../callees/Callees.ts"
import { untilWorkingDay } from "../callees/rules/Marks.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import { goesByPriority, inCallOrder } from "../campaigns/rules/CallOrder.ts"
import { mayBeDone } from "../campaigns/rules/CampaignWork.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { campaignHoursOf, followUpPolicyOf } from "../contacts/rules/ContactProgress.ts"
import { type ContactMoment, ContactStore } from "../contacts/ports/ContactStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { Wallets } from "../organizations/Wallets.ts"
import { makeBatchCounts } from "./BatchCounts.ts"
import { isGiven } from "./rules/CallingWindow.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import { gateOf, type Lane } from "./rules/Lane.ts"
import type { BatchPause } from "./rules/LaneWaits.ts"
import { LaneStore } from "./ports/LaneStore.ts"
import { entriesOf, isBound } from "./rules/OpenMarks.ts"
import { openMarksInTurns } from "./MarksInTurns.ts"
import { planDaysAnew } from "./steps/PlanDaysAnew.ts"

/** What a batch may lack, by name: its agent, and its caller IDs. Those that lack the same wait together, so that one contact is held for all of them. */
export const lacksOf = ({ agent_id, batch_id, phone_numbers }: Batch): readonly [agent: string, callerIds: string] => [
  `agent ${agent_id}`,
  phone_numbers === null ? "caller IDs" : `caller IDs of ${batch_id}`,
]

/** What contacts of the lane are asked for. */
const momentOf = ({ in_hours, marks }: Pick<OpenLane, "in_hours" | "marks">, now: number): ContactMoment =>
  marks === null ? { now, in_hours } : { now, in_hours, marks }

/** In which order the contacts of a lane are taken: its batches, and the moment at which they are asked for. */
export const turnsOf = (lane: OpenLane, now: number) => ({
  batchIds: inCallOrder(lane.campaign, [...lane.batches.keys()]),
  moment: { ...momentOf(lane, now), ...(goesByPriority(lane.campaign) ? { by_priority: true } : {}) },
})

/** Looks at a lane anew. */
export type Reload = (desk: Desk, laneId: string) => Effect.Effect<void, PortError>

/** Keeps the desk's picture of an organization. */
export const makePicture = Effect.gen(function* () {
  const lanes = yield* LaneStore
  const campaigns = yield* CampaignStore
  const batches = yield* BatchStore
  const contacts = yield* ContactStore
  const calls = yield* CallStore
  const agents = yield* AgentStore
  const callees = yield* Callees
  const accounts = yield* AccountStore
  const wallets = yield* Wallets
  const gate = yield* Gate
  const contactCalls = yield* ContactCalls
  const lifecycle = yield* Lifecycle
  const counts = yield* makeBatchCounts
  const steps = yield* Steps
  const clock = yield* DomainClock

  const laneFor = Effect.fnUntraced(function* (desk: Desk, laneId: string) {
    const unfinished = yield* batches.unfinished(laneId, desk.lanes.get(laneId)?.batches)
    const campaign = yield* campaigns.locate(laneId)
    return { lane_id: laneId, campaign, batches: unfinished } satisfies Lane
  })

  /** Until when the lane waits for a hold; a wallet that is well again ends the wait at once. */
  const pauseOf = Effect.fnUntraced(function* (desk: Desk, { lane_id, campaign, batches: [batch] }: Lane, now: number) {
    const pause = desk.waits.paused.get(lane_id)
    if (pause === undefined) return 0
    const organizationId = campaign?.organization_id ?? batch?.organization_id
    if (pause.until > now && organizationId !== undefined) {
      if (pause.because === "carrier") return pause.until
      const organization = yield* accounts.organization(organizationId)
      if (organization !== null && !(yield* wallets.open(organization))) return pause.until
    }
    desk.waits.goesOn(lane_id)
    return 0
  })

  /** What batches that may dial wait for; an agent that is well again ends the wait at once. */
  const pausesOf = Effect.fnUntraced(function* (desk: Desk, laneId: string, open: ReadonlyArray<Batch>, now: number) {
    const waiting = new Map<string, BatchPause>()
    const paused = desk.waits.pausedBatches(laneId)
    if (paused.size === 0) return waiting
    const lacks = new Map(open.flatMap((batch) => lacksOf(batch).map((name) => [name, batch.organization_id])))
    for (const [name, pause] of paused) {
      const organizationId = lacks.get(name)
      if (organizationId === undefined || pause.until <= now) continue
      if (pause.because === "agent") {
        const agent = yield* agents.find(organizationId, pause.agent_id)
        if (agent !== null && canPlaceCalls(agent.status)) continue
      }
      waiting.set(name, pause)
    }
    desk.waits.pauseBatches(laneId, waiting)
    return waiting
  })

  /** Plans follow-ups anew that were put off for a working day, where the hours by which that was judged are others by now. */
  const planDays = Effect.fnUntraced(function* (desk: Desk, { batches: some, campaign, lane_id }: Lane) {
    if (campaign === null || !some.some((batch) => followUpPolicyOf(batch, campaign).enabled)) {
      return desk.days.forget(lane_id)
    }
    const hours = campaignHoursOf(campaign)
    const days = { isGiven: isGiven(hours), timezone: hours.window.timezone, revision: campaign.revision }
    if (desk.days.mayHaveChanged(lane_id, days)) {
      const byId = new Map(some.map((batch) => [batch.batch_id, batch]))
      const { organization_id } = campaign
      for (let isLeft = true; isLeft;) {
        const found = yield* contacts.marked([...byId.keys()], untilWorkingDay, limits.skippedTogether)
        const off = found.flatMap((contact) => {
          const batch = byId.get(contact.batch_id)
          return batch === undefined ? [] : [{ batch, contact }]
        })
        if (off.length > 0) yield* steps.propose(planDaysAnew, { organization_id, campaign, some: off })
        isLeft = found.length === limits.skippedTogether
        if (isLeft) yield* nextTurn
      }
    }
    desk.days.areKnown(lane_id, days)
  })

  /**
   * Settles batches of which nobody is left, where somebody has written them. Who brings a batch back may have counted before its last call ended, and whoever
   * ended that found a batch that was held.
   */
  const lookAfter = Effect.fnUntraced(function* (desk: Desk, { batches: some, lane_id }: Lane) {
    const written = desk.lookedAfter.written(lane_id, some)
    for (const { batch, tally } of yield* counts.counted(written)) {
      if (finishes(batch, tally)) yield* lifecycle.settle(batch)
    }
    desk.lookedAfter.areLookedAfter(lane_id, some)
  })

  const reload = Effect.fnUntraced(function* (desk: Desk, laneId: string) {
    const now = clock.now()
    const lane = yield* laneFor(desk, laneId)
    // Whoever wrote one of them meanwhile changed the lane, which is looked at again then.
    yield* Effect.catchTag(planDays(desk, lane), "Conflict", () => Effect.void)
    yield* lookAfter(desk, lane)
    const judged = gateOf(lane, now)
    const waiting = yield* pausesOf(desk, laneId, judged.open, now)
    const mayGoOn = (batch: Batch) => waiting.size === 0 || !lacksOf(batch).some((name) => waiting.has(name))
    const open = new Map(judged.open.filter(mayGoOn).map((batch) => [batch.batch_id, batch]))
    const organizationId = lane.campaign?.organization_id ?? lane.batches[0]?.organization_id ?? ""
    const hours = yield* callees.hours(organizationId)
    const entries = entriesOf(hours.setting, lane.campaign, open.values())
    const opening = isBound(entries)
      ? yield* openMarksInTurns(entries, yield* contacts.marks([...open.keys()]), now)
      : null
    const marks = opening?.open ?? null
    const load = yield* contacts.load([...open.keys()], momentOf({ in_hours: judged.in_hours, marks }, now))
    const ceiling = lane.campaign?.max_concurrent_calls ?? null
    const [used = 0] = yield* calls.holding([{ level: "campaign", key: laneId, ceiling }])
    if (open.size > 0 && load.dialable === 0 && !load.waits) {
      // Who had the turn at a number may stand in a batch that does not dial.
      if (used === 0) yield* contactCalls.freeWaiting(laneId)
      // What a failure left undone after a call's end is made up for here.
      for (const batch of judged.open) yield* lifecycle.settle(batch)
    }
    if (judged.closed?.reason === "finished" && lane.batches.length > 0) yield* lifecycle.mend(laneId)
    // Its last batches may have finished at the same moment.
    const isLeft = lane.campaign !== null && lane.batches.length === 0 && mayBeDone(lane.campaign)
    if (isLeft) yield* lifecycle.complete(laneId)
    const pausedUntil = yield* pauseOf(desk, lane, now)
    desk.set({
      lane_id: laneId,
      campaign: lane.campaign,
      batches: open,
      in_hours: judged.in_hours,
      hours,
      marks,
      ceiling,
      used,
      dialable: pausedUntil > now ? 0 : load.dialable,
    })
    const ends = [...waiting.values()].map(({ until }) => until)
    const wait = pausedUntil > now ? pausedUntil : null
    const times = [judged.next, load.next_due, opening?.changes ?? null, wait, ...ends].filter((time) => time !== null)
    const next = Math.min(...times)
    // A time that has come already would be looked at for ever.
    if (times.length === 0) desk.due.delete(laneId)
    else desk.due.set(laneId, next > now ? next : now + limits.dispatchLookMs, laneId)
  })

  /** Brings the picture up to date: only what changed, and what the clock has changed. */
  const refresh = Effect.fnUntraced(function* (organizationId: string, desk: Desk) {
    const news = yield* lanes.changed(organizationId, desk.sequence)
    for (const laneId of news.lanes) yield* reload(desk, laneId)
    desk.sequence = news.sequence
    for (let due = desk.due.popDue(clock.now()); due !== undefined; due = desk.due.popDue(clock.now())) {
      const { at, value: laneId } = due
      // No row has changed that could tell of it: what could not be read now is looked at again.
      yield* Effect.onError(reload(desk, laneId), () => Effect.sync(() => desk.due.set(laneId, at, laneId)))
    }
    const { limit, used } = yield* gate.lines(organizationId)
    desk.setLines(limit, used)
  })

  return { reload, refresh }
})
