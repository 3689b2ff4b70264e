import { laneOf } from "../batches/Batch.ts"
import type { RowDescription } from "../engine/RowDescription.ts"
import type { Contact } from "./Contact.ts"

/** A contact has a row of its own from its first dial on. */
export const contactRow: RowDescription<Contact> = {
  id: (contact) => contact.contact_id,
  dependency: "call_storage",
  lane: (contact) => ({ organization_id: contact.organization_id, lane_id: laneOf(contact) }),
}
