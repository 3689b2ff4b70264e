import { refuse, row } from "../../engine/steps/Reading.ts"
import { NotFound } from "../../Errors.ts"

/** Why something is refused that names a number by its id. */
export const noSuchNumber = new NotFound({ message: "Phone number not found." })

/** A number of an organization. */
export function* numberOf(organizationId: string, phoneNumberId: string) {
  return (yield* row("phone_number", phoneNumberId, { of: organizationId })) ?? (yield* refuse(noSuchNumber))
}
