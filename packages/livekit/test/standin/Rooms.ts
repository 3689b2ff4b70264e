import { DisconnectReason, ParticipantInfo, ParticipantInfo_Kind, ParticipantInfo_State, Room } from "@livekit/protocol"
import type { Guids } from "./Guids.ts"
import type { Cancel, StandInClock } from "../../../twilio/test/standin/Clock.ts"
import type { Journal } from "./Journal.ts"
import { TwirpFailure } from "./Twirp.ts"
import type { Webhooks } from "./Webhooks.ts"

/** livekit/livekit, `config.go`: what a room has where nobody says otherwise. */
const standardEmptySeconds = 300
const standardDepartureSeconds = 20
/** Rooms and participants that are kept; a test that needs more has lost its way. */
const most = 100_000

export interface Participant {
  readonly info: ParticipantInfo
  /** Told once, when it is not in the room any more for a reason of the server's. */
  readonly onRemoved: (reason: DisconnectReason) => Promise<void>
}

export interface OpenRoom {
  readonly room: Room
  readonly participants: Map<string, Participant>
  hasMet: boolean
  /** What closes it when nobody is left. */
  closing: Cancel | null
}

/** What else a room's end ends. */
export type OnRoomClosed = (name: string) => void

export interface RoomsOptions {
  readonly guids: Guids
  readonly clock: StandInClock
  readonly journal: Journal
  readonly webhooks: Webhooks
}

export interface RoomWishes {
  readonly emptyTimeout: number
  readonly departureTimeout: number
  readonly metadata: string
}

const noWishes: RoomWishes = { emptyTimeout: 0, departureTimeout: 0, metadata: "" }

/** livekit/livekit, `participant.go`, `IsDependent`: a room is not kept open for these. */
const isDependent = ({ info }: Participant): boolean =>
  info.kind === ParticipantInfo_Kind.AGENT || info.kind === ParticipantInfo_Kind.EGRESS

/** livekit/livekit, `ErrRoomNotFound` and `ErrParticipantNotFound`. */
const roomNotFound = () => new TwirpFailure("not_found", "requested room does not exist")
const participantNotFound = () => new TwirpFailure("not_found", "participant does not exist")

/** The rooms that are open, and who is in them. */
export class Rooms {
  readonly #options: RoomsOptions
  readonly #open = new Map<string, OpenRoom>()
  readonly #onClosed: Array<OnRoomClosed> = []
  #made = 0

  constructor(options: RoomsOptions) {
    this.#options = options
  }

  onClosed(act: OnRoomClosed): void {
    this.#onClosed.push(act)
  }

  get(name: string): OpenRoom | undefined {
    return this.#open.get(name)
  }

  all(): ReadonlyArray<Room> {
    return [...this.#open.values()].map(({ room }) => room)
  }

  /** As it looks at this moment. */
  snapshot(name: string): Room | undefined {
    return this.#open.get(name)?.room.clone()
  }

  /** livekit/livekit, `roomallocator.go`: a room that is open is the same room, with what is asked for of it now. */
  ensure(name: string, wishes: RoomWishes = noWishes): { readonly open: OpenRoom; readonly isNew: boolean } {
    const found = this.#open.get(name)
    const open = found ?? this.#make(name)
    if (wishes.emptyTimeout > 0) open.room.emptyTimeout = wishes.emptyTimeout
    if (wishes.departureTimeout > 0) open.room.departureTimeout = wishes.departureTimeout
    if (wishes.metadata !== "") open.room.metadata = wishes.metadata
    if (found !== undefined) return { open, isNew: false }
    this.#closeWhenEmpty(open)
    this.#options.webhooks.notify("room_started", name, { room: open.room.clone() })
    return { open, isNew: true }
  }

  #make(name: string): OpenRoom {
    const { clock, guids } = this.#options
    if (++this.#made > most) throw new Error(`More than ${most} rooms`)
    const room = new Room({
      sid: guids.next("RM"),
      name,
      emptyTimeout: standardEmptySeconds,
      departureTimeout: standardDepartureSeconds,
      creationTime: BigInt(Math.floor(clock.now() / 1000)),
      creationTimeMs: BigInt(clock.now()),
    })
    const open: OpenRoom = { room, participants: new Map(), hasMet: false, closing: null }
    this.#open.set(name, open)
    return open
  }

  /** Whoever has the same identity is put out: livekit/livekit, `roommanager.go`. */
  async join(name: string, participant: Participant): Promise<void> {
    const { journal } = this.#options
    const { open } = this.ensure(name)
    const { identity } = participant.info
    const before = open.participants.get(identity)
    if (before !== undefined) {
      journal.warn("duplicate_identity", `${identity} in ${name}`)
      await this.#remove(open, before, DisconnectReason.DUPLICATE_IDENTITY)
    }
    open.participants.set(identity, participant)
    if (!isDependent(participant)) {
      open.hasMet = true
      open.closing?.()
      open.closing = null
    }
    this.#count(open)
    this.#tell("participant_joined", open, participant)
  }

  /** It leaves by itself. */
  leave(name: string, participant: Participant, reason: DisconnectReason): void {
    const open = this.#open.get(name)
    if (open?.participants.get(participant.info.identity) === participant) this.#gone(open, participant, reason)
  }

  /** livekit/livekit, `roomservice.go`. */
  async removeParticipant(name: string, identity: string): Promise<void> {
    const open = this.#open.get(name)
    const participant = open?.participants.get(identity)
    if (open === undefined || participant === undefined) throw participantNotFound()
    await this.#remove(open, participant, DisconnectReason.PARTICIPANT_REMOVED)
  }

  /** livekit/livekit, `redisstore.go`: of a room that is not open there are no participants, which is no error. */
  participants(name: string): ReadonlyArray<ParticipantInfo> {
    return [...(this.#open.get(name)?.participants.values() ?? [])].map(({ info }) => info)
  }

  participant(name: string, identity: string): ParticipantInfo {
    const found = this.#open.get(name)?.participants.get(identity)
    if (found === undefined) throw participantNotFound()
    return found.info
  }

  async delete(name: string): Promise<void> {
    const open = this.#open.get(name)
    if (open === undefined) throw roomNotFound()
    await this.#close(open, DisconnectReason.ROOM_DELETED)
  }

  /** Of a room that must be open, as an egress needs it. */
  must(name: string): Room {
    const open = this.#open.get(name)
    if (open === undefined) throw roomNotFound()
    return open.room
  }

  async #remove(open: OpenRoom, participant: Participant, reason: DisconnectReason): Promise<void> {
    this.#gone(open, participant, reason)
    await participant.onRemoved(reason)
  }

  #gone(open: OpenRoom, participant: Participant, reason: DisconnectReason): void {
    open.participants.delete(participant.info.identity)
    participant.info.state = ParticipantInfo_State.DISCONNECTED
    participant.info.disconnectReason = reason
    this.#count(open)
    if (!isDependent(participant)) this.#closeWhenEmpty(open)
    this.#tell("participant_left", open, participant)
  }

  /** livekit/livekit, `room.go`, `CloseIfEmpty`; the server looks every few seconds, here it is to the moment. */
  #closeWhenEmpty(open: OpenRoom): void {
    const { clock } = this.#options
    if ([...open.participants.values()].some((one) => !isDependent(one))) return
    const { creationTimeMs, departureTimeout, emptyTimeout } = open.room
    const at = open.hasMet ? clock.now() + departureTimeout * 1000 : Number(creationTimeMs) + emptyTimeout * 1000
    open.closing?.()
    open.closing = clock.at(at, () => this.#close(open, DisconnectReason.ROOM_CLOSED))
  }

  async #close(open: OpenRoom, reason: DisconnectReason): Promise<void> {
    const { name } = open.room
    if (this.#open.get(name) !== open) return
    this.#open.delete(name)
    for (const participant of [...open.participants.values()]) await this.#remove(open, participant, reason)
    open.closing?.()
    open.closing = null
    for (const act of this.#onClosed) act(name)
    this.#options.webhooks.notify("room_finished", name, { room: open.room.clone() })
  }

  #count({ participants, room }: OpenRoom): void {
    room.numParticipants = participants.size
    room.numPublishers = participants.size
  }

  #tell(event: string, { room }: OpenRoom, { info }: Participant): void {
    this.#options.webhooks.notify(event, room.name, { room: room.clone(), participant: info.clone() })
  }
}
