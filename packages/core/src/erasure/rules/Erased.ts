import { Struct } from "effect"
import type { Call, CallMedia } from "../../calls/rules/Call.ts"
import { isTerminal } from "../../calls/rules/CallStatus.ts"
import type { Contact, ContactEntry } from "../../contacts/rules/Contact.ts"
import type { WebhookEvent } from "../../webhooks/rules/WebhookEvent.ts"

/** What was done to a contact. */
export type ContactErased = "Nothing" | "UnderWay" | "Erased"

/** What stands where the number of an erased person stood, or words that may have been of it. */
const erasedText = "erased"

/** A call has an end, nothing of it is still to be processed, and nothing more will be asked or heard of it. */
export const isOver = ({ due_at, processing, slot, status, final_report_at, dial }: Call): boolean =>
  isTerminal(status) &&
  processing.due_at === null &&
  due_at === null &&
  (slot === null || final_report_at !== null || dial === "refused")

/**
 * A call without what it says of the person: number, variables, what was said and what was made of it, the recording, the words with which it was
 * stopped. Its status, times, agent and cost stay, so that no count changes.
 */
export const erasedCall = (call: Call, now: number): Call => {
  const isOutbound = call.direction === "outbound"
  return {
    ...call,
    to_number: isOutbound ? erasedText : call.to_number,
    from_number: isOutbound ? call.from_number : erasedText,
    call_sid: null,
    variables: {},
    prompt: null,
    recording_url: null,
    summary: null,
    sentiment: null,
    extracted_data: null,
    custom_analytics: null,
    error: null,
    stop: call.stop === null ? null : { ...call.stop, reason: erasedText },
    updated_at: now,
    erased_at: now,
  }
}

/** What was said goes; how fast it was stays. */
export const erasedMedia = (media: CallMedia): CallMedia => ({ ...media, transcript: null })

/** What was handed in of an erased person. */
export const erasedEntry: ContactEntry = { to_number: erasedText, variables: {} }

/** A contact without what it says of the person: where that was for the hours of its place. */
export const erasedContact = (contact: Contact): Contact => Struct.omit(contact, ["hours_of"])

/** A contact of an erased person that waited to be dialled: it is over, with what it has come to. */
export const neverDialled = (contact: Contact): Contact => ({
  ...erasedContact(contact),
  status: contact.reached ? "completed" : "failed",
  eligible_at: null,
  in_hours_only: false,
  waits_for_number: false,
  holds: 0,
})

/** A kept event keeps its place in their order, and says of which call it was and no more. */
export const erasedEvent = (event: WebhookEvent): WebhookEvent => ({
  ...event,
  body: JSON.stringify({
    event_id: event.event_id,
    event_type: event.event_type,
    call_id: event.execution_id,
    erased: true,
  }),
  erased: true,
})
