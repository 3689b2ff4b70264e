import type { CallLimits } from "../../CallLimits.ts"
import { limits } from "../../Limits.ts"
import type { Asked, CarrierReport, LegAnalysis, LegEnd, LegFacts } from "../../telephony/rules/Leg.ts"
import type { Call, CallCost, CallMedia, CorrectedFact } from "./Call.ts"
import { type CallStatus, canMove, isTerminal } from "./CallStatus.ts"
import { questionDue } from "./DialOutcomes.ts"
import { keptAnalysis, keptMedia } from "./ReportBounds.ts"

/** What a word of the carrier makes of a call. */
export interface ReportOutcome {
  readonly call: Call
  /** Transcript and timing to store beside the call, when this report brought them. */
  readonly media: CallMedia | null
  /** What the wallet pays, when this report brought the cost. */
  readonly debit: number
}

const unchanged = (call: Call): ReportOutcome => ({ call, media: null, debit: 0 })

const touched = (call: Call, now: number, changes: Partial<Call>): Call => ({
  ...call,
  ...changes,
  updated_at: now,
})

const refused = (call: Call, to: CallStatus, now: number): Call["refused_reports"] =>
  [...call.refused_reports, { at: now, from: call.status, to }].slice(-limits.refusedReports)

/** When a live leg that says nothing is asked about: 30 s after its ring time, or after ten minutes of talk, unless set (decisions.md, "Calls"). */
const silenceDue = (status: CallStatus, timeoutSeconds: number, now: number, times: CallLimits): number =>
  status === "in-progress" ? now + times.answeredSilenceMs : now + timeoutSeconds * 1000 + times.ringGraceMs

const phases = { initiated: "initiated", ringing: "ringing", answered: "in-progress" } as const

/** When an ended call was answered whose answer is heard only now: by its end, if it is one that an answered call can have. */
const answeredLate = (call: Call): number | null =>
  call.answered_at ?? (canMove("in-progress", call.status) ? call.completed_at : null)

const progress = (
  call: Call,
  report: { readonly type: keyof typeof phases; readonly at: number; readonly call_sid: string | null },
  now: number,
  times: CallLimits,
): ReportOutcome => {
  const to = phases[report.type]
  const sid = call.call_sid ?? report.call_sid
  if (call.status === to) return unchanged(call)
  if (!canMove(call.status, to)) {
    if (call.refused_reports.some((known) => known.to === to)) return unchanged(call)
    const answered_at = to === "in-progress" ? answeredLate(call) : call.answered_at
    return unchanged(touched(call, now, { call_sid: sid, answered_at, refused_reports: refused(call, to, now) }))
  }
  return unchanged(
    touched(call, now, {
      status: to,
      call_sid: sid,
      dial: "accepted",
      ringing_at: to === "ringing" ? (call.ringing_at ?? now) : call.ringing_at,
      answered_at: to === "in-progress" ? now : call.answered_at,
      due_at: silenceDue(to, call.timeout_seconds, now, times),
      questions: 0,
    }),
  )
}

/** Facts that the end of the leg may complete on a call; what is known already is not overwritten by a late report. */
const endFacts = (call: Call, end: LegEnd): Partial<Call> => ({
  duration_seconds: call.duration_seconds ?? end.duration_seconds,
  answered_by_voicemail: call.answered_by_voicemail ?? end.answered_by_voicemail,
  hangup_by: call.hangup_by ?? end.hangup_by,
  hangup_reason: call.hangup_reason ?? end.hangup_reason,
})

const isKnown = (call: Call, facts: Partial<Call>): boolean =>
  Object.keys(facts).every((field) => Object.is(Reflect.get(call, field), Reflect.get(facts, field)))

/** A report whose status the machine refuses: it may still complete facts, and nothing of it counts twice. */
const late = (call: Call, to: CallStatus, facts: Partial<Call>, now: number): Call => {
  const repeated = to === call.status || call.refused_reports.some((report) => report.to === to)
  if (repeated && isKnown(call, facts)) return call
  return touched(call, now, repeated ? facts : { ...facts, refused_reports: refused(call, to, now) })
}

const ended = (call: Call, end: LegEnd, callSid: string | null, now: number, definite: boolean): Call => {
  const facts = { ...endFacts(call, end), call_sid: call.call_sid ?? callSid }
  if (isTerminal(call.status)) return late(call, end.status, facts, now)
  if (canMove(call.status, end.status)) {
    return touched(call, now, {
      ...facts,
      status: end.status,
      // Only who answered can have been talked to until the end.
      answered_at: end.status === "completed" ? (call.answered_at ?? now) : call.answered_at,
      dial: "accepted",
      error: end.error,
      completed_at: now,
      due_at: now + limits.questionDelayMs,
      questions: 0,
    })
  }
  if (!definite) return late(call, end.status, facts, now)
  // The leg is over whatever its status claims: a call must not stay live on a leg that ended impossibly.
  return touched(call, now, {
    ...facts,
    refused_reports: refused(call, end.status, now),
    status: "error",
    error: "The telephony provider reported an impossible end of the call.",
    hangup_reason: "carrier_error",
    completed_at: now,
  })
}

const final = (
  call: Call,
  report: { readonly end: LegEnd; readonly facts: LegFacts; readonly call_sid: string | null },
  now: number,
  currency: string,
): ReportOutcome => {
  if (call.final_report_at !== null) return unchanged(call)
  const over = ended(call, report.end, report.call_sid, now, true)
  const { media, recording_url } = report.facts
  // A correction that overtook the report is the later word, and its cost is paid already.
  const cost = call.cost === null ? report.facts.cost : null
  return {
    call: {
      ...over,
      updated_at: now,
      recording_url: call.record ? (call.recording_url ?? recording_url) : null,
      cost: cost === null ? call.cost : { ...cost, currency },
      final_report_at: now,
      due_at: null,
      questions: 0,
    },
    media:
      media === null
        ? null
        : { execution_id: call.execution_id, organization_id: call.organization_id, revision: 1, ...keptMedia(media) },
    debit: cost?.total ?? 0,
  }
}

const analysed = (call: Call, reported: LegAnalysis, now: number): ReportOutcome => {
  const analysis = keptAnalysis(reported)
  const news =
    (call.summary === null && analysis.summary !== null) ||
    (call.sentiment === null && analysis.sentiment !== null) ||
    (call.extracted_data === null && analysis.extracted_data !== null)
  if (!news && call.processing.analysed_at !== null) return unchanged(call)
  return unchanged(
    touched(call, now, {
      processing: { ...call.processing, analysed_at: call.processing.analysed_at ?? now },
      summary: call.summary ?? analysis.summary,
      sentiment: call.sentiment ?? analysis.sentiment,
      extracted_data: call.extracted_data ?? analysis.extracted_data,
    }),
  )
}

const correctedFacts = [
  "duration_seconds",
  "hangup_by",
  "recording_url",
  "cost",
] as const satisfies ReadonlyArray<CorrectedFact>

const costParts = ["llm", "network", "platform", "synthesizer", "telephony", "transcriber"] as const

const isCost = (known: CallCost | null, { total, breakdown }: Omit<CallCost, "currency">): boolean =>
  known !== null && known.total === total && costParts.every((part) => known.breakdown[part] === breakdown[part])

/**
 * A correction, which overwrites what is known. It may come again, or after a newer one: what a newer one said of a fact stands, by the
 * carrier's own time.
 */
const corrected = (
  call: Call,
  report: { readonly at: number; readonly facts: Partial<LegFacts>; readonly end: Partial<LegEnd> },
  now: number,
  currency: string,
): ReportOutcome => {
  const corrected_at: Partial<Record<CorrectedFact, number>> = { ...call.corrected_at }
  /** What the report says of a fact, where it says something, and nothing newer was said of it. */
  const news = <A>(fact: CorrectedFact, told: A | null | undefined): A | null => {
    if (told === null || told === undefined || report.at < (corrected_at[fact] ?? -Infinity)) return null
    corrected_at[fact] = report.at
    return told
  }
  const cost = news("cost", report.facts.cost)
  const recording_url = news("recording_url", report.facts.recording_url)
  const facts = {
    duration_seconds: news("duration_seconds", report.end.duration_seconds) ?? call.duration_seconds,
    hangup_by: news("hangup_by", report.end.hangup_by) ?? call.hangup_by,
    recording_url: call.record ? (recording_url ?? call.recording_url) : null,
    cost: cost === null || isCost(call.cost, cost) ? call.cost : { ...cost, currency },
  }
  const isDated = correctedFacts.every((fact) => corrected_at[fact] === call.corrected_at?.[fact])
  if (isDated && isKnown(call, facts)) return unchanged(call)
  const debited = call.debited ?? call.cost?.total ?? 0
  const debit = Math.max(0, (facts.cost?.total ?? 0) - debited)
  const paid = cost === null ? {} : { debited: debited + debit }
  return { call: touched(call, now, { ...facts, corrected_at, ...paid }), media: null, debit }
}

/** A report other than the loss of telephony state, which concerns two records (see `Folding.ts`). */
export type LegReport = Exclude<CarrierReport, { readonly type: "recovered" }>

/** Of a call that was erased a report may still correct what it cost and how long it was, and brings back nothing. */
const ofErased = (call: Call, report: LegReport, now: number, currency: string): ReportOutcome =>
  report.type === "corrected"
    ? corrected(call, { ...report, facts: { ...report.facts, recording_url: null } }, now, currency)
    : unchanged(call)

/**
 * Applies a carrier's report (decisions.md, "Calls"). A repeated report changes nothing, a late one completes facts and never
 * the status, and one that the status machine refuses is kept in the call's history.
 */
export const applyReport = (
  call: Call,
  report: LegReport,
  now: number,
  currency: string,
  times: CallLimits,
): ReportOutcome => {
  if (call.erased_at !== undefined) return ofErased(call, report, now, currency)
  switch (report.type) {
    case "initiated":
    case "ringing":
    case "answered":
      return progress(call, report, now, times)
    case "ended":
      return unchanged(ended(call, report.end, report.call_sid, now, false))
    case "final":
      return final(call, report, now, currency)
    case "analysis":
      return analysed(call, report.analysis, now)
    case "corrected":
      return corrected(call, report, now, currency)
  }
}

const backoff = (questions: number): number =>
  Math.min(limits.questionDelayMs * 2 ** questions, limits.questionBackoffMaxMs)

/** When the answer to the dial was lost, where that was so short before a question that a dial on its way may still come; else null. */
const lostBefore = ({ answer_lost_at, dial }: Call, asked: number): number | null =>
  dial === "unconfirmed" && answer_lost_at !== undefined && asked < answer_lost_at + limits.questionDelayMs
    ? answer_lost_at
    : null

/** The call that is asked about again: soon where the answer to its dial was just lost, else later each time. */
const askedAgain = (call: Call, asked: number, now: number): Call => {
  const lostAt = lostBefore(call, asked)
  return lostAt === null
    ? touched(call, now, { questions: call.questions + 1, due_at: now + backoff(call.questions) })
    : touched(call, now, { due_at: questionDue(lostAt, now) })
}

const notPlaced = "The telephony provider never placed the call."

/** The call whose leg the carrier does not know: nothing more will be heard of it. */
const legless = (call: Call, now: number, changes: Partial<Call>): Call =>
  touched(call, now, {
    ...(isTerminal(call.status)
      ? {}
      : { status: "error", error: notPlaced, hangup_reason: "carrier_error", completed_at: now, ...changes }),
    final_report_at: now,
    due_at: null,
  })

/**
 * Applies the carrier's answer to a question about a silent or unconfirmed leg. A leg it does not know is over: the call ends
 * `error` and is never dialled again, but for a dial that certainly was not made and never will be, which counts as refused. No answer
 * at all only means to ask later, and so does a leg it does not know so soon after the dial's answer was lost.
 */
export const applyAnswer = (
  call: Call,
  answer: Asked,
  now: number,
  currency: string,
  times: CallLimits,
  /** When the carrier was asked. */
  asked: number = now,
): ReportOutcome => {
  if (call.erased_at !== undefined) return unchanged(call)
  switch (answer._tag) {
    case "NoAnswer":
      return unchanged(askedAgain(call, asked, now))
    case "Live": {
      const { call: known } = progress(call, { type: answer.phase, at: now, call_sid: answer.call_sid }, now, times)
      const questions = call.questions + 1
      const due = answer.phase === "answered" ? now + times.answeredSilenceMs : now + backoff(call.questions)
      return unchanged({ ...known, questions, due_at: due, updated_at: now })
    }
    case "Ended":
      return final(call, answer, now, currency)
    case "NeverDialled":
    case "Unknown":
      if (call.dial === "accepted") {
        return unchanged(legless(call, now, { error: "The telephony provider lost the call." }))
      }
      if (answer._tag === "NeverDialled") return unchanged(legless(call, now, { dial: "refused" }))
      return unchanged(lostBefore(call, asked) === null ? legless(call, now, {}) : askedAgain(call, asked, now))
  }
}
