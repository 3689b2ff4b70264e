import { Effect } from "effect"
import { nextTurn } from "../engine/ports/Pacing.ts"
import type { Json } from "../Json.ts"
import { limits } from "../Limits.ts"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import type { WrongRows } from "./rules/WrongVariables.ts"

/** Contacts that are looked at before others get their turn: to ask the runtime for a zone that it does not know takes long. */
const readAtATime = 250

/** The contacts whose value of a variable is wrong. */
export const wrongRows = Effect.fnUntraced(function* (
  { contacts }: ContactIntake,
  column: string,
  isWrong: (value: Json | undefined) => boolean,
): Effect.fn.Return<WrongRows> {
  const rows: Array<number> = []
  let count = 0
  for (const [row, { variables }] of contacts.entries()) {
    if (Object.hasOwn(variables, column) && isWrong(variables[column])) {
      count += 1
      if (rows.length < limits.namedFaults) rows.push(row)
    }
    if (row % readAtATime === readAtATime - 1) yield* nextTurn
  }
  return { rows, count }
})
