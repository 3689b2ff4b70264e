import type { TerminalCallStatus } from "../../calls/rules/CallStatus.ts"
import type { JsonObject } from "../../Json.ts"

/** A contact as it was handed in: its number in E.164 and its call variables. */
export interface ContactEntry {
  readonly to_number: string
  readonly variables: JsonObject
  /** How early it is called for the first time (`contacts/rules/Priority.ts`); left out where none was given. */
  readonly priority?: number
}

/** What is stored of a contact that has been touched. One that never was costs only its entry. */
export type StoredContactStatus =
  | "pending"
  | "in_progress"
  | "retry_scheduled"
  | "follow_up_scheduled"
  | "completed"
  | "failed"
  | "skipped"

/**
 * The status as it is shown. That a batch was cancelled is not stored in its contacts, so that a revive costs nothing: `skipped` follows from it.
 * What is stored so is skipped for good.
 */
export type ContactStatus = StoredContactStatus

/** Why a contact is skipped for itself: its number must not be called. */
export type OwnSkipReason = "suppressed"

/** Why a contact is skipped: its campaign was cancelled, its batch was stopped for itself, or it is skipped for itself. */
export type SkipReason = "campaign_cancelled" | "batch_stopped" | OwnSkipReason

/** What a dial lacked that was held back: an agent that is ACTIVE, credit, a number to call from, or a carrier that takes it. */
export type HeldBecause = "agent" | "wallet" | "caller_id" | "carrier"

/** The state of a contact that has been touched. Times are epoch milliseconds. */
export interface Contact {
  readonly contact_id: string
  readonly organization_id: string
  readonly batch_id: string
  readonly campaign_id: string | null
  /** Its place in the batch, from 0. */
  readonly row: number
  readonly revision: number
  readonly status: StoredContactStatus
  /** Dials, retries and follow-ups included. */
  readonly attempts: number
  readonly retries_used: number
  readonly follow_ups_used: number
  /** Whether a call to it was ever completed; it stays so. */
  readonly reached: boolean
  readonly follow_ups_exhausted: boolean
  /** From when on it may be dialled, working hours aside; null while it is not waiting, or waits for its number. */
  readonly eligible_at: number | null
  /** Waits for the campaign's hours even where they are not enforced (`respect_working_hours`, `next_working_day_only`), and also while there are none, because hours may be given later. */
  readonly in_hours_only: boolean
  /** Whose hours it waits for, as they were found when it was last judged (`callees/rules/Marks.ts`); left out: nobody's. A hint for the queue. */
  readonly hours_of?: string
  /** Another contact with the same number is in a call; the end of that call makes this one eligible again. */
  readonly waits_for_number: boolean
  /** Since when it does, as far as that was kept, however often others came first; it is kept until it is dialled. */
  readonly waits_since?: number | null
  /** Dials in a row that were held back for what is not the contact's fault. */
  readonly holds: number
  /** Why the last one was, as far as that was kept; while `holds` is 0 it says nothing. */
  readonly held_because?: HeldBecause
  readonly first_execution_id: string | null
  readonly last_execution_id: string | null
  /** The call before the last one, as far as that was kept: it is the last one again where a dial is taken back. */
  readonly previous_execution_id?: string | null
  readonly last_status: TerminalCallStatus | null
  /** When its last call ended, as far as that was kept. */
  readonly last_ended_at?: number | null
  /** Why it is skipped, where that is stored. */
  readonly skip_reason?: OwnSkipReason
}

/** The statuses from which a contact will be dialled. */
export const isWaiting = (status: StoredContactStatus): boolean =>
  status === "pending" || status === "retry_scheduled" || status === "follow_up_scheduled"

/** Whether a contact was never dialled and never will be. */
export const isLeftOut = ({ attempts, status }: Contact): boolean =>
  attempts === 0 && status !== "in_progress" && !isWaiting(status)

const radix = 36

/** A contact's id says where it is stored, and is as unpredictable as the id of its batch. */
export const contactId = (batchId: string, row: number): string =>
  `con_${batchId.slice("bat_".length)}_${row.toString(radix)}`

/** The place that a contact's id names, or null for what is no such id. */
export const placeOf = (id: string): { readonly batch_id: string; readonly row: number } | null => {
  const match = /^con_([0-9A-Za-z]+)_(0|[1-9a-z][0-9a-z]{0,5})$/.exec(id)
  if (match === null) return null
  return { batch_id: `bat_${match[1]}`, row: Number.parseInt(match[2] ?? "", radix) }
}
