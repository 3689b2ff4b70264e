import { assert } from "@effect/vitest"
import type { Contact } from "../contacts/rules/Contact.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"

const compare = <A extends string | number>(one: A, other: A): number => (one < other ? -1 : one > other ? 1 : 0)

const lineOf = ({ batch_id, in_hours_only }: Contact): string => `${batch_id} ${in_hours_only}`

/** One line behind the other, and in each who has waited longest before all. */
const byLine = (one: Contact, other: Contact): number =>
  compare(lineOf(one), lineOf(other)) ||
  compare(one.waits_since ?? 0, other.waits_since ?? 0) ||
  compare(one.row, other.row)

/** Checks that the heirs of a number are, of each batch that waits for it, by whether they wait for the campaign's hours, too, who has waited longest. */
export const checkHeirs = (heirs: ReadonlyArray<Contact>, waiting: ReadonlyArray<Contact>): void => {
  const inOrder = waiting.toSorted(byLine)
  const firsts = inOrder.filter((contact, nth) => {
    const before = inOrder[nth - 1]
    return before === undefined || lineOf(before) !== lineOf(contact)
  })
  assert.deepStrictEqual(heirs, firsts)
}

/** Contacts that wait for numbers, number by number, and those of one as its heirs stand. */
export const inTurn = (
  waiting: ReadonlyArray<Contact>,
  numberOf: (contact: Contact) => string,
): ReadonlyArray<Contact> =>
  waiting.toSorted((one, other) => compare(numberOf(one), numberOf(other)) || byLine(one, other))

/** Checks which contacts were found, in their order. */
export const checkFound = (found: ReadonlyArray<ContactRow>, contacts: ReadonlyArray<Contact>): void =>
  assert.deepStrictEqual<ReadonlyArray<Contact | null>>(
    found.map(({ contact }) => contact),
    contacts,
  )
