import type { Expectation } from "../../engine/rules/Commit.ts"
import { callersFrom } from "../../engine/rules/Guards.ts"
import { joinSet, type RowChange } from "../../engine/rules/Outcome.ts"
import { byKey, each, type Reading, refuse } from "../../engine/steps/Reading.ts"
import { InvalidField } from "../../Errors.ts"
import type { PhoneNumber } from "../rules/PhoneNumber.ts"

type Registered = Pick<PhoneNumber, "phone_number_id" | "revision">

/** What a commit expects that rests on a number. */
export const stillRegistered = ({ phone_number_id, revision }: Registered): Expectation => ({
  kind: "phone_number",
  id: phone_number_id,
  revision,
})

const different = (numbers: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(numbers)]

/** Those of an organization's numbers that are named, each or null. They are asked for at once: there may be thousands. */
const numbersByText = (organizationId: string, numbers: ReadonlyArray<string>) =>
  each(numbers.map((number) => byKey("phone_number", organizationId, number)))

const isThere = (number: PhoneNumber | null): number is PhoneNumber => number !== null

/** Numbers that are named as caller IDs. Each must be registered to the organization; the first that is not is named by its place. */
export function* callerIds(
  organizationId: string,
  numbers: ReadonlyArray<string>,
): Reading<ReadonlyArray<PhoneNumber>, InvalidField> {
  const texts = different(numbers)
  const found = yield* numbersByText(organizationId, texts)
  const missing = texts.find((_, nth) => found[nth] === null)
  if (missing !== undefined) {
    const reason = "must be a number registered to this organization"
    return yield* refuse(new InvalidField({ field: `phone_numbers[${numbers.indexOf(missing)}]`, reason }))
  }
  return found.filter(isThere)
}

/** What is wrong with a caller ID that is none of the organization's numbers. */
const foreignCallerId = new InvalidField({
  field: "from_number",
  reason: "must be a number registered to this organization",
})

/** The number that a call names as its caller ID, which must be registered to the organization; nothing where it names none. */
export function* callerIdNamed(
  organizationId: string,
  fromNumber: string | null,
): Reading<ReadonlyArray<PhoneNumber>, InvalidField> {
  if (fromNumber === null) return []
  const number = yield* byKey("phone_number", organizationId, fromNumber)
  return number === null ? yield* refuse(foreignCallerId) : [number]
}

/** Those numbers of what has ended and may go on that are still registered. */
export function* callerIdsLeft(
  organizationId: string,
  numbers: ReadonlyArray<string>,
): Reading<ReadonlyArray<PhoneNumber>> {
  return (yield* numbersByText(organizationId, different(numbers))).filter(isThere)
}

/** Something calls from numbers by name: none of them is given up unseen. */
export const nameCallerIds = (numbers: ReadonlyArray<PhoneNumber>): ReadonlyArray<RowChange> =>
  numbers.map(({ phone_number_id }) => joinSet(callersFrom(phone_number_id)))
