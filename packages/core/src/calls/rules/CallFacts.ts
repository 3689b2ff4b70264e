import type { Json, JsonObject } from "../../Json.ts"
import type { Call, CallCost } from "./Call.ts"
import { isTerminal } from "./CallStatus.ts"
import { awaitsFinalReport } from "./Processing.ts"

const nothingSpent = {
  total: 0,
  breakdown: { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
}

/** What the platform made of a conversation; null until the analysis came in. */
const platformAnalysis = (call: Call) =>
  call.processing.analysed_at === null
    ? null
    : { summary: call.summary, sentiment: call.sentiment, outcome: call.status }

/** What the call cost: nothing where the carrier's last word named no cost, unknown before it. */
const costOf = (call: Call): Pick<CallCost, "total" | "breakdown"> | null =>
  call.cost ?? (isTerminal(call.status) && !awaitsFinalReport(call) ? nothingSpent : null)

/** The telephony part is not told (specification, "Payload"). */
const costBreakdown = (call: Call) => {
  const cost = costOf(call)
  if (cost === null) return null
  const { llm, network, platform, synthesizer, transcriber } = cost.breakdown
  return { llm, network, platform, synthesizer, transcriber }
}

/** The facts of a call that may be corrected after customers were told of them, by their names in the payload of events. */
export const callFacts = {
  sub_status: (call) => call.hangup_reason,
  call_duration: (call) => call.duration_seconds,
  call_cost: (call) => costOf(call)?.total ?? null,
  cost_breakdown: costBreakdown,
  recording_url: (call) => call.recording_url,
  recording_duration: (call) => (call.recording_url === null ? null : call.duration_seconds),
  answered_by_voice_mail: (call) => call.answered_by_voicemail,
  hangup_by: (call) => call.hangup_by,
  platform_analysis: platformAnalysis,
  client_analysis: (call) => call.extracted_data,
} as const satisfies Readonly<Record<string, (call: Call) => Json>>

/** What a `call_corrected` says besides the facts as they are now. */
export type Correction = {
  readonly fields: ReadonlyArray<string>
  readonly previous: JsonObject
}

const same = (left: Json, right: Json): boolean => left === right || JSON.stringify(left) === JSON.stringify(right)

/**
 * The facts that a change of an ended call corrects, or null. A fact that was not known before is only completed, unless everything was
 * declared processed without it.
 */
export const correctionOf = (before: Call, after: Call): Correction | null => {
  const declared = before.processing.completed_at !== null
  const fields: Array<string> = []
  const previous: Record<string, Json> = {}
  for (const [name, fact] of Object.entries<(call: Call) => Json>(callFacts)) {
    const was = fact(before)
    if ((was === null && !declared) || same(was, fact(after))) continue
    fields.push(name)
    previous[name] = was
  }
  return fields.length === 0 ? null : { fields, previous }
}
