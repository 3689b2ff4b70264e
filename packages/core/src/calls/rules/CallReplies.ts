import type { Call } from "./Call.ts"

/** How a call was taken: dialled (201), booked for later (202), or dialled without the carrier's word (202). */
export type PlaceReply = {
  readonly _tag: "Queued" | "Scheduled" | "Unconfirmed"
  readonly call: Call
}

/** How a call was stopped: before it was dialled (200), or by hanging up (202). */
export type StopReply =
  | { readonly _tag: "Canceled"; readonly call: Call; readonly scheduled_at: number | null }
  | { readonly _tag: "Stopped"; readonly call: Call; readonly requested_at: number; readonly reason: string }
