import type { ContactList } from "@carillon/api"
import type { EngineError, InvalidField } from "@carillon/core"
import { type ContactIntake, csvContacts, jsonContacts, type SentFile } from "@carillon/core/domain"
import { Effect } from "effect"
import { instant } from "./CallPages.ts"

/** A timestamp that the contract has let through, as epoch milliseconds; null stays null. */
export const instantOrNull = (field: string, text: string | null): Effect.Effect<number | null, InvalidField> =>
  text === null ? Effect.succeed(null) : instant(field, text)

/** The contacts of a body, which is JSON or a form. */
export const contactsOf = (contacts: typeof ContactList.Type | SentFile): Effect.Effect<ContactIntake, EngineError> =>
  "bytes" in contacts ? csvContacts(contacts) : jsonContacts(contacts)
