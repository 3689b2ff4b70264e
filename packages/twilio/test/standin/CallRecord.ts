import type { Cancel } from "./Clock.ts"
import type { CallStatus, FinalStatus } from "./Contract.ts"
import type { Verdict, WholeFate } from "./Fate.ts"
import type { Asked } from "./Parameters.ts"
import type { Twiml } from "./Twiml.ts"

export interface RecordingRecord {
  readonly sid: string
  readonly call_sid: string
  readonly channels: 1 | 2
  readonly track: string
  readonly startedAt: number
  updatedAt: number
  status: "in-progress" | "processing" | "completed" | "absent"
  /** Seconds; null until it is known. */
  duration: number | null
  errorCode: number | null
}

/** A stream of a call's sound to its host. */
export interface StreamRecord {
  readonly sid: string
  readonly name: string
  /** Where its host is told how it stands; null: nowhere. */
  readonly statusUrl: string | null
  readonly method: "GET" | "POST"
  isOpen: boolean
}

/** A call as Twilio keeps it, and what is planned for it. Times are epoch milliseconds. */
export interface CallRecord {
  readonly sid: string
  readonly to: string
  readonly from: string
  readonly createdAt: number
  /** When it is dialled; later than `createdAt` where the calls per second are used up. */
  readonly dueAt: number
  readonly fate: WholeFate
  asked: Asked
  status: CallStatus
  updatedAt: number
  dialledAt: number | null
  answeredAt: number | null
  endedAt: number | null
  answeredBy: Verdict | null
  detectionMs: number | null
  price: number | null
  /** What it was told to do last. */
  twiml: Twiml | null
  recording: RecordingRecord | null
  stream: StreamRecord | null
  /** Events so far. */
  sequence: number
  readonly planned: Set<Cancel>
}

/** Told of what becomes of a call, as it does. */
export type Watch = (call: CallRecord, moment: "made" | "answered" | "hung_up" | "ended") => void

const ended = new Set<CallStatus>(["completed", "busy", "failed", "no-answer", "canceled"])

export const isOver = (call: CallRecord): boolean => ended.has(call.status)

/** Whole seconds from the answer to the end, or until now. */
export const secondsOf = (call: CallRecord, now: number): number =>
  call.answeredAt === null ? 0 : Math.round(((call.endedAt ?? now) - call.answeredAt) / 1000)

/**
 * The final SIP code of a call, which `SipResponseCode` carries. The codes are those of the reasons in RFC 3261; that a call which nobody
 * answers or which is cancelled ends with 487, and a busy one with 486, shows in published callbacks.
 */
export const sipCodes: { readonly [status in FinalStatus]: string } = {
  completed: "200",
  busy: "486",
  "no-answer": "487",
  canceled: "487",
  failed: "404",
}
