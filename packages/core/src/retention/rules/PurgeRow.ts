import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { ListPlace } from "../../Pagination.ts"

/** What has gone. */
export interface PurgedCounts {
  readonly calls: number
  readonly contacts: number
  readonly events: number
  readonly deliveries: number
  /** Numbers of which nothing counts any more; left out where there was none. */
  readonly callees?: number
}

/**
 * Where a walk over an organization's rows stands: it passes over batches, takes the contacts of one of them away from the first row on, passes
 * over calls, or over callees. `after` is the last row that was passed.
 */
export type PurgePlace =
  | { readonly of: "batches"; readonly after: ListPlace | null }
  | { readonly of: "contacts"; readonly after: ListPlace | null; readonly batch_id: string; readonly row: number }
  | { readonly of: "calls"; readonly after: ListPlace | null }
  | { readonly of: "callees"; readonly after: string | null }

/** How far the rows of an organization were purged. Times are epoch milliseconds. */
export interface Purge {
  readonly organization_id: string
  readonly revision: number
  /** For how many days the walk under way, or the last one, has kept rows; null where somebody named a moment. */
  readonly days: number | null
  /** When that walk began, and before when what goes has ended. */
  readonly began_at: number
  readonly before: number
  /** Null: the walk is over. */
  readonly place: PurgePlace | null
  /** Up to here every batch is purged, so walks begin after it; null where none is. */
  readonly settled: ListPlace | null
  /** Up to here every call is gone, so walks begin after it; null where none is. */
  readonly calls_settled: ListPlace | null
  /** Calls that were created before may be gone; null where none has gone yet. */
  readonly calls_before: number | null
  /** What has gone, as far as the audit trail does not say so yet. */
  readonly gone: PurgedCounts
}

export const purgeRow: RowDescription<Purge> = {
  id: (purge) => purge.organization_id,
  dependency: "call_storage",
}
