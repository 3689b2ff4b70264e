import type { Json } from "../../Json.ts"
import { limits } from "../../Limits.ts"
import type { ContactEntry } from "./Contact.ts"

/** What may have a priority: a contact as it was handed in. */
type Prioritised = Pick<ContactEntry, "priority">

/** The priority of whoever was handed in without one. */
export const usualPriority = 5

/** How early a contact is called for the first time: 9 before 0. */
export const priorityOf = ({ priority = usualPriority }: Prioritised): number => priority

const isPriority = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= limits.highestPriority

/** The priority that a variable of a contact says: undefined where it says none, null where what it says is none. */
export const priorityIn = (value: Json | undefined): number | null | undefined => {
  if (value === undefined || value === null) return undefined
  if (typeof value === "number") return isPriority(value) ? value : null
  if (typeof value !== "string") return null
  const text = value.trim()
  if (text === "") return undefined
  return /^[0-9]+$/.test(text) && isPriority(Number(text)) ? Number(text) : null
}

/** The places of contacts in the order of their priorities: the highest first, those of one as they came. */
export const placesByPriority = (contacts: ReadonlyArray<Prioritised>): ReadonlyArray<number> => {
  const levels = Array.from({ length: limits.highestPriority + 1 }, (): Array<number> => [])
  for (const [place, contact] of contacts.entries()) levels[priorityOf(contact)]?.push(place)
  return levels.reverse().flat()
}
