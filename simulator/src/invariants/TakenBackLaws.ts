import type { Call } from "@carillon/core"
import { type Commit, placeOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

/** The law of dials that are taken back, judged as one is. Returns the observer of commits. */
export const takenBackLaws = (
  invariants: Invariants,
  tables: Pick<MemoryTables, "batches" | "contacts" | "tallies">,
): ((commit: Pick<Commit, "changes">) => void) => {
  const l7 = invariants.open({
    name: "L7",
    description:
      "A dial that is taken back leaves its contact and its batch as if it had never been made: who has never been called waits for a first dial, and the batch knows of it.",
  })

  const judge = ({ batch_id, contact_id, execution_id }: Call) => {
    const place = contact_id === null ? null : placeOf(contact_id)
    const contact = place === null ? undefined : tables.contacts.get(place.batch_id, place.row)
    if (batch_id === null || contact === undefined) return
    const { attempts, last_execution_id, previous_execution_id = null } = contact
    // What an earlier release wrote does not know of the call before.
    const expected = attempts === 0 ? null : previous_execution_id
    l7(
      last_execution_id === expected,
      () => `${contact_id} had ${attempts} calls before ${execution_id}, and its last one is ${last_execution_id}`,
    )
    if (attempts > 0) return
    const batch = tables.batches.get(batch_id)
    const done = tables.tallies.figure(batch_id, "dialled") + tables.tallies.figure(batch_id, "left_out")
    l7(
      batch === undefined || (batch.status !== "dispatched" && done < batch.total_contacts),
      () => `${contact_id} waits for its first dial, but ${batch_id} is ${batch?.status} with ${done} dialled`,
    )
  }

  return ({ changes }) => {
    for (const change of changes) if (change.put === "erased_call") judge(change.call)
  }
}
