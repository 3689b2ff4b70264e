import type { LegName } from "@carillon/core/carrier"
import { Effect, Option } from "effect"
import { bounds } from "./Bounds.ts"
import { fetchCall } from "./Calls.ts"
import { type LegWords, priceOf } from "./CallWords.ts"
import type { LegBook } from "./LegBook.ts"
import type { Settings } from "./Settings.ts"

/**
 * A leg's words with who answered. The verdict may have come to another process, or not yet; Twilio's record of the call has it then. Where
 * that does not answer soon the leg ends without.
 */
export const withAnswerer = Effect.fnUntraced(function* (
  settings: Settings,
  book: LegBook,
  { call_sid, execution_id }: LegName,
  words: LegWords,
) {
  if (settings.machineDetection === undefined || words.status !== "completed" || words.answeredBy !== null) {
    return { words, price: null }
  }
  const heard = book.find(execution_id)?.answeredBy ?? null
  if (heard !== null) return { words: { ...words, answeredBy: heard }, price: null }
  const fetched = yield* Effect.timeoutOption(fetchCall(settings, call_sid), bounds.callbackQuestionMs)
  if (Option.isNone(fetched) || fetched.value._tag !== "Found") return { words, price: null }
  const { call } = fetched.value
  return { words: { ...words, answeredBy: call.answered_by ?? null }, price: priceOf(call) }
})
