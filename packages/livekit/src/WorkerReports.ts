import { type NotTaken, tell } from "@carillon/core/carrier"
import { Clock, Effect } from "effect"
import { hangUp } from "./Hangup.ts"
import type { KnownLeg } from "./LegBook.ts"
import { concludeWith, type DialParts, tellPhase } from "./Reporting.ts"
import { disconnectReasons, endOf, meaningOfReason } from "./Words.ts"
import { type Finished, isMachine, type Verdict, type WorkerReport } from "./WorkerReport.ts"

/** The callee answered, whoever says so first. */
const takeAnswer = Effect.fnUntraced(function* (parts: DialParts, leg: KnownLeg, at: number) {
  if (leg.answeredAt === null) parts.book.heard(leg.execution_id, { answeredAt: at })
  if (leg.end === null) yield* tellPhase(parts, leg, "answered")
})

/** Who answered. A verdict that comes after the end still completes what is known of the call. */
const takeVerdict = Effect.fnUntraced(function* (parts: DialParts, leg: KnownLeg, verdict: Verdict) {
  const { book, clients, desk, settings } = parts
  if (verdict === "uncertain") return
  const machine = isMachine(verdict)
  book.heard(leg.execution_id, { machine })
  if (!machine) return
  if (leg.end === null && settings.onMachine === "hang_up") yield* hangUp(settings, clients, book, leg.execution_id)
  if (leg.end?.status !== "completed") return
  const { call_sid, execution_id } = leg
  const end = {
    ...leg.end,
    status: "no-answer",
    hangup_reason: "voicemail_reached",
    answered_by_voicemail: true,
  } as const
  yield* tell(desk.report, { execution_id, call_sid, at: yield* Clock.currentTimeMillis, type: "ended", end })
})

/** The worker's last word on a conversation, which ends the call where nobody else has said so yet. */
const takeFinished = (parts: DialParts, leg: KnownLeg, report: Finished): Effect.Effect<void, NotTaken> => {
  const machine = report.machine ?? leg.machine
  const reason =
    report.hangup_by === "agent" ? disconnectReasons.PARTICIPANT_REMOVED : disconnectReasons.CLIENT_INITIATED
  // Both times are the worker's own: its clock may differ from ours.
  const talk = { answeredAt: report.answered_at, endedAt: report.ended_at, machine }
  const own = endOf(meaningOfReason(reason, true), talk)
  const end = report.hangup_by === null ? { ...own, hangup_by: null, hangup_reason: null } : own
  parts.book.heard(leg.execution_id, { machine, answeredAt: leg.answeredAt ?? report.answered_at })
  const facts = {
    recording_url: leg.facts.recording_url,
    cost: report.cost,
    media: report.transcript === null ? null : { transcript: report.transcript, setup: null, turns: null },
  }
  return concludeWith(parts, leg, end, facts, report.at)
}

/** Takes what a worker reports of its call, in whatever order it comes. */
export const takeReport = (parts: DialParts, leg: KnownLeg, report: WorkerReport): Effect.Effect<void, NotTaken> => {
  switch (report.type) {
    case "ringing":
      return leg.end === null && leg.answeredAt === null ? tellPhase(parts, leg, "ringing") : Effect.void
    case "answered":
      return takeAnswer(parts, leg, report.at)
    case "machine":
      return takeVerdict(parts, leg, report.verdict)
    case "finished":
      return takeFinished(parts, leg, report)
    case "analysis": {
      const { at, extracted_data, sentiment, summary } = report
      const { call_sid, execution_id } = leg
      const analysis = { summary, sentiment, extracted_data }
      return Effect.asVoid(tell(parts.desk.report, { execution_id, call_sid, at, type: "analysis", analysis }))
    }
  }
}
