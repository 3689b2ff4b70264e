import { limits } from "../Limits.ts"
import { Semaphore } from "effect"
import type { ContactPlace } from "../contacts/rules/PlacedContact.ts"
import { TimeHeap } from "../engine/rules/TimeHeap.ts"
import { type Beside, type CampaignLoad, FairShareLedger } from "./rules/FairShare.ts"
import { FullAgents } from "./rules/FullAgents.ts"
import { LaneWaits } from "./rules/LaneWaits.ts"
import { LookedAfter } from "./rules/LookedAfter.ts"
import { agentsAsked } from "./rules/OpenMarks.ts"
import { PlannedDays } from "./rules/PlannedDays.ts"
import { type Turn, TurnRing } from "./rules/TurnRing.ts"
import type { OpenLane } from "./rules/OpenLane.ts"

const loadOf = ({ used, dialable, ceiling }: OpenLane): CampaignLoad => ({ used, dialable, ceiling })

/**
 * A dispatcher's picture of one organization, kept by what has changed since it last looked. It holds nothing that is not in the rows,
 * but for the patience with a carrier that refuses.
 */
export class Desk {
  readonly lanes = new Map<string, OpenLane>()
  /** When each lane has to be looked at again because time has passed. */
  readonly due = new TimeHeap<string>()
  /** What lanes wait for that is no line. */
  readonly waits = new LaneWaits()
  /** The agents that have no more lines. */
  readonly agents = new FullAgents(this.lanes, (lane, isBlocked) => this.#seat(lane, isBlocked))
  readonly days = new PlannedDays()
  readonly lookedAfter = new LookedAfter()
  readonly #blocked = new Set<string>()
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
  /** How far the changes of lanes are known. */
  sequence = 0
  /** One dispatch of an organization at a time. */
  readonly turn = Semaphore.makeUnsafe(1)

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
    this.agents.awaitNone(lane.lane_id)
    if (lane.used === 0 && lane.dialable === 0) {
      this.lanes.delete(lane.lane_id)
      this.agents.forget(lane.lane_id)
      this.#ledger.remove(lane.lane_id)
    } else {
      this.lanes.set(lane.lane_id, lane)
      this.#ledger.setCampaign(lane.lane_id, loadOf(lane))
    }
    this.#seat(lane, false)
  }

  /** One more call of the lane has its line. */
  started(lane: OpenLane, contact: ContactPlace): void {
    this.agents.started(lane.lane_id, contact)
    this.waits.tried(lane.lane_id)
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
    return this.#blocked.size > 0 || this.agents.full.length > 0
  }

  /** Lets the lanes that were refused for themselves ask again: a line that was lost may have been found. */
  unblock(): void {
    for (const laneId of this.#blocked) {
      const lane = this.lanes.get(laneId)
      if (lane !== undefined) this.#seat(lane, false)
    }
    this.#blocked.clear()
  }

  /** The carrier is there again: lanes that wait for it are to be looked at now. Returns whether there are any. */
  carrierIsBack(now: number): boolean {
    const waiting = this.waits.carrierIsBack(now)
    for (const laneId of waiting) this.due.set(laneId, now, laneId)
    return waiting.length > 0
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
