import type { Change, Commit } from "@carillon/core/ports"
import { Ring } from "../Ring.ts"
import type { WorldEvent, WorldFact } from "./WorldEvent.ts"

/** What happened in a world, as far as it is remembered, for whoever wants to follow it. */
export class EventHistory {
  readonly #now: () => number
  readonly #ring: Ring<WorldEvent>
  readonly #campaigns = new Map<string, Extract<WorldFact, { readonly type: "campaign" }>["status"]>()
  readonly #batches = new Map<string, Extract<WorldFact, { readonly type: "batch" }>["status"]>()
  #waiting: Array<() => void> = []

  constructor(now: () => number, retention: number) {
    this.#now = now
    this.#ring = new Ring(retention)
  }

  /** The number of the latest event, 0 when there is none. */
  get latest(): number {
    return this.#ring.appended
  }

  append(fact: WorldFact): void {
    this.#ring.append({ sequence: this.#ring.appended + 1, at: this.#now(), fact })
    this.wake()
  }

  /** Up to `limit` events after number `after`, as far as they are remembered. */
  after(after: number, limit: number): ReadonlyArray<WorldEvent> {
    return this.#ring.after(after, limit)
  }

  /** Calls back once, at the next event or when the history ends. Returns how to wait no longer. */
  onNext(resume: () => void): () => void {
    this.#waiting.push(resume)
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== resume)
    }
  }

  /** Lets everybody who waits look again. */
  wake(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  /** Takes the facts from a commit. Calls are told of by whoever knows what they were before. */
  observe(commit: Commit): void {
    for (const change of commit.changes) this.#observe(change)
    for (const { execution_id, organization_id, sequence, type } of commit.events) {
      this.append({ type, organization_id, execution_id, nth: sequence })
    }
  }

  #observe(change: Change): void {
    switch (change.put) {
      case "campaign": {
        const { campaign_id, name, organization_id, status } = change.row
        const previous_status = this.#campaigns.get(campaign_id) ?? null
        if (previous_status === status) return
        this.#campaigns.set(campaign_id, status)
        return this.append({ type: "campaign", organization_id, campaign_id, name, status, previous_status })
      }
      case "batch": {
        const { batch_id, campaign_id, organization_id, status } = change.row
        const previous_status = this.#batches.get(batch_id) ?? null
        if (previous_status === status) return
        this.#batches.set(batch_id, status)
        return this.append({ type: "batch", organization_id, batch_id, campaign_id, status, previous_status })
      }
      case "delivery": {
        const { attempts, callback_host, delivery_id, event_id, event_type, execution_id } = change.row
        const { organization_id, sending, signed, status } = change.row
        if (sending !== null) return
        const last = attempts.at(-1)
        return this.append({
          type: "delivery",
          organization_id,
          delivery_id,
          event_id,
          event_type,
          execution_id,
          callback_host,
          signed,
          status,
          attempts: attempts.length,
          http_status: last?.http_status ?? null,
          error_class: last?.error_class ?? null,
        })
      }
      default:
    }
  }
}
