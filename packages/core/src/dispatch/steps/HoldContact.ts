import type { SeenCallee } from "../../callees/rules/SeenCallee.ts"
import type { Contact, HeldBecause } from "../../contacts/rules/Contact.ts"
import { held } from "../../contacts/rules/ContactProgress.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

interface Holding extends ByEngine {
  /** As it was read; null where nobody has touched it. */
  readonly stored: Contact | null
  readonly contact: Contact
  readonly because: HeldBecause
  readonly callee: SeenCallee
}

/** Holds a contact back until what it lacks may be there again; replies with it. */
export const holdContact = step({
  name: "contact.hold",
  reads: ({ callee }: Holding) => seen(callee.expect, "what is known of its number"),
  decide({ because, contact, stored }, _, { now }) {
    const change = put("contact", stored, held(contact, because, now))
    return write([change], { reply: change.row })
  },
})
