import {
  AgentDispatch,
  AgentDispatchState,
  DisconnectReason,
  Job,
  JobState,
  JobStatus,
  JobType,
  ParticipantInfo,
  ParticipantInfo_Kind,
  ParticipantInfo_State,
} from "@livekit/protocol"
import type { Guids } from "./Guids.ts"
import type { StandInClock } from "../../../twilio/test/standin/Clock.ts"
import type { AgentScript } from "./Fate.ts"
import type { Participant, Rooms } from "./Rooms.ts"
import { TwirpFailure } from "./Twirp.ts"
import type { Webhooks } from "./Webhooks.ts"

export interface AgentsOptions {
  readonly guids: Guids
  readonly clock: StandInClock
  readonly rooms: Rooms
  readonly webhooks: Webhooks
  readonly script: AgentScript
}

export interface DispatchWish {
  readonly agentName: string
  readonly metadata: string
}

const standardJoinSeconds = 1
const secondsInNanos = 1_000_000n

/** livekit/psrpc, `ErrNoResponse`: the room's own node is asked, and of a room that is not open there is none. */
const noResponse = () => new TwirpFailure("unavailable", "no response from servers")

/** Agents that are sent into rooms. A worker takes the job, and joins, as its script says. */
export class Agents {
  readonly #options: AgentsOptions
  readonly #dispatches = new Map<string, Array<AgentDispatch>>()
  /** All that there ever were, the first one first. */
  readonly dispatches: Array<AgentDispatch> = []

  constructor(options: AgentsOptions) {
    this.#options = options
    options.rooms.onClosed((name) => void this.#dispatches.delete(name))
  }

  dispatch(room: string, { agentName, metadata }: DispatchWish): AgentDispatch {
    const { clock, guids, script } = this.#options
    const dispatch = new AgentDispatch({
      id: guids.next("AD"),
      room,
      agentName,
      metadata,
      state: new AgentDispatchState({ createdAt: this.#nanos() }),
    })
    this.dispatches.push(dispatch)
    this.#dispatches.set(room, [...(this.#dispatches.get(room) ?? []), dispatch])
    const fate = script({ room, agent_name: agentName, metadata })
    const joins = fate.joins_after_s === undefined ? standardJoinSeconds : fate.joins_after_s
    if (joins !== null) clock.at(clock.now() + joins * 1000, () => this.#join(dispatch, fate.fails_after_s ?? null))
    return dispatch
  }

  list(room: string, id: string): ReadonlyArray<AgentDispatch> {
    if (this.#options.rooms.get(room) === undefined) throw noResponse()
    return (this.#dispatches.get(room) ?? []).filter((dispatch) => id === "" || dispatch.id === id)
  }

  #nanos(): bigint {
    return BigInt(this.#options.clock.now()) * secondsInNanos
  }

  /** A job of a room that was closed meanwhile is nobody's. */
  async #join(dispatch: AgentDispatch, failsAfter: number | null): Promise<void> {
    const { clock, guids, rooms, webhooks } = this.#options
    const room = rooms.snapshot(dispatch.room)
    if (room === undefined) return
    const id = guids.next("AJ")
    const identity = `agent-${id}`
    const startedAt = this.#nanos()
    const state = new JobState({
      status: JobStatus.JS_RUNNING,
      startedAt,
      updatedAt: startedAt,
      participantIdentity: identity,
    })
    const { agentName, metadata } = dispatch
    const job = new Job({ id, dispatchId: dispatch.id, type: JobType.JT_ROOM, room, agentName, metadata, state })
    dispatch.state?.jobs.push(job)
    const info = new ParticipantInfo({
      sid: guids.next("PA"),
      identity,
      name: agentName,
      kind: ParticipantInfo_Kind.AGENT,
      state: ParticipantInfo_State.ACTIVE,
      joinedAt: BigInt(Math.floor(clock.now() / 1000)),
      joinedAtMs: BigInt(clock.now()),
      isPublisher: true,
    })
    const end = (status: JobStatus, error: string) => {
      state.status = status
      state.error = error
      state.endedAt = this.#nanos()
      webhooks.notify("agent_job_ended", dispatch.room, { job: job.clone() })
    }
    const agent: Participant = { info, onRemoved: async () => end(JobStatus.JS_SUCCESS, "") }
    webhooks.notify("agent_job_started", dispatch.room, { job: job.clone() })
    await rooms.join(dispatch.room, agent)
    if (failsAfter === null) return
    clock.at(clock.now() + failsAfter * 1000, async () => {
      if (state.status !== JobStatus.JS_RUNNING) return
      rooms.leave(dispatch.room, agent, DisconnectReason.AGENT_ERROR)
      end(JobStatus.JS_FAILED, "the agent's session failed")
    })
  }
}
