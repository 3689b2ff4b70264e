import { Context, Effect, Exit, Layer } from "effect"
import type { Agent } from "../agents/Agent.ts"
import { agentAsRead } from "../agents/AgentAsRead.ts"
import { canPlaceCalls } from "../agents/AgentStatus.ts"
import { AgentStore } from "../agents/AgentStore.ts"
import { type Batch, laneOf } from "../batches/Batch.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import { moved, underWay } from "../batches/BatchProgress.ts"
import { batchAfter } from "../batches/BatchStatus.ts"
import type { Callee } from "../callees/Callee.ts"
import { cappedUntil } from "../callees/CallCaps.ts"
import { calleeAsRead, Callees, type SeenCallee } from "../callees/Callees.ts"
import { countingDial } from "../callees/CountedDials.ts"
import { entryFor, placeIn } from "../callees/HoursRow.ts"
import { markBy, markOfAgent, stretchOfMark, untilWorkingDay } from "../callees/Marks.ts"
import { suppressionOf } from "../callees/Suppression.ts"
import type { Call } from "../calls/Call.ts"
import { callCommit, numberFreed } from "../calls/CallCommit.ts"
import { CallStore } from "../calls/CallStore.ts"
import { unfunded } from "../calls/DialOutcomes.ts"
import { type Begun, Dialler } from "../calls/Dialler.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import { campaignAfter } from "../campaigns/CampaignStatus.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { campaignChange, inStatus, mayBeDone } from "../campaigns/CampaignWork.ts"
import { Lifecycle } from "../campaigns/Lifecycle.ts"
import { type Contact, contactId, type HeldBecause } from "../contacts/Contact.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import {
  afterCall,
  crowded,
  dialled,
  held,
  isLastHold,
  notFollowedUp,
  outOfHours,
  passedOver,
  campaignHoursOf,
  followUpPolicyOf,
  putOff,
  putOffForDay,
  skipped,
  untouched,
} from "../contacts/ContactProgress.ts"
import { dialledUntil, plannedAnew, type Turn, turnOf } from "../contacts/NextAttempt.ts"
import { type ContactMoment, type ContactRow, ContactStore } from "../contacts/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { type CommitDraft, type Expectation, joined } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { Ids } from "../engine/Ids.ts"
import { nextTurn } from "../engine/Pacing.ts"
import { Parking } from "../engine/Parking.ts"
import { change } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import type { Conflict } from "../engine/Store.ts"
import { Wakeups } from "../engine/Wakeups.ts"
import type { PortError } from "../Errors.ts"
import { stillRegistered } from "../numbers/CallerIds.ts"
import type { PhoneNumber } from "../numbers/PhoneNumber.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import { Withheld } from "../operating/Withheld.ts"
import { CurrentOutages } from "../operating/Outages.ts"
import { Funds } from "../organizations/Funds.ts"
import { Wallets } from "../organizations/Wallets.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { isGiven } from "./CallingWindow.ts"
import { callerIdChoice } from "./CallerIdChoice.ts"
import { Experiments, type Routes } from "../experiments/Experiments.ts"
import { agentOfDial, callOf, dueSince, type ContactDial, isFollowUp } from "./ContactCall.ts"
import { type BatchPause, Desk, type OpenLane } from "./Desk.ts"
import type { Beside, FairShareVerdict } from "./FairShare.ts"
import { gateOf, type Lane, least } from "./Lane.ts"
import { LaneStore } from "./LaneStore.ts"
import { agentsAsked, entriesOf, isBound, type LaneEntries, openMarks, openMarksInTurns } from "./OpenMarks.ts"

interface DispatcherShape {
  /**
   * Starts every call of the organization's contacts for which there is a line, as long as it may go on; returns when to look again, or
   * null. Only who has claimed the organization's dispatch may run it.
   */
  readonly run: (organizationId: string, mayGoOn: () => boolean) => Effect.Effect<number | null, PortError>
  /** How fair share stands to one more call of the lane now. */
  readonly verdict: (organizationId: string, laneId: string) => Effect.Effect<FairShareVerdict, PortError>
  /** What takes lines of the organization beside the lane now. */
  readonly beside: (organizationId: string, laneId: string) => Effect.Effect<Beside, PortError>
}

type Started = Extract<Begun, { readonly _tag: "Begun" }>
type Full = Extract<Begun, { readonly _tag: "Full" }>

/** What became of the contact that was next in its lane. */
type Step = "started" | "skipped" | "lane_blocked" | "lines_full" | "contact_set_aside"

/** A contact that may be dialled, with the call that it gets and how far that moves the cursor of its caller IDs. */
interface Fit {
  readonly _tag: "Fit"
  readonly dial: ContactDial
  readonly row: ContactRow
  readonly call: Call
  readonly advance: number
  readonly number: PhoneNumber | null
  /** From when on the clock closes its hours, or its callee's, or ends its campaign. */
  readonly until: number
  /** Who makes the call, and for whom. */
  readonly agents: ReadonlyArray<Agent>
  /** The experiment that chose who makes it, as it was read. */
  readonly routing: ReadonlyArray<Expectation>
  readonly seen: SeenCallee
}

/** A contact whose number must not be called. */
interface Suppressed {
  readonly _tag: "Suppressed"
  readonly dial: ContactDial
  readonly row: ContactRow
}

/** A contact whose callee may not be called at this hour. */
interface OutOfHours {
  readonly _tag: "OutOfHours"
  readonly dial: ContactDial
  readonly row: ContactRow
  /** Whose hours it waits for. */
  readonly mark: string
}

/** A contact whose number was called as often as call caps allow, until they allow it again or may have been changed. */
interface Capped {
  readonly _tag: "Capped"
  readonly dial: ContactDial
  readonly row: ContactRow
  readonly until: number
  readonly seen: SeenCallee
}

/** What is to be said of a contact whose turn has come. `Held` has no call where its agent is unknown. */
type Judged =
  | Fit
  | Suppressed
  | OutOfHours
  | Capped
  | {
      readonly _tag: "NotNow"
      readonly dial: ContactDial
      readonly row: ContactRow
      readonly turn: Exclude<Turn, { _tag: "Now" }>
    }
  | { readonly _tag: "NumberLive"; readonly dial: ContactDial; readonly row: ContactRow }
  | { readonly _tag: "AgentFull"; readonly dial: ContactDial; readonly row: ContactRow; readonly agent_id: string }
  | {
      readonly _tag: "Unfunded"
      readonly dial: ContactDial
      readonly row: ContactRow
      readonly call: Call
      readonly seen: SeenCallee
    }
  | {
      readonly _tag: "Held"
      readonly dial: ContactDial
      readonly row: ContactRow
      readonly call: Call | null
      readonly because: Lack
      readonly seen: SeenCallee
    }

/** What is to be said of a contact that is not dialled, before its callee was looked at. */
type Unlooked =
  | Pick<Extract<Judged, { _tag: "Held" }>, "_tag" | "call" | "because">
  | Pick<Extract<Judged, { _tag: "Unfunded" }>, "_tag" | "call">

/** What a batch may lack, by name: its agent, and its caller IDs. Those that lack the same wait together, so that one contact is held for all of them. */
const lacksOf = ({ agent_id, batch_id, phone_numbers }: Batch): readonly [agent: string, callerIds: string] => [
  `agent ${agent_id}`,
  phone_numbers === null ? "caller IDs" : `caller IDs of ${batch_id}`,
]

/** What the contact that is held before it is dialled lacks. */
type Lack = Exclude<HeldBecause, "carrier">

const lacking: { readonly [because in Lack]: string } = {
  agent: "The agent was not active.",
  wallet: "The wallet could not carry the call.",
  caller_id: "No phone number to call from was registered to the organization any more.",
}

/** The first dial of a campaign or a batch changes its row, on which all others rest. */
const isFirstDial = (lane: OpenLane, batch: Batch): boolean =>
  batch.started_at === null || lane.campaign?.status === "created"

/** The agents that contacts of the lane ask for: those that nobody has touched, or all. */
const controlsOf = ({ batches, campaign }: OpenLane, isFresh: boolean): ReadonlySet<string> =>
  agentsAsked(campaign, batches.values(), isFresh)

/** What contacts of the lane are asked for. */
const momentOf = ({ in_hours, marks }: Pick<OpenLane, "in_hours" | "marks">, now: number): ContactMoment =>
  marks === null ? { now, in_hours } : { now, in_hours, marks }

const versionOf = (routes: ReadonlyMap<string, Routes>): string =>
  [...routes.values()]
    .map(({ version }) => version)
    .sort()
    .join()

/** Each choice of a caller ID rests on the call before. */
const isLeastLoaded = ({ campaign }: OpenLane): boolean => campaign?.phone_number_strategy === "least_loaded"

/** What a decision over a contact rests on. */
const asJudged = (batch: Batch, campaign: Campaign | null): NonNullable<CommitDraft["expect"]> => [
  { kind: "batch", id: batch.batch_id, revision: batch.revision },
  ...(campaign === null ? [] : [{ kind: "campaign" as const, id: campaign.campaign_id, revision: campaign.revision }]),
]

/** The last hold of a row counts as an attempt that ended in error, without anybody having been rung. */
const burned = (call: Call, error: string, now: number): Call => ({
  ...call,
  status: "error",
  error,
  dial: "refused",
  completed_at: now,
  final_report_at: now,
})

/**
 * The only one that takes turns among an organization's campaigns (decisions.md, "Fair share, exactly"). It runs when something has
 * happened: a line was freed, a contact came due, a window opened, a campaign changed. It never scans.
 */
export class Dispatcher extends Context.Service<Dispatcher, DispatcherShape>()("@carillon/core/dispatch/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const lanes = yield* LaneStore
      const campaigns = yield* CampaignStore
      const batches = yield* BatchStore
      const contacts = yield* ContactStore
      const calls = yield* CallStore
      const agents = yield* AgentStore
      const callees = yield* Callees
      const experiments = yield* Experiments
      const accounts = yield* AccountStore
      const funds = yield* Funds
      const wallets = yield* Wallets
      const withheld = yield* Withheld
      const gate = yield* Gate
      const dialler = yield* Dialler
      const dialling = yield* Dialling
      const contactCalls = yield* ContactCalls
      const lifecycle = yield* Lifecycle
      const steps = yield* Steps
      const wakeups = yield* Wakeups
      const activity = yield* Activity
      const parking = yield* Parking
      const clock = yield* DomainClock
      const callerIds = yield* callerIdChoice
      const ids = yield* Ids
      const desks = new Map<string, Desk>()
      /** Organizations that could not have a line because the platform had none: any line that is freed is for them. */
      const platformWaits = new Set<string>()

      const deskOf = (organizationId: string): Desk => {
        const known = desks.get(organizationId)
        if (known !== undefined) return known
        const desk = new Desk()
        desks.set(organizationId, desk)
        return desk
      }

      const look = (organization_id: string) =>
        wakeups.set({ kind: "dispatch", subject: organization_id, at: clock.now(), organization_id })

      const freed = Effect.fnUntraced(function* (organizationId: string) {
        if (yield* lanes.any(organizationId)) yield* look(organizationId)
        for (const waiting of platformWaits) {
          yield* look(waiting)
          platformWaits.delete(waiting)
        }
      })

      /** Organizations whose freed lines nobody could be told of. */
      const untold = new Set<string>()
      /** It may have been the last line that was taken: no other hint may follow. */
      const tellLater = Effect.gen(function* () {
        for (let attempt = 0; attempt < limits.wakeupRetries && untold.size > 0; attempt++) {
          yield* parking.park("dispatch:untold", clock.now() + limits.wakeupRetryMs).wait
          for (const organizationId of untold) {
            const told = Effect.map(freed(organizationId), () => untold.delete(organizationId))
            yield* Effect.ignore(told)
          }
        }
        untold.clear()
      })
      const remember = (organizationId: string) =>
        Effect.suspend(() => {
          const isWaiting = untold.size > 0
          untold.add(organizationId)
          return isWaiting ? Effect.void : Effect.asVoid(activity.fork(tellLater))
        })
      gate.onFreed((organizationId) => Effect.catch(freed(organizationId), () => remember(organizationId)))

      /** Lanes that wait for a carrier that is there again do so no longer: their wait may be minutes. */
      const carrierIsBack = Effect.suspend(() =>
        Effect.forEach(
          [...desks].flatMap(([organizationId, desk]) => (desk.carrierIsBack(clock.now()) ? [organizationId] : [])),
          look,
          { discard: true },
        ),
      )
      const outages = yield* CurrentOutages
      outages?.whenBack(({ what }) =>
        what === "carrier" || what === "credentials"
          ? Effect.asVoid(activity.fork(Effect.ignore(carrierIsBack)))
          : Effect.void,
      )

      const laneFor = Effect.fnUntraced(function* (desk: Desk, laneId: string) {
        const unfinished = yield* batches.unfinished(laneId, desk.lanes.get(laneId)?.batches)
        const campaign = yield* campaigns.locate(laneId)
        return { lane_id: laneId, campaign, batches: unfinished } satisfies Lane
      })

      /** Until when the lane waits for a hold; a wallet that is well again ends the wait at once. */
      const pauseOf = Effect.fnUntraced(function* (
        desk: Desk,
        { lane_id, campaign, batches: [batch] }: Lane,
        now: number,
      ) {
        const pause = desk.paused.get(lane_id)
        if (pause === undefined) return 0
        const organizationId = campaign?.organization_id ?? batch?.organization_id
        if (pause.until > now && organizationId !== undefined) {
          if (pause.because === "carrier") return pause.until
          const organization = yield* accounts.organization(organizationId)
          if (organization !== null && !(yield* wallets.open(organization))) return pause.until
        }
        desk.goesOn(lane_id)
        return 0
      })

      /** What batches that may dial wait for; an agent that is well again ends the wait at once. */
      const pausesOf = Effect.fnUntraced(function* (
        desk: Desk,
        laneId: string,
        open: ReadonlyArray<Batch>,
        now: number,
      ) {
        const lacks = new Map(open.flatMap((batch) => lacksOf(batch).map((name) => [name, batch.organization_id])))
        const waiting = new Map<string, BatchPause>()
        for (const [name, pause] of desk.pausedBatches(laneId)) {
          const organizationId = lacks.get(name)
          if (organizationId === undefined || pause.until <= now) continue
          if (pause.because === "agent") {
            const agent = yield* agents.find(organizationId, pause.agent_id)
            if (agent !== null && canPlaceCalls(agent.status)) continue
          }
          waiting.set(name, pause)
        }
        desk.pauseBatches(laneId, waiting)
        return waiting
      })

      /** Plans follow-ups anew that were put off for a working day, where the hours by which that was judged are others by now. */
      const planDaysAnew = Effect.fnUntraced(function* (desk: Desk, { batches: some, campaign, lane_id }: Lane) {
        if (campaign === null || !some.some((batch) => followUpPolicyOf(batch, campaign).enabled)) {
          return desk.forgetDays(lane_id)
        }
        const hours = campaignHoursOf(campaign)
        const days = { isGiven: isGiven(hours), timezone: hours.window.timezone, revision: campaign.revision }
        if (desk.daysMayHaveChanged(lane_id, days)) {
          const byId = new Map(some.map((batch) => [batch.batch_id, batch]))
          const { organization_id } = campaign
          for (let isLeft = true; isLeft;) {
            const found = yield* contacts.marked([...byId.keys()], untilWorkingDay, limits.skippedTogether)
            const anew = found.flatMap((contact) => {
              const batch = byId.get(contact.batch_id)
              const after = batch === undefined ? contact : plannedAnew({ batch, campaign, contact })
              return change("contact", contact, after, clock.now())
            })
            if (anew.length > 0) yield* steps.attempt(joined({ organization_id }, ...anew))
            isLeft = found.length === limits.skippedTogether
            if (isLeft) yield* nextTurn
          }
        }
        desk.daysAreKnown(lane_id, days)
      })

      const reload = Effect.fnUntraced(function* (desk: Desk, laneId: string) {
        const now = clock.now()
        const lane = yield* laneFor(desk, laneId)
        // Whoever wrote one of them meanwhile changed the lane, which is looked at again then.
        yield* Effect.catchTag(planDaysAnew(desk, lane), "Conflict", () => Effect.void)
        const judged = gateOf(lane, now)
        const waiting = yield* pausesOf(desk, laneId, judged.open, now)
        const open = new Map(
          judged.open.flatMap((batch) =>
            lacksOf(batch).some((name) => waiting.has(name)) ? [] : [[batch.batch_id, batch] as const],
          ),
        )
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
          for (const batch of judged.open) yield* lifecycle.settle(batch.batch_id)
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
        const times = [judged.next, load.next_due, opening?.changes ?? null, wait, ...ends].filter(
          (time) => time !== null,
        )
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

      /** What accompanies the first dial of a campaign or a batch: they are under way from now on. */
      const begun = (dial: ContactDial, now: number): ReadonlyArray<Partial<CommitDraft>> => {
        const { batch, campaign } = dial
        const parts: Array<Partial<CommitDraft>> = []
        if (campaign !== null) {
          const status = campaignAfter(campaign.status, { kind: "batch_dials" })
          parts.push(
            status === campaign.status
              ? { expect: [{ kind: "campaign", id: campaign.campaign_id, revision: campaign.revision }] }
              : campaignChange(campaign, inStatus(campaign, status, now), now),
          )
        }
        if (batch.started_at === null) {
          const after = moved(batch, batchAfter(batch, { kind: "progress", progress: underWay }), now)
          parts.push(change("batch", batch, { ...after, started_at: now }, now))
        } else parts.push({ expect: [{ kind: "batch", id: batch.batch_id, revision: batch.revision }] })
        return parts
      }

      /** Writes a contact that is not dialled now. */
      const setAside = (before: Contact | null, after: Contact, expect: ReadonlyArray<Expectation> = []) =>
        steps.attempt(
          joined({ organization_id: after.organization_id, expect }, change("contact", before, after, clock.now())),
        )

      /**
       * Holds the contact back. Its lane waits with it, so that one outage does not go through all contacts; what a follow-up lacks may
       * be its own agent, and then it waits alone.
       */
      const hold = Effect.fnUntraced(function* (
        desk: Desk,
        lane: OpenLane,
        { because, dial, row: { contact: stored }, seen }: Extract<Judged, { _tag: "Held" }>,
      ) {
        const after = held(dial.contact, because, clock.now())
        yield* setAside(stored, after, seen.expect)
        const { eligible_at: until } = after
        if (until === null || isFollowUp(dial.contact)) return
        if (because === "wallet") desk.paused.set(lane.lane_id, { until, because })
        else {
          const [agent, callerIds] = lacksOf(dial.batch)
          const pause = { until, because, agent_id: agentOfDial(dial) }
          const name = because === "agent" ? agent : callerIds
          desk.pauseBatches(lane.lane_id, new Map(desk.pausedBatches(lane.lane_id)).set(name, pause))
        }
      })

      /** How the calls of each agent that the lane asks for are routed. */
      const routesOf = Effect.fnUntraced(function* (
        organizationId: string,
        lane: OpenLane,
        known: Map<string, Routes> = new Map(),
      ) {
        const routes = new Map<string, Routes>()
        for (const control of controlsOf(lane, false)) {
          const found = known.get(control) ?? (yield* experiments.routes(organizationId, control))
          known.set(control, found)
          routes.set(control, found)
        }
        return routes
      })

      /** The contacts of a lane that wait for their agent, but for those that may have another one by now. */
      const passedIn = Effect.fnUntraced(function* (desk: Desk, organizationId: string, lane: OpenLane) {
        if (desk.passedOver(lane.lane_id).length === 0) return []
        desk.routed(lane, versionOf(yield* routesOf(organizationId, lane)))
        return desk.passedOver(lane.lane_id)
      })

      /** Sees whether lanes that wait for agents are routed to others by now: nobody else would say so. */
      const reroute = Effect.fnUntraced(function* (desk: Desk, organizationId: string) {
        const known = new Map<string, Routes>()
        for (const lane of desk.waitingForAgents) {
          desk.routed(lane, versionOf(yield* routesOf(organizationId, lane, known)))
        }
      })

      /** A contact whose agent has no line holds up only those behind it that need the same agent. */
      const passOver = Effect.fnUntraced(function* (
        desk: Desk,
        lane: OpenLane,
        { contact }: ContactDial,
        stored: Contact | null,
        agentId: string,
      ) {
        const routes = yield* routesOf(contact.organization_id, lane)
        desk.routed(lane, versionOf(routes))
        const sides = [...controlsOf(lane, stored === null)].flatMap((control) => routes.get(control)?.agent_ids ?? [])
        if (sides.every((side) => desk.isFull(side))) {
          desk.waitForAgents(lane, [agentId, ...sides])
          return "lane_blocked" as const
        }
        // As many as are passed over keep the agent's lines in use for a while: one more need not be looked past each time.
        if (desk.passedOver(lane.lane_id).length >= limits.passedOverContacts) {
          yield* setAside(stored, crowded(contact, clock.now() + limits.crowdedMs))
          yield* reload(desk, lane.lane_id)
          return "contact_set_aside" as const
        }
        // Contacts are touched in order, so one that is passed over has to be.
        if (stored === null) yield* setAside(null, passedOver(contact, clock.now()))
        desk.passOver(lane, contact, agentId)
        return "contact_set_aside" as const
      })

      /** Ends an attempt on a contact without anybody having been rung: `ended` is its call as it is kept. */
      const conclude = Effect.fnUntraced(function* (
        { dial, row: { contact: stored }, seen }: Extract<Judged, { _tag: "Held" | "Unfunded" }>,
        call: Call,
        ended: Call,
      ) {
        const now = clock.now()
        const contact = dialled(dial.contact, call.execution_id)
        const heirs = yield* contacts.heirs(laneOf(dial.batch), call.to_number)
        // A commit writes a row once, so the call is new and over at the same time, and so is the contact's attempt.
        const after = afterCall({ ...dial, contact }, call, ended, now) ?? contact
        yield* steps.attempt(
          joined(
            callCommit(null, ended),
            change("contact", stored, after, now),
            // It had its turn.
            ...numberFreed(heirs, now),
            ...begun(dial, now),
            { expect: seen.expect },
          ),
        )
        yield* lifecycle.settle(dial.batch.batch_id)
      })

      const fork = (desk: Desk, laneId: string, row: ContactRow, begun: Started) =>
        activity.fork(
          Effect.map(begun.finish, (result) => {
            if (result === "dialled") desk.accepted(laneId)
            // Who is held no more is no reason to wait: others may have nobody before them.
            else if (result === "held") desk.refused(laneId, row, clock.now())
          }),
        )

      /** A contact as it is dialled, with the mark of its callee's hours where some bind it, whether they are open, and until when. */
      const inHours = (lane: OpenLane, row: ContactRow, batch: Batch, now: number) => {
        const contact = row.contact ?? untouched(batch, contactId(row.batch_id, row.row), row.row)
        const dial: ContactDial = { contact, entry: row.entry, batch, campaign: lane.campaign }
        const asked = { campaign_id: batch.campaign_id, agent_id: agentOfDial(dial) }
        const entry = entryFor(lane.hours.setting, asked)
        if (entry === null) return { dial, mark: "", isOpen: true, until: Infinity }
        const mark = markBy(placeIn(entry, row.entry.to_number, row.entry.variables), entry.timezone_column)
        const { isOpen, until } = stretchOfMark(entry.hours, mark, now)
        return { dial: { ...dial, contact: { ...contact, hours_of: mark } }, mark, isOpen, until }
      }

      /** Until when a number rests that call caps keep from being dialled, or until when that is known; null where they do not. */
      const restsUntil = ({ hours }: OpenLane, callee: Callee | null, now: number): number | null => {
        const until = cappedUntil(callee, hours.setting?.caps, now)
        return until === null ? null : Math.min(until, now + limits.callCapLookMs)
      }

      /** Looks at the contact that is `nth` of its lane to be dialled now; changes nothing. */
      const judge = Effect.fnUntraced(function* (
        desk: Desk,
        lane: OpenLane,
        row: ContactRow,
        batch: Batch,
        nth: number,
      ): Effect.fn.Return<Judged, PortError> {
        const now = clock.now()
        const { dial, isOpen: isCallable, mark, until: closes } = inHours(lane, row, batch, now)
        const { contact } = dial
        const turn = turnOf(dial, now)
        if (turn._tag !== "Now") return { _tag: "NotNow", dial, row, turn }
        const { organization_id } = batch
        const { to_number } = row.entry
        if ((yield* calls.onNumber(lane.lane_id, to_number)) !== null) return { _tag: "NumberLive", dial, row }
        const agentId = agentOfDial(dial)
        const seen = yield* callees.look({ organization_id, to_number })
        const isSuppressed = ({ callee }: SeenCallee, ...agent_ids: ReadonlyArray<string>) =>
          suppressionOf(callee, { campaign_id: batch.campaign_id, agent_ids }, now) !== null
        if (isSuppressed(seen, agentId)) return { _tag: "Suppressed", dial, row }
        if (!isCallable) return { _tag: "OutOfHours", dial, row, mark }
        const rests = restsUntil(lane, seen.callee, now)
        if (rests !== null) return { _tag: "Capped", dial, row, until: rests, seen }
        // What is not dialled has no dial's commit to say that its callee was not looked at.
        const undialled = (other: Unlooked, ...agent_ids: ReadonlyArray<string>) =>
          Effect.map(callees.sure({ organization_id, to_number }), (sure): Judged =>
            isSuppressed(sure, ...agent_ids) ? { _tag: "Suppressed", dial, row } : { ...other, dial, row, seen: sure },
          )
        const agent: Agent | null = yield* agents.find(organization_id, agentId)
        const organization = yield* accounts.organization(organization_id)
        const isActive = agent !== null && canPlaceCalls(agent.status)
        const isOpen = organization === null || (yield* wallets.open(organization))
        const { attempts, contact_id, holds, revision } = contact
        // Rows of holds may begin anew, and a dial that was taken back was made under an id of its own.
        const executionId = ids.mint("execution", contact_id, attempts, holds, ...(revision === 0 ? [] : [revision]))
        if (agent === null || !isActive || !isOpen) {
          const call = agent === null ? null : callOf(dial, executionId, agent, null, now)
          return yield* undialled({ _tag: "Held", call, because: isActive ? "wallet" : "agent" }, agentId)
        }
        const covered = organization === null || (yield* funds.covers(organization, { to_number, direct: false }))
        if (!covered) {
          return yield* undialled({ _tag: "Unfunded", call: callOf(dial, executionId, agent, null, now) }, agentId)
        }
        const {
          agent: routed,
          routing,
          ...experiment
        } = yield* experiments.route(agent, {
          contact_id: contact.contact_id,
          to_number,
        })
        if (isSuppressed(seen, routed.agent_id)) return { _tag: "Suppressed", dial, row }
        if (desk.isFull(routed.agent_id)) return { _tag: "AgentFull", dial, row, agent_id: routed.agent_id }
        const from = yield* callerIds.choose(dial, executionId, nth)
        const call = { ...callOf(dial, executionId, routed, from?.from_number ?? null, now), ...experiment }
        if (from === null) {
          return yield* undialled({ _tag: "Held", call, because: "caller_id" }, agentId, routed.agent_id)
        }
        const { advance, number } = from
        const until = Math.min(dialledUntil(dial, now), closes)
        return { _tag: "Fit", dial, row, call, advance, number, until, agents: [agent, routed], routing, seen }
      })

      /** Claims the contact with its call, if there is a line for it. */
      const begin = (lane: OpenLane, { advance, agents: judged, call, dial, number, routing, row, seen, until }: Fit) =>
        dialler.begin(
          call,
          { campaign_id: lane.lane_id, max_concurrent_calls: lane.ceiling, due_at: dueSince(dial), until },
          (placed) => {
            const now = clock.now()
            return joined(
              callCommit(null, placed),
              change("contact", row.contact, dialled(dial.contact, call.execution_id), now),
              ...begun(dial, now),
              // Another process may have begun a call to the number.
              { expect: [{ free: { lane_id: lane.lane_id, to_number: placed.to_number } }] },
              { expect: routing },
              { expect: [...seen.expect, ...lane.hours.expect] },
              countingDial(lane.hours.setting?.caps, seen.callee, placed),
              {
                expect: [...judged.map(agentAsRead), ...(number === null ? [] : [stillRegistered(number)])],
                changes:
                  advance === 0 ? [] : [{ put: "tally", subject: lane.lane_id, add: { phone_number_index: advance } }],
              },
            )
          },
        )

      /** Sends the dial of a committed call on its way. It does no I/O: what could fail here would leave the call undialled. */
      const start = (desk: Desk, lane: OpenLane, { row }: Fit, started: Started) =>
        Effect.map(fork(desk, lane.lane_id, row, started), () => desk.started(lane, row))

      /** Enters at which level there was no line. */
      const enterFull = Effect.fnUntraced(function* (desk: Desk, lane: OpenLane, { call, dial, row }: Fit, full: Full) {
        switch (full.level) {
          case "platform":
            platformWaits.add(call.organization_id)
            return "lines_full" as const
          case "organization":
            return "lines_full" as const
          case "agent":
            desk.fillAgent(call.agent_id, full.max ?? Infinity)
            return yield* passOver(desk, lane, dial, row.contact, call.agent_id)
          case "campaign":
            desk.block(lane)
            return "lane_blocked" as const
        }
      })

      /** Looks whether a first or a last dial has moved the batch on. */
      const moveOn = Effect.fnUntraced(function* (desk: Desk, lane: OpenLane, batch: Batch) {
        if (!isFirstDial(lane, batch) && lane.dialable > 0) return
        yield* lifecycle.settle(batch.batch_id)
        yield* reload(desk, lane.lane_id)
      })

      /** The contact is dialled at another time, or not at all, and then its batch may be done. */
      const leave = Effect.fnUntraced(function* ({ dial, row, turn }: Extract<Judged, { _tag: "NotNow" }>) {
        const { batch, campaign, contact } = dial
        const isOver = turn._tag === "Never"
        const after = isOver ? notFollowedUp(contact) : putOffForDay(contact, turn.at)
        // It had its turn at its number.
        const heirs = isOver ? yield* contacts.heirs(laneOf(batch), row.entry.to_number) : []
        const now = clock.now()
        yield* steps.attempt(
          joined(
            { organization_id: batch.organization_id, expect: asJudged(batch, campaign) },
            change("contact", row.contact, after, now),
            ...numberFreed(heirs, now),
          ),
        )
        if (isOver) yield* lifecycle.settle(batch.batch_id)
      })

      /** Skips contacts of one batch whose numbers must not be called, and lets the next ones with their numbers have their turn. */
      const skip = Effect.fnUntraced(function* (batch: Batch, some: ReadonlyArray<Suppressed>) {
        if (some.length === 0) return
        const heirs = yield* activity.together(
          some.map(({ row }) => contacts.heirs(laneOf(batch), row.entry.to_number)),
        )
        const now = clock.now()
        yield* steps.attempt(
          joined(
            { organization_id: batch.organization_id },
            ...some.map(({ dial, row }) => change("contact", row.contact, skipped(dial.contact, "suppressed"), now)),
            ...heirs.flatMap((each) => numberFreed(each, now)),
          ),
        )
        yield* withheld.note(batch.organization_id, "contact", "suppressed", some.length)
      })

      /** The contacts from this one on that have never been dialled, up to the first whose number comes a second time. */
      const freshFrom = Effect.fnUntraced(function* ({ batch_id, row }: ContactRow, most: number) {
        const numbers = new Set<string>()
        const fresh: Array<ContactRow> = []
        for (const next of yield* contacts.rows(batch_id, row, most)) {
          if (next.contact !== null || numbers.has(next.entry.to_number)) break
          numbers.add(next.entry.to_number)
          fresh.push(next)
        }
        return fresh
      })

      /** Of contacts that nobody has touched the first ones whose numbers must not be called: contacts are first touched in order. */
      const barredOf = Effect.fnUntraced(function* (lane: OpenLane, batch: Batch, rows: ReadonlyArray<ContactRow>) {
        const { organization_id } = batch
        const known = yield* callees.several(
          organization_id,
          rows.map(({ entry }) => entry.to_number),
        )
        const barred: Array<Suppressed> = []
        for (const row of rows) {
          const contact = untouched(batch, contactId(row.batch_id, row.row), row.row)
          const dial: ContactDial = { contact, entry: row.entry, batch, campaign: lane.campaign }
          const scope = { campaign_id: batch.campaign_id, agent_ids: [agentOfDial(dial)] }
          if (suppressionOf(known.get(row.entry.to_number) ?? null, scope, clock.now()) === null) break
          barred.push({ _tag: "Suppressed", dial, row })
        }
        return barred
      })

      /** Those that stand behind one that is skipped, and are skipped with it. */
      const barredAfter = Effect.fnUntraced(function* (lane: OpenLane, row: ContactRow, batch: Batch) {
        const [, ...others] = yield* freshFrom(row, limits.skippedTogether)
        return yield* barredOf(lane, batch, others)
      })

      /** The contact as it waits for its callee's hours. Where they are open for others with its mark it came all the same, and would come again at once: then for those of its agent. */
      const waitingForHours = (entries: LaneEntries, { dial, mark, row }: OutOfHours, now: number) => {
        const own = markOfAgent(mark, agentOfDial(dial))
        const before = row.contact?.hours_of
        const isOthers = (before === mark || before === own) && openMarks(entries, [mark], now).open.length > 0
        return outOfHours(dial.contact, isOthers ? own : mark, now)
      }

      /** Of contacts that nobody has touched those that stand first and may not be called at this hour, the first one among them. */
      const closedFrom = Effect.fnUntraced(function* (lane: OpenLane, first: OutOfHours, batch: Batch) {
        const closed: Array<OutOfHours> = []
        const now = clock.now()
        for (const row of yield* freshFrom(first.row, limits.skippedTogether)) {
          const { dial, isOpen, mark } = inHours(lane, row, batch, now)
          if (isOpen) break
          closed.push({ _tag: "OutOfHours", dial, row, mark })
        }
        return closed.length === 0 ? [first] : closed
      })

      /** Sets contacts aside whose callees may not be called at this hour: from then on they wait in the queue of their mark, and need no write. */
      const closeOff = Effect.fnUntraced(function* (lane: OpenLane, first: OutOfHours, batch: Batch) {
        const some = first.row.contact === null ? yield* closedFrom(lane, first, batch) : [first]
        const entries = entriesOf(lane.hours.setting, lane.campaign, [batch, ...lane.batches.values()])
        const now = clock.now()
        yield* steps.attempt(
          joined(
            // Whoever changes the hours makes them due anew, and may not be overlooked by who was judged before.
            { organization_id: batch.organization_id, expect: lane.hours.expect },
            ...some.map((each) => change("contact", each.row.contact, waitingForHours(entries, each, now), now)),
          ),
        )
        yield* withheld.note(batch.organization_id, "contact", "hours", some.length)
      })

      /** Of contacts that nobody has touched those that stand first and whose numbers rest, the first one among them. */
      const restingFrom = Effect.fnUntraced(function* (lane: OpenLane, first: Capped, batch: Batch) {
        const rows = yield* freshFrom(first.row, limits.skippedTogether)
        const numbers = rows.map(({ entry }) => entry.to_number)
        const known = yield* callees.several(batch.organization_id, numbers)
        const resting: Array<Capped> = []
        const now = clock.now()
        for (const row of rows) {
          const callee = known.get(row.entry.to_number) ?? null
          const until = restsUntil(lane, callee, now)
          // Who may be suppressed is judged by itself.
          if (until === null || (callee?.suppressions.length ?? 0) > 0) break
          const seen = calleeAsRead({ organization_id: batch.organization_id, to_number: row.entry.to_number }, callee)
          resting.push({ _tag: "Capped", dial: inHours(lane, row, batch, now).dial, row, until, seen })
        }
        return resting.length === 0 ? [first] : resting
      })

      /** Sets contacts aside whose numbers were called as often as may be, until they may be called again. */
      const rest = Effect.fnUntraced(function* (lane: OpenLane, first: Capped, batch: Batch) {
        const some = first.row.contact === null ? yield* restingFrom(lane, first, batch) : [first]
        const now = clock.now()
        yield* steps.attempt(
          joined(
            // Whose dial is taken back meanwhile waits for nothing any more.
            { organization_id: batch.organization_id, expect: some.flatMap(({ seen }) => seen.expect) },
            { expect: lane.hours.expect },
            ...some.map(({ dial, row, until }) => change("contact", row.contact, putOff(dial.contact, until), now)),
          ),
        )
        yield* withheld.note(batch.organization_id, "contact", "caps", some.length)
      })

      const decided = Effect.fnUntraced(function* (
        desk: Desk,
        lane: OpenLane,
        row: ContactRow,
        batch: Batch,
      ): Effect.fn.Return<Step, Conflict | PortError> {
        const judged = yield* judge(desk, lane, row, batch, 0)
        const { dial } = judged
        switch (judged._tag) {
          case "NotNow":
            yield* leave(judged)
            yield* reload(desk, lane.lane_id)
            return "contact_set_aside" as const
          case "Suppressed":
            yield* skip(batch, row.contact === null ? [judged, ...(yield* barredAfter(lane, row, batch))] : [judged])
            yield* lifecycle.settle(batch.batch_id)
            yield* reload(desk, lane.lane_id)
            return "skipped" as const
          case "OutOfHours":
            yield* closeOff(lane, judged, batch)
            yield* reload(desk, lane.lane_id)
            return "skipped" as const
          case "Capped":
            yield* rest(lane, judged, batch)
            yield* reload(desk, lane.lane_id)
            return "skipped" as const
          case "NumberLive":
            yield* contactCalls.waitForNumber(dial.contact, row.entry.to_number)
            yield* reload(desk, lane.lane_id)
            return "contact_set_aside" as const
          case "Held": {
            const { because, call } = judged
            if (call !== null && isLastHold(dial.contact)) {
              yield* conclude(judged, call, burned(call, lacking[because], clock.now()))
            } else yield* hold(desk, lane, judged)
            yield* withheld.note(batch.organization_id, "contact", because)
            yield* reload(desk, lane.lane_id)
            return "contact_set_aside" as const
          }
          case "Unfunded":
            yield* conclude(judged, judged.call, unfunded(judged.call, clock.now()))
            yield* withheld.note(batch.organization_id, "contact", "wallet")
            yield* reload(desk, lane.lane_id)
            return "contact_set_aside" as const
          case "AgentFull":
            return yield* passOver(desk, lane, dial, row.contact, judged.agent_id)
          case "Fit": {
            const begun = yield* Effect.uninterruptible(
              Effect.tap(begin(lane, judged), (each) =>
                each._tag === "Begun" ? start(desk, lane, judged, each) : Effect.void,
              ),
            )
            if (begun._tag === "Full") return yield* enterFull(desk, lane, judged, begun)
            if (begun._tag === "Stale") {
              yield* reload(desk, lane.lane_id)
              return "contact_set_aside"
            }
            yield* moveOn(desk, lane, batch)
            return "started"
          }
        }
      })

      /** Decides over a contact and writes it. Where something has changed meanwhile nothing is written, and its lane is looked at anew. */
      const dial = (desk: Desk, lane: OpenLane, row: ContactRow, batch: Batch) =>
        Effect.catchTag(decided(desk, lane, row, batch), "Conflict", () =>
          Effect.as(reload(desk, lane.lane_id), "contact_set_aside" as const),
        )

      /**
       * Starts calls of the only lane that waits, all at a time: whose turn it is, is no question then, and the store writes them together.
       * It goes as far as nothing is to be said of a contact but that it is dialled or skipped; the next one takes its turn by itself. Returns
       * how many contacts that took: none where the first one is neither.
       */
      const dialInARow = Effect.fnUntraced(function* (
        desk: Desk,
        lane: OpenLane,
        first: ContactRow,
        batch: Batch,
        most: number,
      ) {
        const rows = yield* freshFrom(first, most)
        // Where the first one is skipped, many may be, and are skipped together.
        if ((yield* barredOf(lane, batch, rows.slice(0, 1))).length > 0) return { taken: 0, isFull: false }
        const judged = yield* activity.together(rows.map((row, nth) => judge(desk, lane, row, batch, nth)))
        const unfit = judged.findIndex(({ _tag }) => _tag !== "Fit" && _tag !== "Suppressed")
        const head = judged.slice(0, unfit < 0 ? judged.length : unfit)
        const fit = head.filter((each) => each._tag === "Fit")
        const barred = head.filter((each) => each._tag === "Suppressed")
        // Contacts are first touched in order: nobody is dialled before one who stands first and could not be skipped.
        const isSkipped = yield* skip(batch, barred).pipe(
          Effect.as(true),
          Effect.catchTag("Conflict", () => Effect.succeed(false)),
        )
        if (!isSkipped) {
          yield* reload(desk, lane.lane_id)
          return { taken: 1, isFull: false }
        }
        const begun = yield* Effect.uninterruptible(
          Effect.gen(function* () {
            const all = yield* activity.together(
              fit.map((each) => Effect.map(Effect.exit(begin(lane, each)), (exit) => ({ each, exit }))),
            )
            // Those that are committed come first: what is to be said of the others may fail.
            for (const { each, exit } of all) {
              if (Exit.isFailure(exit) || exit.value._tag !== "Begun") continue
              yield* start(desk, lane, each, exit.value)
              desk.next()?.take()
            }
            return all
          }),
        )
        let count = 0
        let isFull = false
        let isStale = false
        for (const { each, exit } of begun) {
          if (Exit.isFailure(exit)) continue
          if (exit.value._tag === "Begun") count += 1
          else if (exit.value._tag === "Stale") isStale = true
          else {
            const entering = enterFull(desk, lane, each, exit.value)
            const step = yield* Effect.catchTag(entering, "Conflict", () => Effect.succeed("stale" as const))
            if (step === "lines_full") isFull = true
            else if (step === "stale") isStale = true
          }
        }
        if (count > 0) yield* moveOn(desk, lane, batch)
        if (barred.length > 0) yield* lifecycle.settle(batch.batch_id)
        if (isStale || barred.length > 0) yield* reload(desk, lane.lane_id)
        for (const { exit } of begun) if (Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
        // Where no call was begun, that has been entered all the same: the first contact is no longer what was read.
        return { taken: head.length === 0 ? 0 : Math.max(1, count + barred.length), isFull }
      })

      /** Gives lines to whose turn it is: one, or as many of `most` as the only lane that waits can have. Returns how many contacts that took. */
      const give = Effect.fnUntraced(function* (organizationId: string, desk: Desk, most: number) {
        const turn = desk.next()
        const lane = turn === null ? undefined : desk.lanes.get(turn.id)
        if (turn === null || lane === undefined) return null
        const moment = momentOf(lane, clock.now())
        const passed = yield* passedIn(desk, organizationId, lane)
        const batchIds = [...lane.batches.keys()]
        const tried = desk.triesUnheld(lane.lane_id) ? yield* contacts.next(batchIds, moment, passed, "unheld") : null
        const row = tried ?? (yield* contacts.next(batchIds, moment, passed, "all"))
        if (row === null && passed.length > 0) {
          desk.waitForAgents(lane, [...new Set(passed.map(({ agent_id }) => agent_id))])
          return 1
        }
        const batch = row === null ? undefined : lane.batches.get(row.batch_id)
        if (row === null || batch === undefined) {
          yield* reload(desk, lane.lane_id)
          return 1
        }
        const inARow = Math.min(most, limits.dispatchTogether, desk.inARow(lane))
        const isPlain = row.contact === null && !isFirstDial(lane, batch) && !isLeastLoaded(lane)
        if (inARow > 1 && isPlain && tried === null) {
          const { taken, isFull } = yield* dialInARow(desk, lane, row, batch, inARow)
          if (isFull) return null
          if (taken > 0) return taken
        }
        const step: Step = yield* dial(desk, lane, row, batch)
        // Whose contacts are skipped lets the next one go first: there may be many, and others are to be called.
        if (step === "started" || step === "skipped") turn.take()
        return step === "lines_full" ? null : 1
      })

      /** Where contacts wait for a line, when to look whether a ceiling was raised or a lost line found meanwhile: nobody else would say so. */
      const lookAgain = (desk: Desk): number | null => {
        if (!desk.waiting && !desk.isBlocking) {
          desk.lookAgainAt = Infinity
          return null
        }
        const now = clock.now()
        if (desk.lookAgainAt <= now || desk.lookAgainAt === Infinity) desk.lookAgainAt = now + limits.dispatchLookMs
        return desk.lookAgainAt
      }

      const round = Effect.fnUntraced(function* (organizationId: string, desk: Desk, mayGoOn: () => boolean) {
        platformWaits.delete(organizationId)
        if (clock.now() >= desk.lookAgainAt) yield* gate.lapse
        yield* refresh(organizationId, desk)
        if (clock.now() >= desk.lookAgainAt) {
          desk.unblock()
          yield* reroute(desk, organizationId)
        }
        for (const { agent_id, max } of desk.fullAgents) {
          const [used = 0] = yield* calls.holding([{ level: "agent", key: agent_id, ceiling: null }])
          if (used < max || clock.now() >= desk.lookAgainAt) desk.unblockAgent(agent_id)
        }
        let left: number = limits.dispatchBurst
        while (left > 0 && mayGoOn()) {
          const given = yield* give(organizationId, desk, left)
          if (given === null) break
          left -= given
        }
        // Whoever has it now says so.
        if (!mayGoOn()) return clock.now()
        yield* gate.want(organizationId, desk.waiting)
        if (left === 0) return clock.now()
        const platformLook = platformWaits.has(organizationId) ? clock.now() + limits.platformLookMs : null
        return least(desk.due.peek()?.at ?? null, lookAgain(desk), platformLook)
      })

      /** Reads from the picture of the organization as it is now. */
      const seen = <A>(organizationId: string, read: (desk: Desk) => A) => {
        const desk = deskOf(organizationId)
        return activity.inTurn(
          desk.turn,
          Effect.map(refresh(organizationId, desk), () => read(desk)),
        )
      }

      return Dispatcher.of({
        run: (organizationId, mayGoOn) =>
          Effect.flatMap(dialling.standing, (hold) => {
            if (hold !== null) return Effect.succeed(clock.now() + limits.heldLookMs)
            const desk = deskOf(organizationId)
            return activity.inTurn(desk.turn, round(organizationId, desk, mayGoOn))
          }),
        verdict: (organizationId, laneId) => seen(organizationId, (desk) => desk.verdict(laneId)),
        beside: (organizationId, laneId) => seen(organizationId, (desk) => desk.beside(laneId)),
      })
    }),
  )
}
