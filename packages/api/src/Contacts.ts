import { type Json, limits } from "@carillon/core"
import { Schema } from "effect"
import { chosen, described, documentedAs } from "./Annotations.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import { isSentFile } from "./SentFiles.ts"
import { Integer, integerBetween, JsonObject, nullable, objectOf, oneOf, Text, Timestamp } from "./Scalars.ts"

/** The most bytes of a JSON body that carries contacts, and of a form that carries a CSV file (decisions, "Readings"). */
export const contactBodyBytes = 32 * 1024 * 1024

const isList = (value: unknown): value is ReadonlyArray<Json> => Array.isArray(value)

/**
 * Contacts in a JSON body. That it is a list is all that is looked at here: the fifty thousand entries are read by the engine, in
 * pieces, because a schema would hold up everybody else meanwhile. It says that it is JSON as it stands; otherwise the codec of a body
 * walks through all of it to see.
 */
const List = Schema.declare(isList, { message: "must be an array", toCodecJson: () => undefined })

export const ContactList = documentedAs(List, {
  type: "array",
  minItems: 1,
  maxItems: limits.contactsPerRequest,
  items: {
    type: "object",
    description:
      "`to_number` or its alias `phone_number` is required; every other key is a call variable of this contact.",
    properties: {
      to_number: { type: "string", format: "e164", description: "E.164, 7 to 15 digits." },
      phone_number: { type: "string", format: "e164", description: "Alias of `to_number`." },
    },
  },
})

/** The `file` of an upload. */
export const ContactFile = documentedAs(
  Schema.Unknown.pipe(Schema.refine(isSentFile, { message: "must be one CSV file" })),
  {
    type: "string",
    format: "binary",
    contentMediaType: "text/csv",
    description: `UTF-8 CSV with one header row, at most ${limits.csvBytes / 1024 ** 2} MiB and ${limits.contactsPerRequest} contacts. The first header named \`to_number\`, \`phone_number\`, \`phone\`, \`mobile\`, \`number\` or \`msisdn\`, in either case, has the number; every other column is a call variable.`,
  },
)

/** The statuses of a contact. */
export const contactStatuses = [
  "pending",
  "in_progress",
  "retry_scheduled",
  "follow_up_scheduled",
  "completed",
  "failed",
  "skipped",
] as const

/** A contact of a campaign, as it is listed. */
export const ContactEntry = Schema.Struct({
  contact_id: chosen(Text),
  batch_id: chosen(Text),
  campaign_id: chosen(nullable(Text)),
  to_number: chosen(Text, "E.164."),
  variables: chosen(JsonObject, "The contact's own call variables."),
  priority: chosen(
    Schema.optionalKey(integerBetween(0, limits.highestPriority)),
    "How early it is called for the first time: those of the highest number first. Left out where none was given.",
  ),
  status: chosen(oneOf(contactStatuses)),
  attempts: chosen(Integer, "Dials, retries and follow-ups included."),
  retry_count: chosen(Integer, "Retries that were dialled."),
  follow_up_count: chosen(Integer, "Follow-ups that were dialled."),
  next_attempt_at: chosen(nullable(Timestamp), "When it is due next as things stand; null when it waits for no time."),
  skip_reason: chosen(nullable(Text), "Why it is skipped; null when it is not."),
  last_execution_id: chosen(nullable(Text)),
  last_status: chosen(nullable(Text), "The status in which its last call ended."),
}).annotate({ identifier: "Contact", description: "Somebody to be called by a campaign.", "x-origin": "chosen" })
export type ContactEntry = typeof ContactEntry.Type

/** A page of contacts. */
export const ContactPage = pageOf(ContactEntry).annotate({ identifier: "ContactPage" })

/** The query of the contact list. */
export const ContactsQuery = Schema.Struct({ ...pageQuery, ...organizationQuery })

/** The JSON body that adds contacts to a campaign. */
export const ContactAppend = objectOf({ contacts: chosen(ContactList) }).annotate({
  identifier: "ContactAppend",
  "x-origin": "chosen",
})

/** The form that adds the contacts of a CSV file to a campaign. */
export const ContactUpload = objectOf({ file: described(ContactFile, "The contacts.") }).annotate({
  identifier: "ContactUpload",
  "x-origin": "chosen",
})
