import { settlesBatch } from "../../batches/rules/BatchErrand.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { notFollowedUp, putOffForDay } from "../../contacts/rules/ContactProgress.ts"
import { heirsFreed } from "../../calls/steps/CallCommit.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { ContactDial } from "../rules/ContactCall.ts"
import { asJudged } from "../rules/UnderWay.ts"

interface Leaving extends ByEngine {
  /** As it was read; null where nobody has touched it. */
  readonly stored: Contact | null
  readonly dial: ContactDial
  /** When it is dialled; null: not at all. */
  readonly at: number | null
  /** Who waits for the number of one that is over. */
  readonly heirs: ReadonlyArray<Contact>
}

/** A contact is dialled at another time, or not at all, and then its batch may be done. */
export const leaveContact = step({
  name: "contact.leave",
  reads: ({ dial }: Leaving) => seen(asJudged(dial), "its batch and its campaign"),
  decide({ at, dial: { batch, contact }, heirs, stored }, _, { now }) {
    const after = at === null ? notFollowedUp(contact) : putOffForDay(contact, at)
    return write([put("contact", stored, after), ...heirsFreed(heirs, now)], {
      errands: at === null ? [settlesBatch(batch)] : [],
      reply: undefined,
    })
  },
})
