import type { AuditEntry, Recorded } from "../../engine/rules/AuditEntry.ts"
import { limits } from "../../Limits.ts"
import type { Call } from "./Call.ts"
import type { DialResult } from "./DialOutcomes.ts"

const refusalStatuses: Readonly<Record<NonNullable<DialResult["refusal"]>["_tag"], number>> = {
  DependencyTimeout: 504,
  DependencyUnavailable: 503,
  InsufficientCredits: 402,
  LimitExceeded: 429,
}

/** The status with which a direct dial is answered. */
export const answeredStatus = ({ confirmed, refusal }: Pick<DialResult, "confirmed" | "refusal">): number =>
  refusal === null ? (confirmed ? 201 : 202) : refusalStatuses[refusal._tag]

/** Where the answer is not known, what it comes to by what is known of the leg: a dial that was taken, or one that was not. */
const foundStatus = ({ dial }: Call): number => (dial === "accepted" ? 201 : 503)

/** The code that a dial is refused with, by the status of its answer (specification, "Errors"). */
const errorCodes: Readonly<Record<number, number>> = { 402: 1400, 429: 1300, 503: 1501, 504: 1502 }

/** How a dial that was answered with a status came out: a dependency has failed it, or it was allowed, if only to be refused a line or money. */
export const dialOutcome = (http_status: number): Pick<AuditEntry, "outcome" | "error_code" | "http_status"> => ({
  outcome: http_status >= 500 ? "failed" : "allowed",
  error_code: errorCodes[http_status] ?? null,
  http_status,
})

/** What is recorded of a call that somebody has asked for, but for how that came out. */
export const created = (call: Call): Recorded & Pick<AuditEntry, "action"> => ({
  action: "call.create",
  resource: { type: "call", id: call.execution_id },
  details: {
    status: call.status,
    agent_id: call.agent_id,
    ...(call.overrides_suppression === true ? { override_suppression: true } : {}),
    ...(call.overrides_callee_hours === true ? { override_callee_hours: true } : {}),
    ...(call.overrides_call_caps === true ? { override_call_caps: true } : {}),
  },
})

/** By when whoever asked has been answered, or never will be. */
const answeredBy = ({ created_at }: AuditEntry): number => created_at + limits.questionDelayMs

/**
 * A direct dial is recorded once its answer is known: until then its row keeps the entry, whatever the carrier reports meanwhile. Where the
 * process that dialled is no more, the first commit after the time of the answer records it; a call whose last report came before is
 * looked at then.
 */
export const recorded = (
  before: Call | null,
  call: Call,
  answered: number | undefined,
): { readonly call: Call; readonly audit: ReadonlyArray<AuditEntry> } => {
  // Few rows have one, and a row is long: it is only copied where it must lose its entry.
  if (before === null || call.unaudited === undefined) return { call, audit: [] }
  const { unaudited, ...row } = call
  if (answered === undefined && call.updated_at < answeredBy(unaudited)) {
    const isOver = call.final_report_at !== null && call.due_at === null
    return { call: isOver ? { ...call, due_at: answeredBy(unaudited) } : call, audit: [] }
  }
  return {
    call: row,
    audit: [{ ...unaudited, ...dialOutcome(answered ?? foundStatus(call)), created_at: call.updated_at }],
  }
}

/** The call once nothing is left to do but to record its dial. */
export const onlyRecorded = (call: Call, now: number): Call => ({
  ...call,
  due_at: call.final_report_at === null ? call.due_at : null,
  updated_at: now,
})
