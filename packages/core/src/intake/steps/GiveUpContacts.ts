import { discardsContacts } from "../../contacts/rules/ContactErrands.ts"
import { contactsOf } from "../../engine/rules/Guards.ts"
import { asks, joinSet, type Outcome, unchanged } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** A batch whose contacts were stored. */
export interface NeverShown extends ByEngine {
  readonly batch_id: string
  /** Whether its commit was refused for certain: then nobody shows it any more. */
  readonly isRefused: boolean
}

/** Sees to it that a batch is not shown any more that never was, and has its contacts discarded. */
export const giveUpContacts = step({
  name: "intake.give_up",
  reads: ({ batch_id }: NeverShown) => row("batch", batch_id),
  decide({ batch_id, isRefused }, shown): Outcome<void> {
    if (shown !== null) return unchanged(undefined)
    return asks(discardsContacts(batch_id), isRefused ? null : [joinSet(contactsOf(batch_id))])
  },
})
