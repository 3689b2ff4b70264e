import type { DomainEvent } from "../engine/Commit.ts"
import type { Call } from "./Call.ts"
import { isTerminal } from "./CallStatus.ts"

/**
 * Every call that ends raises `call_completed`, except one canceled before it was dialled and a direct dial that the wallet could not
 * carry from the start (decisions.md, "Readings").
 */
const endsAloud = (before: Call | null, after: Call): boolean =>
  isTerminal(after.status) &&
  (before === null || !isTerminal(before.status)) &&
  after.status !== "canceled" &&
  !(before === null && after.status === "balance-low")

/** The events that a change of a call raises (decisions.md, "Webhooks"): the first ringing, the answer, the end. */
export const eventsOf = (before: Call | null, after: Call): ReadonlyArray<DomainEvent> => {
  const events: Array<DomainEvent> = []
  const raise = (type: DomainEvent["type"]) =>
    events.push({
      type,
      organization_id: after.organization_id,
      execution_id: after.execution_id,
      at: after.updated_at,
    })
  if (after.ringing_at !== null && (before === null || before.ringing_at === null)) raise("call_ringing")
  if (after.answered_at !== null && (before === null || before.answered_at === null)) raise("call_started")
  if (endsAloud(before, after)) raise("call_completed")
  return events
}
