import { Semaphore } from "effect"
import type { Batch } from "../batches/Batch.ts"
import type { SeenHours } from "../callees/Callees.ts"
import type { Campaign } from "../campaigns/Campaign.ts"
import type { ContactPlace } from "../contacts/ContactStore.ts"
import { TimeHeap } from "../engine/TimeHeap.ts"
import { limits } from "../Limits.ts"
import { type Beside, type CampaignLoad, FairShareLedger } from "./FairShare.ts"
import { agentsAsked } from "./OpenMarks.ts"
import { type Turn, TurnRing } from "./TurnRing.ts"

/** What a dispatcher knows of a lane that may dial. */
export interface OpenLane {
  readonly lane_id: string
  readonly campaign: Campaign | null
  readonly batches: ReadonlyMap<string, Batch>
  readonly in_hours: boolean
  /** The hours of callees as they stood when it was looked at. */
  readonly hours: SeenHours
  /** The marks of its contacts that were open then; null where no hours bind its calls. */
  readonly marks: ReadonlyArray<string> | null
  readonly ceiling: number | null
  used: number
  dialable: number
}

/** By what a campaign says what a working day is: hours that it gives, as of a revision, or its zone. */
export interface CampaignDays {
  readonly isGiven: boolean
  readonly timezone: string
  readonly revision: number
}

const daysOf = ({ isGiven, revision, timezone }: CampaignDays): string => (isGiven ? `given ${revision}` : timezone)

/** Why a lane waits, and until when at most. */
export interface Pause {
  readonly until: number
  readonly because: "carrier" | "wallet"
}

/** Why batches wait, and until when at most: their agent is away, or none of their caller IDs is left. */
export interface BatchPause {
  readonly until: number
  readonly because: "agent" | "caller_id"
  readonly agent_id: string
}

/** What the carrier has done since it last took a call of the lane. */
interface Patience {
  /** Some contacts that it refused, up to as many as make the lane wait. One that is always refused says nothing of the others. */
  readonly refused: ReadonlySet<string>
  /** How often the lane has waited. */
  readonly pauses: number
  /** The lane goes on, and somebody who is not held back is tried first. */
  readonly triesUnheld: boolean
}

/** An agent that has no more lines, how many it may have, and the lanes that could dial nobody while it and others had none. */
interface FullAgent {
  max: number
  isFull: boolean
  readonly lanes: Map<string, ReadonlyArray<string>>
}

/** A contact that waits for its agent to have a line, while those behind it are dialled. */
interface PassedOver extends ContactPlace {
  readonly agent_id: string
}

const noPatience: Patience = { refused: new Set(), pauses: 0, triesUnheld: false }

const nameOf = ({ batch_id, row }: ContactPlace): string => `${batch_id} ${row}`

const loadOf = ({ used, dialable, ceiling }: OpenLane): CampaignLoad => ({ used, dialable, ceiling })

/**
 * A dispatcher's picture of one organization, kept by what has changed since it last looked. It holds nothing that is not in the rows,
 * but for the patience with a carrier that refuses.
 */
export class Desk {
  readonly lanes = new Map<string, OpenLane>()
  /** When each lane has to be looked at again because time has passed. */
  readonly due = new TimeHeap<string>()
  /** Lanes that wait for a hold to end, and those of their batches that do while others of the lane are dialled. */
  readonly paused = new Map<string, Pause>()
  readonly #pausedBatches = new Map<string, ReadonlyMap<string, BatchPause>>()
  readonly #blocked = new Set<string>()
  readonly #fullAgents = new Map<string, FullAgent>()
  readonly #passed = new Map<string, ReadonlyArray<PassedOver>>()
  /** How the calls of lanes that have waited for agents were routed then. */
  readonly #routes = new Map<string, string>()
  readonly #patience = new Map<string, Patience>()
  readonly #ledger = new FairShareLedger(0)
  readonly #ring = new TurnRing()
  /** Contacts that each lane has set aside since it last started a call or rested. */
  readonly #setAside = new Map<string, number>()
  /** Lanes that have set so many contacts aside that others go first. */
  readonly #resting = new Set<string>()
  /** Lines that the lanes hold together. */
  #used = 0
  /** Lines taken in all. */
  #taken = 0
  #limit = 0
  /** When to look again although nothing has changed; infinity while nobody waits for a line. */
  lookAgainAt = Infinity
  /** By which hours follow-ups of lanes were put off for a working day, as far as that was looked at. */
  readonly #days = new Map<string, string>()
  /** How far the changes of lanes are known. */
  sequence = 0
  /** One dispatch of an organization at a time. */
  readonly turn = Semaphore.makeUnsafe(1)

  /** Whether follow-ups of the lane that were put off for a working day may have been so by other hours than those it has now. */
  daysMayHaveChanged(laneId: string, days: CampaignDays): boolean {
    const before = this.#days.get(laneId)
    return before !== daysOf(days) && (days.isGiven || before !== undefined)
  }

  /** Follow-ups of the lane were planned by the hours that it has now. */
  daysAreKnown(laneId: string, days: CampaignDays): void {
    this.#days.set(laneId, daysOf(days))
  }

  /** Nothing is planned for the lane any more. */
  forgetDays(laneId: string): void {
    this.#days.delete(laneId)
  }

  /** The organization's lines as they are now. */
  setLines(limit: number, taken: number): void {
    this.#limit = limit
    this.#taken = taken
    this.#ledger.setLimit(limit)
    this.#ledger.setDirect(Math.max(0, taken - this.#used))
  }

  /** Enters a lane or replaces what is known of it. */
  set(lane: OpenLane): void {
    this.#used += lane.used - (this.lanes.get(lane.lane_id)?.used ?? 0)
    // Whom it could dial, and so which agents it waits for, may have changed.
    this.#awaitNone(lane.lane_id)
    if (lane.used === 0 && lane.dialable === 0) {
      this.lanes.delete(lane.lane_id)
      this.#passed.delete(lane.lane_id)
      this.#routes.delete(lane.lane_id)
      this.#ledger.remove(lane.lane_id)
    } else {
      this.lanes.set(lane.lane_id, lane)
      this.#ledger.setCampaign(lane.lane_id, loadOf(lane))
    }
    this.#seat(lane, false)
  }

  /** One more call of the lane has its line. */
  started(lane: OpenLane, contact: ContactPlace): void {
    const others = this.#passedBesides(lane.lane_id, contact)
    if (others.length === 0) this.#passed.delete(lane.lane_id)
    else this.#passed.set(lane.lane_id, others)
    const patience = this.#patience.get(lane.lane_id)
    if (patience?.triesUnheld === true) this.#patience.set(lane.lane_id, { ...patience, triesUnheld: false })
    lane.used += 1
    lane.dialable -= 1
    this.#used += 1
    this.#taken += 1
    this.#ledger.setCampaign(lane.lane_id, loadOf(lane))
    this.#setAside.delete(lane.lane_id)
    this.#seat(lane, false)
    this.#rested()
  }

  /**
   * Contacts of the lane were set aside, as they may not be called now. That is no turn: the lane still has its own. But after many of them, which are
   * much work, others go first until one has a line or none can have one, and the turn is saved as that of a lane that is blocked.
   */
  setAside(laneId: string, contacts: number): void {
    const lane = this.lanes.get(laneId)
    if (lane === undefined) return
    const count = (this.#setAside.get(laneId) ?? 0) + contacts
    if (count < limits.skippedTogether) return void this.#setAside.set(laneId, count)
    this.#setAside.delete(laneId)
    this.#resting.add(laneId)
    this.#seat(lane, true)
  }

  /** The slot store has no line for the lane, whatever the rows say. */
  block(lane: OpenLane): void {
    this.#blocked.add(lane.lane_id)
    this.#seat(lane, true)
  }

  /** Whether some lane was refused a line. */
  get isBlocking(): boolean {
    return this.#blocked.size > 0 || this.fullAgents.length > 0
  }

  /** Lets the lanes that were refused for themselves ask again: a line that was lost may have been found. */
  unblock(): void {
    for (const laneId of this.#blocked) {
      const lane = this.lanes.get(laneId)
      if (lane !== undefined) this.#seat(lane, false)
    }
    this.#blocked.clear()
  }

  /** The agent has no more lines: whoever could dial nobody without one need not ask. */
  fillAgent(agentId: string, max: number): void {
    const agent: FullAgent = this.#fullAgents.get(agentId) ?? { max, isFull: true, lanes: new Map() }
    this.#fullAgents.set(agentId, agent)
    agent.max = max
    agent.isFull = true
    for (const [laneId, agentIds] of agent.lanes) {
      const lane = this.lanes.get(laneId)
      if (lane === undefined) agent.lanes.delete(laneId)
      else if (agentIds.every((id) => this.isFull(id))) this.#seat(lane, true)
    }
  }

  isFull(agentId: string): boolean {
    return this.#fullAgents.get(agentId)?.isFull === true
  }

  /** The lane goes on with the contacts behind one that waits for its agent. */
  passOver(lane: OpenLane, { batch_id, row }: ContactPlace, agent_id: string): void {
    // It may have been passed over before, and asked for in vain since its agent had a line again.
    const others = this.#passedBesides(lane.lane_id, { batch_id, row })
    this.#passed.set(lane.lane_id, [...others, { batch_id, row, agent_id }])
    this.#awaitNone(lane.lane_id)
    this.#seat(lane, false)
  }

  /** How the lane's calls are routed now: where that has changed, whoever waits for an agent may have another one, and asks anew. */
  routed(lane: OpenLane, version: string): void {
    const before = this.#routes.get(lane.lane_id)
    this.#routes.set(lane.lane_id, version)
    if (before === undefined || before === version) return
    this.#passed.delete(lane.lane_id)
    this.#awaitNone(lane.lane_id)
    this.#seat(lane, false)
  }

  /** The lanes that have waited for agents. */
  get waitingForAgents(): ReadonlyArray<OpenLane> {
    return [...this.#routes.keys()].flatMap((laneId) => this.lanes.get(laneId) ?? [])
  }

  /** The contacts of a lane that wait for their agent. */
  passedOver(laneId: string): ReadonlyArray<PassedOver> {
    return (this.#passed.get(laneId) ?? []).filter(({ agent_id }) => this.isFull(agent_id))
  }

  /** The lane can dial nobody before one of these agents has a line again. */
  waitForAgents(lane: OpenLane, agentIds: ReadonlyArray<string>): void {
    this.#awaitNone(lane.lane_id)
    for (const agentId of agentIds) this.#fullAgents.get(agentId)?.lanes.set(lane.lane_id, agentIds)
    this.#seat(lane, true)
  }

  /** The agents that lanes wait for, with how many lines each may have. Whoever ends a call of theirs need not be a lane. */
  get fullAgents(): ReadonlyArray<{ readonly agent_id: string; readonly max: number }> {
    return [...this.#fullAgents].flatMap(([agent_id, { isFull, max }]) => (isFull ? [{ agent_id, max }] : []))
  }

  /** The agent has a line again: who waited for it may ask, and nobody passes its contacts over. */
  unblockAgent(agentId: string): void {
    const agent = this.#fullAgents.get(agentId)
    if (agent === undefined) return
    agent.isFull = false
    for (const laneId of agent.lanes.keys()) {
      const lane = this.lanes.get(laneId)
      if (lane === undefined) agent.lanes.delete(laneId)
      else this.#seat(lane, false)
    }
    if (agent.lanes.size === 0) this.#fullAgents.delete(agentId)
  }

  /** The carrier took a call of the lane. */
  accepted(laneId: string): void {
    this.#patience.delete(laneId)
  }

  /** Why batches of a lane wait for a hold to end, by the names of what they lack. */
  pausedBatches(laneId: string): ReadonlyMap<string, BatchPause> {
    return this.#pausedBatches.get(laneId) ?? new Map()
  }

  /** Says what batches of a lane wait for from now on. */
  pauseBatches(laneId: string, pauses: ReadonlyMap<string, BatchPause>): void {
    if (pauses.size === 0) this.#pausedBatches.delete(laneId)
    else this.#pausedBatches.set(laneId, pauses)
  }

  /** The carrier refused a contact of the lane; after several of them the lane waits, longer each time, before it tries anybody else. */
  refused(laneId: string, contact: ContactPlace, now: number): void {
    const patience = this.#patience.get(laneId) ?? noPatience
    const { pauses } = patience
    const isPaused = (this.paused.get(laneId)?.until ?? 0) > now
    const refused =
      patience.refused.size < limits.refusalsBeforeLaneWaits
        ? new Set(patience.refused).add(nameOf(contact))
        : patience.refused
    const pauseNow = refused.size >= limits.refusalsBeforeLaneWaits && !isPaused
    this.#patience.set(laneId, { ...patience, refused, pauses: pauses + (pauseNow ? 1 : 0) })
    if (!pauseNow) return
    const until = now + Math.min(limits.holdMs * 2 ** pauses, limits.holdMaxMs)
    this.paused.set(laneId, { until, because: "carrier" })
  }

  /**
   * The lane goes on after a wait. Every other time it tries somebody first who is not held back: those who are may all be refused where
   * others are not, and others may all be refused where those who are held back are not any more.
   */
  goesOn(laneId: string): void {
    const pause = this.paused.get(laneId)
    this.paused.delete(laneId)
    const patience = this.#patience.get(laneId)
    if (pause?.because !== "carrier" || patience === undefined) return
    this.#patience.set(laneId, { ...patience, triesUnheld: patience.pauses % 2 === 1 })
  }

  /** The carrier is there again: lanes that wait for it are to be looked at now. Returns whether there are any. */
  carrierIsBack(now: number): boolean {
    const waiting = [...this.paused].filter(([, { because, until }]) => because === "carrier" && until > now)
    for (const [laneId, pause] of waiting) {
      this.paused.set(laneId, { ...pause, until: now })
      this.due.set(laneId, now, laneId)
    }
    return waiting.length > 0
  }

  /** Whether the lane's next call is for somebody who is not held back, if there is one. */
  triesUnheld(laneId: string): boolean {
    return this.#patience.get(laneId)?.triesUnheld === true
  }

  /** Whose turn it is, or null when no line may be given. */
  next(): Turn | null {
    if (this.#limit - this.#taken < 1) return null
    return this.#choose() ?? (this.#rested() ? this.#choose() : null)
  }

  /** How many lines may go to the lane one after the other now that its turn has come: one where others wait for theirs. */
  inARow({ ceiling, dialable, used }: OpenLane): number {
    if (this.#ring.ready > 1 || this.#resting.size > 0) return 1
    const free = this.#limit - this.#taken
    const room = Math.max(this.#ledger.share() - used, free - this.#ledger.reserve())
    return Math.max(1, Math.min(free, room, dialable, ceiling === null ? Infinity : ceiling - used))
  }

  /** Whether some lane could use a line if there were one. */
  get waiting(): boolean {
    return this.#ring.waiting || this.#resting.size > 0
  }

  /** How the rule stands to one more call of the lane. */
  verdict(laneId: string) {
    return this.#ledger.verdict(laneId)
  }

  /** What takes lines beside the lane. */
  beside(laneId: string): Beside {
    const others = [...this.lanes.values()].filter(({ lane_id }) => lane_id !== laneId)
    return {
      direct: Math.max(0, this.#taken - this.#used),
      others: others.map(({ batches, campaign, ceiling, dialable, used }) => ({
        contacts: used + dialable,
        ceiling,
        agent_ids: agentsAsked(campaign, batches.values(), false),
      })),
    }
  }

  #choose(): Turn | null {
    return this.#ring.next(this.#ledger.share(), this.#limit - this.#taken - this.#ledger.reserve() >= 1)
  }

  /** Lanes that let others go first have their turn again; returns whether there were any. */
  #rested(): boolean {
    const resting = [...this.#resting]
    this.#resting.clear()
    for (const laneId of resting) {
      const lane = this.lanes.get(laneId)
      if (lane !== undefined) this.#seat(lane, false)
    }
    return resting.length > 0
  }

  #passedBesides(laneId: string, contact: ContactPlace): ReadonlyArray<PassedOver> {
    return this.passedOver(laneId).filter(({ batch_id, row }) => batch_id !== contact.batch_id || row !== contact.row)
  }

  /** The lane may ask whatever agents are full, until it says anew which ones it waits for. */
  #awaitNone(laneId: string): void {
    for (const [agentId, { isFull, lanes }] of this.#fullAgents) {
      if (lanes.delete(laneId) && lanes.size === 0 && !isFull) this.#fullAgents.delete(agentId)
    }
  }

  #seat(lane: OpenLane, blocked: boolean): void {
    const { ceiling, dialable, lane_id, used } = lane
    if (dialable > 0) {
      const isBlocked = blocked || this.#resting.has(lane_id) || (ceiling !== null && used >= ceiling)
      return this.#ring.set(lane_id, used, isBlocked)
    }
    this.#ring.remove(lane_id)
    this.#setAside.delete(lane_id)
    this.#resting.delete(lane_id)
  }
}
