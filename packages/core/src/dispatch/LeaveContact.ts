import { settlesBatch } from "../batches/BatchErrand.ts"
import type { Contact } from "../contacts/Contact.ts"
import { notFollowedUp, putOffForDay } from "../contacts/ContactProgress.ts"
import { heirsFreed } from "../calls/CallCommit.ts"
import { put, write } from "../engine/Outcome.ts"
import { seen } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../engine/By.ts"
import type { ContactDial } from "./ContactCall.ts"
import { asJudged } from "./UnderWay.ts"

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
      errands: at === null ? [settlesBatch(batch.batch_id)] : [],
      reply: undefined,
    })
  },
})
