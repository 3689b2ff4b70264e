import { ContactFile, ContactList, type DecodeFailure, decoder, type Route, type RouteName } from "@carillon/api"
import type { EngineError } from "@carillon/core"
import type { SentFile } from "@carillon/core/domain"
import { Effect, Result } from "effect"
import { contactsOf } from "./handlers/CampaignBodies.ts"
import type { Decode } from "./Operation.ts"

/** The routes whose bodies carry contacts: as a list in JSON, as a file in a form. */
const carrying: ReadonlySet<RouteName> = new Set([
  "campaigns.create",
  "campaigns.append",
  "batches.create",
  "batches.upload",
] as const)

type Carrier = "contacts" | "file"

const carriers: {
  readonly [each in Carrier]: (value: unknown) => Result.Result<typeof ContactList.Type | SentFile, DecodeFailure>
} = { contacts: decoder(ContactList), file: decoder(ContactFile) }

/**
 * Says what is wrong with the contacts of a body that was not decoded, where they stand before the field for which it was not. They are read in pieces
 * once all else is decoded (`ContactList`), and the first offending field in schema order is named all the same (decisions, "Request pipeline" 4).
 */
export const contactsFirst = (
  { name }: Route,
  body: object,
  carrier: Carrier,
  decode: Decode,
): Effect.Effect<void, EngineError> => {
  if (!carrying.has(name)) return Effect.void
  const contacts = carriers[carrier](Reflect.get(body, carrier))
  if (Result.isFailure(contacts)) return Effect.void
  // Without them the body is refused for them, unless something is wrong that stands before.
  const before = decode({ ...body, [carrier]: null })
  const isFirst = Result.isFailure(before) && before.failure.field === carrier
  return isFirst ? Effect.asVoid(contactsOf(contacts.success)) : Effect.void
}
