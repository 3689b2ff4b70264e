import { refused, remove, write } from "../../engine/rules/Outcome.ts"
import { all, byKey, set } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import { type By, organizationOf } from "../../engine/rules/By.ts"
import { numberOf } from "./NumberReads.ts"
import { numberCallers } from "./NumberSets.ts"

/** A caller gives a number up, or the host takes it away; its inbound binding goes with it. */
export const releaseNumber = step({
  name: "phone_number.delete",
  *reads(input: By & { readonly phone_number_id: string }) {
    const { phone_number_id } = input
    const organization_id = organizationOf(input)
    const number = yield* numberOf(organization_id, phone_number_id)
    const [isCalledFrom, binding] = yield* all(
      set(numberCallers, number),
      byKey("inbound_agent", organization_id, phone_number_id),
    )
    return { number, isCalledFrom, binding }
  },
  decide(_, { binding, isCalledFrom, number }) {
    if (isCalledFrom) {
      return refused(
        new StateConflict({
          message: "A campaign, a batch or a booked call that may still dial calls from this phone number.",
        }),
      )
    }
    const bound = binding === null ? [] : [remove("inbound_agent", binding)]
    const resource = { type: "phone_number", id: number.phone_number_id }
    return write([remove("phone_number", number), ...bound], { audit: [{ resource }], reply: undefined })
  },
})
