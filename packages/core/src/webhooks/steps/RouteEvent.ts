import { discard, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { expiryWakeup, ledgerRows } from "../rules/LedgerRows.ts"
import type { Route } from "../rules/Subscription.ts"

/** An event, and where it goes: as it stood a moment before, since whoever is removed meanwhile is seen at each attempt. */
interface EventRouted extends ByEngine {
  readonly event_id: string
  readonly routes: ReadonlyArray<Route>
}

/** Writes the ledger rows of an event that waits in the outbox; one that nobody listens to goes, unless it is kept for the host. */
export const routeEvent = step({
  name: "webhook.route",
  reads: ({ event_id }: EventRouted) => row("event", event_id),
  decide({ routes }, event, { mint, now }) {
    if (event === null || event.routed_at !== null) return unchanged(undefined)
    if (routes.length === 0 && event.kept !== true) {
      return write([discard("event", event.event_id)], { reply: undefined })
    }
    const rows = ledgerRows(event, routes, mint, now, 0)
    return write(
      [put("event", event, { ...event, routed_at: now }), ...rows.map((each) => put("delivery", null, each))],
      { wakeups: [expiryWakeup(event.expires_at)], reply: undefined },
    )
  },
})
