import { outcomeCounts } from "@carillon/core/domain"
import type { Commit, Contact } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

/** What is counted of a campaign, from its contacts' rows alone. */
class Counted {
  readonly contacts = new Map<string, string>()
  total = 0
  completed = 0
  failed = 0
  in_flight = 0

  put(contact: Contact): void {
    const before = this.contacts.get(contact.contact_id)
    if (before !== undefined) this.#add(before, -1)
    const bucket = contact.reached
      ? "completed"
      : contact.status === "in_progress"
        ? "in_flight"
        : contact.status === "failed"
          ? "failed"
          : "pending"
    this.contacts.set(contact.contact_id, bucket)
    this.#add(bucket, 1)
  }

  #add(bucket: string, by: number): void {
    if (bucket === "completed") this.completed += by
    else if (bucket === "failed") this.failed += by
    else if (bucket === "in_flight") this.in_flight += by
  }
}

export interface OutcomeLawsOptions {
  readonly tables: Pick<MemoryTables, "tallies">
  /** Contacts whose state is remembered. */
  readonly retention: number
}

/** The law of outcome counts, folded over every commit. Returns the observer of commits. */
export const outcomeLaws = (
  invariants: Invariants,
  { retention, tables }: OutcomeLawsOptions,
): ((commit: Commit) => void) => {
  const s11 = invariants.open({
    name: "S11",
    description: "The outcome buckets are what the contacts' rows say, sum to the total, and completed only grows.",
  })
  const counted = new Map<string, Counted>()
  let remembered = 0

  const countedOf = (campaignId: string): Counted => {
    let found = counted.get(campaignId)
    if (found === undefined) {
      found = new Counted()
      counted.set(campaignId, found)
    }
    return found
  }

  const compare = (campaignId: string, own: Counted, completedBefore: number) => {
    const shown = outcomeCounts(tables.tallies.glance(campaignId))
    const pending = own.total - own.completed - own.failed - own.in_flight
    s11(
      shown.total === own.total &&
        shown.completed === own.completed &&
        shown.failed === own.failed &&
        shown.in_flight === own.in_flight &&
        shown.pending === pending &&
        pending >= 0,
      () =>
        `${campaignId} shows ${JSON.stringify(shown)}, but its rows say ${own.total}, ${own.completed}, ${own.failed}, ${own.in_flight}`,
    )
    s11(
      own.completed >= completedBefore,
      () => `${campaignId} went from ${completedBefore} completed to ${own.completed}`,
    )
  }

  return (commit) => {
    const changed = new Map<string, number>()
    const change = (campaignId: string, put: (own: Counted) => void) => {
      const own = countedOf(campaignId)
      if (!changed.has(campaignId)) changed.set(campaignId, own.completed)
      put(own)
    }
    for (const each of commit.changes) {
      if (each.put === "batch" && each.row.campaign_id !== null && each.row.revision === 1) {
        change(each.row.campaign_id, (own) => {
          own.total += each.row.total_contacts
        })
      }
      if (each.put === "contact" && each.row.campaign_id !== null) {
        change(each.row.campaign_id, (own) => {
          const known = own.contacts.size
          own.put(each.row)
          remembered += own.contacts.size - known
        })
      }
    }
    // A world that outgrows what is remembered of it goes on without this law rather than with a wrong one.
    if (remembered > retention) return
    for (const [campaignId, completed] of changed) compare(campaignId, countedOf(campaignId), completed)
  }
}
