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
import type {
  BlockingReason,
  CampaignExplanation,
  InactiveAgent,
  WaitingForNumber,
} from "../campaigns/CampaignRecords.ts"
import { hoursOf } from "../campaigns/CampaignSettings.ts"
import { contactId } from "../contacts/Contact.ts"
import { followUpAgentOf, followUpPolicyOf } from "../contacts/ContactProgress.ts"
import { type ContactMoment, ContactStore } from "../contacts/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { ceilingsFor } from "../limits/SlotLevels.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { Funds } from "../organizations/Funds.ts"
import { figure, type Tally } from "../tallies/Tally.ts"
import { Experiments } from "../experiments/Experiments.ts"
import { TallyStore } from "../tallies/TallyStore.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { BlockingBook } from "./BlockingBook.ts"
import { callerIdChoice } from "./CallerIdChoice.ts"
import { nextWindow } from "./CallingWindow.ts"
import { Dispatcher } from "./Dispatcher.ts"
import {
  agentsToFinish,
  allCallable,
  batchesToFinish,
  callableOfMarks,
  type CountedBatch,
  finishEstimate,
  undone,
  unsaid,
} from "./FinishEstimate.ts"
import { gateOf, type LaneGate, least } from "./Lane.ts"
import { agentsAsked, eachOfMarks, entriesOf, hoursOfMarks, isBound, openMarksInTurns } from "./OpenMarks.ts"

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

const nobody = { dialable: 0, agents: [], waiting: [] }

const idsOf = (some: ReadonlyArray<Batch>): ReadonlyArray<string> => some.map(({ batch_id }) => batch_id)

const batchesOf = (some: ReadonlyArray<CountedBatch>): ReadonlyArray<Batch> => some.map(({ batch }) => batch)

const sumOf = (some: ReadonlyArray<CountedBatch>, name: string): number =>
  some.reduce((sum, { tally }) => sum + figure(tally, name), 0)

/** The agents that the follow-ups of a batch ask for, where they are others than its own. */
const followUpAgents = (campaign: Campaign, batch: Batch): ReadonlyArray<string> =>
  [...agentsAsked(campaign, [batch], false)].filter((agentId) => agentId !== batch.agent_id)

/** Whether all who wait in a batch are followed up by another agent, so that its own is asked for nothing. */
const isForFollowUps = (campaign: Campaign, each: CountedBatch): boolean => {
  const followUps = figure(each.tally, "contact:follow_up_scheduled")
  const waiting = undone(each) - figure(each.tally, "contact:in_progress")
  return followUps > 0 && waiting === followUps && followUpAgents(campaign, each.batch).length > 0
}

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

      const ceilingsNow = Effect.fnUntraced(function* (organizationId: string, maxConcurrentCalls: number | null) {
        const { enforced, levels } = yield* gate.figures(organizationId)
        return ceilingsFor({ ...levels, enforced }, maxConcurrentCalls)
      })

      const isPlatformFull = Effect.fnUntraced(function* (ceiling: number | null) {
        const [used = 0] = yield* calls.holding([{ level: "platform", key: "platform", ceiling }])
        return ceiling !== null && used >= ceiling
      })

      /** Of the agents that contacts of batches ask for those without a free line, their own or that of a challenger of theirs. */
      const fullAgents = Effect.fnUntraced(function* (
        campaign: Campaign,
        some: ReadonlyArray<Batch>,
        ceiling: number | null,
      ): Effect.fn.Return<ReadonlySet<string>, PortError> {
        if (ceiling === null) return new Set()
        const routes = new Map<string, ReadonlyArray<string>>()
        for (const control of agentsAsked(campaign, some, false)) {
          routes.set(control, (yield* experiments.routes(campaign.organization_id, control)).agent_ids)
        }
        const sides = [...new Set([...routes.values()].flat())]
        const used = yield* calls.holding(sides.map((key) => ({ level: "agent" as const, key, ceiling })))
        const full = new Set(sides.filter((_, nth) => (used[nth] ?? 0) >= ceiling))
        return new Set([...routes].flatMap(([control, ids]) => (ids.some((id) => full.has(id)) ? [control] : [])))
      })

      /** How many of the contacts of batches that could be dialled lack a line of their agent. */
      const lackingAgentLine = Effect.fnUntraced(function* (
        campaign: Campaign,
        some: ReadonlyArray<CountedBatch>,
        moment: ContactMoment,
        ceiling: number | null,
      ) {
        const full = yield* fullAgents(campaign, batchesOf(some), ceiling)
        const isFirstFull = (each: CountedBatch) => !isForFollowUps(campaign, each) && full.has(each.batch.agent_id)
        const ofBatches = some.filter(isFirstFull)
        const ofFollowUps = some.filter(
          (each) => !isFirstFull(each) && followUpAgents(campaign, each.batch).some((agentId) => full.has(agentId)),
        )
        const { dialable } = yield* contacts.load(idsOf(batchesOf(ofBatches)), moment)
        const due = yield* contacts.load(idsOf(batchesOf(ofFollowUps)), moment)
        return dialable + Math.min(due.dialable, sumOf(ofFollowUps, "contact:follow_up_scheduled"))
      })

      /** Enters why contacts of batches that could be dialled have no line. Returns how many of them lack nothing else. */
      const blockLines = Effect.fnUntraced(function* (
        campaign: Campaign,
        some: ReadonlyArray<CountedBatch>,
        moment: ContactMoment,
        of: { readonly dialable: number; readonly heldUntil: number | null },
        book: BlockingBook,
      ) {
        const { dialable, heldUntil } = of
        const { campaign_id, max_concurrent_calls, organization_id } = campaign
        if (dialable === 0) return 0
        const verdict = yield* dispatcher.verdict(organization_id, campaign_id)
        switch (verdict) {
          case "ceiling":
            book.block("campaign_ceiling", dialable)
            return dialable
          case "fair_share":
            book.block("fair_share", dialable)
            return dialable
          case "empty":
            // The dispatcher passes over a lane that waits for the carrier.
            book.block("carrier", dialable, heldUntil)
            return 0
          case "lines_full":
          case "floor":
          case "borrow": {
            const { agent, platform } = yield* ceilingsNow(organization_id, max_concurrent_calls)
            const ofAgents = verdict === "lines_full" ? 0 : yield* lackingAgentLine(campaign, some, moment, agent)
            book.block("agent_ceiling", ofAgents)
            // As a dial is refused: the platform's ceiling is judged before the organization's.
            if (yield* isPlatformFull(platform)) book.block("platform_lines_full", dialable - ofAgents)
            else if (verdict === "lines_full") book.block("organization_lines_full", dialable)
            return dialable
          }
        }
      })

      /** Of these batches those that call from numbers of their choice only, every one of which was given up. */
      const withoutCallerId = Effect.fnUntraced(function* (campaign: Campaign, some: ReadonlyArray<Batch>) {
        // Most of them have the campaign's, which is looked at once.
        const byList = Map.groupBy(some, (batch) => batch.phone_numbers ?? campaign.phone_numbers ?? [])
        const found: Array<Batch> = []
        for (const [numbers, theirs] of byList) {
          const isOwn = numbers.length === 0 || (yield* callerIds.isAnyOwn(campaign.organization_id, numbers))
          if (!isOwn) found.push(...theirs)
        }
        return found
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
      const followUpsHeld = Effect.fnUntraced(function* (campaign: Campaign, open: ReadonlyArray<CountedBatch>) {
        const byAgent = Map.groupBy(open, ({ batch }) =>
          followUpPolicyOf(batch, campaign).enabled ? followUpAgentOf(batch, campaign) : null,
        )
        const found: Array<InactiveAgent> = []
        let count = 0
        for (const [agentId, some] of byAgent) {
          const agent = agentId === null ? null : yield* inactive(campaign.organization_id, agentId)
          if (agent === null) continue
          // A follow-up is held by its agent before anything else can hold it.
          const held = some.map(({ tally }) =>
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
        const left = toFinish.map(({ batch }) => batch)
        if ((yield* withoutCallerId(campaign, left)).length > 0) return "caller_id"
        return (yield* dialling.standing) === null ? null : "carrier"
      })

      /** The callee hours that bind calls of batches, and the marks of those who wait; null where none do. */
      const boundMarks = Effect.fnUntraced(function* (campaign: Campaign, some: ReadonlyArray<Batch>) {
        const now = clock.now()
        const { setting } = yield* callees.sureHours(
          campaign.organization_id,
          Math.max(now, campaign.start_time ?? now),
        )
        const entries = entriesOf(setting, campaign, some)
        return isBound(entries) ? { entries, marks: yield* contacts.marks(idsOf(some)) } : null
      })

      /** From when on all who wait for the hours of their callees may have been called; null where some never may in sight. */
      const callableOf = Effect.fnUntraced(function* (campaign: Campaign, left: ReadonlyArray<Batch>, now: number) {
        const bound = yield* boundMarks(campaign, left)
        let last = allCallable(campaign, [], now)
        if (bound === null) return last
        yield* eachOfMarks(bound.entries, bound.marks, (some) => {
          const callable = last === null ? null : allCallable(campaign, hoursOfMarks(bound.entries, some), now)
          last = last === null || callable === null ? null : Math.max(last, callable)
        })
        return last
      })

      /** The ceilings above the campaign's lines, the lines of other organizations taken off the platform's. */
      const ceilingsLeft = Effect.fnUntraced(function* ({ max_concurrent_calls, organization_id }: Campaign) {
        const { agent, organization, platform } = yield* ceilingsNow(organization_id, max_concurrent_calls)
        const [all = 0, own = 0] = yield* calls.holding([
          { level: "platform", key: "platform", ceiling: platform },
          { level: "organization", key: organization_id, ceiling: organization },
        ])
        return { platform: platform === null ? null : platform - (all - own), organization, agent }
      })

      const estimateOf = Effect.fnUntraced(function* (
        campaign: Campaign,
        tally: Tally,
        open: ReadonlyArray<CountedBatch>,
        now: number,
      ) {
        const mayEnd = campaign.status === "active" || campaign.status === "created"
        const unfinished = mayEnd ? open : []
        const toFinish = batchesToFinish(unfinished)
        const left = toFinish.map(({ batch }) => batch)
        const ids = idsOf(left)
        const facts = {
          campaign,
          tally,
          unfinished,
          times: yield* contacts.times(ids, now),
          callable: yield* callableOf(campaign, left, now),
          ceilings: yield* ceilingsLeft(campaign),
          stop: toFinish.length === 0 ? null : yield* stopOf(campaign, toFinish),
        }
        const because = unsaid(facts, now)
        // All lanes of the organization are looked at for it, and its dispatch is waited for.
        if (because !== null) return { at: null, because }
        const beside = yield* dispatcher.beside(campaign.organization_id, campaign.campaign_id)
        return finishEstimate({ ...facts, beside }, now)
      })

      /** Some of the contacts that wait for their number, and the call for whose end each of them waits. */
      const waitingForNumber = Effect.fnUntraced(function* (laneId: string, open: ReadonlyArray<Batch>) {
        const rows = yield* contacts.waitingIn(laneId, waitingShown, idsOf(open))
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

      /** Of batches that may dial those of which nobody can be dialled, by what they lack, and the agents among that; null: nothing but a line. */
      const lacks = Effect.fnUntraced(function* (campaign: Campaign, open: ReadonlyArray<CountedBatch>) {
        const { organization_id } = campaign
        const away = new Map<string, InactiveAgent>()
        const asking = open.filter((each) => !isForFollowUps(campaign, each))
        for (const agentId of new Set(asking.map(({ batch }) => batch.agent_id))) {
          const agent = yield* inactive(organization_id, agentId)
          if (agent !== null) away.set(agentId, agent)
        }
        const all: BlockingReason | null = (yield* isCovered(organization_id)) ? null : "wallet"
        const numberless = new Set(yield* withoutCallerId(campaign, batchesOf(open)))
        const carrier: BlockingReason | null = (yield* dialling.standing) === null ? null : "carrier"
        const isAway = (each: CountedBatch) => !isForFollowUps(campaign, each) && away.has(each.batch.agent_id)
        const batches = Map.groupBy(open, (each): BlockingReason | null =>
          isAway(each) ? "agent_inactive" : (all ?? (numberless.has(each.batch) ? "caller_id" : carrier)),
        )
        return { batches, agents: [...away.values()] }
      })

      /** Contacts that wait in batches which have expired: they are not skipped, as those of a cancelled one are. */
      const leftOver = Effect.fnUntraced(function* ({ campaign_id }: Campaign) {
        const all = yield* batches.movable(campaign_id)
        const expired = all.filter(({ purging_since, status }) => status === "expired" && purging_since === undefined)
        const each = yield* counted(expired)
        return each.reduce((sum, one) => sum + undone(one) - figure(one.tally, "contact:in_progress"), 0)
      })

      /** Contacts that wait in unfinished batches, for whatever it is. */
      const leftIn = Effect.fnUntraced(function* (some: ReadonlyArray<CountedBatch>, now: number) {
        const ids = idsOf(some.map(({ batch }) => batch))
        const { dialable } = yield* contacts.load(ids, { now, in_hours: true })
        const { held, planned } = yield* contacts.times(ids, now)
        return dialable + held.contacts + planned.contacts + sumOf(some, "number_busy")
      })

      /** Enters what keeps contacts of batches that may dial from being dialled now, though their time has come or they were held. */
      const blockDue = Effect.fnUntraced(function* (
        campaign: Campaign,
        open: ReadonlyArray<CountedBatch>,
        moment: ContactMoment,
        book: BlockingBook,
      ) {
        const { agents: away, batches } = yield* lacks(campaign, open)
        const agents = new Map(away.map((agent) => [agent.agent_id, agent]))
        let dialable = 0
        for (const [lack, some] of batches) {
          const ids = idsOf(batchesOf(some))
          const load = yield* contacts.load(ids, moment)
          const { held } = yield* contacts.times(ids, moment.now)
          if (lack !== null) {
            book.block(lack, load.dialable + held.contacts)
            continue
          }
          const followUps = held.contacts === 0 ? null : yield* followUpsHeld(campaign, some)
          const byAgents = Math.min(followUps?.count ?? 0, held.contacts)
          for (const agent of followUps?.agents ?? []) agents.set(agent.agent_id, agent)
          book.block("agent_inactive", byAgents, held.next_due)
          // What the others lacked before they were dialled is there again, but each waits until its hold ends.
          const rest = held.contacts - byAgents
          const others = Math.max(0, Math.min(rest, sumOf(some, "held_before_dial") - byAgents))
          book.block("cooldown", others, held.next_due)
          book.block("carrier", rest - others, held.next_due)
          const ready = { dialable: load.dialable, heldUntil: held.next_due }
          dialable += yield* blockLines(campaign, some, moment, ready, book)
        }
        return { dialable, agents: [...agents.values()] }
      })

      /**
       * The marks of batches whose callees may be called, and when the first of the others may be, in the campaign's hours; null where no hours bind
       * them.
       */
      const marksOf = Effect.fnUntraced(function* (campaign: Campaign, some: ReadonlyArray<Batch>, now: number) {
        const bound = yield* boundMarks(campaign, some)
        if (bound === null) return null
        const { open, opens: first } = yield* openMarksInTurns(bound.entries, bound.marks, now)
        if (!hoursOf(campaign).enforced) return { open, opens: first }
        const isOpen = new Set(open)
        const closed = bound.marks.filter((mark) => !isOpen.has(mark))
        let opens: number | null = null
        yield* eachOfMarks(bound.entries, closed, (marks) => {
          opens = least(opens, ...callableOfMarks(campaign, hoursOfMarks(bound.entries, marks), now))
        })
        return { open, opens }
      })

      /** Enters what keeps contacts of a campaign that may dial from being dialled. */
      const blockOpen = Effect.fnUntraced(function* (
        campaign: Campaign,
        unfinished: ReadonlyArray<CountedBatch>,
        { in_hours, open }: LaneGate,
        now: number,
        book: BlockingBook,
      ) {
        const booked = unfinished.filter(({ batch }) => batch.status === "scheduled" && !open.includes(batch))
        const due = least(...booked.map(({ batch }) => batch.scheduled_at))
        book.block("batch_not_due", yield* leftIn(booked, now), due)
        const paused = unfinished.filter(({ batch }) => batch.status === "paused")
        book.block("batch_paused", yield* leftIn(paused, now))
        const marks = yield* marksOf(campaign, open, now)
        const moment: ContactMoment = { now, in_hours, ...(marks === null ? {} : { marks: marks.open }) }
        const load = yield* contacts.load(idsOf(open), moment)
        const inHours = in_hours ? load : yield* contacts.load(idsOf(open), { ...moment, in_hours: true })
        const opens = nextWindow(hoursOf(campaign).window, now)?.opens ?? null
        book.block("outside_hours", inHours.dialable - load.dialable, opens)
        const any = marks === null ? inHours : yield* contacts.load(idsOf(open), { now, in_hours: true })
        book.block("callee_hours", any.dialable - inHours.dialable, marks?.opens ?? null)
        const { planned } = yield* contacts.times(idsOf(open), now)
        book.block("cooldown", planned.contacts, planned.next_due)
        const mayDial = unfinished.filter(({ batch }) => open.includes(batch))
        const busy = sumOf(mayDial, "number_busy")
        book.block("number_busy", busy)
        const found = yield* blockDue(campaign, mayDial, moment, book)
        return { ...found, waiting: busy === 0 ? [] : yield* waitingForNumber(campaign.campaign_id, open) }
      })

      const explain: ExplainerShape["explain"] = Effect.fnUntraced(function* (campaign) {
        const now = clock.now()
        const { campaign_id } = campaign
        const unfinished = yield* counted(yield* batches.unfinished(campaign_id))
        const tally = yield* tallies.read(campaign_id)
        const judged = gateOf({ lane_id: campaign_id, campaign, batches: unfinished.map(({ batch }) => batch) }, now)
        const book = new BlockingBook()
        if (judged.closed !== null) {
          // What waits for its own time is held back by the closed lane as well: the lane is the reason that counts.
          const { reason, until } = judged.closed
          const over = reason === "finished" ? yield* leftOver(campaign) : 0
          book.block(reason, over + (yield* leftIn(unfinished, now)), until)
        }
        const found = judged.closed === null ? yield* blockOpen(campaign, unfinished, judged, now, book) : nobody
        const estimate = yield* estimateOf(campaign, tally, unfinished, now)
        return {
          campaign_id,
          status: campaign.status,
          at: now,
          in_flight: figure(tally, "contact:in_progress"),
          dialable: found.dialable,
          blocking: book.entries,
          inactive_agents: found.agents.slice(0, agentsShown),
          waiting_for_number: found.waiting,
          estimated_finish_at: estimate.at,
          no_estimate_reason: estimate.because,
        }
      })

      const explainCall: ExplainerShape["explainCall"] = Effect.fnUntraced(function* (executionId) {
        const call = yield* surviving(calls.locate, executionId)
        if (call === null) return null
        const { agent_id, due_at, organization_id } = call
        const ceilings = yield* ceilingsNow(organization_id, null)
        const inUse = Effect.fnUntraced(function* (level: "platform" | "organization" | "agent", key: string) {
          const ceiling = ceilings[level]
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
