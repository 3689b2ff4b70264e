import type { ContactPlace } from "../../contacts/rules/PlacedContact.ts"

/** An agent that has no more lines, how many it may have, and the lanes that could dial nobody while it and others had none. */
interface FullAgent {
  max: number
  isFull: boolean
  readonly lanes: Map<string, ReadonlyArray<string>>
}

/** A contact that waits for its agent to have a line, while those behind it are dialled. */
export interface PassedOver extends ContactPlace {
  readonly agent_id: string
}

interface Waiting {
  readonly lane_id: string
}

/** The agents of an organization that have no more lines, and the lanes and contacts that wait for them. */
export class FullAgents<Lane extends Waiting> {
  readonly #lanes: ReadonlyMap<string, Lane>
  readonly #seat: (lane: Lane, isBlocked: boolean) => void
  readonly #agents = new Map<string, FullAgent>()
  readonly #passed = new Map<string, ReadonlyArray<PassedOver>>()
  /** How the calls of lanes that have waited for agents were routed then. */
  readonly #routes = new Map<string, string>()

  /** `seat` lets a lane ask for its turn, or has it ask no more. */
  constructor(lanes: ReadonlyMap<string, Lane>, seat: (lane: Lane, isBlocked: boolean) => void) {
    this.#lanes = lanes
    this.#seat = seat
  }

  /** The agent has no more lines: whoever could dial nobody without one need not ask. */
  fill(agentId: string, max: number): void {
    const agent: FullAgent = this.#agents.get(agentId) ?? { max, isFull: true, lanes: new Map() }
    this.#agents.set(agentId, agent)
    agent.max = max
    agent.isFull = true
    for (const [laneId, agentIds] of agent.lanes) {
      const lane = this.#lanes.get(laneId)
      if (lane === undefined) agent.lanes.delete(laneId)
      else if (agentIds.every((id) => this.isFull(id))) this.#seat(lane, true)
    }
  }

  isFull(agentId: string): boolean {
    return this.#agents.get(agentId)?.isFull === true
  }

  /** The agents that lanes wait for, with how many lines each may have. Whoever ends a call of theirs need not be a lane. */
  get full(): ReadonlyArray<{ readonly agent_id: string; readonly max: number }> {
    return [...this.#agents].flatMap(([agent_id, { isFull, max }]) => (isFull ? [{ agent_id, max }] : []))
  }

  /** The agent has a line again: who waited for it may ask, and nobody passes its contacts over. */
  unblock(agentId: string): void {
    const agent = this.#agents.get(agentId)
    if (agent === undefined) return
    agent.isFull = false
    for (const laneId of agent.lanes.keys()) {
      const lane = this.#lanes.get(laneId)
      if (lane === undefined) agent.lanes.delete(laneId)
      else this.#seat(lane, false)
    }
    if (agent.lanes.size === 0) this.#agents.delete(agentId)
  }

  /** The lane goes on with the contacts behind one that waits for its agent. */
  passOver(lane: Lane, { batch_id, row }: ContactPlace, agent_id: string): void {
    // It may have been passed over before, and asked for in vain since its agent had a line again.
    const others = this.#passedBesides(lane.lane_id, { batch_id, row })
    this.#passed.set(lane.lane_id, [...others, { batch_id, row, agent_id }])
    this.awaitNone(lane.lane_id)
    this.#seat(lane, false)
  }

  /** The contacts of a lane that wait for their agent. */
  passedOver(laneId: string): ReadonlyArray<PassedOver> {
    return (this.#passed.get(laneId) ?? []).filter(({ agent_id }) => this.isFull(agent_id))
  }

  /** The contact has its line. */
  started(laneId: string, contact: ContactPlace): void {
    const others = this.#passedBesides(laneId, contact)
    if (others.length === 0) this.#passed.delete(laneId)
    else this.#passed.set(laneId, others)
  }

  /** The lane can dial nobody before one of these agents has a line again. */
  waitFor(lane: Lane, agentIds: ReadonlyArray<string>): void {
    this.awaitNone(lane.lane_id)
    for (const agentId of agentIds) this.#agents.get(agentId)?.lanes.set(lane.lane_id, agentIds)
    this.#seat(lane, true)
  }

  /** The lane may ask whatever agents are full, until it says anew which ones it waits for. */
  awaitNone(laneId: string): void {
    for (const [agentId, { isFull, lanes }] of this.#agents) {
      if (lanes.delete(laneId) && lanes.size === 0 && !isFull) this.#agents.delete(agentId)
    }
  }

  /** How the lane's calls are routed now: where that has changed, whoever waits for an agent may have another one, and asks anew. */
  routed(lane: Lane, version: string): void {
    const before = this.#routes.get(lane.lane_id)
    this.#routes.set(lane.lane_id, version)
    if (before === undefined || before === version) return
    this.#passed.delete(lane.lane_id)
    this.awaitNone(lane.lane_id)
    this.#seat(lane, false)
  }

  /** The lanes that have waited for agents. */
  get waiting(): ReadonlyArray<Lane> {
    return [...this.#routes.keys()].flatMap((laneId) => this.#lanes.get(laneId) ?? [])
  }

  /** The lane has nobody to dial any more. */
  forget(laneId: string): void {
    this.#passed.delete(laneId)
    this.#routes.delete(laneId)
  }

  #passedBesides(laneId: string, contact: ContactPlace): ReadonlyArray<PassedOver> {
    return this.passedOver(laneId).filter(({ batch_id, row }) => batch_id !== contact.batch_id || row !== contact.row)
  }
}
