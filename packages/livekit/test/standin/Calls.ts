import {
  type CreateSIPParticipantRequest,
  DisconnectReason,
  ParticipantInfo,
  ParticipantInfo_Kind,
  ParticipantInfo_State,
  SIPParticipantInfo,
} from "@livekit/protocol"
import type { Guids } from "./Guids.ts"
import type { Cancel, StandInClock } from "../../../twilio/test/standin/Clock.ts"
import { type Script, type WholeFate, wholeFate } from "./Fate.ts"
import type { Participant, Rooms } from "./Rooms.ts"
import { leaveReason, type SipAnswer, sipFailure } from "./Sip.ts"
import { TwirpFailure } from "./Twirp.ts"

/** A trunk that calls go out by. */
export interface Trunk {
  readonly id: string
  readonly numbers: ReadonlyArray<string>
}

/** What the agent's program would see of the call that it talks to. */
export interface Moment {
  readonly on: "answered" | "left"
  readonly call: CallRecord
}

/** A call as it really was. Times are epoch milliseconds. */
export interface CallRecord {
  /** LiveKit's own id of it, as in the attribute `sip.callID`. */
  readonly id: string
  readonly to: string
  readonly from: string
  readonly room: string
  readonly identity: string
  readonly asked: CreateSIPParticipantRequest
  readonly fate: WholeFate
  readonly createdAt: number
  readonly participant: ParticipantInfo
  status: "dialing" | "ringing" | "active" | "ended"
  answeredAt: number | null
  endedAt: number | null
  /** Null until it is over. */
  reason: DisconnectReason | null
  /** The code that ended the INVITE; null where there was none. */
  sipCode: number | null
}

export interface CallsOptions {
  readonly guids: Guids
  readonly clock: StandInClock
  readonly rooms: Rooms
  readonly script: Script
  readonly trunks: ReadonlyArray<Trunk>
  /** The worker's own program: it is waited for. */
  readonly worker: (moment: Moment) => Promise<void>
  readonly watch: Watch
}

/** Told of what becomes of a call, as it does. */
export type Watch = (call: CallRecord, moment: "made" | "answered" | "hung_up" | "ended") => void

/** livekit/sip, `participant.go`. */
const standardRingMs = 180_000
const longestCallMs = 86_400_000
/** livekit/livekit, `sip.go`: how long a request that waits for the answer is kept open. */
const longestWaitMs = 80_000
/** Calls that are kept; a test that needs more has lost its way. */
const mostCalls = 100_000

type Answer = (outcome: SIPParticipantInfo | TwirpFailure) => void

interface LiveCall {
  readonly record: CallRecord
  readonly participant: Participant
  readonly planned: Set<Cancel>
  /** Whoever waits for the answer. */
  answer: Answer | null
}

const millis = (duration: { readonly seconds: bigint; readonly nanos: number } | undefined): number =>
  duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1_000_000

/** livekit/protocol, `livekit/sip.go`, `CreateSIPParticipantRequest.ValidateResult`, in its words and its order. */
const complaint = (asked: CreateSIPParticipantRequest): string | null => {
  if (asked.sipTrunkId === "" && asked.trunk === undefined && asked.sipNumber === "")
    return "missing sip trunk id and sip number"
  if (asked.sipCallTo === "") return "missing sip callee number"
  if (asked.sipCallTo.includes("@")) return "SipCallTo should be a phone number or SIP user, not a full SIP URI"
  return asked.roomName === "" ? "missing room name" : null
}

/** livekit/sip, `sipResponse`: no answer in time, and whatever else ends the INVITE from this side, is one error. */
const requestTimedOut = () => new TwirpFailure("canceled", "sip request timed out")
/** livekit/psrpc, `ErrRequestTimedOut`. */
const deadlineExceeded = () => new TwirpFailure("deadline_exceeded", "request timed out")

/** Calls out through SIP, each of which is a participant of a room, and the script's fate that comes over them. */
export class Calls {
  readonly #options: CallsOptions
  readonly #live = new Map<string, LiveCall>()
  readonly #callsTo = new Map<string, number>()
  readonly all: Array<CallRecord> = []

  constructor(options: CallsOptions) {
    this.#options = options
  }

  /** Requests that are open because they wait for an answer. */
  waiting(): number {
    return [...this.#live.values()].filter(({ answer }) => answer !== null).length
  }

  /** Places a call, or refuses it. Where it was asked for, there is an answer to wait for. */
  async create(asked: CreateSIPParticipantRequest): Promise<SIPParticipantInfo | (() => Promise<SIPParticipantInfo>)> {
    const wrong = complaint(asked)
    if (wrong !== null) throw new TwirpFailure("invalid_argument", wrong)
    const from = this.#from(asked)
    const nth = this.#callsTo.get(asked.sipCallTo) ?? 0
    const fate = this.#options.script({ to: asked.sipCallTo, room: asked.roomName, nth, asked })
    if ("refused" in fate) throw new TwirpFailure(fate.refused, fate.message ?? "the script refuses it")
    if (this.all.length >= mostCalls) throw new Error(`More than ${mostCalls} calls`)
    this.#callsTo.set(asked.sipCallTo, nth + 1)
    const live = this.#newCall(asked, from, wholeFate(fate))
    const { participant, record } = live
    await this.#options.rooms.join(asked.roomName, participant)
    this.#invite(live)
    const info = new SIPParticipantInfo({
      participantId: participant.info.sid,
      participantIdentity: record.identity,
      roomName: record.room,
      sipCallId: record.id,
    })
    return asked.waitUntilAnswered ? () => this.#wait(live, info) : info
  }

  /** The callee hangs up; nothing happens where nobody talks. */
  async hangUp(id: string): Promise<void> {
    const live = this.#live.get(id)
    if (live?.record.status === "active") await this.#end(live, "callee")
  }

  /** livekit/protocol, `rpc/sip.go`: the number of the request, or one of the trunk's (the first one, here). */
  #from({ sipNumber, sipTrunkId, trunk: inline }: CreateSIPParticipantRequest): string {
    const trunk = this.#options.trunks.find(({ id }) => id === sipTrunkId)
    if (sipTrunkId !== "" && trunk === undefined)
      throw new TwirpFailure("not_found", "requested sip trunk does not exist")
    if (sipNumber !== "") return sipNumber
    const number = inline === undefined || trunk !== undefined ? trunk?.numbers[0] : undefined
    if (number === undefined) throw new TwirpFailure("failed_precondition", "no numbers on outbound trunk")
    return number
  }

  #newCall(asked: CreateSIPParticipantRequest, from: string, fate: WholeFate): LiveCall {
    const { clock, guids } = this.#options
    const id = guids.next("SCL")
    const identity = asked.participantIdentity === "" ? `sip_${asked.sipCallTo}` : asked.participantIdentity
    const numbers = asked.hidePhoneNumber
      ? {}
      : { "sip.phoneNumber": asked.sipCallTo, "sip.hostname": "sip.livekit.test", "sip.trunkPhoneNumber": from }
    const own = { "sip.callID": id, "sip.trunkID": asked.sipTrunkId, ...numbers, "sip.callStatus": "dialing" }
    const info = new ParticipantInfo({
      sid: guids.next("PA"),
      identity,
      name: asked.participantName,
      metadata: asked.participantMetadata,
      attributes: { ...asked.participantAttributes, ...own },
      kind: ParticipantInfo_Kind.SIP,
      state: ParticipantInfo_State.ACTIVE,
      joinedAt: BigInt(Math.floor(clock.now() / 1000)),
      joinedAtMs: BigInt(clock.now()),
      isPublisher: true,
    })
    const record: CallRecord = {
      id,
      to: asked.sipCallTo,
      from,
      room: asked.roomName,
      identity,
      asked,
      fate,
      createdAt: clock.now(),
      participant: info,
      status: "dialing",
      answeredAt: null,
      endedAt: null,
      reason: null,
      sipCode: null,
    }
    this.all.push(record)
    this.#options.watch(record, "made")
    const live: LiveCall = {
      record,
      participant: { info, onRemoved: (reason) => this.#removed(live, reason) },
      planned: new Set(),
      answer: null,
    }
    this.#live.set(id, live)
    return live
  }

  #after(live: LiveCall, ms: number, action: () => Promise<void>): void {
    const { clock } = this.#options
    const cancel = clock.at(clock.now() + ms, () => {
      live.planned.delete(cancel)
      return action()
    })
    live.planned.add(cancel)
  }

  #wait(live: LiveCall, info: SIPParticipantInfo): Promise<SIPParticipantInfo> {
    return new Promise((resolve, reject) => {
      live.answer = (outcome) => {
        live.answer = null
        if (outcome instanceof TwirpFailure) reject(outcome)
        else resolve(info)
      }
      if (live.record.status === "ended") live.answer(requestTimedOut())
    })
  }

  #status(live: LiveCall, status: string): void {
    live.record.participant.attributes["sip.callStatus"] = status
  }

  /** Put out of its room meanwhile, a call is never made. */
  #invite(live: LiveCall): void {
    const { fate, status } = live.record
    if (status === "ended") return
    const { asked } = live.record
    const { outcome, ring_s } = fate
    const setupMs = fate.setup_s * 1000
    const limitMs = millis(asked.ringingTimeout) || standardRingMs
    const callMs = Math.min(millis(asked.maxCallDuration) || longestCallMs, longestCallMs)
    // Counted from the request, not from the answer.
    this.#after(live, callMs, () => this.#end(live, "limit"))
    this.#after(live, limitMs, () => this.#unanswered(live, requestTimedOut()))
    // The end of a request that waits cancels the INVITE.
    if (asked.waitUntilAnswered) this.#after(live, longestWaitMs, () => this.#unanswered(live, deadlineExceeded()))
    if (ring_s !== null && setupMs < limitMs) this.#after(live, setupMs, () => this.#ring(live))
    const finalMs = setupMs + (ring_s ?? 0) * 1000
    if (outcome === "unanswered" || finalMs >= limitMs) return
    this.#after(live, finalMs, () => (outcome === "answered" ? this.#answered(live) : this.#refused(live, outcome)))
  }

  async #ring(live: LiveCall): Promise<void> {
    live.record.status = "ringing"
    this.#status(live, "ringing")
  }

  async #answered(live: LiveCall): Promise<void> {
    const { clock, worker } = this.#options
    const { record } = live
    record.status = "active"
    record.answeredAt = clock.now()
    this.#options.watch(record, "answered")
    record.sipCode = 200
    this.#status(live, "active")
    this.#after(live, record.fate.talk_s * 1000, () => this.#end(live, record.fate.ended_by))
    live.answer?.(new SIPParticipantInfo())
    await worker({ on: "answered", call: record })
  }

  async #refused(live: LiveCall, answer: SipAnswer): Promise<void> {
    live.record.sipCode = answer.code
    await this.#leave(live, leaveReason(answer), sipFailure(answer))
  }

  async #unanswered(live: LiveCall, failure: TwirpFailure): Promise<void> {
    if (live.record.status === "active") return
    await this.#leave(live, DisconnectReason.USER_UNAVAILABLE, failure)
  }

  /** Without media the call is dropped, which the room hears of as of a leave like any other: livekit/sip, `closeWithTimeout`. */
  async #end(live: LiveCall, by: WholeFate["ended_by"] | "limit"): Promise<void> {
    const { rooms } = this.#options
    const { identity, room } = live.record
    switch (by) {
      case "agent":
        return rooms.delete(room)
      case "agent_removes":
        return rooms.removeParticipant(room, identity)
      case "callee":
      case "limit":
        this.#status(live, "hangup")
        return this.#leave(live, DisconnectReason.CLIENT_INITIATED, requestTimedOut())
      case "media":
        return this.#leave(live, DisconnectReason.CLIENT_INITIATED, requestTimedOut())
    }
  }

  /** Somebody took the callee out of the room, or the room with everybody in it. */
  async #removed(live: LiveCall, reason: DisconnectReason): Promise<void> {
    if (live.record.status !== "ended") this.#options.watch(live.record, "hung_up")
    await this.#settle(live, reason, requestTimedOut())
  }

  async #leave(live: LiveCall, reason: DisconnectReason, failure: TwirpFailure): Promise<void> {
    for (const cancel of live.planned) cancel()
    this.#options.rooms.leave(live.record.room, live.participant, reason)
    await this.#settle(live, reason, failure)
  }

  async #settle(live: LiveCall, reason: DisconnectReason, failure: TwirpFailure): Promise<void> {
    const { clock, worker } = this.#options
    const { planned, record } = live
    if (record.status === "ended") return
    for (const cancel of planned) cancel()
    planned.clear()
    record.status = "ended"
    record.endedAt = clock.now()
    record.reason = reason
    this.#options.watch(record, "ended")
    live.answer?.(failure)
    this.#live.delete(record.id)
    await worker({ on: "left", call: record })
  }
}
