import { settlesBatch } from "../../batches/rules/BatchErrand.ts"
import type { Batch } from "../../batches/rules/Batch.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { skipped } from "../../contacts/rules/ContactProgress.ts"
import { heirsFreed } from "../../calls/steps/CallCommit.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { Suppressed } from "../rules/Judged.ts"

interface Skipping extends ByEngine {
  /** Theirs. */
  readonly batch: Batch
  readonly some: ReadonlyArray<Suppressed>
  /** Who waits for the number of each. */
  readonly heirs: ReadonlyArray<ReadonlyArray<Contact>>
}

/** Skips contacts of a batch whose numbers must not be called, and lets the next ones with their numbers have their turn. The batch may be done then. */
export const skipContacts = step({
  name: "contact.skip",
  reads: () => each([]),
  decide: ({ batch, heirs, some }: Skipping, _, { now }) =>
    write(
      [
        ...some.map(({ dial, row }) => put("contact", row.contact, skipped(dial.contact, "suppressed"))),
        ...heirs.flatMap((waiting) => heirsFreed(waiting, now)),
      ],
      { errands: [settlesBatch(batch)], reply: undefined },
    ),
})
