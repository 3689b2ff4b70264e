import { put, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { numberOf } from "./NumberReads.ts"

/** What its owner says of a number; what is left out stays as it is. */
export interface NumberDetails {
  readonly label?: string | null | undefined
  readonly country?: string | null | undefined
}

/** A caller says something else of a number. */
export const changeNumber = step({
  name: "phone_number.update",
  reads: ({
    caller,
    phone_number_id,
  }: ByCaller & { readonly phone_number_id: string; readonly details: NumberDetails }) =>
    numberOf(caller.organization_id, phone_number_id),
  decide({ details: { country, label } }, number, { now }) {
    const change = put("phone_number", number, {
      ...number,
      label: label === undefined ? number.label : label,
      country: country === undefined ? number.country : country,
      updated_at: now,
    })
    const resource = { type: "phone_number", id: number.phone_number_id }
    return write([change], { audit: [{ resource }], reply: change.row })
  },
})
