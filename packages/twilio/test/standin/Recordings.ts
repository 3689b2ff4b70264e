import type { CallRecord, RecordingRecord } from "./CallRecord.ts"
import { sidOf } from "./Chance.ts"
import { secondsOf } from "./CallRecord.ts"

/** https://www.twilio.com/docs/api/errors/16101: a recording that is too short to be kept. */
const tooShort = 16_101
/** Seconds below which nothing is kept. */
const shortest = 1

/** Begins the recording that `Record` asked for. */
export const beginRecording = (seed: string, nth: number, call: CallRecord, now: number): RecordingRecord => ({
  sid: sidOf(seed, "RE", nth),
  call_sid: call.sid,
  channels: call.asked.text("RecordingChannels") === "dual" ? 2 : 1,
  track: call.asked.text("RecordingTrack") ?? "both",
  startedAt: now,
  updatedAt: now,
  status: "in-progress",
  duration: null,
  errorCode: null,
})

/** The call is over: the recording is worked on. */
export const stopRecording = (recording: RecordingRecord, call: CallRecord, now: number): void => {
  recording.status = "processing"
  recording.updatedAt = now
  recording.duration = secondsOf(call, now)
}

/** It can be had, or there is none. */
export const finishRecording = (recording: RecordingRecord, wanted: "completed" | "absent", now: number): void => {
  const isKept = wanted === "completed" && (recording.duration ?? 0) >= shortest
  recording.status = isKept ? "completed" : "absent"
  recording.errorCode = isKept ? null : tooShort
  recording.updatedAt = now
}

/** What the file holds: not sound, but something of the recording's own, so that two are never taken for one another. */
export const mediaOf = (recording: RecordingRecord): Buffer => Buffer.from(`audio of ${recording.sid}`)
