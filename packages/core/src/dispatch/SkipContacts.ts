import { settlesBatch } from "../batches/BatchErrand.ts"
import type { Batch } from "../batches/Batch.ts"
import type { Contact } from "../contacts/Contact.ts"
import { skipped } from "../contacts/ContactProgress.ts"
import { heirsFreed } from "../calls/CallCommit.ts"
import { put, write } from "../engine/Outcome.ts"
import { each } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../engine/By.ts"
import type { Suppressed } from "./Judged.ts"

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
      { errands: [settlesBatch(batch.batch_id)], reply: undefined },
    ),
})
