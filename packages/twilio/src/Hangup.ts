import { Effect } from "effect"
import { bounds } from "./Bounds.ts"
import { endCall, fetchCall } from "./Calls.ts"
import { meaningOf, type VendorCall, wordsOf } from "./CallWords.ts"
import type { Settings } from "./Settings.ts"

const isOver = (call: VendorCall): boolean => "end" in meaningOf(wordsOf(call, null))

/**
 * Ends a leg by its phase: Twilio cancels only what was not answered and completes only what was. One that goes on to another phase meanwhile
 * is looked at anew. What is over stays as it is.
 */
export const hangUp = Effect.fnUntraced(function* (settings: Settings, sid: string) {
  for (let round = 0; round < bounds.hangupRounds; round += 1) {
    const fetched = yield* fetchCall(settings, sid)
    if (fetched._tag === "Found" && isOver(fetched.call)) return "Sent"
    // Where nobody knows the phase, what ends a conversation is tried: it is the one that costs.
    const word = fetched._tag === "Found" && fetched.call.status !== "in-progress" ? "canceled" : "completed"
    const answer = yield* endCall(settings, sid, word)
    // It may have arrived, or not: the engine asks again.
    if (answer._tag !== "Answered" || answer.status >= 500 || answer.status === 429) return "Sent"
    if (answer.status === 401 || answer.status === 403) {
      yield* Effect.logWarning(`Twilio refused a hang-up (${answer.status}, code ${answer.error ?? "none"}).`)
      return "Refused"
    }
    if (answer.status === 404) return "Sent"
    if (answer.status < 300 && word === "completed") return "Sent"
    if (answer.status < 300) {
      // A call that was answered a moment before is left as it is by `canceled`.
      const after = yield* fetchCall(settings, sid)
      if (after._tag !== "Found" || after.call.status !== "in-progress") return "Sent"
    }
  }
  return "Sent"
})
