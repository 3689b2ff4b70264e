import { Effect } from "effect"
import type { ContactEntry } from "../contacts/rules/Contact.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { InvalidField, Malformed } from "../Errors.ts"
import type { Json, JsonObject } from "../Json.ts"
import { limits } from "../Limits.ts"
import { isE164, quotable } from "../phone/E164.ts"
import { alsoIn } from "./rules/AlsoIn.ts"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import { IntakeSize, sizeReasons } from "./rules/IntakeSize.ts"

/** Contacts that are read before others get their turn, unless they are large. */
const readAtATime = 250

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The contact that an object of the request describes, or the name of the field that is wrong. */
const contactOf = (value: Json): ContactEntry | string => {
  if (!isObject(value)) return ""
  const { to_number, ...others } = value
  if (typeof to_number === "string") {
    // An alias that is not needed is a variable like any other, as a second such column of a file is.
    return isE164(to_number) ? { to_number, variables: others } : ".to_number"
  }
  if (to_number !== undefined) return ".to_number"
  const { phone_number, ...variables } = others
  if (typeof phone_number === "string" && isE164(phone_number)) return { to_number: phone_number, variables }
  return phone_number === undefined ? ".to_number" : ".phone_number"
}

/** How many values are in a value. Not a number where one of them is such as `1e400`, which JSON can be read from and not written as: it would be stored as null. */
const finiteValues = (value: Json): number => {
  if (typeof value === "number") return Number.isFinite(value) ? 1 : Number.NaN
  if (typeof value !== "object" || value === null) return 1
  let count = 1
  for (const held of Object.values<Json>(value)) count += finiteValues(held)
  return count
}

/** The first variable in which a number is not finite. */
const infiniteIn = (variables: JsonObject): string =>
  Object.keys(variables).find((name) => Number.isNaN(finiteValues(variables[name] ?? null))) ?? ""

const fault = (fields: ReadonlyArray<string>, count: number): InvalidField => {
  const [first = "contacts", ...others] = fields
  return new InvalidField({
    field: first,
    reason: `must be a number in E.164 form of 7 to 15 digits${alsoIn(others, count - 1)}`,
  })
}

/**
 * The contacts of a JSON body: `to_number`, or `phone_number` where there is none, and every other key as a variable. Wrong ones are named
 * together. Long lists are read in pieces between which others run.
 */
export const jsonContacts = Effect.fnUntraced(function* (values: ReadonlyArray<Json>) {
  if (values.length === 0) return yield* new Malformed({ message: "At least one contact is required." })
  if (values.length > limits.contactsPerRequest) {
    return yield* new InvalidField({
      field: "contacts",
      reason: `must have at most ${limits.contactsPerRequest} contacts`,
    })
  }
  const contacts: Array<ContactEntry> = []
  const wrong: Array<string> = []
  const size = new IntakeSize()
  let count = 0
  for (const [index, value] of values.entries()) {
    const contact = contactOf(value)
    if (typeof contact !== "string") {
      contacts.push(contact)
      const held = finiteValues(contact.variables)
      if (Number.isNaN(held)) {
        const field = `contacts[${index}].${quotable(infiniteIn(contact.variables))}`
        return yield* new InvalidField({ field, reason: "must hold finite numbers only" })
      }
      const tooLarge = size.add(contact, held)
      if (tooLarge !== null) {
        const field = tooLarge === "contact" ? `contacts[${index}]` : "contacts"
        return yield* new InvalidField({ field, reason: sizeReasons[tooLarge] })
      }
    } else {
      count += 1
      if (wrong.length < limits.namedFaults) wrong.push(`contacts[${index}]${contact}`)
    }
    if (size.isTurnOver() || index % readAtATime === readAtATime - 1) yield* nextTurn
  }
  if (count > 0) return yield* fault(wrong, count)
  return { contacts, file_name: null } satisfies ContactIntake
})
