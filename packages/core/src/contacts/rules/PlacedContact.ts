import type { Contact, ContactEntry } from "./Contact.ts"

/** A contact in its place; `contact` is null as long as it was never touched. */
export interface ContactRow {
  readonly batch_id: string
  readonly row: number
  readonly entry: ContactEntry
  readonly contact: Contact | null
}

/** Where a contact stands. */
export type ContactPlace = Pick<ContactRow, "batch_id" | "row">
