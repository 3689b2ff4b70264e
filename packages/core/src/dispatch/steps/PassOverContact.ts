import type { Contact } from "../../contacts/rules/Contact.ts"
import { crowded, passedOver } from "../../contacts/rules/ContactProgress.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { limits } from "../../Limits.ts"

interface Passing extends ByEngine {
  /** As it was read; null where nobody has touched it. */
  readonly stored: Contact | null
  readonly contact: Contact
}

/** Touches a contact that is passed over, for its agent has no line: contacts are touched in order. */
export const passOverContact = step({
  name: "contact.pass_over",
  reads: () => each([]),
  decide: ({ contact, stored }: Passing, _, { now }) =>
    write([put("contact", stored, passedOver(contact, now))], { reply: undefined }),
})

/** Sets a contact aside for a while whose agent has no line, as so many are passed over already. */
export const crowdOut = step({
  name: "contact.crowd_out",
  reads: () => each([]),
  decide: ({ contact, stored }: Passing, _, { now }) =>
    write([put("contact", stored, crowded(contact, now + limits.crowdedMs))], { reply: undefined }),
})
