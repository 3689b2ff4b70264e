/** The event types that exist (specification, "Event types"). */
export const eventTypes = [
  "all_processing_completed",
  "call_completed",
  "call_corrected",
  "call_ringing",
  "call_started",
  "client_analysis_completed",
  "platform_analysis_completed",
  "recording_completed",
] as const

export type EventType = (typeof eventTypes)[number]

/** What a subscription gets that names no event types; no value means every event. */
export const defaultEventTypes = ["all_processing_completed"] as const satisfies ReadonlyArray<EventType>

/** The event type that a text names, or undefined. */
export const eventTypeOf = (text: string): EventType | undefined => eventTypes.find((type) => type === text)
