import { deliveryMaxAttempts, type DeliveryStatus } from "@carillon/core/domain"
import type { Commit, Delivery } from "@carillon/core/ports"
import type { Invariants } from "./Invariants.ts"
import { Remembered } from "./Remembered.ts"

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

  const events = new Remembered(options.retention)
  const deliveries = new Remembered(options.retention)

  const remember = (map: Map<string, unknown>, keys: Remembered, key: string) => {
    const forgotten = keys.add(key)
    if (forgotten !== undefined) map.delete(forgotten)
  }

  return {
    observe: (commit) => {
      for (const change of commit.changes) {
        if (change.put === "event") {
          const { body, event_id } = change.row
          const known = bodies.get(event_id)
          s13(known === undefined || known === body, () => `The body of ${event_id} has changed`)
          if (known === undefined) remember(bodies, events, event_id)
          bodies.set(event_id, body)
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
          if (before === undefined) remember(statuses, deliveries, delivery_id)
          statuses.set(delivery_id, status)
        }
      }
    },
    counts: () => ({ ...counts }),
  }
}
