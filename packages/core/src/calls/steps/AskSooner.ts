import { type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import { limits } from "../../Limits.ts"
import type { Call } from "../rules/Call.ts"
import { callChange } from "./CallCommit.ts"
import { survivingCall } from "./CallReads.ts"

/**
 * Why live calls may have ended without anybody hearing of it. `gap`: nobody worked for a time, so that what came then is lost. `start`: a process
 * has started beside others, and one that died may have taken with it what it had heard. `carrier`: the carrier was away, so that questions to it
 * had no answer, and perhaps it told nothing either.
 */
export type Unheard = "gap" | "start" | "carrier"

/**
 * When to ask about a call instead of when its silence would have lasted long enough; null where it stays as it is: it has been heard of since, is
 * not at the carrier, or is asked about soon anyway, perhaps because another process has looked already.
 */
export const soonerQuestion = (call: Call, why: Unheard, lostUntil: number, turn: number): number | null => {
  if (call.due_at === null || call.final_report_at !== null || call.slot === null) return null
  // It was asked about in vain, and would be asked about later each time.
  const isUnanswered = call.dial === "unconfirmed" || call.questions > 0
  if (why === "carrier" && isUnanswered) return call.due_at > turn ? turn : null
  if (call.updated_at >= lostUntil) return null
  const at = why === "start" ? Math.max(turn, call.updated_at + limits.unheardAgedMs) : turn
  return call.due_at > Math.max(at, lostUntil + limits.unheardSpreadMs) ? at : null
}

/** A call that nobody may have heard of since `lostUntil`, and when it would be asked about. */
interface Unasked extends ByRow {
  readonly execution_id: string
  readonly why: Unheard
  readonly lostUntil: number
  readonly turn: number
}

/** Brings forward when the carrier is asked about a call. Replies whether it does. */
export const askSooner = step({
  name: "call.ask_sooner",
  reads: ({ execution_id }: Unasked) => survivingCall(execution_id),
  decide({ lostUntil, turn, why }, call): Outcome<boolean> {
    const due_at = call === null ? null : soonerQuestion(call, why, lostUntil, turn)
    if (call === null || due_at === null) return unchanged(false)
    const { changes, said } = callChange(call, { ...call, due_at })
    return write(changes, { ...said, by: call, reply: true })
  },
})
