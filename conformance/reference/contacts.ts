import type { Batch } from "./batches.ts"
import type { Call } from "./calls.ts"
import { invalid, malformed, missing, Refusal } from "./errors.ts"
import { isJson, isPhone, type Json } from "./fields.ts"
import { type Listed, readCsv } from "./csv.ts"
import { mint } from "./ids.ts"
import type { Part } from "./multipart.ts"
import { mebibyte, utf8 } from "./body.ts"

export type ContactStatus =
  | "pending"
  | "in_progress"
  | "retry_scheduled"
  | "follow_up_scheduled"
  | "completed"
  | "failed"
  | "skipped"

/** Somebody to be called, and how far that has come. */
export interface Contact {
  readonly contact_id: string
  readonly batch: Batch
  /** Place in the list, from 0. */
  readonly index: number
  readonly to_number: string
  readonly variables: Json
  status: ContactStatus
  /** What it was before a cancel skipped it. */
  before: ContactStatus | null
  skip_reason: string | null
  /** Dials that were no follow-ups. */
  attempts: number
  followUps: number
  dueAt: number
  /** Times in a row that it could not be dialled through no fault of its own. */
  holds: number
  live: Call | null
  first: Call | null
  last: Call | null
  /** Sticky. */
  reached: boolean
}

const maxContacts = 50_000

const maxTold = 20

const csvMaxBytes = 20 * mebibyte

export const newContact = (batch: Batch, { to_number, variables }: Listed, index: number): Contact => ({
  contact_id: mint("con"),
  batch,
  index,
  to_number,
  variables,
  status: "pending",
  before: null,
  skip_reason: null,
  attempts: 0,
  followUps: 0,
  dueAt: 0,
  holds: 0,
  live: null,
  first: null,
  last: null,
  reached: false,
})

const tooMany = () => invalid("contacts", `must have at most ${maxContacts} entries`)

/** The contacts of a JSON body; all that are wrong are named together. */
export const readContacts = (value: unknown): ReadonlyArray<Listed> => {
  if (!Array.isArray(value)) throw invalid("contacts", "must be an array")
  if (value.length > maxContacts) throw tooMany()
  const wrong: Array<string> = []
  const contacts: Array<Listed> = []
  for (const [index, entry] of value.entries()) {
    if (!isJson(entry)) {
      wrong.push(`contacts[${index}]`)
      continue
    }
    const { phone_number, to_number = phone_number, ...variables } = entry
    if (typeof to_number === "string" && isPhone(to_number)) contacts.push({ to_number, variables })
    else wrong.push(`contacts[${index}].to_number`)
  }
  if (wrong.length > 0) {
    const told = wrong.slice(0, maxTold).join(", ")
    throw new Refusal(1001, `Invalid value for '${told}': must be an E.164 number with 7 to 15 digits.`)
  }
  if (contacts.length === 0) throw malformed("No contacts were supplied.")
  return contacts
}

/** The contacts of an uploaded file. */
export const readFile = (parts: ReadonlyArray<Part>): ReadonlyArray<Listed> => {
  const file = parts.find(({ name }) => name === "file")
  if (file === undefined) throw missing("file")
  if (file.bytes.length > csvMaxBytes) {
    throw new Refusal(1000, "The uploaded CSV file is larger than 20 MiB.", { status: 413 })
  }
  const { badLines, contacts } = readCsv(utf8(file.bytes, "The uploaded CSV file"))
  if (badLines.length > 0) {
    const told = badLines.slice(0, maxTold).join(", ")
    throw new Refusal(1001, `Invalid value for 'file': the numbers on these lines are not valid: ${told}.`)
  }
  if (contacts.length > maxContacts) throw tooMany()
  return contacts
}

export const showContact = (contact: Contact) => ({
  contact_id: contact.contact_id,
  to_number: contact.to_number,
  variables: contact.variables,
  status: contact.status,
  attempts: contact.attempts + contact.followUps,
  next_attempt_at:
    contact.status === "retry_scheduled" || contact.status === "follow_up_scheduled"
      ? new Date(contact.dueAt).toISOString()
      : null,
  skip_reason: contact.skip_reason,
})
