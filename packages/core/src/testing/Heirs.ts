import { assert } from "@effect/vitest"
import type { Contact } from "../contacts/Contact.ts"

const lineOf = ({ batch_id, in_hours_only }: Contact): string => `${batch_id} ${in_hours_only}`

/** Checks that the heirs of a number are one of each batch that waits for it, by whether they wait for the campaign's hours, too. */
export const checkHeirs = (heirs: ReadonlyArray<Contact>, waiting: ReadonlyArray<Contact>): void => {
  for (const heir of heirs) assert.deepInclude(waiting, heir)
  assert.sameMembers(heirs.map(lineOf), [...new Set(waiting.map(lineOf))])
}
