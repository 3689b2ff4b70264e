import { Effect } from "effect"
import type { Batch } from "../../batches/rules/Batch.ts"
import { settlesBatch } from "../../batches/rules/BatchErrand.ts"
import { type ContactEntry, contactId, isWaiting } from "../../contacts/rules/Contact.ts"
import { untouched } from "../../contacts/rules/ContactProgress.ts"
import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, glance, list, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { erasedContact, neverDialled } from "../rules/Erased.ts"

/** A contact of a batch that may be that of a person. */
interface ContactSought extends ByEngine {
  readonly batch: Batch
  /** Its place in the batch, from 0. */
  readonly place: number
  readonly number: string
}

/** What was done to a contact. */
export type ContactErased = "Nothing" | "UnderWay" | "Erased"

const handedIn: ListDescription<Pick<ContactSought, "batch" | "place">, ContactEntry | null> = {
  members: "what was handed in of a contact",
  read: ({ contacts }, { batch, place }) =>
    Effect.map(contacts.find(batch.batch_id, place), (found) => found?.entry ?? null),
}

/** Sees to it that nobody dials a contact any more who has a person's number. What was handed in of it is overwritten afterwards. */
export const eraseContact = step({
  name: "person.erase_contact",
  *reads({ batch, place }: ContactSought) {
    const [entry, contact] = yield* all(
      glance("grows", "It changes only when it is erased, or gone.", list(handedIn, { batch, place })),
      row("contact", contactId(batch.batch_id, place)),
    )
    return { entry, contact }
  },
  decide({ batch, number, organization_id, place }, { contact, entry }, { now }) {
    if (entry?.to_number !== number) return unchanged<ContactErased>("Nothing")
    if (contact?.status === "in_progress") return unchanged<ContactErased>("UnderWay")
    if (contact !== null && !isWaiting(contact.status)) {
      if (contact.hours_of === undefined) return unchanged<ContactErased>("Erased")
      return write<ContactErased>([put("contact", contact, erasedContact(contact))], { reply: "Erased" })
    }
    const waited = contact ?? untouched(batch, contactId(batch.batch_id, place), place)
    return write<ContactErased>([put("contact", contact, neverDialled(waited))], {
      // It may have been the last that its batch waited for, and the process may end before it has settled that.
      errands: [settlesBatch(batch)],
      wakeups: [{ set: { kind: "dispatch", subject: organization_id, at: now } }],
      reply: "Erased",
    })
  },
})
