import type { Batch } from "../../batches/rules/Batch.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { plannedAnew } from "../../contacts/rules/NextAttempt.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** A follow-up that was put off for a working day, and the batch that it is of. */
export interface OffForDay {
  readonly batch: Batch
  readonly contact: Contact
}

interface Planning extends ByEngine {
  readonly campaign: Campaign
  readonly some: ReadonlyArray<OffForDay>
}

/**
 * Plans follow-ups anew that were put off for a working day by hours that their campaign has no more. Whether they may be dialled is judged when their
 * turn comes, so it rests on nothing but the contacts.
 */
export const planDaysAnew = step({
  name: "contact.plan_anew",
  reads: () => seen([], "nothing"),
  decide: ({ campaign, some }: Planning) =>
    write(
      some.map(({ batch, contact }) => put("contact", contact, plannedAnew({ batch, campaign, contact }))),
      { reply: undefined },
    ),
})
