import type { DialCommand } from "@carillon/core"
import { insistentUrl } from "./Addresses.ts"
import type { Parameters } from "./Rest.ts"
import type { Settings } from "./Settings.ts"

/** The parameters that create a call (`POST …/Calls.json`). */
export const dialParameters = (settings: Settings, call: DialCommand, from: string, twiml: string): Parameters => {
  const urlOf = (topic: "status" | "amd" | "recording") => insistentUrl(settings, topic, call.execution_id)
  return {
    To: call.to_number,
    From: from,
    Twiml: twiml,
    Timeout: String(call.timeout_seconds),
    StatusCallback: urlOf("status"),
    StatusCallbackMethod: "POST",
    StatusCallbackEvent: ["initiated", "ringing", "answered", "completed"],
    ...(settings.maxCallSeconds === undefined ? {} : { TimeLimit: String(settings.maxCallSeconds) }),
    ...(call.record
      ? {
          Record: "true",
          RecordingStatusCallback: urlOf("recording"),
          RecordingStatusCallbackMethod: "POST",
          RecordingStatusCallbackEvent: ["completed"],
        }
      : {}),
    // In the background: the callee is spoken to at once.
    ...(settings.machineDetection === undefined
      ? {}
      : {
          MachineDetection: "Enable",
          AsyncAmd: "true",
          AsyncAmdStatusCallback: urlOf("amd"),
          AsyncAmdStatusCallbackMethod: "POST",
        }),
  }
}
