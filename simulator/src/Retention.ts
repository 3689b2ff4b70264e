import type { Call } from "@carillon/core"
import { isFinished, isTerminal } from "@carillon/core/domain"
import type { Commit } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import { Ring } from "./Ring.ts"

/** A call of which nothing more will be said: it has ended, its line is free, and it is processed. */
const isOver = ({ direction, dial, final_report_at, folded_into, processing, status }: Call): boolean =>
  folded_into === null &&
  isTerminal(status) &&
  processing.due_at === null &&
  (final_report_at !== null || dial === "none" || dial === "refused" || direction === "inbound")

/** So many audit records too many are forgotten at a time, as a part of those that are kept: each time costs as much as is kept. */
const auditSlack = 0.25

/**
 * Forgets the oldest rows that are done with: calls with what was said in them, events, deliveries and audit records. A load test that runs for hours
 * fills no memory; what is forgotten is unknown, as if its time had run out.
 */
export class Retention {
  readonly #tables: MemoryTables
  readonly #limit: number
  readonly #calls = new Ring<string>(Infinity)
  readonly #known = new Set<string>()
  readonly #events = new Ring<string>(Infinity)
  readonly #deliveries = new Ring<string>(Infinity)

  constructor(tables: MemoryTables, limit: number) {
    this.#tables = tables
    this.#limit = limit
  }

  observe(commit: Commit): void {
    for (const change of commit.changes) {
      if (change.put === "call" && isOver(change.row)) this.#callOver(change.row)
      if (change.put === "event" && change.row.routed_at !== null) this.#events.append(change.row.event_id)
      if (change.put === "delivery" && isFinished(change.row)) this.#deliveries.append(change.row.delivery_id)
    }
    for (const { organization_id } of commit.audit) {
      const kept = this.#tables.audit.records(organization_id).length
      if (kept > this.#limit * (1 + auditSlack)) this.#tables.audit.keep(organization_id, this.#limit)
    }
    this.#forget()
  }

  #callOver({ execution_id }: Call): void {
    // A call is corrected now and then after it is over.
    if (this.#known.has(execution_id)) return
    this.#known.add(execution_id)
    this.#calls.append(execution_id)
  }

  #forget(): void {
    while (this.#calls.size > this.#limit) {
      const id = this.#calls.forget()
      if (id === undefined) break
      this.#known.delete(id)
      this.#tables.calls.erase(id)
    }
    const { webhooks } = this.#tables
    for (const [ring, remove] of [
      [this.#events, (id: string) => webhooks.removeEvent(id)],
      [this.#deliveries, (id: string) => webhooks.removeDelivery(id)],
    ] as const) {
      while (ring.size > this.#limit) {
        const id = ring.forget()
        if (id !== undefined) remove(id)
      }
    }
  }
}
