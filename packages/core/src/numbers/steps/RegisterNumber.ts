import { put, write } from "../../engine/rules/Outcome.ts"
import { all, ask, refuse, set, sets } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { StateConflict } from "../../Errors.ts"
import { type By, organizationOf } from "../../engine/rules/By.ts"
import { limits } from "../../Limits.ts"
import { mayRegister, numberHolders, organizationNumbers } from "./NumberSets.ts"
import { newPhoneNumber, type PhoneNumber } from "../rules/PhoneNumber.ts"

const conflict = (message: string) => refuse(new StateConflict({ message }))

type Registration = By & Pick<PhoneNumber, "phone_number" | "label" | "country">

/**
 * A caller registers a number that nobody of its organization has yet, and that the host lets it have. The host itself, which knows whose it is,
 * gives an organization a number that nobody has.
 */
export const registerNumber = step({
  name: "phone_number.create",
  *reads(input: Registration) {
    const { phone_number } = input
    const organization_id = organizationOf(input)
    const [[known = []], count] = yield* all(
      sets(numberHolders, [phone_number]),
      set(organizationNumbers, organization_id),
    )
    const holders = known.filter((holder) => holder !== organization_id)
    if (holders.length < known.length) return yield* conflict("This phone number is already registered.")
    if (count >= limits.numbersPerOrganization) {
      return yield* conflict(
        `This organization has ${limits.numbersPerOrganization} phone numbers and can register no more.`,
      )
    }
    const isFree = holders.length === 0
    const may = "caller" in input ? yield* ask(mayRegister, { organization_id, phone_number, holders }) : isFree
    return may ? undefined : yield* conflict("This phone number is not available to this organization.")
  },
  decide(input, _, at) {
    const { country, label, phone_number } = input
    const organization_id = organizationOf(input)
    const change = put(
      "phone_number",
      null,
      newPhoneNumber({
        phone_number_id: at.mint("phoneNumber", organization_id, "registered", at.nth("phoneNumber")),
        organization_id,
        phone_number,
        label,
        country,
        created_at: at.now,
      }),
    )
    const resource = { type: "phone_number", id: change.row.phone_number_id }
    return write([change], { audit: [{ resource }], reply: change.row })
  },
})
