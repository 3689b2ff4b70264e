import type { Batch } from "../batches/Batch.ts"
import { moved, someDialled } from "../batches/BatchProgress.ts"
import { batchAfter } from "../batches/BatchStatus.ts"
import type { Callee } from "../callees/Callee.ts"
import { uncountingDial } from "../callees/CountedDials.ts"
import type { Contact } from "../contacts/Contact.ts"
import { type ContactContext, undialled, withdrawn } from "../contacts/ContactProgress.ts"
import { type CommitDraft, joined } from "../engine/Commit.ts"
import { change, following } from "../engine/Put.ts"
import type { Call } from "./Call.ts"
import { numberFreed } from "./CallCommit.ts"

/** Takes back a record as if it had never been written. */
export const erasure = (call: Call): CommitDraft => {
  const { changes, wakeups } = following("call", call, null, call.updated_at)
  return { organization_id: call.organization_id, changes: [{ put: "erased_call", call }, ...changes], wakeups }
}

/**
 * The part of a commit by which a batch has somebody again who waits for a first dial, though it had dialled all of its list. It writes the
 * batch in any case: whoever finds at the same moment that the list is dialled, or brings the batch back, writes it, too, so neither can overlook
 * the other.
 */
const dialsAgain = (batch: Batch, { attempts }: Contact, now: number): Partial<CommitDraft> => {
  if (attempts > 0) return {}
  const state = batchAfter(batch, { kind: "progress", progress: someDialled })
  return change("batch", batch, state.status === batch.status ? batch : moved(batch, state, now), now)
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
): CommitDraft => {
  const after = becomes === "held" ? withdrawn(contact, call, now) : undialled(contact, call, now)
  return joined(
    erasure(call),
    change("contact", contact, after, now),
    dialsAgain(batch, after, now),
    ...numberFreed(heirs, now),
    uncountingDial(callee, call),
  )
}
