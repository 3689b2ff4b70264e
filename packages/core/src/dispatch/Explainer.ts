import { Context, Effect, Layer } from "effect"
import { canPlaceCalls } from "../agents/AgentStatus.ts"
import { AgentStore } from "../agents/AgentStore.ts"
import type { Batch } from "../batches/Batch.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import { Callees } from "../callees/Callees.ts"
import type { Call } from "../calls/Call.ts"
import { CallStore } from "../calls/CallStore.ts"
import { type HeldLines, heldLines } from "../calls/HeldLines.ts"
import { type CallSurroundings, type CallWait, callWait } from "../calls/CallWaiting.ts"
import { surviving } from "../calls/Surviving.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import {
  type Blocking,
  type BlockingReason,
  type CampaignExplanation,
  type InactiveAgent,
  type WaitingForNumber,
} from "../campaigns/CampaignRecords.ts"
import { hoursOf } from "../campaigns/CampaignSettings.ts"
import { contactId } from "../contacts/Contact.ts"
import { followUpPolicyOf } from "../contacts/ContactProgress.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { Funds } from "../organizations/Funds.ts"
import { figure, type Tally } from "../tallies/Tally.ts"
import { Experiments } from "../experiments/Experiments.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { callerIdChoice } from "./CallerIdChoice.ts"
import { nextWindow } from "./CallingWindow.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { agentsToFinish, batchesToFinish, type CountedBatch, finishEstimate } from "./FinishEstimate.ts"
import { gateOf } from "./Lane.ts"
import { entriesOf, isBound, openMarks } from "./OpenMarks.ts"

/** Why a call stands where it stands. */
export interface CallExplanation {
  /** The record that goes on for the id that was asked for. */
  readonly call: Call
  readonly wait: CallWait
  /** When it is looked at next, in epoch milliseconds; null where only the carrier or nobody brings it on. */
  readonly until: number | null
  readonly surroundings: CallSurroundings
}

interface ExplainerShape {
  readonly explain: (campaign: Campaign) => Effect.Effect<CampaignExplanation, PortError>
  /** The same of one call, of whichever organization; null where there is no such call. */
  /** What the lines of an organization wait for. */
  readonly lines: (organizationId: string) => Effect.Effect<HeldLines, PortError>
  readonly explainCall: (executionId: string) => Effect.Effect<CallExplanation | null, PortError>
}

/** Inactive agents that are shown. */
const agentsShown = 10
/** Contacts that wait for their number and are shown. */
const waitingShown = 10

/** Says why a campaign dials nothing, or not more, now (decisions.md, "Campaigns and batches", the extensions), and what a call waits for. */
export class Explainer extends Context.Service<Explainer, ExplainerShape>()("@carillon/core/dispatch/Explainer") {
  static readonly layer = Layer.effect(
    Explainer,
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const tallies = yield* TallyStore
      const agents = yield* AgentStore
      const accounts = yield* AccountStore
      const funds = yield* Funds
      const calls = yield* CallStore
      const gate = yield* Gate
      const dispatcher = yield* Dispatcher
      const experiments = yield* Experiments
      const callees = yield* Callees
      const dialling = yield* Dialling
      const activity = yield* Activity
      const callerIds = yield* callerIdChoice
      const clock = yield* DomainClock

      /** Why a contact that could be dialled has no line; null where nothing keeps it from one. */
      const noLine = Effect.fnUntraced(function* (
        campaign: Campaign,
      ): Effect.fn.Return<BlockingReason | null, PortError> {
        const { campaign_id, organization_id, agent_id } = campaign
        switch (yield* dispatcher.verdict(organization_id, campaign_id)) {
          case "ceiling":
            return "campaign_ceiling"
          case "lines_full":
            return "organization_lines_full"
          case "fair_share":
            return "fair_share"
          case "empty":
            // The dispatcher passes over a lane that waits for the carrier.
            return "carrier"
          case "floor":
          case "borrow": {
            const { levels } = yield* gate.figures(organization_id)
            const { agent_ids } = yield* experiments.routes(organization_id, agent_id)
            const [platform = 0, ...sides] = yield* calls.holding([
              { level: "platform", key: "platform", ceiling: levels.platform },
              ...agent_ids.map((key) => ({ level: "agent" as const, key, ceiling: levels.agent })),
            ])
            if (sides.some((used) => used >= levels.agent)) return "agent_ceiling"
            return platform >= levels.platform ? "platform_lines_full" : null
          }
        }
      })

      /** Whether a batch calls from numbers of its choice only, and every one of them was given up. */
      const lacksCallerId = Effect.fnUntraced(function* (campaign: Campaign, open: ReadonlyArray<Batch>) {
        // Most of them have the campaign's, which is looked at once.
        const lists = new Set(open.map((batch) => batch.phone_numbers ?? campaign.phone_numbers ?? []))
        for (const numbers of lists) {
          if (numbers.length > 0 && !(yield* callerIds.isAnyOwn(campaign.organization_id, numbers))) return true
        }
        return false
      })

      /** What is counted of batches, read some at a time. */
      const counted = Effect.fnUntraced(function* (some: ReadonlyArray<Batch>) {
        const found: Array<CountedBatch> = []
        for (let from = 0; from < some.length; from += limits.talliesAtOnce) {
          const reads = some
            .slice(from, from + limits.talliesAtOnce)
            .map((batch) => Effect.map(tallies.read(batch.batch_id), (tally) => ({ batch, tally })))
          found.push(...(yield* activity.together(reads)))
        }
        return found
      })

      /** The agent as it is shown where it may place no calls; null where it may. */
      const inactive = Effect.fnUntraced(function* (organizationId: string, agentId: string) {
        const agent = yield* agents.find(organizationId, agentId)
        if (agent !== null && canPlaceCalls(agent.status)) return null
        return { agent_id: agentId, status: agent?.status ?? null } satisfies InactiveAgent
      })

      /** Of the batches' held contacts, the follow-ups whose own agent may place no calls, and these agents. */
      const followUpsHeld = Effect.fnUntraced(function* (campaign: Campaign, open: ReadonlyArray<Batch>) {
        const byAgent = Map.groupBy(open, (batch) => {
          const { enabled, follow_up_agent_id } = followUpPolicyOf(batch, campaign)
          return enabled ? follow_up_agent_id : null
        })
        const found: Array<InactiveAgent> = []
        let count = 0
        for (const [agentId, some] of byAgent) {
          const agent = agentId === null ? null : yield* inactive(campaign.organization_id, agentId)
          if (agent === null) continue
          const own = yield* counted(some)
          // A follow-up is held by its agent before anything else can hold it.
          const held = own.map(({ tally }) =>
            Math.min(figure(tally, "held"), figure(tally, "contact:follow_up_scheduled")),
          )
          const sum = held.reduce((one, other) => one + other, 0)
          count += sum
          if (sum > 0) found.push(agent)
        }
        return { count, agents: found }
      })

      const isCovered = Effect.fnUntraced(function* (organizationId: string) {
        const organization = yield* accounts.organization(organizationId)
        return organization === null || (yield* funds.open(organization))
      })

      /** What keeps all that is left, or some of it, from being dialled until somebody acts, whether its time has come or not. */
      const stopOf = Effect.fnUntraced(function* (
        campaign: Campaign,
        toFinish: ReadonlyArray<CountedBatch>,
      ): Effect.fn.Return<BlockingReason | null, PortError> {
        const { organization_id } = campaign
        for (const agentId of agentsToFinish(campaign, toFinish)) {
          if ((yield* inactive(organization_id, agentId)) !== null) return "agent_inactive"
        }
        if (!(yield* isCovered(organization_id))) return "wallet"
        const lacksNumber = yield* lacksCallerId(
          campaign,
          toFinish.map(({ batch }) => batch),
        )
        if (lacksNumber) return "caller_id"
        return (yield* dialling.standing) === null ? null : "carrier"
      })

      const estimateOf = Effect.fnUntraced(function* (
        campaign: Campaign,
        tally: Tally,
        batches: ReadonlyArray<Batch>,
        now: number,
      ) {
        const { limit } = yield* gate.lines(campaign.organization_id)
        const { enforced, levels } = yield* gate.figures(campaign.organization_id)
        const mayEnd = campaign.status === "active" || campaign.status === "created"
        const unfinished = mayEnd ? yield* counted(batches) : []
        const toFinish = batchesToFinish(unfinished)
        const ids = toFinish.map(({ batch }) => batch.batch_id)
        const facts = {
          campaign,
          tally,
          unfinished,
          times: yield* contacts.times(ids, now),
          ceilings: { platform: levels.platform, organization: limit, agent: enforced ? levels.agent : null },
          stop: toFinish.length === 0 ? null : yield* stopOf(campaign, toFinish),
        }
        return finishEstimate(facts, now)
      })

      /** Some of the contacts that wait for their number, and the call for whose end each of them waits. */
      const waitingForNumber = Effect.fnUntraced(function* (laneId: string) {
        const rows = yield* contacts.waitingIn(laneId, waitingShown)
        const live = yield* activity.together(rows.map(({ entry }) => calls.onNumber(laneId, entry.to_number)))
        return rows
          .map(({ batch_id, contact, entry, row }, nth): WaitingForNumber => ({
            contact_id: contactId(batch_id, row),
            batch_id,
            to_number: entry.to_number,
            waits_since: contact?.waits_since ?? null,
            execution_id: live[nth]?.execution_id ?? null,
          }))
          .toSorted((one, other) => (one.waits_since ?? 0) - (other.waits_since ?? 0))
      })

      const explain: ExplainerShape["explain"] = Effect.fnUntraced(function* (campaign) {
        const now = clock.now()
        const { campaign_id, organization_id } = campaign
        const unfinished = yield* batches.unfinished(campaign_id)
        const tally = yield* tallies.read(campaign_id)
        const judged = gateOf({ lane_id: campaign_id, campaign, batches: unfinished }, now)
        const { setting } = yield* callees.sureHours(organization_id)
        const entries = entriesOf(setting, campaign, judged.open)
        const openIds = judged.open.map(({ batch_id }) => batch_id)
        const opening = isBound(entries) ? openMarks(entries, yield* contacts.marks(openIds), now) : null
        const marks = opening === null ? {} : { marks: opening.open }
        const moment = { now, in_hours: judged.in_hours }
        const ids = (some: ReadonlyArray<Batch>) => some.map((batch) => batch.batch_id)
        const loadOf = (some: ReadonlyArray<Batch>) => contacts.load(ids(some), moment)
        const all = yield* loadOf(unfinished)
        const open = yield* contacts.load(openIds, { ...moment, ...marks })
        const blocking: Array<Blocking> = []
        const inactiveAgents: Array<InactiveAgent> = []
        const block = (reason: BlockingReason, count: number, until: number | null = null) => {
          if (count > 0) blocking.push({ reason, contacts: count, until })
        }
        if (judged.closed !== null) {
          // What waits for its own time is held back by the closed lane as well: the lane is the reason that counts.
          block(judged.closed.reason, all.dialable + all.waiting, judged.closed.until)
        } else {
          const booked = unfinished.filter((batch) => batch.status === "scheduled" && !judged.open.includes(batch))
          const pausedBatches = unfinished.filter((batch) => batch.status === "paused")
          const notDue = yield* loadOf(booked)
          const paused = yield* loadOf(pausedBatches)
          const dueTimes = booked.flatMap((batch) => (batch.scheduled_at === null ? [] : [batch.scheduled_at]))
          block("batch_not_due", notDue.dialable + notDue.waiting, dueTimes.length === 0 ? null : Math.min(...dueTimes))
          block("batch_paused", paused.dialable + paused.waiting)
          const inHours = judged.in_hours ? open : yield* contacts.load(openIds, { now, in_hours: true, ...marks })
          const outside = inHours.dialable - open.dialable
          block("outside_hours", outside, nextWindow(hoursOf(campaign).window, now)?.opens ?? null)
          const any = opening === null ? open : yield* contacts.load(openIds, moment)
          block("callee_hours", any.dialable - open.dialable, opening?.opens ?? null)
          const waits = yield* contacts.times(ids(judged.open), now)
          const held = waits.held.contacts
          block("cooldown", waits.planned.contacts, waits.planned.next_due)
          block("number_busy", figure(tally, "number_busy"))
          const own = yield* inactive(organization_id, campaign.agent_id)
          if (own !== null) {
            inactiveAgents.push(own)
            block("agent_inactive", open.dialable + held)
          } else if (!(yield* isCovered(organization_id))) block("wallet", open.dialable + held)
          else if (yield* lacksCallerId(campaign, judged.open)) block("caller_id", open.dialable + held)
          else if ((yield* dialling.standing) !== null) block("carrier", open.dialable + held)
          else {
            const followUps = held === 0 ? null : yield* followUpsHeld(campaign, judged.open)
            const byAgents = Math.min(followUps?.count ?? 0, held)
            inactiveAgents.push(...(followUps?.agents ?? []))
            block("agent_inactive", byAgents, waits.held.next_due)
            block("carrier", held - byAgents, waits.held.next_due)
            const reason = open.dialable === 0 ? null : yield* noLine(campaign)
            if (reason !== null) block(reason, open.dialable, reason === "carrier" ? waits.held.next_due : null)
          }
        }
        const estimate = yield* estimateOf(campaign, tally, unfinished, now)
        return {
          campaign_id,
          status: campaign.status,
          at: now,
          in_flight: figure(tally, "contact:in_progress"),
          dialable: open.dialable,
          blocking,
          inactive_agents: inactiveAgents.slice(0, agentsShown),
          waiting_for_number: figure(tally, "number_busy") === 0 ? [] : yield* waitingForNumber(campaign_id),
          estimated_finish_at: estimate.at,
          no_estimate_reason: estimate.because,
        }
      })

      const explainCall: ExplainerShape["explainCall"] = Effect.fnUntraced(function* (executionId) {
        const call = yield* surviving(calls.locate, executionId)
        if (call === null) return null
        const { agent_id, due_at, organization_id } = call
        const { levels } = yield* gate.figures(organization_id)
        const inUse = Effect.fnUntraced(function* (level: "platform" | "organization" | "agent", key: string) {
          const ceiling = levels[level]
          const [used = 0] = yield* calls.holding([{ level, key, ceiling }])
          return { used, ceiling }
        })
        const surroundings = {
          isHeld: (yield* dialling.standing) !== null,
          platform: yield* inUse("platform", "platform"),
          organization: yield* inUse("organization", organization_id),
          agent: yield* inUse("agent", agent_id),
        }
        return { call, wait: callWait(call, surroundings, clock.now()), until: due_at, surroundings }
      })

      return Explainer.of({
        explain,
        explainCall,
        lines: (organizationId) => heldLines(calls, organizationId, clock.now()),
      })
    }),
  )
}
