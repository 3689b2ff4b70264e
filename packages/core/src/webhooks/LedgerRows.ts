import type { CommitDraft } from "../engine/Commit.ts"
import type { Ids } from "../engine/Ids.ts"
import { change, put } from "../engine/Put.ts"
import { textBytes } from "../Measure.ts"
import { newDelivery } from "./Delivery.ts"
import type { WebhookEvent } from "./WebhookEvent.ts"

const dayMs = 24 * 3_600_000

/** The ledger expires by the day: one wake-up for all rows of it. */
export const expiryWakeup = (expiresAt: number) => {
  const at = Math.ceil(expiresAt / dayMs) * dayMs
  return { set: { kind: "ledger" as const, subject: String(at), at } }
}

/** The part of a commit that routes an event: one ledger row, due after the lag, for each endpoint that it goes to. */
export const routing = (
  before: WebhookEvent | null,
  event: WebhookEvent,
  routes: ReadonlyArray<{ readonly subscription_id: string | null }>,
  ids: Ids["Service"],
  now: number,
  lagMs: number,
): Required<Pick<CommitDraft, "changes" | "wakeups">> => {
  const { agent_id, event_id, event_type, execution_id, organization_id } = event
  const body_bytes = textBytes(event.body)
  const rows = routes.map(({ subscription_id }) => ({
    ...newDelivery(
      {
        delivery_id: ids.mint("delivery", event_id, subscription_id ?? "agent"),
        organization_id,
        event_id,
        event_type,
        subscription_id,
        agent_id,
        execution_id,
        body_bytes,
      },
      now,
    ),
    due_at: now + lagMs,
  }))
  const sent = rows.map((row) => change("delivery", null, row, now))
  return {
    changes: [put("event", before, { ...event, routed_at: now }), ...sent.flatMap(({ changes }) => changes)],
    wakeups: [...sent.flatMap(({ wakeups }) => wakeups), expiryWakeup(event.expires_at)],
  }
}
