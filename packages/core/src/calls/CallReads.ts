import { glance, type Reading, refuse, row } from "../engine/Reading.ts"
import { NotFound } from "../Errors.ts"
import type { Call } from "./Call.ts"

const noSuchCall = new NotFound({ message: "Call not found." })

function* followed(executionId: string, owned?: { readonly of: string }): Reading<Call | null> {
  let call = yield* row("call", executionId, owned)
  while (call !== null && call.folded_into !== null) call = yield* row("call", call.folded_into, owned)
  return call
}

/** The record that goes on for an id, which is another one after a folding; null where there is none. */
export const survivingCall = (executionId: string, owned?: { readonly of: string }) =>
  glance(
    "grows",
    "What was folded stays so, and who changes the record that goes on writes it.",
    followed(executionId, owned),
  )

/** A call of an organization, as its record goes on. */
export function* callOf(organizationId: string, executionId: string) {
  return (yield* survivingCall(executionId, { of: organizationId })) ?? (yield* refuse(noSuchCall))
}
