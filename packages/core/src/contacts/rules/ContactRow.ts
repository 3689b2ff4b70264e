import { laneOf } from "../../batches/rules/Batch.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import { contactTallies } from "../../tallies/rules/TallyChanges.ts"
import { type Contact, isWaiting } from "./Contact.ts"

/** A contact has a row of its own from its first dial on. The dispatcher looks where there is something to dial. */
export const contactRow: RowDescription<Contact> = {
  id: (contact) => contact.contact_id,
  dependency: "call_storage",
  lane: (contact) => ({ organization_id: contact.organization_id, lane_id: laneOf(contact) }),
  follows: (before, after, at) => ({
    changes: contactTallies(before, after),
    wakeups:
      after !== null && isWaiting(after.status)
        ? [{ set: { kind: "dispatch", subject: after.organization_id, at } }]
        : [],
  }),
}
