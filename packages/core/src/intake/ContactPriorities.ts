import { Effect } from "effect"
import { priorityColumnOf } from "../campaigns/rules/CallOrder.ts"
import type { CallOrder } from "../campaigns/rules/CallOrderSetting.ts"
import type { ContactEntry } from "../contacts/rules/Contact.ts"
import { placesByPriority, priorityIn } from "../contacts/rules/Priority.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { limits } from "../Limits.ts"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import { wrongVariable } from "./rules/WrongVariables.ts"
import { wrongRows } from "./WrongRows.ts"

const reason = `must be a whole number from 0 to ${limits.highestPriority}, because the order of the campaign goes by it`

/** Contacts that are given their priority before others get their turn. */
const givenAtATime = 5_000

/**
 * Contacts with the priorities that a variable of theirs says, the highest first: they are called for the first time in the order in which they are
 * stored. Without such a variable they are as they came.
 */
export const byPriority = Effect.fnUntraced(function* (
  intake: ContactIntake,
  asked: { readonly call_order?: CallOrder | undefined },
) {
  const column = priorityColumnOf(asked)
  if (column === null) return intake
  const wrong = yield* wrongRows(intake, column, (value) => priorityIn(value) === null)
  if (wrong.count > 0) return yield* wrongVariable(intake, column, wrong, reason)
  const given: Array<ContactEntry> = []
  for (const contact of intake.contacts) {
    const { variables } = contact
    const priority = Object.hasOwn(variables, column) ? priorityIn(variables[column]) : undefined
    given.push(typeof priority === "number" ? { ...contact, priority } : contact)
    if (given.length % givenAtATime === 0) yield* nextTurn
  }
  const places = placesByPriority(given)
  const contacts = places.flatMap((place) => given[place] ?? [])
  return { ...intake, contacts, places } satisfies ContactIntake
})
