import { entriesOf, isBound, openMarks } from "@carillon/core/domain"
import type { Batch, Campaign } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"

/** Of a lane's contacts those whose callees may be called, as the queue is asked for them, and when the clock changes that. */
export interface CalleeMoment {
  readonly only: { readonly marks?: ReadonlyArray<string> }
  readonly changes: number | null
}

/** Reads it from the rows; all are meant where no hours bind the lane's calls. */
export const calleeMoment = (
  { calleeHours, contacts }: Pick<MemoryTables, "calleeHours" | "contacts">,
  campaign: Campaign | null,
  batches: ReadonlyArray<Batch>,
  now: number,
): CalleeMoment => {
  const organizationId = campaign?.organization_id ?? batches[0]?.organization_id ?? ""
  const entries = entriesOf(calleeHours.get(organizationId) ?? null, campaign, batches)
  if (!isBound(entries)) return { only: {}, changes: null }
  const marks = contacts.marks(batches.map(({ batch_id }) => batch_id))
  const { changes, open } = openMarks(entries, marks, now)
  return { only: { marks: open }, changes }
}
