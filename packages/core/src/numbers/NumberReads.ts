import { Effect } from "effect"
import { refuse, row } from "../engine/Reading.ts"
import { NotFound, type PortError } from "../Errors.ts"
import type { AccountStore } from "../organizations/AccountStore.ts"

/** Why something is refused that names a number by its id. */
export const noSuchNumber = new NotFound({ message: "Phone number not found." })

/** A number of an organization. */
export function* numberOf(organizationId: string, phoneNumberId: string) {
  return (yield* row("phone_number", phoneNumberId, { of: organizationId })) ?? (yield* refuse(noSuchNumber))
}

/** The texts of an organization's numbers, in the order of registration. Answers list them where something names none. */
export const registeredNumbers =
  ({ numbers }: AccountStore["Service"]) =>
  (organizationId: string): Effect.Effect<ReadonlyArray<string>, PortError> =>
    Effect.map(numbers(organizationId), (all) => all.map(({ phone_number }) => phone_number))
