import { Array as Arr, Effect } from "effect"
import type { CallStatus } from "../../calls/rules/CallStatus.ts"
import { callersFrom, holdersOf, numbersOf } from "../../engine/rules/Guards.ts"
import type { ManySets, Question, SetDescription } from "../../engine/steps/SetDescription.ts"
import { limits } from "../../Limits.ts"
import type { PageRequest } from "../../Pagination.ts"
import type { NumberClaim } from "../ports/NumberOwnership.ts"
import type { PhoneNumber } from "../rules/PhoneNumber.ts"

/** The organizations that have a number registered. */
export const numberHolders: ManySets<string, string> = {
  members: "organizations that have a number",
  guard: holdersOf,
  read: ({ numbers }, phoneNumbers) =>
    Effect.map(Effect.forEach(Arr.chunksOf(phoneNumbers, limits.heldNumbersAtOnce), numbers.holders), Arr.flatten),
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
