import { limits } from "../../Limits.ts"
import type { Call, CallProcessing } from "./Call.ts"

/** A call that has not ended. */
export const unprocessed: CallProcessing = { analysed_at: null, due_at: null, completed_at: null, corrections: 0 }

/** When the processing of a call that ended at `endedAt` stops waiting. */
export const processingDeadline = (endedAt: number): number => endedAt + limits.processingDeadlineMs

/** Whether somebody spoke with the agent. The answer may be known from its consequences alone, when its report came too late. */
export const hadConversation = (call: Call): boolean =>
  call.answered_by_voicemail !== true &&
  (call.answered_at !== null ||
    call.status === "completed" ||
    call.status === "call-disconnected" ||
    (call.duration_seconds ?? 0) > 0)

/** Whether the carrier still owes its last word of a leg. */
export const awaitsFinalReport = (call: Call): boolean =>
  call.final_report_at === null && call.dial !== "none" && call.dial !== "refused"

/**
 * The fields of the payload that are still to come for an ended call, by the specification's names. Only a conversation is analysed, and
 * only what had a leg has a cost.
 */
export const missingFields = (call: Call): ReadonlyArray<string> => {
  const spoken = hadConversation(call)
  const missing: Array<string> = []
  if (awaitsFinalReport(call)) {
    if (call.cost === null) missing.push("call_cost", "cost_breakdown")
    if (spoken && call.duration_seconds === null) missing.push("call_duration")
    if (spoken) missing.push("transcript")
    if (spoken && call.record && call.recording_url === null) missing.push("recording_url", "recording_duration")
  }
  if (spoken && call.processing.analysed_at === null) {
    missing.push("platform_analysis")
    if (call.custom_analytics !== null) missing.push("client_analysis")
  }
  return missing
}

/** Whether nothing more is to come for an ended call. */
export const isProcessed = (call: Call): boolean => !awaitsFinalReport(call) && missingFields(call).length === 0
