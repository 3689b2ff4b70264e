import { Effect } from "effect"
import type { Batch } from "../../batches/rules/Batch.ts"
import { settlesBatch } from "../../batches/rules/BatchErrand.ts"
import { type ContactEntry, contactId, isWaiting } from "../../contacts/rules/Contact.ts"
import { overwritesContact } from "../../contacts/rules/ContactErrands.ts"
import { untouched } from "../../contacts/rules/ContactProgress.ts"
import { asks, type Outcome, put, unchanged } from "../../engine/rules/Outcome.ts"
import { all, glance, list, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { type ContactErased, erasedContact, erasedEntry, neverDialled } from "../rules/Erased.ts"

/** A contact of a batch that may be that of a person. */
interface ContactSought extends ByEngine {
  readonly batch: Batch
  /** Its place in the batch, from 0. */
  readonly place: number
  readonly number: string
}

const handedIn: ListDescription<Pick<ContactSought, "batch" | "place">, ContactEntry | null> = {
  members: "what was handed in of a contact",
  read: ({ contacts }, { batch, place }) =>
    Effect.map(contacts.find(batch.batch_id, place), (found) => found?.entry ?? null),
}

/** Sees to it that nobody dials a contact any more who has a person's number, and has overwritten what was handed in of it. */
export const eraseContact = step({
  name: "person.erase_contact",
  *reads({ batch, place }: ContactSought) {
    const [entry, contact] = yield* all(
      glance("grows", "It changes only when it is erased, or gone.", list(handedIn, { batch, place })),
      row("contact", contactId(batch.batch_id, place)),
    )
    return { entry, contact }
  },
  decide({ batch, number, organization_id, place }, { contact, entry }, { now }): Outcome<ContactErased> {
    if (entry?.to_number !== number) return unchanged("Nothing")
    if (contact?.status === "in_progress") return unchanged("UnderWay")
    const { batch_id } = batch
    const subject = contactId(batch_id, place)
    // Only once nobody dials it any more; where this fails, the number is found again.
    const overwriting = overwritesContact({ subject, batch_id, place, entry: erasedEntry })
    if (contact !== null && !isWaiting(contact.status)) {
      return asks(
        overwriting,
        contact.hours_of === undefined ? null : [put("contact", contact, erasedContact(contact))],
      )
    }
    const waited = contact ?? untouched(batch, subject, place)
    return asks(overwriting, [put("contact", contact, neverDialled(waited))], {
      // It may have been the last that its batch waited for, and the process may end before it has settled that.
      errands: [settlesBatch(batch)],
      wakeups: [{ set: { kind: "dispatch", subject: organization_id, at: now } }],
    })
  },
})
