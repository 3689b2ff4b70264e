import type { CommitDraft } from "../../engine/rules/Commit.ts"
import type { Mint } from "../../engine/rules/IdKinds.ts"
import { change, put } from "../../engine/rules/Put.ts"
import { textBytes } from "../../Measure.ts"
import { type Delivery, newDelivery } from "./Delivery.ts"
import type { Route } from "./Subscription.ts"
import type { WebhookEvent } from "./WebhookEvent.ts"

const dayMs = 24 * 3_600_000

/** The ledger expires by the day: one wake-up for all rows of it. */
export const expiryWakeup = (expiresAt: number) => {
  const at = Math.ceil(expiresAt / dayMs) * dayMs
  return { set: { kind: "ledger" as const, subject: String(at), at } }
}

/** The ledger rows of an event: one, due after the lag, for each endpoint that it goes to. */
export const ledgerRows = (
  { agent_id, body, event_id, event_type, execution_id, organization_id }: WebhookEvent,
  routes: ReadonlyArray<Route>,
  mint: Mint,
  now: number,
  lagMs: number,
): ReadonlyArray<Delivery> => {
  const body_bytes = textBytes(body)
  return routes.map(({ subscription_id, subscription_revision }) => ({
    ...newDelivery(
      {
        delivery_id: mint("delivery", event_id, subscription_id ?? "agent"),
        organization_id,
        event_id,
        event_type,
        subscription_id,
        subscription_revision,
        agent_id,
        execution_id,
        body_bytes,
      },
      now,
    ),
    due_at: now + lagMs,
  }))
}

/** The part of a commit that writes a new event with its ledger rows. */
export const routing = (
  event: WebhookEvent,
  rows: ReadonlyArray<Delivery>,
  now: number,
): Required<Pick<CommitDraft, "changes" | "wakeups">> => {
  const sent = rows.map((row) => change("delivery", null, row, now))
  return {
    changes: [put("event", null, { ...event, routed_at: now }), ...sent.flatMap(({ changes }) => changes)],
    wakeups: [...sent.flatMap(({ wakeups }) => wakeups), expiryWakeup(event.expires_at)],
  }
}
