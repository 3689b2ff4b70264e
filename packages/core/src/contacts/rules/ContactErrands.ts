import type { ContactEntry } from "./Contact.ts"

/** The contacts of a batch go that was never shown. */
export interface DiscardsContacts {
  readonly errand: "contacts.discard"
  /** The batch. */
  readonly subject: string
}

/** What was handed in of a contact is overwritten. */
export interface OverwritesContact {
  readonly errand: "contacts.overwrite"
  /** The contact. */
  readonly subject: string
  readonly batch_id: string
  /** Its place in the batch, from 0. */
  readonly place: number
  readonly entry: ContactEntry
}

/** Leaves nothing of the contacts of a batch that nobody shows any more. */
export const discardsContacts = (batchId: string): DiscardsContacts => ({
  errand: "contacts.discard",
  subject: batchId,
})

/** Stores something else in the place of what was handed in of a contact, which may have gone meanwhile. */
export const overwritesContact = (overwritten: Omit<OverwritesContact, "errand">): OverwritesContact => ({
  errand: "contacts.overwrite",
  ...overwritten,
})
