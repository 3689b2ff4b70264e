import type { Batch } from "../../batches/rules/Batch.ts"
import { moved, someDialled } from "../../batches/rules/BatchProgress.ts"
import { batchAfter } from "../../batches/rules/BatchStatus.ts"
import type { Callee } from "../../callees/rules/Callee.ts"
import { uncountingDial } from "../../callees/steps/CountedDials.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { type ContactContext, undialled, withdrawn } from "../../contacts/rules/ContactProgress.ts"
import { erase, put, type RowChange } from "../../engine/rules/Outcome.ts"
import type { Call } from "../rules/Call.ts"
import { heirsFreed } from "./CallCommit.ts"

/**
 * A batch has somebody again who waits for a first dial, though it had dialled all of its list. It is written in any case: whoever finds at
 * the same moment that the list is dialled, or brings the batch back, writes it, too, so neither can overlook the other.
 */
const dialsAgain = (batch: Batch, { attempts }: Contact, now: number): ReadonlyArray<RowChange> => {
  if (attempts > 0) return []
  const state = batchAfter(batch, { kind: "progress", progress: someDialled })
  return [put("batch", batch, state.status === batch.status ? batch : moved(batch, state, now))]
}

/**
 * Takes back a contact's dial as if it had never been made: the contact is held, or due as it was, who waits for its number may go on, and the
 * number's row, where there is one, counts it no more.
 */
export const withdrawal = (
  call: Call,
  { batch, contact, heirs }: ContactContext,
  callee: Callee | null,
  becomes: "held" | "due",
  now: number,
): ReadonlyArray<RowChange> => {
  const after = becomes === "held" ? withdrawn(contact, call, now) : undialled(contact, call, now)
  return [
    erase(call),
    put("contact", contact, after),
    ...dialsAgain(batch, after, now),
    ...heirsFreed(heirs, now),
    ...uncountingDial(callee, call),
  ]
}
