import { type Commit, type Delivery, deliveryMaxAttempts, type DeliveryStatus } from "@carillon/core"
import type { Invariants } from "./Invariants.ts"

export interface WebhookLaws {
  readonly observe: (commit: Commit) => void
  /** How many deliveries there were made, by what has become of them. */
  readonly counts: () => Readonly<Record<DeliveryStatus, number>>
}

/** The law of webhooks: folded over every commit, in commit order. */
export const webhookLaws = (invariants: Invariants, options: { readonly retention: number }): WebhookLaws => {
  const s13 = invariants.open({
    name: "S13",
    description: "An event has one id and one body, and a delivery of it at most four attempts.",
  })
  const bodies = new Map<string, string>()
  const statuses = new Map<string, Delivery["status"]>()
  const counts = { pending: 0, retrying: 0, delivered: 0, failed: 0 }

  const bound = (map: Map<string, unknown>) => {
    if (map.size <= options.retention) return
    const [oldest] = map.keys()
    if (oldest !== undefined) map.delete(oldest)
  }

  return {
    observe: (commit) => {
      for (const change of commit.changes) {
        if (change.put === "event") {
          const { body, event_id } = change.row
          const known = bodies.get(event_id)
          s13(known === undefined || known === body, () => `The body of ${event_id} has changed`)
          bodies.set(event_id, body)
          bound(bodies)
        }
        if (change.put === "delivery") {
          const { attempts, delivery_id, revision, status } = change.row
          s13(attempts.length <= deliveryMaxAttempts, () => `${delivery_id} was attempted ${attempts.length} times`)
          const before = statuses.get(delivery_id)
          s13(
            before === undefined || before === status || before === "pending" || before === "retrying",
            () => `${delivery_id} went from ${before} to ${status}`,
          )
          // A delivery that is forgotten by now has been counted.
          if (before === undefined && revision > 1) continue
          if (before !== undefined) counts[before] -= 1
          counts[status] += 1
          statuses.set(delivery_id, status)
          bound(statuses)
        }
      }
    },
    counts: () => ({ ...counts }),
  }
}
