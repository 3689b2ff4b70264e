import { type ContactContext, withdrawn } from "../contacts/ContactProgress.ts"
import { type CommitDraft, joined } from "../engine/Commit.ts"
import { change, following } from "../engine/Put.ts"
import type { Call } from "./Call.ts"
import { numberFreed } from "./CallCommit.ts"

/** Takes back a record as if it had never been written. */
export const erasure = (call: Call): CommitDraft => {
  const { changes, wakeups } = following("call", call, null, call.updated_at)
  return { organization_id: call.organization_id, changes: [{ put: "erased_call", call }, ...changes], wakeups }
}

/** Takes back a contact's dial as if it had never been made: the contact is held, and who waits for its number may go on. */
export const withdrawal = (call: Call, { contact, heirs }: ContactContext, now: number): CommitDraft =>
  joined(erasure(call), change("contact", contact, withdrawn(contact, call, now), now), ...numberFreed(heirs, now))
