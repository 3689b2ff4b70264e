import { Effect } from "effect"
import type { CallStatus } from "../calls/CallStatus.ts"
import { callersFrom, holdersOf, numbersOf } from "../engine/Guards.ts"
import type { Question, SetDescription } from "../engine/SetDescription.ts"
import type { PageRequest } from "../Pagination.ts"
import type { NumberClaim } from "./NumberOwnership.ts"
import type { PhoneNumber } from "./PhoneNumber.ts"

/** The organizations that have a number registered. */
export const numberHolders: SetDescription<string, ReadonlyArray<string>> = {
  members: "organizations that have a number",
  guard: holdersOf,
  read: ({ numbers }, phoneNumber) => numbers.holders(phoneNumber),
}

/** A number that the host gives an organization, unless another one has it that the host does not let share it. */
export const deniedNumbers: SetDescription<Omit<NumberClaim, "holders">, ReadonlyArray<string>> = {
  members: "the number where others have it and the host does not let an organization have it, too",
  guard: ({ phone_number }) => holdersOf(phone_number),
  read: ({ numbers, ownership }, { organization_id, phone_number }) =>
    Effect.gen(function* () {
      const known = yield* numbers.holders(phone_number)
      const holders = known.filter((holder) => holder !== organization_id)
      if (holders.length === 0) return []
      return (yield* ownership.mayRegister({ organization_id, phone_number, holders })) ? [] : [phone_number]
    }),
}

/** How many numbers an organization has. */
export const organizationNumbers: SetDescription<string, number> = {
  members: "numbers of an organization",
  guard: numbersOf,
  read: ({ accounts }, organizationId) => accounts.numberCount(organizationId),
}

const bookedStatuses: ReadonlySet<CallStatus> = new Set<CallStatus>(["scheduled", "rescheduled"])

const firstOnly: PageRequest = { page: 1, page_size: 1 }

/** Whether anything that may still dial names a number as its caller ID. What names none goes on with the others. */
export const numberCallers: SetDescription<PhoneNumber, boolean> = {
  members: "campaigns, batches and booked calls that name a number as their caller ID, and the agent that answers it",
  guard: ({ phone_number_id }) => callersFrom(phone_number_id),
  read: ({ batches, calls, campaigns }, { organization_id, phone_number: from_number }) =>
    Effect.gen(function* () {
      const booked = yield* calls.page(organization_id, { statuses: bookedStatuses, from_number }, firstOnly)
      if (booked.total > 0) return true
      if (yield* campaigns.callsFrom(organization_id, from_number)) return true
      return yield* batches.callsFrom(organization_id, from_number)
    }),
}

/** Whether the host lets an organization have a number. */
export const mayRegister: Question<NumberClaim, boolean> = {
  about: "the host, whether an organization may have a number",
  ask: ({ ownership }, claim) => ownership.mayRegister(claim),
}
