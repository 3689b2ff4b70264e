import type { Cancel } from "../../../twilio/test/standin/Clock.ts"
import type { HangupCause, HangupSource } from "./Contract.ts"
import type { WholeFate } from "./Fate.ts"
import type { Asked } from "./Parameters.ts"

export interface RecordingRecord {
  readonly id: string
  readonly call: CallRecord
  readonly channels: "single" | "dual"
  readonly format: "wav" | "mp3"
  readonly initiatedBy: "OutboundAPI" | "StartCallRecordingAPI"
  readonly startedAt: number
  endedAt: number | null
  /** From when on it can be had; null until then. */
  savedAt: number | null
}

export interface End {
  readonly cause: HangupCause
  readonly source: HangupSource
  readonly sip: string
}

/** Told of what becomes of a call, as it does. */
export type Watch = (call: CallRecord, moment: "made" | "answered" | "hung_up" | "ended") => void

/** Something that happened to a call, as a webhook tells of it, whether that is sent or not. */
export interface CallEvent {
  readonly name: string
  readonly at: number
  readonly payload: object
}

/** A call as Telnyx keeps it, and what is planned for it. Times are epoch milliseconds. */
export interface CallRecord {
  readonly call_control_id: string
  readonly call_leg_id: string
  readonly call_session_id: string
  readonly connection_id: string
  readonly to: string
  readonly from: string
  readonly createdAt: number
  readonly fate: WholeFate
  readonly asked: Asked
  clientState: string | null
  answeredAt: number | null
  endedAt: number | null
  end: End | null
  /** What the detection said, in its own words. */
  verdict: string | null
  cost: number | null
  recording: RecordingRecord | null
  streamUrl: string | null
  readonly commands: Map<string, number>
  readonly planned: Set<Cancel>
  readonly events: Array<CallEvent>
}

/** How far a call is. */
export const phaseOf = (call: CallRecord): "dialling" | "answered" | "ended" => {
  if (call.endedAt !== null) return "ended"
  return call.answeredAt === null ? "dialling" : "answered"
}

/** Whole seconds from the answer to the end, or until now. */
export const secondsOf = (call: CallRecord, now: number): number =>
  call.answeredAt === null ? 0 : Math.round(((call.endedAt ?? now) - call.answeredAt) / 1000)
