import type { CarrierReport, DialCommand, LegAnalysis, LegEnd, LegFacts } from "@carillon/core"
import {
  costOf,
  extractedOf,
  sentimentOf,
  setupOf,
  summaryOf,
  transcriptOf,
  transcriptText,
  turnTimingsOf,
} from "./Conversation.ts"
import { type Script, turnTiming } from "./Outcome.ts"
import type { Draw, LegResult, Timeline } from "./Timeline.ts"

/** A report that the carrier owes, by the moment at which it sends it. */
export interface OwedReport {
  readonly type: CarrierReport["type"]
  readonly at: number
}

/** One leg as the carrier knows it. What was refused has no timeline and never lived. */
export interface Leg {
  readonly leg_id: string
  /** One that arrived: it takes no line, so it is not among the legs that ceilings are judged by. */
  readonly inbound: boolean
  /** Changes when the carrier loses the leg's state and goes on under a new record. */
  execution_id: string
  readonly command: DialCommand
  readonly script: Script
  readonly placed_at: number
  /** Made anew where a vendor moves the leg. */
  timeline: Timeline | null
  readonly draw: Draw
  live: boolean
  ended_at: number | null
  /** When a hang-up request ends it; null when nobody asked. */
  stopped_at: number | null
  /** In the order in which they are sent. */
  owed: Array<OwedReport>
  /** Deliveries of the first owed report that failed. */
  failures: number
}

/** The life of a leg as far as it really goes: a hang-up cuts it short. */
const endOf = (leg: Leg, timeline: Timeline): number => leg.stopped_at ?? timeline.ended_at

/** When somebody picked up, null while nobody has. */
export const connectedAt = (leg: Leg, now: number): number | null => {
  const { timeline } = leg
  if (timeline === null) return null
  const at = timeline.connected_at
  return at === null || at > Math.min(now, endOf(leg, timeline)) ? null : at
}

const hadConversation = (leg: Leg, timeline: Timeline): boolean =>
  timeline.answered && timeline.result !== "voicemail" && connectedAt(leg, Infinity) !== null

const talkOf = (leg: Leg, timeline: Timeline): number => {
  const from = connectedAt(leg, Infinity)
  return from === null ? 0 : endOf(leg, timeline) - from
}

/** What the leg came to, in the words of the control contract; null while it lives. */
export const resultOf = (leg: Leg): string | null => {
  if (leg.live) return null
  if (leg.stopped_at !== null) return "stopped"
  return leg.timeline?.result ?? leg.script.result
}

const correctionDelayMs = 5_000
const correctedByMs = 1_000

/** Everything the carrier will report of a leg if nobody hangs up. */
export const reportsOf = (timeline: Timeline, script: Script): Array<OwedReport> => {
  const reports: Array<OwedReport> = [{ type: "initiated", at: timeline.initiated_at }]
  if (script.result === "silent") return reports
  const { ringing_at, connected_at, answered, lost_at, ended_at, final_at, analysis_at } = timeline
  if (ringing_at !== null) reports.push({ type: "ringing", at: ringing_at })
  if (answered && connected_at !== null) reports.push({ type: "answered", at: connected_at })
  if (lost_at !== null) reports.push({ type: "recovered", at: lost_at })
  reports.push({ type: "ended", at: ended_at }, { type: "final", at: final_at })
  if (analysis_at !== null) reports.push({ type: "analysis", at: analysis_at })
  if (script.corrected === true) {
    reports.push({ type: "corrected", at: Math.max(final_at, analysis_at ?? 0) + correctionDelayMs })
  }
  return disordered(
    reports.sort((a, b) => a.at - b.at),
    script,
  )
}

/** What is still owed after a hang-up that takes effect at `at`. */
export const reportsAfterStop = (leg: Leg, timeline: Timeline, at: number): Array<OwedReport> => {
  const sent = leg.owed.filter((report) => report.at <= at && report.type !== "recovered")
  if (leg.script.result === "silent") return sent
  const ended: Array<OwedReport> = [
    { type: "ended", at },
    { type: "final", at: at + timeline.final_at - timeline.ended_at },
  ]
  if (timeline.connected_at !== null && timeline.connected_at <= at && timeline.analysis_at !== null) {
    ended.push({ type: "analysis", at: at + timeline.analysis_at - timeline.ended_at })
  }
  return [...sent, ...disordered(ended, leg.script)]
}

/**
 * Doubles reports, and lets each second one overtake the one before it: a report can only come late, never before what it
 * speaks of.
 */
const disordered = (reports: Array<OwedReport>, script: Script): Array<OwedReport> => {
  if (script.reorder_reports !== true && script.duplicate_reports !== true) return reports
  const pairs: Array<ReadonlyArray<OwedReport>> = []
  if (script.reorder_reports === true) {
    for (let index = 0; index < reports.length; index += 2) {
      const first = reports[index]!
      const second = reports[index + 1]
      pairs.push(second === undefined ? [first] : [second, { type: first.type, at: second.at }])
    }
  } else {
    for (const report of reports) pairs.push([report])
  }
  return pairs.flatMap((pair) => (script.duplicate_reports === true ? [...pair, ...pair] : pair))
}

const reasons = {
  busy: "dial_busy",
  "no-answer": "dial_no_answer",
  voicemail: "voicemail_reached",
  failed: "dial_failed",
  error: "carrier_error",
  "call-disconnected": "carrier_error",
} as const satisfies { readonly [result in Exclude<LegResult, "completed">]: string }

const errors: { readonly [result in LegResult]?: string } = {
  failed: "The destination could not be reached.",
  error: "The telephony provider reported an error.",
  "call-disconnected": "The connection to the destination was lost.",
}

/** How the carrier says that the leg ended. */
export const legEnd = (leg: Leg, timeline: Timeline): LegEnd => {
  const { result } = timeline
  const duration_seconds = talkOf(leg, timeline) / 1000
  const answered = connectedAt(leg, Infinity) !== null
  if (leg.stopped_at !== null) {
    return {
      status: "stopped",
      duration_seconds,
      answered_by_voicemail: answered ? false : null,
      hangup_by: "agent",
      hangup_reason: "user_request",
      error: null,
    }
  }
  if (result === "completed") {
    const by = leg.script.hangup_by ?? (leg.draw("hangup-by") < 0.6 ? "customer" : "agent")
    return {
      status: "completed",
      duration_seconds,
      answered_by_voicemail: false,
      hangup_by: by,
      hangup_reason: by === "agent" ? "agent_hangup" : "user_hangup",
      error: null,
    }
  }
  return {
    status: result === "voicemail" ? "no-answer" : result,
    duration_seconds,
    answered_by_voicemail: result === "voicemail" ? true : answered ? false : null,
    hangup_by: result === "voicemail" ? "agent" : null,
    hangup_reason: reasons[result],
    error: errors[result] ?? null,
  }
}

/** What only the end of the leg can tell. Made when it is asked for, because a transcript is the bulk of a call. */
export const legFacts = (leg: Leg, timeline: Timeline): LegFacts => {
  const { script, command, draw } = leg
  const talk = talkOf(leg, timeline)
  const cost = costOf(talk, script.cost)
  if (!hadConversation(leg, timeline)) return { recording_url: null, cost, media: null }
  const finished = timeline.result === "completed" && leg.stopped_at === null
  const transcript =
    script.transcript?.map((turn) => ({ ...turn, start_ms: null, end_ms: null })) ?? transcriptOf(talk, finished, draw)
  return {
    recording_url:
      command.record && script.recording !== false ? `https://recordings.carrier.test/${leg.leg_id}.wav` : null,
    cost,
    media: {
      transcript: script.transcript_as_text === true ? transcriptText(transcript) : transcript,
      setup: setupOf(draw),
      turns: script.turns?.map(turnTiming) ?? turnTimingsOf(Math.ceil(transcript.length / 2), draw),
    },
  }
}

const legAnalysis = (leg: Leg, timeline: Timeline, analytics: DialAnalytics): LegAnalysis => ({
  summary: summaryOf(timeline.result === "completed" && leg.stopped_at === null, leg.draw),
  sentiment: leg.script.sentiment ?? sentimentOf(leg.draw),
  extracted_data: extractedOf(analytics(leg.command), leg.draw),
})

/** Looks up what the agent wants to know of its calls. */
export type DialAnalytics = (command: DialCommand) => Parameters<typeof extractedOf>[0]

/** The report as it is sent now. */
export const reportOf = (
  leg: Leg,
  timeline: Timeline,
  owed: OwedReport,
  survivor: () => string,
  analytics: DialAnalytics,
): CarrierReport => {
  const head = { execution_id: leg.execution_id, at: owed.at, call_sid: leg.leg_id }
  switch (owed.type) {
    case "initiated":
    case "ringing":
    case "answered":
      return { ...head, type: owed.type }
    case "ended":
      return { ...head, type: "ended", end: legEnd(leg, timeline) }
    case "final":
      return { ...head, type: "final", end: legEnd(leg, timeline), facts: legFacts(leg, timeline) }
    case "analysis":
      return { ...head, type: "analysis", analysis: legAnalysis(leg, timeline, analytics) }
    case "corrected": {
      const talk = talkOf(leg, timeline) + correctedByMs
      return {
        ...head,
        type: "corrected",
        end: { duration_seconds: talk / 1000 },
        facts: { cost: costOf(talk, leg.script.cost) },
      }
    }
    case "recovered":
      return { ...head, type: "recovered", surviving_execution_id: survivor() }
  }
}
