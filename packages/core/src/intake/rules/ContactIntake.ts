import type { ContactEntry } from "../../contacts/rules/Contact.ts"

/** The contacts of one request, read and judged: nothing of them is wrong any more. */
export interface ContactIntake {
  /** At least one, at most `limits.contactsPerRequest`. */
  readonly contacts: ReadonlyArray<ContactEntry>
  /** The line of the uploaded file on which each contact begins, as they came, where there was a file. */
  readonly lines?: ReadonlyArray<number>
  /** The place at which each contact came, from 0, where they stand in another order. */
  readonly places?: ReadonlyArray<number>
  /** Whether `callee_name` mirrors the column `name` of the file: then it follows it into another script. */
  readonly mirrorsName?: boolean
  /** The name of the uploaded file, where there was one. */
  readonly file_name: string | null
}
