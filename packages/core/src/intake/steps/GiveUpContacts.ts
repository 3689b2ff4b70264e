import { contactsOf } from "../../engine/rules/Guards.ts"
import { joinSet, type Outcome, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** Sees to it that a batch is not shown any more whose contacts are given up. Replies whether it never was. */
export const giveUpContacts = step({
  name: "intake.give_up",
  reads: ({ batch_id }: ByEngine & { readonly batch_id: string }) => row("batch", batch_id),
  decide({ batch_id }, shown): Outcome<boolean> {
    return shown === null ? write([joinSet(contactsOf(batch_id))], { reply: true }) : unchanged(false)
  },
})
