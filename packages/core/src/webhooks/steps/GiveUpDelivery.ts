import { type Outcome, put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { type Delivery, givenUp } from "../rules/Delivery.ts"

/** A delivery as it was read, and why there is no attempt of it any more. */
interface GivingUp extends ByEngine {
  readonly delivery: Delivery
  readonly why: string
}

/** Gives a delivery up without a further attempt. Where somebody else was faster theirs stands. */
export const giveUpDelivery = step({
  name: "webhook.give_up",
  reads: ({ delivery }: GivingUp) => row("delivery", delivery.delivery_id),
  decide({ delivery, why }, standing): Outcome<void> {
    if (standing?.revision !== delivery.revision) return unchanged(undefined)
    return write([put("delivery", standing, givenUp(standing, why))], { reply: undefined })
  },
})
