import { type ContactContext, withdrawn } from "../contacts/ContactProgress.ts"
import { type CommitDraft, joined } from "../engine/Commit.ts"
import { callTallies } from "../tallies/TallyChanges.ts"
import { erasedUsage } from "../usage/Usage.ts"
import type { Call } from "./Call.ts"
import { contactChange, numberFreed } from "./CallCommit.ts"

/** Takes back a record as if it had never been written. */
export const erasure = (call: Call): CommitDraft => ({
  organization_id: call.organization_id,
  changes: [{ put: "erased_call", call }, { put: "usage", delta: erasedUsage(call) }, ...callTallies(call, null)],
  wakeups: [{ clear: { kind: "call", subject: call.execution_id } }],
})

/** Takes back a contact's dial as if it had never been made: the contact is held, and who waits for its number may go on. */
export const withdrawal = (call: Call, { contact, heirs }: ContactContext, now: number): CommitDraft =>
  joined(erasure(call), contactChange(contact, withdrawn(contact, call, now), now), ...numberFreed(heirs, now))
