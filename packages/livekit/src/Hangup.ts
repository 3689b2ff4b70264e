import { Effect } from "effect"
import type { Clients } from "./Clients.ts"
import { roomOfCall } from "./Job.ts"
import type { LegBook } from "./LegBook.ts"
import type { Settings } from "./Settings.ts"

/**
 * Ends a leg by its phase. One that is in its room is taken out of it: LiveKit cancels what rings and hangs up what was answered, and the worker
 * stays for its report. One that is only on its way into the room is noted, and taken out when it is there. What is over stays as it is.
 */
export const hangUp = Effect.fnUntraced(function* (
  settings: Settings,
  clients: Clients,
  book: LegBook,
  executionId: string,
) {
  book.heard(executionId, { unwanted: true })
  const answer = yield* clients.remove(roomOfCall(settings, executionId), executionId)
  if (answer._tag === "Failed" && (answer.status === 401 || answer.status === 403)) {
    yield* Effect.logWarning(`LiveKit refused a hang-up (${answer.status}, code ${answer.code ?? "none"}).`)
    return "Refused"
  }
  // It may have arrived, or not: the engine asks again.
  return "Sent"
})
