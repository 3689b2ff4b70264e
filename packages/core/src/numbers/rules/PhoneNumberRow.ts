import { holdersOf, numbersOf } from "../../engine/rules/Guards.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

export const phoneNumberRow: RowDescription<PhoneNumber> = {
  id: (number) => number.phone_number_id,
  dependency: "account_service",
  unique: (number) => number.phone_number,
  joins: (before, { organization_id, phone_number }) =>
    before === null ? [holdersOf(phone_number), numbersOf(organization_id)] : [],
}
