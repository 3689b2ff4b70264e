import { Effect } from "effect"
import { command } from "./Calls.ts"
import type { Settings } from "./Settings.ts"

/** Ends a leg, in whatever phase it is: Telnyx has one word for that. What is over, or not known, stays as it is. */
export const hangUp = Effect.fnUntraced(function* (settings: Settings, sid: string) {
  const answer = yield* command(settings, sid, "hangup", {})
  if (answer._tag === "Answered" && (answer.status === 401 || answer.status === 403)) {
    yield* Effect.logWarning(`Telnyx refused a hang-up (${answer.status}, code ${answer.error?.code ?? "none"}).`)
    return "Refused"
  }
  return "Sent"
})
