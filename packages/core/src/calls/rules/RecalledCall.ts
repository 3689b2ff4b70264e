import { DependencyTimeout, DependencyUnavailable, type EngineError, InsufficientCredits } from "../../Errors.ts"
import { nothingMade, type Recalled } from "../../idempotency/rules/Recalled.ts"
import type { Call } from "./Call.ts"
import { isUnfunded } from "./CallEvents.ts"
import type { PlaceReply } from "./CallReplies.ts"
import { isTerminal } from "./CallStatus.ts"

/** With what a direct dial was refused that left a record; null where it was taken. A number that is none is told by the record alone. */
const refusalOf = (call: Call): EngineError | null => {
  const { dial, hangup_reason } = call
  if (isUnfunded(call)) return new InsufficientCredits()
  if (dial !== "refused" || hangup_reason === "invalid_destination") return null
  const dependency = hangup_reason === "carrier_error" ? "telephony_service" : "call_storage"
  return dependency === "telephony_service"
    ? new DependencyUnavailable({ dependency })
    : new DependencyTimeout({ dependency })
}

/**
 * How a call was taken whose process is gone, as far as its row says. One that is about to be dialled may be taken back still, and nobody knows
 * whether it was dialled before the carrier was asked.
 */
export const recalledCall = (call: Call | null): Recalled<PlaceReply> => {
  if (call === null) return nothingMade
  if (call.scheduled_at !== null) return { _tag: "Made", made: { _tag: "Scheduled", call } }
  if (call.dial === "intended" && !isTerminal(call.status)) return { _tag: "Open", until: call.due_at ?? 0 }
  const error = refusalOf(call)
  if (error !== null) return { _tag: "Refused", error }
  return { _tag: "Made", made: { _tag: call.dial === "unconfirmed" ? "Unconfirmed" : "Queued", call } }
}
