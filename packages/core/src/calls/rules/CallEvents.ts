import type { DomainEvent } from "../../Changes.ts"
import type { Call } from "./Call.ts"
import { correctionOf } from "./CallFacts.ts"
import { isTerminal } from "./CallStatus.ts"
import { isProcessed, processingDeadline } from "./Processing.ts"

/** A direct dial that was answered 402: neither booked, nor ever accepted by the carrier. */
export const isUnfunded = ({ contact_id, dial, scheduled_at, status }: Call): boolean =>
  status === "balance-low" && contact_id === null && scheduled_at === null && (dial === "none" || dial === "refused")

/**
 * Every call that ends raises `call_completed`, except one canceled before it was dialled and a direct dial that is answered 402
 * (decisions.md, "Readings").
 */
const endsAloud = (before: Call | null, after: Call): boolean =>
  isTerminal(after.status) &&
  (before === null || !isTerminal(before.status)) &&
  after.status !== "canceled" &&
  !isUnfunded(after)

/** Whether customers were told, or are told now, that the call has ended. */
const isTold = ({ processing }: Call): boolean => processing.due_at !== null || processing.completed_at !== null

/** Whether there is a recording for good: before the carrier's last word it may still be taken back. */
const isRecorded = (call: Call): boolean => call.recording_url !== null && call.final_report_at !== null

/**
 * Completes a change of a call with what follows from it (decisions.md, "Webhooks"): how far its processing has come, and the events
 * that it raises. `all_processing_completed` comes once and after the others; only corrections follow it.
 */
export const settle = (
  before: Call | null,
  changed: Call,
): { readonly call: Call; readonly events: ReadonlyArray<DomainEvent> } => {
  const events: Array<DomainEvent> = []
  const raise = (
    type: DomainEvent["type"],
    { at = changed.updated_at, sequence = 1, correction = null }: Partial<Omit<DomainEvent, "type">> = {},
  ) =>
    events.push({
      type,
      organization_id: changed.organization_id,
      execution_id: changed.execution_id,
      at,
      sequence,
      correction,
    })
  if (changed.ringing_at !== null && (before === null || before.ringing_at === null)) raise("call_ringing")
  // An answer that is heard after the last of the events is a fact, and no event.
  const isOpen = before === null || before.processing.completed_at === null
  if (isOpen && changed.answered_at !== null && (before?.answered_at ?? null) === null) raise("call_started")

  let call = changed
  if (endsAloud(before, changed)) {
    raise("call_completed")
    const due_at = processingDeadline(changed.completed_at ?? changed.updated_at)
    call = { ...call, processing: { ...call.processing, due_at } }
  }
  if (isRecorded(call) && (before === null || !isRecorded(before))) raise("recording_completed")
  if (call.processing.analysed_at !== null && (before?.processing.analysed_at ?? null) === null) {
    if (call.summary !== null || call.sentiment !== null) raise("platform_analysis_completed")
    if (call.custom_analytics !== null && call.extracted_data !== null) raise("client_analysis_completed")
  }
  if (before !== null && isTold(before)) {
    const correction = correctionOf(before, call)
    if (correction !== null) {
      const sequence = call.processing.corrections + 1
      call = { ...call, processing: { ...call.processing, corrections: sequence } }
      raise("call_corrected", { sequence, correction })
    }
  }
  if (call.processing.due_at !== null && isProcessed(call)) {
    call = { ...call, processing: { ...call.processing, due_at: null, completed_at: call.updated_at } }
  }
  const completed_at = call.processing.completed_at
  if (completed_at !== null && (before?.processing.completed_at ?? null) === null) {
    raise("all_processing_completed", { at: completed_at })
  }
  return { call, events }
}

/** The call once its processing has waited long enough. */
export const overdue = (call: Call, now: number): Call => ({
  ...call,
  processing: { ...call.processing, due_at: null, completed_at: now },
})
